package npy

import (
	"archive/zip"
	"fmt"
	"io"
	"strings"

	"tattle/internal/file"
)

// maxListed is the most names that an error lists.
const maxListed = 50

// File is an open .npz archive. It may be used by several goroutines; a Rows
// only by one.
type File struct {
	path   string
	names  []string
	member map[string]*zip.File
	source io.ReaderAt
	size   int64
	close  func() error
}

// Open opens an .npz archive.
func Open(path string) (*File, error) {
	f, err := file.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		var z *File
		if z, err = NewFile(path, f, info.Size()); err == nil {
			z.close = f.Close
			return z, nil
		}
	}
	f.Close()
	return nil, err
}

// NewFile opens an archive of size bytes; name is what errors call it.
func NewFile(name string, r io.ReaderAt, size int64) (*File, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, &FormatError{File: name, Detail: "not an .npz archive, or cut off: save it again", Err: err}
	}
	f := &File{path: name, member: map[string]*zip.File{}, source: r, size: size, close: func() error { return nil }}
	for _, m := range z.File {
		array, ok := strings.CutSuffix(m.Name, ".npy")
		if !ok {
			continue
		}
		if f.member[array] != nil {
			return nil, &FormatError{File: name, Array: array, Detail: "is there twice: save each array once"}
		}
		f.member[array] = m
		f.names = append(f.names, array)
	}
	return f, nil
}

// Close closes the archive.
func (f *File) Close() error { return f.close() }

// Names lists the arrays in the order of the archive.
func (f *File) Names() []string { return append([]string(nil), f.names...) }

// Array reads an array whole and checks its checksum.
func (f *File) Array(name string) (Array, error) {
	a, err := f.array(name)
	return a, locate(err, f.path, name)
}

// Float64s reads an array as Array.Float64s converts it, and its shape.
func (f *File) Float64s(name string) ([]float64, []int, error) {
	return as(f, name, Array.Float64s)
}

// Float32s reads an array as Array.Float32s converts it, and its shape.
func (f *File) Float32s(name string) ([]float32, []int, error) {
	return as(f, name, Array.Float32s)
}

func as[T any](f *File, name string, convert func(Array) ([]T, error)) ([]T, []int, error) {
	a, err := f.array(name)
	if err != nil {
		return nil, nil, locate(err, f.path, name)
	}
	x, err := convert(a)
	return x, a.Shape, locate(err, f.path, name)
}

// opened is a member of an archive, open behind its header of used bytes.
type opened struct {
	*zip.File
	io.ReadCloser
	header
	used int
}

func (f *File) open(name string) (o opened, err error) {
	if o.File = f.member[name]; o.File == nil {
		return o, malformed("is not there; there are %q", f.names[:min(len(f.names), maxListed)])
	}
	if o.Flags&1 != 0 {
		return o, malformed("is encrypted: save it without a password")
	}
	if o.ReadCloser, err = o.File.Open(); err != nil {
		return o, err
	}
	if o.header, o.used, err = readHeader(o.ReadCloser); err != nil {
		o.Close()
	}
	return o, err
}

func (f *File) array(name string) (Array, error) {
	o, err := f.open(name)
	if err != nil {
		return Array{}, err
	}
	defer o.Close()
	length, sure, err := f.claim(o.File)
	if err != nil {
		return Array{}, err
	}
	a, err := o.read(o, o.shape, length-int64(o.used), sure)
	if err != nil {
		return Array{}, err
	}
	// The end of the member is where its checksum is compared.
	if n, err := io.ReadFull(o, make([]byte, 1)); n != 0 {
		return Array{}, malformed("goes on after the last of its %d elements", o.count)
	} else if err != io.EOF {
		return Array{}, err
	}
	return a, nil
}

// deflateRatio is the most bytes that deflate makes of one: RFC 1951 codes 258
// bytes in no less than 2 bits.
const deflateRatio = 1032

// claim returns how many bytes a member says it has, and whether it is sure that
// they are there.
func (f *File) claim(m *zip.File) (length int64, sure bool, err error) {
	if _, size, ok := f.plain(m); ok {
		return size, true, nil
	}
	packed := min(m.CompressedSize64, uint64(f.size))
	if m.UncompressedSize64 > deflateRatio*packed {
		return 0, false, malformed("claims %d bytes, more than %d compressed ones can hold: save it again", m.UncompressedSize64, packed)
	}
	return int64(m.UncompressedSize64), false, nil
}

// plain returns where the bytes of a member lie in the archive. ok is false if the member is
// compressed or not wholly inside the archive.
func (f *File) plain(m *zip.File) (offset, size int64, ok bool) {
	if m.Method != zip.Store || m.CompressedSize64 != m.UncompressedSize64 {
		return 0, 0, false
	}
	offset, err := m.DataOffset()
	if err != nil || offset < 0 || offset > f.size || m.CompressedSize64 > uint64(f.size-offset) {
		return 0, 0, false
	}
	return offset, int64(m.CompressedSize64), true
}

// maxEmptyRows is the most rows without elements: no bytes of data limit their number,
// and callers allocate by the row.
const maxEmptyRows = 1 << 20

// Rows is an array of an archive of which some rows (sub-arrays by the first
// index) are read at a time.
type Rows struct {
	file   *File
	name   string
	member *zip.File
	header header
	used   int           // bytes of the header
	row    int           // elements of one row
	stream io.ReadCloser // of a compressed member, standing before row next
	next   int
}

// Rows opens an array to read it by rows. Rows of a stored array are read from
// where they lie; those of a compressed one in rising order, or else from the
// start again. The checksum is compared only where a compressed array is read
// to its end. It returns an error for an array without dimensions or in Fortran order.
func (f *File) Rows(name string) (*Rows, error) {
	r, err := f.rows(name)
	return r, locate(err, f.path, name)
}

func (f *File) rows(name string) (*Rows, error) {
	o, err := f.open(name)
	if err != nil {
		return nil, err
	}
	o.Close()
	h := o.header
	switch {
	case len(h.shape) == 0:
		return nil, malformed("is a single number and has no rows")
	case h.fortran && len(h.shape) > 1:
		return nil, malformed("is in Fortran order: save it in C order to read it by rows")
	}
	h.fortran = false
	row, ok := product(h.shape[1:])
	if !ok {
		return nil, malformed("shape %v has more elements than can be counted", h.shape)
	}
	if row == 0 && h.shape[0] > maxEmptyRows {
		return nil, malformed("shape %v has more than %d rows without elements", h.shape, maxEmptyRows)
	}
	length, _, err := f.claim(o.File)
	if err != nil {
		return nil, err
	}
	if needs, has := int64(h.count)*int64(h.dtype.size), length-int64(o.used); needs != has {
		return nil, malformed("shape %v needs %d bytes of data, there are %d: save it again", h.shape, needs, has)
	}
	return &Rows{file: f, name: name, member: o.File, header: h, used: o.used, row: row}, nil
}

// Shape returns the shape of the whole array.
func (r *Rows) Shape() []int { return append([]int(nil), r.header.shape...) }

// Type returns the type of the elements as NumPy writes it, without the byte order: "f4".
func (r *Rows) Type() string { return r.header.dtype.name() }

// Len returns the number of rows.
func (r *Rows) Len() int { return r.header.shape[0] }

// Read reads the rows lo ≤ i < hi. It panics if there are no such rows.
func (r *Rows) Read(lo, hi int) (Array, error) {
	if lo < 0 || lo > hi || hi > r.Len() {
		panic(fmt.Sprintf("npy: rows %d to %d of %d", lo, hi, r.Len()))
	}
	shape := r.Shape()
	shape[0] = hi - lo
	a, err := r.read(shape, lo)
	return a, locate(err, r.file.path, r.name)
}

func (r *Rows) read(shape []int, lo int) (Array, error) {
	width := int64(r.row) * int64(r.header.dtype.size)
	if offset, size, ok := r.file.plain(r.member); ok {
		from := int64(r.used) + int64(lo)*width
		section := io.NewSectionReader(r.file.source, offset+from, size-from)
		return r.header.read(section, shape, size-from, true)
	}
	if r.stream == nil || lo < r.next {
		if err := r.restart(); err != nil {
			return Array{}, err
		}
	}
	if _, err := io.CopyN(io.Discard, r.stream, int64(lo-r.next)*width); err != nil {
		r.Close()
		return Array{}, &FormatError{Detail: fmt.Sprintf("ends before row %d", lo), Err: err}
	}
	a, err := r.header.read(r.stream, shape, unknown, false)
	r.next = lo + shape[0]
	if err == nil && r.next == r.Len() {
		_, err = io.Copy(io.Discard, io.LimitReader(r.stream, 1)) // compares the checksum
	}
	if err != nil {
		r.Close()
	}
	return a, err
}

// restart stands before the first row of a compressed array.
func (r *Rows) restart() error {
	r.Close()
	s, err := r.member.Open()
	if err != nil {
		return err
	}
	r.stream, r.next = s, 0
	_, err = io.CopyN(io.Discard, s, int64(r.used))
	return err
}

// Close ends the reading of a compressed array; the archive stays open.
func (r *Rows) Close() error {
	if r.stream == nil {
		return nil
	}
	err := r.stream.Close()
	r.stream = nil
	return err
}

// Size returns the shape that an array's header claims and the bytes that it
// needs, and reads no more than the header.
func (f *File) Size(name string) (shape []int, bytes float64, err error) {
	o, err := f.open(name)
	if err != nil {
		return nil, 0, locate(err, f.path, name)
	}
	o.Close()
	return o.shape, float64(o.count) * float64(o.dtype.size), nil
}
