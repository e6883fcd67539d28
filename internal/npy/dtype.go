package npy

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"unsafe"
)

// dtype is an element type as a header describes it: "<f4" is a little-endian
// float of 4 bytes.
type dtype struct {
	kind byte // f, i, u, b, or U and S of text
	size int  // bytes
	big  bool // most significant byte first
}

var hostBig = binary.NativeEndian.Uint16([]byte{0, 1}) == 1

func parseDtype(s string) (dtype, error) {
	if len(s) > 2 && strings.Contains("US", s[1:2]) {
		return parseText(s)
	}
	if s == "|O" {
		return dtype{}, malformed("holds Python objects: save it as numbers or, with astype(str), as text")
	}
	if len(s) != 3 || !strings.Contains("<>|=", s[:1]) || readers[s[1:]] == nil {
		return dtype{}, malformed("element type %q is not a plain number: save float32, float64 or integers", s)
	}
	d := dtype{kind: s[1], size: int(s[2] - '0'), big: s[0] == '>' || s[0] == '=' && hostBig}
	if s[0] == '|' && d.size > 1 {
		return dtype{}, malformed("element type %q says no byte order", s)
	}
	return d, nil
}

// name returns the type without the byte order: f4.
func (d dtype) name() string { return fmt.Sprintf("%c%d", d.kind, d.size) }

func (d dtype) String() string {
	order := "<"
	switch {
	case d.kind == 'U':
		d.size /= runeSize
	case d.size == 1:
		order = "|"
	case d.big:
		order = ">"
	}
	return fmt.Sprintf("%s%c%d", order, d.kind, d.size)
}

// A Float16 is the bits of an IEEE 754 binary16. Arrays of them are read as []float32.
type Float16 uint16

// number is an element that is stored as its own bytes.
type number interface {
	Float16 | float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// bytesOf views the memory of x.
func bytesOf[T number](x []T) []byte {
	if len(x) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), len(x)*int(unsafe.Sizeof(x[0])))
}

// swap reverses the bytes of each element of size bytes.
func swap(b []byte, size int) {
	for ; len(b) >= size; b = b[size:] {
		slices.Reverse(b[:size])
	}
}

// stored returns the type, the length and the little-endian bytes of a slice.
func stored(data any) (d dtype, n int, b []byte, err error) {
	switch x := data.(type) {
	case []Float16:
		d, n, b = dtype{'f', 2, false}, len(x), bytesOf(x)
	case []float32:
		d, n, b = dtype{'f', 4, false}, len(x), bytesOf(x)
	case []float64:
		d, n, b = dtype{'f', 8, false}, len(x), bytesOf(x)
	case []int8:
		d, n, b = dtype{'i', 1, false}, len(x), bytesOf(x)
	case []int16:
		d, n, b = dtype{'i', 2, false}, len(x), bytesOf(x)
	case []int32:
		d, n, b = dtype{'i', 4, false}, len(x), bytesOf(x)
	case []int64:
		d, n, b = dtype{'i', 8, false}, len(x), bytesOf(x)
	case []int:
		wide := make([]int64, len(x))
		for i, v := range x {
			wide[i] = int64(v)
		}
		return stored(wide)
	case []uint8:
		d, n, b = dtype{'u', 1, false}, len(x), x
	case []uint16:
		d, n, b = dtype{'u', 2, false}, len(x), bytesOf(x)
	case []uint32:
		d, n, b = dtype{'u', 4, false}, len(x), bytesOf(x)
	case []uint64:
		d, n, b = dtype{'u', 8, false}, len(x), bytesOf(x)
	case []bool:
		b = make([]byte, len(x))
		for i, v := range x {
			if v {
				b[i] = 1
			}
		}
		return dtype{'b', 1, false}, len(x), b, nil
	case []string:
		return storedText(x)
	default:
		return dtype{}, 0, nil, fmt.Errorf("npy: cannot store a %T: want a slice of numbers, bools or strings", data)
	}
	if hostBig && d.size > 1 {
		b = slices.Clone(b)
		swap(b, d.size)
	}
	return d, n, b, nil
}
