package onnx

import (
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"

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
	w.read(b, fields{
		tensorDims: func(f field) {
			if t.dims = w.ints(t.dims, f); len(t.dims) > maxDims {
				w.fail("has more than %d dimensions", maxDims)
				t.dims = nil
			}
		},
		tensorType: &t.kind, tensorName: &t.name, tensorTexts: &t.texts,
		tensorFloats: (*floatBytes)(&t.floats), tensorDoubles: (*doubleBytes)(&t.doubles),
		tensorInt32s: &t.ints, tensorInt64s: &t.ints, tensorUint64s: &t.ints,
		tensorRaw:      func(f field) { t.raw, t.hasRaw = w.bytes(f), true },
		tensorExternal: func(f field) { t.external = true; w.place(w.bytes(f), &t.place) },
		tensorLocation: func(f field) { t.external = t.external || w.int(f) != 0 },
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
	b := t.bytes(n, elementTypes[t.kind].size, typed)
	x := make([]T, n)
	widen(x, b, t.kind)
	return x
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

// intValues decodes the n elements of a tensor of integers or bools; uint64
// beyond int64 wrap around.
func (t *tensor) intValues(n int) []int64 {
	element, x := elementTypes[t.kind], t.ints
	if t.hasRaw {
		b := t.bytes(n, element.size, nil)
		x = make([]int64, n)
		for i := range x {
			for k := element.size - 1; k >= 0; k-- {
				x[i] = x[i]<<8 | int64(b[i*element.size+k])
			}
		}
	}
	malformedIf(len(x) != n, "tensor %q of shape %v has %d elements", t.name, t.dims, len(x))
	for i, v := range x {
		x[i] = element.wrap(v)
	}
	return x
}

// place is where a tensor's data lie outside of the file.
type place struct {
	location       string
	offset, length string // decimal, or empty
}

// place reads one entry of external_data (ONNX, ExternalData.md).
func (w *wire) place(b []byte, p *place) {
	switch key, value := w.entry(b); key {
	case "location":
		p.location = value
	case "offset":
		p.offset = value
	case "length":
		p.length = value
	}
}

// folder is where the data beside a model are read from: the model's own folder. No
// path and no link leads out of it.
type folder struct {
	root *os.Root
	open map[string]*dataFile
	read int64 // bytes of all tensors so far
}

// maxBeside bounds the bytes of all tensors beside a model. A sparse file claims any
// size at no cost; models that this program can measure are far smaller.
const maxBeside = 8 << 30

// dataFile is an open file of tensors. left is how many of its bytes tensors may still
// take: each byte belongs to one.
type dataFile struct {
	file       *os.File
	size, left int64
}

func openFolder(path string) (*folder, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &folder{root: root, open: map[string]*dataFile{}}, nil
}

func (f *folder) close() {
	for _, o := range f.open {
		o.file.Close()
	}
	f.root.Close()
}

// again lets the same tensors be read once more.
func (f *folder) again() *folder {
	if f != nil {
		for _, o := range f.open {
			o.left = o.size
		}
	}
	return f
}

// data opens the file that a tensor names, once.
func (f *folder) data(t *tensor) *dataFile {
	name := t.place.location
	if o := f.open[name]; o != nil {
		return o
	}
	malformedIf(!filepath.IsLocal(name) || len(name) > maxName,
		"tensor %q keeps its data in %.200q, which is not a path inside the model's folder", t.name, name)
	path := filepath.FromSlash(name)
	info, err := f.root.Stat(path) // before it is opened: opening a named pipe waits for its writer
	switch {
	case errors.Is(err, fs.ErrNotExist):
		panic(malformedf("tensor %q keeps its data in %q, which does not exist: put that file beside the model", t.name, name))
	case err != nil:
		panic(malformedf("tensor %q keeps its data in %q, which cannot be read from the model's folder: %v", t.name, name, errors.Unwrap(err)))
	case !info.Mode().IsRegular():
		panic(malformedf("tensor %q keeps its data in %q, which is not a regular file", t.name, name))
	}
	file, err := f.root.Open(path)
	malformedIf(err != nil,
		"tensor %q keeps its data in %q, which cannot be read from the model's folder: %v", t.name, name, errors.Unwrap(err))
	o := &dataFile{file, info.Size(), info.Size()}
	f.open[name] = o
	return o
}

// span returns where in the file the n bytes of a tensor are.
func (p *place) span(t *tensor, n, size int64) (offset int64) {
	length := n
	for _, s := range []struct {
		text string
		to   *int64
	}{{p.offset, &offset}, {p.length, &length}} {
		if s.text == "" {
			continue
		}
		var err error
		if *s.to, err = strconv.ParseInt(s.text, 10, 64); err != nil || *s.to < 0 {
			panic(malformedf("tensor %q has the impossible place: offset %.40q, length %.40q of %q", t.name, p.offset, p.length, p.location))
		}
	}
	malformedIf(length != n,
		"tensor %q of shape %v needs %d bytes of data, but has %d in %q", t.name, t.dims, n, length, p.location)
	malformedIf(offset > size-n,
		"tensor %q needs bytes %d to %d of %q, which has %d: the file is cut off; copy it again", t.name, offset, uint64(offset)+uint64(n), p.location, size)
	return offset
}

// fetch reads a tensor's data from beside the model: floats chunk by chunk to where
// they stay, so that each is copied once.
func (c *constants) fetch(t *tensor) {
	unsupportedIf(c.folder == nil, "tensor %q keeps its data in another file", t.name)
	_, n := t.shape()
	element := elementTypes[t.kind]
	o := c.folder.data(t)
	length := int64(n) * int64(element.size)
	offset := t.place.span(t, length, o.size)
	c.folder.read += length
	malformedIf(c.folder.read > maxBeside, "tensor %q: the tensors beside the model take more than %d GiB", t.name, maxBeside>>30)
	o.left -= length
	malformedIf(o.left < 0, "tensor %q: the tensors of %q overlap", t.name, t.place.location)
	c.room += maxGrowth * int(length)
	c.foldable += int(length)
	var err error
	r := io.NewSectionReader(o.file, offset, length)
	if element.kind != isFloat {
		t.raw, t.hasRaw = make([]byte, length), true
		_, err = io.ReadFull(r, t.raw)
	} else {
		t.floats32, err = readFloats(r, n, t.kind)
	}
	malformedIf(err != nil, "tensor %q: reading %q: %v", t.name, t.place.location, err)
}

// readFloats reads n floats.
func readFloats(r io.Reader, n int, kind int64) ([]float32, error) {
	const chunk = 1 << 16
	size := elementTypes[kind].size
	x, b := make([]float32, n), make([]byte, size*min(n, chunk))
	for i := 0; i < n; i += chunk {
		m := min(chunk, n-i)
		if _, err := io.ReadFull(r, b[:size*m]); err != nil {
			return nil, err
		}
		widen(x[i:i+m], b, kind)
	}
	return x, nil
}
