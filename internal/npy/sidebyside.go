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
	to     io.WriterAt
	arrays []*placed
}

// placed is an array whose place in the archive is known before its data.
type placed struct {
	Part
	header []byte
	size   int64 // of header and data
	next   int64 // where in the archive the next byte goes
	crc    hash.Hash32
	to     io.WriterAt
}

// Write writes behind what was written before.
func (a *placed) Write(b []byte) (int, error) {
	n, err := a.to.WriteAt(b, a.next)
	a.next += int64(n)
	a.crc.Write(b[:n])
	return n, err
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
		a := &placed{header: appendHeader(nil, d, o.Shape), crc: crc32.NewIEEE(), to: w}
		data := int64(n) * int64(d.size)
		a.size = int64(len(a.header)) + data
		a.Part = Part{name: o.Name, w: a, dtype: d, left: data}
		s.arrays = append(s.arrays, a)
	}
	if err := s.frame(func(a *placed, at int64) { a.next = at }); err != nil {
		return nil, err
	}
	for _, a := range s.arrays {
		if _, err := a.Write(a.header); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Part returns the array of that name, or nil if there is none.
func (s *SideBySide) Part(name string) *Part {
	for _, a := range s.arrays {
		if a.name == name {
			return &a.Part
		}
	}
	return nil
}

// Close finishes the archive. It returns an error if an array lacks data.
func (s *SideBySide) Close() error {
	for _, a := range s.arrays {
		if err := a.finish(); err != nil {
			return err
		}
	}
	return s.frame(func(*placed, int64) {})
}

// frame writes all of the archive but the arrays, whose checksums are right once all data are
// written. It calls at with the place of each array.
func (s *SideBySide) frame(at func(a *placed, at int64)) error {
	f := &frame{to: s.to}
	z := zip.NewWriter(f)
	blank := make([]byte, 1<<16)
	for _, a := range s.arrays {
		size := uint64(a.size)
		//lint:ignore SA1019 CreateRaw writes this date, not Modified
		w, err := z.CreateRaw(&zip.FileHeader{Name: a.name + ".npy", Flags: descriptorFollows, ModifiedDate: epochDate,
			CRC32: a.crc.Sum32(), CompressedSize64: size, UncompressedSize64: size})
		if err == nil {
			err = z.Flush()
		}
		if err != nil {
			return err
		}
		at(a, f.next)
		f.skip = true
		for left := a.size; left > 0 && err == nil; left -= int64(len(blank)) {
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
