package onnx

import (
	"encoding/binary"
	"math"

	"tattle/internal/engine/nn"
	"tattle/internal/math/float16"
)

// maxDims bounds the dimensions of tensors, and so the length of messages.
const maxDims = 16

// tensor is a constant of the file. Its bytes alias the file's.
type tensor struct {
	name     string
	dims     []int64
	kind     int64
	raw      []byte // little-endian elements, or nil
	floats   []byte // the same, from the fields of float32 …
	doubles  []byte // … and float64
	texts    [][]byte
	ints     []int64 // small integers, bools and the bits of float16
	hasRaw   bool
	external bool // the data lie in another file
	place    place
	floats32 []float32 // elements read from there
}

func (w *wire) tensor(b []byte) (t tensor) {
	w.each(b, func(f field) {
		switch f.number {
		case tensorDims:
			if t.dims = w.ints(t.dims, f); len(t.dims) > maxDims {
				w.fail("has more than %d dimensions", maxDims)
				t.dims = nil
			}
		case tensorType:
			t.kind = w.int(f)
		case tensorFloats:
			t.floats = w.fixed(t.floats, f, 4)
		case tensorDoubles:
			t.doubles = w.fixed(t.doubles, f, 8)
		case tensorInt32s, tensorInt64s, tensorUint64s:
			t.ints = w.ints(t.ints, f)
		case tensorTexts:
			t.texts = append(t.texts, f.b)
		case tensorName:
			t.name = w.name(f)
		case tensorRaw:
			t.raw, t.hasRaw = w.bytes(f), true
		case tensorExternal:
			t.external = true
			w.place(w.bytes(f), &t.place)
		case tensorLocation:
			t.external = t.external || w.int(f) != 0
		}
	})
	return t
}

// shape returns the dimensions and the number of elements.
func (t *tensor) shape() (shape []int, n int) {
	n = 1
	shape = make([]int, len(t.dims))
	for i, d := range t.dims {
		malformedIf(d < 0 || d > 0 && int64(n) > math.MaxInt/8/d,
			"tensor %q has the impossible shape %v", t.name, t.dims)
		shape[i] = int(d)
		n *= int(d)
	}
	return shape, n
}

// bytes returns the elements' bytes, of size each, from raw data or else typed.
func (t *tensor) bytes(n, size int, typed []byte) []byte {
	b := typed
	if t.hasRaw {
		b = t.raw
	}
	malformedIf(len(b) != n*size,
		"tensor %q of shape %v needs %d bytes of data, there are %d: export the model again", t.name, t.dims, n*size, len(b))
	return b
}

// floatValues decodes the n elements of a float tensor.
func (t *tensor) floatValues(n int) []float32 {
	if t.floats32 != nil {
		return t.floats32
	}
	return decodeFloats[float32](t, n)
}

// decodeFloats decodes the n elements of a float tensor that the file holds.
func decodeFloats[T nn.Float](t *tensor, n int) []T {
	var typed []byte
	switch t.kind {
	case typeFloat:
		typed = t.floats
	case typeDouble:
		typed = t.doubles
	default:
		typed = t.halves()
	}
	b := t.bytes(n, floatSize(t.kind), typed)
	x := make([]T, n)
	widen(x, b, t.kind)
	return x
}

// floatSize is the bytes of an element of a float type.
func floatSize(kind int64) int {
	switch kind {
	case typeFloat:
		return 4
	case typeDouble:
		return 8
	}
	return 2
}

// widen decodes little-endian floats into x.
func widen[T nn.Float](x []T, b []byte, kind int64) {
	switch kind {
	case typeFloat:
		for i := range x {
			x[i] = T(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
		}
	case typeDouble:
		for i := range x {
			x[i] = T(math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:])))
		}
	case typeFloat16:
		for i := range x {
			x[i] = T(float16.FromBits(binary.LittleEndian.Uint16(b[2*i:])))
		}
	case typeBfloat16:
		for i := range x {
			x[i] = T(float16.FromBrainBits(binary.LittleEndian.Uint16(b[2*i:])))
		}
	}
}

// halves returns the bytes of float16 elements that are kept as integers.
func (t *tensor) halves() []byte {
	if t.hasRaw {
		return nil
	}
	b := make([]byte, 0, 2*len(t.ints))
	for _, v := range t.ints {
		b = binary.LittleEndian.AppendUint16(b, uint16(v))
	}
	return b
}

// intSizes are the bytes of elements of integer types and bools.
var intSizes = map[int64]int{
	typeInt64: 8, typeUint64: 8, typeInt32: 4, typeUint32: 4, typeInt16: 2, typeUint16: 2,
	typeInt8: 1, typeUint8: 1, typeBool: 1,
}

// intValues decodes the n elements of a tensor of integers or bools; uint64
// beyond int64 wrap around.
func (t *tensor) intValues(n int) []int64 {
	size := intSizes[t.kind]
	if !t.hasRaw {
		malformedIf(len(t.ints) != n, "tensor %q of shape %v has %d elements", t.name, t.dims, len(t.ints))
		return wrapped(t.ints, t.kind)
	}
	b := t.bytes(n, size, nil)
	x := make([]int64, n)
	for i := range x {
		switch size {
		case 8:
			x[i] = int64(binary.LittleEndian.Uint64(b[8*i:]))
		case 4:
			x[i] = int64(binary.LittleEndian.Uint32(b[4*i:]))
		case 2:
			x[i] = int64(binary.LittleEndian.Uint16(b[2*i:]))
		default:
			x[i] = int64(b[i])
		}
	}
	return wrapped(x, t.kind)
}

// wrapped takes integers to the range of their type, in place: for bools 0 and 1.
func wrapped(x []int64, kind int64) []int64 {
	if kind == typeInt64 || kind == typeUint64 {
		return x
	}
	for i, v := range x {
		x[i] = wrap(v, kind)
	}
	return x
}

// wrap takes an integer to the range of a type.
func wrap(v int64, kind int64) int64 {
	switch kind {
	case typeInt32:
		return int64(int32(v))
	case typeUint32:
		return int64(uint32(v))
	case typeInt16:
		return int64(int16(v))
	case typeUint16:
		return int64(uint16(v))
	case typeInt8:
		return int64(int8(v))
	case typeUint8:
		return int64(uint8(v))
	case typeBool:
		if v != 0 {
			return 1
		}
	}
	return v
}
