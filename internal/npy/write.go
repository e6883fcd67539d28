package npy

import (
	"archive/zip"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Write writes an array in C order: data is a slice of numbers or bools with as
// many elements as the shape; []int is stored as int64.
func Write(w io.Writer, shape []int, data any) error {
	d, n, b, err := stored(data)
	if err != nil {
		return err
	}
	if want, ok := product(shape); !ok || want != n {
		return fmt.Errorf("npy: %d elements for shape %v", n, shape)
	}
	if _, err := w.Write(appendHeader(nil, d, shape)); err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}

// Writer writes an .npz archive, one array after another. The same arrays give
// the same bytes.
type Writer struct {
	Compress bool // deflate arrays added from now on; otherwise they are stored

	zip   *zip.Writer
	names map[string]bool
	part  *Part // the last array created
}

// NewWriter returns a Writer on w. Close finishes the archive; it does not close w.
func NewWriter(w io.Writer) *Writer {
	return &Writer{zip: zip.NewWriter(w), names: map[string]bool{}}
}

// epoch is the earliest time a zip archive can say; every member has it.
var epoch = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// Add writes a whole array.
func (w *Writer) Add(name string, shape []int, data any) error {
	d, n, b, err := stored(data)
	if err != nil {
		return err
	}
	if want, ok := product(shape); !ok || want != n {
		return fmt.Errorf("npy: array %q: %d elements for shape %v", name, n, shape)
	}
	p, err := w.Create(name, shape, d.String())
	if err != nil {
		return err
	}
	_, err = p.Write(b)
	return err
}

// Create begins an array of known shape and element type ("<f4", "<f8", "<i8",
// "|u1", …) whose data are written piece by piece, before the next Add, Create
// or Close: for arrays larger than memory.
func (w *Writer) Create(name string, shape []int, dtype string) (*Part, error) {
	if err := w.finish(); err != nil {
		return nil, err
	}
	d, n, err := outline(name, shape, dtype)
	if err != nil {
		return nil, err
	}
	if w.names[name] {
		return nil, fmt.Errorf("npy: array %q is written twice", name)
	}
	w.names[name] = true
	method := zip.Store
	if w.Compress {
		method = zip.Deflate
	}
	member, err := w.zip.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: method, Modified: epoch})
	if err != nil {
		return nil, err
	}
	if _, err := member.Write(appendHeader(nil, d, shape)); err != nil {
		return nil, err
	}
	w.part = &Part{name: name, w: member, dtype: d, left: int64(n) * int64(d.size)}
	return w.part, nil
}

// outline checks the name, shape and element type of an array to be written, and returns the parsed
// type and the number of elements.
func outline(name string, shape []int, dtype string) (d dtype, n int, err error) {
	if d, err = parseDtype(dtype); err != nil {
		return d, 0, locate(err, "", name)
	}
	n, ok := product(shape)
	switch {
	case !ok:
		err = fmt.Errorf("npy: array %q: invalid shape %v", name, shape)
	case d.big || dtype[0] == '=':
		err = fmt.Errorf("npy: array %q: element type %q: only little-endian is written", name, dtype)
	case name == "" || strings.ContainsAny(name, "\\:") || slices.Contains(strings.Split(name, "/"), ".."):
		err = fmt.Errorf("npy: invalid name of an array: %q", name)
	}
	return d, n, err
}

// finish returns an error if the last array still lacks data.
func (w *Writer) finish() error {
	p := w.part
	w.part = nil
	if p == nil {
		return nil
	}
	return p.finish()
}

// finish returns an error if the array still lacks data, and takes no more.
func (p *Part) finish() error {
	left := p.left
	p.left = 0
	if left > 0 {
		return fmt.Errorf("npy: array %q lacks %d bytes of its data", p.name, left)
	}
	return nil
}

// Close finishes the archive.
func (w *Writer) Close() error {
	if err := w.finish(); err != nil {
		return err
	}
	return w.zip.Close()
}

// Part is an array being written.
type Part struct {
	name  string
	w     io.Writer
	dtype dtype
	left  int64 // bytes
}

// Write appends little-endian bytes of elements.
func (p *Part) Write(b []byte) (int, error) {
	if int64(len(b)) > p.left {
		return 0, fmt.Errorf("npy: array %q has no room for %d more bytes, but for %d", p.name, len(b), p.left)
	}
	n, err := p.w.Write(b)
	p.left -= int64(n)
	return n, err
}

// Append appends elements: a slice of the array's element type.
func (p *Part) Append(data any) error {
	d, _, b, err := stored(data)
	if err != nil {
		return err
	}
	if d != p.dtype {
		return fmt.Errorf("npy: array %q has elements %s, not those of a %T", p.name, p.dtype, data)
	}
	_, err = p.Write(b)
	return err
}
