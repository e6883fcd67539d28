package npy

import (
	"archive/zip"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
)

// SideBySide writes an .npz archive whose arrays grow side by side: data can be appended to any array
// at any time. When the rows of many files are merged into one archive, each file can be removed as
// soon as its rows are copied, so that the disk does not hold all rows twice.
type SideBySide struct {
	to    io.WriterAt
	parts []*Part
}

// Part is an array that grows. Its place in the archive is known before its data.
type Part struct {
	name   string
	dtype  dtype
	header []byte
	size   int64 // of header and data
	left   int64 // of the data that are still to come
	next   int64 // where in the archive the next byte goes
	crc    hash.Hash32
	to     io.WriterAt
}

// Append appends elements: a slice of the array's element type.
func (p *Part) Append(data any) error {
	d, _, b, err := stored(data)
	switch {
	case err != nil:
		return err
	case d != p.dtype:
		return fmt.Errorf("npy: array %q has elements %s, not those of a %T", p.name, p.dtype, data)
	case int64(len(b)) > p.left:
		return fmt.Errorf("npy: array %q has no room for %d more bytes, but for %d", p.name, len(b), p.left)
	}
	p.left -= int64(len(b))
	return p.write(b)
}

// write writes behind what was written before.
func (p *Part) write(b []byte) error {
	n, err := p.to.WriteAt(b, p.next)
	p.next += int64(n)
	p.crc.Write(b[:n])
	return err
}

// An Outline describes an array that is to be written: "<f4", "<f8", … are its types.
type Outline struct {
	Name  string
	Shape []int
	Type  string
}

// NewSideBySide begins an archive of these arrays on w. Close finishes it, and does not close w.
func NewSideBySide(w io.WriterAt, arrays []Outline) (*SideBySide, error) {
	s := &SideBySide{to: w}
	for _, o := range arrays {
		d, n, err := outline(o.Name, o.Shape, o.Type)
		if err == nil && s.Part(o.Name) != nil {
			err = fmt.Errorf("npy: array %q is written twice", o.Name)
		}
		if err != nil {
			return nil, err
		}
		p := &Part{name: o.Name, dtype: d, header: appendHeader(nil, d, o.Shape), left: int64(n) * int64(d.size), crc: crc32.NewIEEE(), to: w}
		p.size = int64(len(p.header)) + p.left
		s.parts = append(s.parts, p)
	}
	if err := s.frame(func(p *Part, at int64) { p.next = at }); err != nil {
		return nil, err
	}
	for _, p := range s.parts {
		if err := p.write(p.header); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Part returns the array of that name, or nil if there is none.
func (s *SideBySide) Part(name string) *Part {
	for _, p := range s.parts {
		if p.name == name {
			return p
		}
	}
	return nil
}

// Close finishes the archive. It returns an error if an array lacks data.
func (s *SideBySide) Close() error {
	for _, p := range s.parts {
		if p.left > 0 {
			return fmt.Errorf("npy: array %q lacks %d bytes of its data", p.name, p.left)
		}
	}
	return s.frame(func(*Part, int64) {})
}

// frame writes all of the archive but the arrays, whose checksums are right once all data are
// written. It calls at with the place of each array.
func (s *SideBySide) frame(at func(p *Part, at int64)) error {
	f := &frame{to: s.to}
	z := zip.NewWriter(f)
	blank := make([]byte, 1<<16)
	for _, p := range s.parts {
		size := uint64(p.size)
		//lint:ignore SA1019 CreateRaw writes this date, not Modified
		w, err := z.CreateRaw(&zip.FileHeader{Name: p.name + ".npy", Flags: descriptorFollows, ModifiedDate: epochDate,
			CRC32: p.crc.Sum32(), CompressedSize64: size, UncompressedSize64: size})
		if err == nil {
			err = z.Flush()
		}
		if err != nil {
			return err
		}
		at(p, f.next)
		f.skip = true
		for left := p.size; left > 0 && err == nil; left -= int64(len(blank)) {
			_, err = w.Write(blank[:min(left, int64(len(blank)))])
		}
		if err == nil {
			err = z.Flush()
		}
		if err != nil {
			return err
		}
		f.skip = false
	}
	return z.Close()
}

// epochDate is the day of epoch as zip archives write it.
const epochDate = 1<<5 | 1

// descriptorFollows is the flag of a member whose checksum stands behind its data.
const descriptorFollows = 8

// frame is an archive that skips the data of its members.
type frame struct {
	to   io.WriterAt
	next int64
	skip bool
}

func (f *frame) Write(b []byte) (int, error) {
	n, err := len(b), error(nil)
	if !f.skip {
		n, err = f.to.WriteAt(b, f.next)
	}
	f.next += int64(n)
	return n, err
}
