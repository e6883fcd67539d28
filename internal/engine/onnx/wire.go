package onnx

import (
	"encoding/binary"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// maxParts bounds the nodes, attributes, tensors and names of one file
// together. Large published nets have some tens of thousands.
const maxParts = 1 << 18

// maxName bounds the bytes of the name of a node, operator, tensor or attribute.
const maxName = 1 << 10

// wire reads encoded messages. The first error stays and ends all reading.
// Bytes that it returns alias the file.
type wire struct {
	parts int
	err   error
}

// field is one field of a message: n holds a number, b bytes.
type field struct {
	number protowire.Number
	kind   protowire.Type
	n      uint64
	b      []byte
}

func (w *wire) fail(format string, args ...any) {
	if w.err == nil {
		w.err = malformedf(format, args...)
	}
}

// each calls f for every field of the message b.
func (w *wire) each(b []byte, f func(field)) {
	for len(b) > 0 && w.err == nil {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			w.fail("cut off, or not an ONNX file: export the model again")
			return
		}
		b = b[n:]
		v := field{number: number, kind: kind}
		switch kind {
		case protowire.VarintType:
			v.n, n = protowire.ConsumeVarint(b)
		case protowire.Fixed32Type, protowire.Fixed64Type:
			n = protowire.ConsumeFieldValue(number, kind, b)
			v.b = b[:max(n, 0)]
		case protowire.BytesType:
			v.b, n = protowire.ConsumeBytes(b)
		default: // groups, which ONNX does not use
			n = -1
		}
		if n < 0 {
			w.fail("cut off, or not an ONNX file (field %d): export the model again", number)
			return
		}
		b = b[n:]
		f(v)
	}
}

// fields says where the fields of a message are kept, by their numbers. Others are skipped.
type fields map[protowire.Number]any

// Kinds of fields beside names, integers and their lists, and parts of the file.
type (
	long        string // a text that no message repeats
	floatBytes  []byte // little-endian, of float32
	doubleBytes []byte // and of float64
)

// read reads a message.
func (w *wire) read(b []byte, to fields) {
	w.each(b, func(f field) {
		switch p := to[f.number].(type) {
		case func(field):
			p(f)
		case *string:
			*p = w.name(f)
		case *[]string:
			*p = append(*p, w.name(f))
		case *long:
			*p = long(w.bytes(f))
		case *int64:
			*p = w.int(f)
		case *[]int64:
			*p = w.ints(*p, f)
		case *uint32:
			*p = w.float32bits(f)
		case *floatBytes:
			*p = w.fixed(*p, f, 4)
		case *doubleBytes:
			*p = w.fixed(*p, f, 8)
		case *[]byte:
			*p = w.bytes(f)
		case *[][]byte:
			*p = append(*p, f.b)
		}
	})
}

// count returns how many fields of that number the message has, at most maxParts.
func (w *wire) count(b []byte, number protowire.Number) (n int) {
	w.each(b, func(f field) {
		if f.number == number {
			n++
		}
	})
	return min(n, maxParts)
}

// part counts one more message or name.
func (w *wire) part() {
	if w.parts++; w.parts > maxParts {
		w.fail("has more than %d nodes, tensors and names", maxParts)
	}
}

func (w *wire) bytes(f field) []byte {
	w.part()
	if f.kind != protowire.BytesType {
		w.fail("field %d is no message", f.number)
	}
	return f.b
}

// name reads a text that messages may repeat.
func (w *wire) name(f field) string {
	b := w.bytes(f)
	if len(b) > maxName {
		w.fail("has a name of %d bytes, more than %d", len(b), maxName)
		return ""
	}
	return string(b)
}

func (w *wire) int(f field) int64 {
	if f.kind != protowire.VarintType {
		w.fail("field %d is no integer", f.number)
	}
	return int64(f.n)
}

// ints appends a repeated integer, packed or one at a time.
func (w *wire) ints(x []int64, f field) []int64 {
	if f.kind != protowire.BytesType {
		return append(x, w.int(f))
	}
	count := 0
	for _, c := range f.b {
		if c < 0x80 { // last byte of an integer
			count++
		}
	}
	x = slices.Grow(x, count)
	for b := f.b; len(b) > 0; {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			w.fail("field %d is cut off", f.number)
			return x
		}
		x = append(x, int64(v))
		b = b[n:]
	}
	return x
}

// fixed appends repeated floats of size bytes as their little-endian bytes. One
// packed field, the usual, is not copied.
func (w *wire) fixed(x []byte, f field, size int) []byte {
	packed := f.kind == protowire.BytesType
	if !packed && len(f.b) != size || len(f.b)%size != 0 {
		w.fail("field %d holds no floats of %d bytes", f.number, size)
		return x
	}
	if x == nil {
		return slices.Clip(f.b)
	}
	return append(x, f.b...)
}

// float32bits returns the bits of a single float.
func (w *wire) float32bits(f field) uint32 {
	if f.kind != protowire.Fixed32Type {
		w.fail("field %d is no float", f.number)
		return 0
	}
	return binary.LittleEndian.Uint32(f.b)
}
