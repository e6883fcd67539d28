package onnx

import (
	"encoding/binary"
	"math"

	"tattle/npy"
)

// maxDims bounds the dimensions of tensors, and so the length of messages.
const maxDims = 16

// tensor is a constant of the file. Its bytes alias the file's.
type tensor struct {
	name     string
	dims     []int64
	kind     int64
	raw      []byte  // little-endian elements, or nil
	floats   []byte  // the same, from the fields of float32 …
	doubles  []byte  // … and float64
	ints     []int64 // small integers, bools and the bits of float16
	hasRaw   bool
	external bool // the data lie in another file
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
		case tensorInt32s, tensorInt64s:
			t.ints = w.ints(t.ints, f)
		case tensorName:
			t.name = w.name(f)
		case tensorRaw:
			t.raw, t.hasRaw = w.bytes(f), true
		case tensorExternal:
			t.external = true
		case tensorLocation:
			t.external = t.external || w.int(f) != 0
		}
	})
	return t
}

// shape returns the dimensions and how many elements they make.
func (t *tensor) shape() (shape []int, n int, err error) {
	n = 1
	shape = make([]int, len(t.dims))
	for i, d := range t.dims {
		if d < 0 || d > 0 && int64(n) > math.MaxInt/8/d {
			return nil, 0, malformed("tensor %q has the impossible shape %v", t.name, t.dims)
		}
		shape[i] = int(d)
		n *= int(d)
	}
	return shape, n, nil
}

// bytes returns the elements' bytes, of size each, from raw data or else typed.
func (t *tensor) bytes(n, size int, typed []byte) ([]byte, error) {
	b := typed
	if t.hasRaw {
		b = t.raw
	}
	if len(b) != n*size {
		return nil, malformed("tensor %q of shape %v needs %d bytes of data, there are %d: export the model again", t.name, t.dims, n*size, len(b))
	}
	return b, nil
}

// floatValues decodes a float tensor straight from the file's bytes.
func (t *tensor) floatValues() (shape []int, x []float32, err error) {
	if t.external {
		return nil, nil, beyond("tensor %q keeps its data in another file", t.name)
	}
	shape, n, err := t.shape()
	if err != nil {
		return nil, nil, err
	}
	size, typed := 0, []byte(nil)
	switch t.kind {
	case typeFloat:
		size, typed = 4, t.floats
	case typeDouble:
		size, typed = 8, t.doubles
	case typeFloat16:
		size, typed = 2, t.halves()
	default:
		return nil, nil, beyond("tensor %q has elements of type %d, not float32, float64 or float16", t.name, t.kind)
	}
	b, err := t.bytes(n, size, typed)
	if err != nil {
		return nil, nil, err
	}
	x = widened(b, size)
	for i, v := range x {
		if v-v != 0 {
			return nil, nil, malformed("tensor %q holds %v at element %d: a net with such a weight computes nothing; train it again", t.name, v, i)
		}
	}
	return shape, x, nil
}

// widened decodes little-endian floats of size bytes: half, single or double.
func widened(b []byte, size int) []float32 {
	x := make([]float32, len(b)/size)
	switch size {
	case 4:
		for i := range x {
			x[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		}
	case 8:
		for i := range x {
			x[i] = float32(math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:])))
		}
	case 2:
		for i := range x {
			x[i] = npy.Float16(binary.LittleEndian.Uint16(b[2*i:]))
		}
	}
	return x
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

// intValues decodes a tensor of integers or bools.
func (t *tensor) intValues() ([]int64, error) {
	if t.external {
		return nil, beyond("tensor %q keeps its data in another file", t.name)
	}
	_, n, err := t.shape()
	if err != nil {
		return nil, err
	}
	size := map[int64]int{typeInt64: 8, typeInt32: 4, typeBool: 1}[t.kind]
	if size == 0 {
		return nil, beyond("tensor %q has elements of type %d, not integers", t.name, t.kind)
	}
	if !t.hasRaw {
		if len(t.ints) != n {
			return nil, malformed("tensor %q of shape %v has %d elements", t.name, t.dims, len(t.ints))
		}
		return t.ints, nil
	}
	b, err := t.bytes(n, size, nil)
	if err != nil {
		return nil, err
	}
	x := make([]int64, n)
	for i := range x {
		switch size {
		case 8:
			x[i] = int64(binary.LittleEndian.Uint64(b[8*i:]))
		case 4:
			x[i] = int64(int32(binary.LittleEndian.Uint32(b[4*i:])))
		default:
			x[i] = int64(b[i])
		}
	}
	return x, nil
}
