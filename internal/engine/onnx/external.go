package onnx

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

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
	size := intSizes[t.kind]
	if size == 0 {
		size = floatSize(t.kind)
	}
	o := c.folder.data(t)
	length := int64(n) * int64(size)
	offset := t.place.span(t, length, o.size)
	c.folder.read += length
	malformedIf(c.folder.read > maxBeside, "tensor %q: the tensors beside the model take more than %d GiB", t.name, maxBeside>>30)
	o.left -= length
	malformedIf(o.left < 0, "tensor %q: the tensors of %q overlap", t.name, t.place.location)
	c.room += maxGrowth * int(length)
	c.foldable += int(length)
	var err error
	r := io.NewSectionReader(o.file, offset, length)
	if intSizes[t.kind] != 0 {
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
	size := floatSize(kind)
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
