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
}

// NewWriter returns a Writer on w. Close finishes the archive; it does not close w.
func NewWriter(w io.Writer) *Writer {
	return &Writer{zip: zip.NewWriter(w), names: map[string]bool{}}
}

// epoch is the earliest time a zip archive can say; every member has it.
var epoch = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// Add writes an array.
func (w *Writer) Add(name string, shape []int, data any) error {
	d, have, b, err := stored(data)
	if err != nil {
		return err
	}
	_, n, err := outline(name, shape, d.String())
	switch {
	case err != nil:
		return err
	case n != have:
		return fmt.Errorf("npy: array %q: %d elements for shape %v", name, have, shape)
	case w.names[name]:
		return fmt.Errorf("npy: array %q is written twice", name)
	}
	w.names[name] = true
	method := zip.Store
	if w.Compress {
		method = zip.Deflate
	}
	member, err := w.zip.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: method, Modified: epoch})
	if err == nil {
		_, err = member.Write(appendHeader(nil, d, shape))
	}
	if err == nil {
		_, err = member.Write(b)
	}
	return err
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

// Close finishes the archive.
func (w *Writer) Close() error { return w.zip.Close() }
