package npy

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
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

// dtypeText matches a type of numbers, of text in UTF-32 ("<U12", of 12 characters) or of bytes ("|S12"), which
// NumPy fills up with zeros.
var dtypeText = regexp.MustCompile(`^([<>|=])([fiubUS])([0-9]+)$`)

func parseDtype(s string) (dtype, error) {
	m := dtypeText.FindStringSubmatch(s)
	if s == "|O" {
		return dtype{}, malformed("holds Python objects: save it as numbers or, with astype(str), as text")
	}
	if m == nil {
		return dtype{}, malformed("element type %q is not a plain number: save float32, float64 or integers", s)
	}
	n, err := strconv.Atoi(m[3])
	d := dtype{kind: m[2][0], size: n, big: m[1] == ">" || m[1] == "=" && hostBig}
	longest := maxText
	if d.kind == 'U' {
		d.size, longest = n*runeSize, maxText/runeSize
	}
	switch {
	case d.text() && (err != nil || n < 1 || n > longest):
		return dtype{}, malformed("element type %q is not text of 1 to %d bytes: save shorter names, or numbers", s, maxText)
	case !d.text() && readers[d.name()] == nil:
		return dtype{}, malformed("element type %q is not a plain number: save float32, float64 or integers", s)
	case m[1] == "|" && d.kind != 'S' && d.size > 1:
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

// number is an element that is stored as its own bytes.
type number interface {
	float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
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

// kinds are the kinds of elements that are stored as their own bytes.
var kinds = map[reflect.Kind]byte{
	reflect.Float32: 'f', reflect.Float64: 'f', reflect.Bool: 'b',
	reflect.Int8: 'i', reflect.Int16: 'i', reflect.Int32: 'i', reflect.Int64: 'i', reflect.Int: 'i',
	reflect.Uint8: 'u', reflect.Uint16: 'u', reflect.Uint32: 'u', reflect.Uint64: 'u',
}

// stored returns the type, the length and the little-endian bytes of a slice.
func stored(data any) (d dtype, n int, b []byte, err error) {
	if text, is := data.([]string); is {
		return storedText(text)
	}
	v := reflect.ValueOf(data)
	if v.Kind() == reflect.Slice {
		d = dtype{kind: kinds[v.Type().Elem().Kind()], size: int(v.Type().Elem().Size())}
	}
	if d.kind == 0 {
		return dtype{}, 0, nil, fmt.Errorf("npy: cannot store a %T: want a slice of numbers, bools or strings", data)
	}
	b = unsafe.Slice((*byte)(v.UnsafePointer()), v.Len()*d.size)
	if hostBig && d.size > 1 {
		b = slices.Clone(b)
		swap(b, d.size)
	}
	return d, v.Len(), b, nil
}
