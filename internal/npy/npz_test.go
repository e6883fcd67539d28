package npy

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tattle/internal/must"
)

func archive(t testing.TB, compress bool) []byte {
	var b bytes.Buffer
	w := NewWriter(&b)
	w.Compress = compress
	for i, data := range samples {
		must.Do(t, w.Add(fmt.Sprintf("a%d", i), []int{3, 2}, data))
	}
	must.Do(t, w.Add("wide", []int{4, 2}, []float64{0, 0, 1, -1, 2, -2, 3, -3}))
	must.Do(t, w.Close())
	return b.Bytes()
}

func open(t testing.TB, b []byte) *File {
	t.Helper()
	return must.Get(NewFile("test.npz", bytes.NewReader(b), int64(len(b))))(t)
}

func TestArchive(t *testing.T) {
	for _, compress := range []bool{false, true} {
		b := archive(t, compress)
		if !bytes.Equal(b, archive(t, compress)) {
			t.Error("the same arrays gave other bytes")
		}
		f := open(t, b)
		if n := f.Names(); len(n) != len(samples)+1 || n[0] != "a0" || n[len(samples)] != "wide" {
			t.Errorf("names %q", n)
		}
		for i, data := range samples {
			a, err := f.Array(fmt.Sprintf("a%d", i))
			if err != nil || !slices.Equal(a.Shape, []int{3, 2}) || !reflect.DeepEqual(a.Data, data) {
				t.Errorf("compress %v: %T came back as %v, %v", compress, data, a, err)
			}
		}
		x, shape, err := f.Float64s("wide")
		if err != nil || !slices.Equal(shape, []int{4, 2}) || !slices.Equal(x, []float64{0, 0, 1, -1, 2, -2, 3, -3}) {
			t.Errorf("wide: %v %v %v", x, shape, err)
		}
		if shape, n, err := f.Size("wide"); err != nil || n != 64 || !slices.Equal(shape, []int{4, 2}) {
			t.Errorf("wide: shape %v, %v bytes, %v", shape, n, err)
		}
	}
}

func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npz")
	must.Do(t, os.WriteFile(path, archive(t, false), 0o600))
	f, err := Open(path)
	must.Do(t, err)
	defer f.Close()
	if x, shape, err := f.Float32s("a6"); err != nil || x[1] != 255 || len(shape) != 2 {
		t.Error(x, shape, err)
	}
	_, _, err = f.Float32s("none")
	var format *FormatError
	if !errors.As(err, &format) || format.File != path || format.Array != "none" || !strings.Contains(err.Error(), "wide") {
		t.Errorf("missing array: %v", err)
	}
	if _, err := Open(path + ".not"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
}

func TestRows(t *testing.T) {
	for _, compress := range []bool{false, true} {
		f := open(t, archive(t, compress))
		r := must.Get(f.Rows("wide"))(t)
		for _, span := range [][2]int{{0, 1}, {1, 1}, {2, 4}, {1, 3}, {0, 4}, {3, 4}} {
			a := must.Get(r.Read(span[0], span[1]))(t)
			want := []float64{0, 0, 1, -1, 2, -2, 3, -3}[2*span[0] : 2*span[1]]
			if x, _ := a.Float64s(); !slices.Equal(x, want) || a.Shape[0] != span[1]-span[0] {
				t.Errorf("compress %v: rows %v are %v, want %v", compress, span, a, want)
			}
		}
		must.Do(t, r.Close())
	}
}

func TestRowsRefuses(t *testing.T) {
	arrays := map[string][]byte{
		"scalar.npy":  arrayFile(1, "{'descr': '|u1', 'fortran_order': False, 'shape': ()}", 1),
		"fortran.npy": arrayFile(1, "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 2)}", 1, 2, 3, 4),
		"short.npy":   arrayFile(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (5,)}", 1),
		"surplus.npy": arrayFile(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (1,)}", 1, 2),
		"huge.npy":    arrayFile(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776, 4)}", 1),
		"empty.npy":   arrayFile(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (268435456, 0)}"),
	}
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		b := members(t, method, arrays)
		for _, name := range []string{"scalar", "fortran", "short", "surplus", "huge", "empty", "none"} {
			_, err := open(t, b).Rows(name)
			var format *FormatError
			if !errors.As(err, &format) || format.Array != name {
				t.Errorf("%s, method %d: %v", name, method, err)
			}
		}
	}
}

func TestWriterRefuses(t *testing.T) {
	w := NewWriter(io.Discard)
	must.Do(t, w.Add("x", []int{2}, []int{1, 2}))
	for name, err := range map[string]error{
		"twice":       w.Add("x", []int{1}, []int{1}),
		"wrong shape": w.Add("y", []int{3}, []int{1}),
		"no name":     w.Add("", []int{1}, []int{1}),
		"climbs":      w.Add("../y", []int{1}, []int{1}),
		"negative":    w.Add("y", []int{-1, 0}, []float32{}),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func members(t testing.TB, method uint16, files map[string][]byte) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, content := range files {
		m := must.Get(w.CreateHeader(&zip.FileHeader{Name: name, Method: method}))(t)
		must.Get(m.Write(content))(t)
	}
	must.Do(t, w.Close())
	return b.Bytes()
}

// Whatever a member's header claims, memory stays near what is there.
func TestArchiveHostile(t *testing.T) {
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		for name, content := range hostile {
			f := open(t, members(t, method, map[string][]byte{"x.npy": content}))
			if format := refused(t, name, func() error { return must.Err(f.Array("x")) }); format.File != "test.npz" || format.Array != "x" {
				t.Errorf("%s: error %v, want a FormatError naming file and array", name, format)
			}
		}
	}
	long := arrayFile(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (1,)}", 1, 2)
	must.Fail(t, must.Err(open(t, members(t, zip.Store, map[string][]byte{"x.npy": long})).Array("x"))) // trailing bytes
}

func TestArchiveDamaged(t *testing.T) {
	for _, compress := range []bool{false, true} {
		b := archive(t, compress)
		at := bytes.Index(b, []byte("a0.npy")) + len("a0.npy") + 140
		if compress {
			at -= 110
		}
		b[at] ^= 0x40
		if _, err := open(t, b).Array("a0"); err == nil {
			t.Errorf("compress %v: a flipped bit went unnoticed", compress)
		}
	}
	must.Fail(t, must.Err(NewFile("cut.npz", bytes.NewReader(archive(t, false)[:900]), 900))) // half an archive
}

// rewritten is an archive whose directory says something else of its one member.
func rewritten(t *testing.T, at int, put ...byte) []byte {
	b := members(t, zip.Deflate, map[string][]byte{"x.npy": arrayFile(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (1,)}", 1)})
	directory := bytes.LastIndex(b, []byte("PK\x01\x02"))
	copy(b[directory+at:], put)
	return b
}

func TestArchiveLies(t *testing.T) {
	for want, b := range map[string][]byte{
		"is encrypted": rewritten(t, 8, 1|8),
		"can hold":     rewritten(t, 24, 0, 0, 0, 0x7f),
		"not a valid":  rewritten(t, 24, 64, 0, 0, 0),
	} {
		_, err := open(t, b).Array("x")
		var format *FormatError
		if !errors.As(err, &format) || format.Array != "x" || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	must.Get(open(t, rewritten(t, 0)).Array("x"))(t)
}

// No part of an archive but the whole is taken.
func TestArchiveTruncated(t *testing.T) {
	for _, compress := range []bool{false, true} {
		whole := archive(t, compress)
		for n := range whole {
			if _, err := NewFile("cut.npz", bytes.NewReader(whole[:n]), int64(n)); err == nil {
				t.Fatalf("%d of %d bytes were opened", n, len(whole))
			}
		}
	}
}

func FuzzNPZ(f *testing.F) {
	f.Add(archive(f, false))
	f.Add(archive(f, true))
	f.Add(members(f, zip.Deflate, map[string][]byte{"x.npy": hostile["2^60 elements"], "y": nil}))
	f.Fuzz(func(t *testing.T, b []byte) {
		z, err := NewFile("fuzz", bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		for _, name := range z.Names() {
			a, err := z.Array(name)
			if err != nil {
				continue
			}
			if r, err := z.Rows(name); err == nil && r.Len() > 0 {
				half, err := r.Read(r.Len()/2, r.Len())
				if err != nil || half.Shape[0] != r.Len()-r.Len()/2 {
					t.Errorf("rows of %v: %v, %v", a.Shape, half.Shape, err)
				}
				r.Close()
			}
		}
	})
}
