package npy

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
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

// runeSize is what one character of a NumPy string (kind U) takes: UTF-32.
const runeSize = 4

// maxText is the most bytes of one string: more is no name of anything.
const maxText = 1 << 16

// text reports whether the elements are strings.
func (d dtype) text() bool { return d.kind == 'U' || d.kind == 'S' }

// strings reads n strings; equal ones share their bytes.
func (h header) strings(r io.Reader, n int, sure bool) (any, error) {
	size := h.dtype.size
	if n > math.MaxInt/size {
		return nil, malformed("shape %v has more elements than can be counted", h.shape)
	}
	plain := h
	plain.fortran = false
	b, err := elements[uint8](plain, r, n*size, sure)
	if err != nil {
		return nil, err
	}
	seen := map[string]string{}
	x := make([]string, n)
	for i := range x {
		raw := b[i*size:][:size]
		s, ok := seen[string(raw)]
		if !ok {
			if s, err = h.dtype.decodeText(raw); err != nil {
				return nil, err
			}
			seen[string(raw)] = s
		}
		x[i] = s
	}
	if h.fortran && len(h.shape) > 1 {
		x = rowMajor(x, h.shape)
	}
	return x, nil
}

// decodeText reads one string, which ends before the zeros that fill it up.
func (d dtype) decodeText(raw []byte) (string, error) {
	if d.kind == 'S' {
		s := strings.TrimRight(string(raw), "\x00")
		if !utf8.ValidString(s) {
			return "", malformed("the text %q is not UTF-8: save it as numpy.str_", s)
		}
		return s, nil
	}
	var order binary.ByteOrder = binary.LittleEndian
	if d.big {
		order = binary.BigEndian
	}
	var s strings.Builder
	for ; len(raw) > 0; raw = raw[runeSize:] {
		c := order.Uint32(raw)
		if c > utf8.MaxRune || !utf8.ValidRune(rune(c)) {
			return "", malformed("%#x is no character: save the text again", c)
		}
		s.WriteRune(rune(c))
	}
	return strings.TrimRight(s.String(), "\x00"), nil
}

// storedText is what stored returns of strings: kind U, as long as the longest.
func storedText(x []string) (dtype, int, []byte, error) {
	longest := 1
	for _, s := range x {
		if !utf8.ValidString(s) || strings.HasSuffix(s, "\x00") {
			return dtype{}, 0, nil, malformed("%q would not be read back: want UTF-8 that does not end in a zero", s)
		}
		longest = max(longest, utf8.RuneCountInString(s))
	}
	if longest > maxText/runeSize {
		return dtype{}, 0, nil, malformed("a text of %d characters: want at most %d", longest, maxText/runeSize)
	}
	d := dtype{kind: 'U', size: longest * runeSize}
	b := make([]byte, len(x)*d.size)
	for i, s := range x {
		at := b[i*d.size:]
		for _, c := range s {
			binary.LittleEndian.PutUint32(at, uint32(c))
			at = at[runeSize:]
		}
	}
	return d, len(x), b, nil
}
