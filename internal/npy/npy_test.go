package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"tattle/internal/must"
)

// arrayFile builds a .npy file from a header's text and data.
func arrayFile(version byte, header string, data ...byte) []byte {
	b := []byte(magic)
	b = append(b, version, 0)
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(header)))
	}
	return append(append(b, header...), data...)
}

var samples = []any{
	[]float32{1.5, -2, float32(math.Inf(1)), math.MaxFloat32, 0, 1e-40},
	[]float64{1.5, -2, math.Inf(-1), math.MaxFloat64, 0, 5e-324},
	[]int8{-128, 127, 0, 1, 2, 3}, []int16{-32768, 32767, 0, 1, 2, 3},
	[]int32{math.MinInt32, math.MaxInt32, 0, 1, 2, 3}, []int64{math.MinInt64, math.MaxInt64, 0, 1, 2, 3},
	[]uint8{0, 255, 1, 2, 3, 4}, []uint16{0, 65535, 1, 2, 3, 4},
	[]uint32{0, math.MaxUint32, 1, 2, 3, 4}, []uint64{0, math.MaxUint64, 1, 2, 3, 4},
	[]bool{true, false, true, true, false, false},
}

func TestWriteRead(t *testing.T) {
	check := func(shape []int, data any) {
		var b bytes.Buffer
		must.Do(t, Write(&b, shape, data))
		a := must.Get(readOne(&b))(t)
		if !slices.Equal(a.Shape, shape) || !reflect.DeepEqual(a.Data, data) {
			t.Errorf("%T %v came back as %v %v", data, shape, a.Shape, a.Data)
		}
	}
	for _, data := range samples {
		for _, shape := range [][]int{{6}, {2, 3}, {1, 3, 2, 1}} {
			check(shape, data)
		}
	}
	check([]int{}, []float64{3})
	check([]int{0, 4}, []float32{})
	check([]int{1 << 20}, make([]float32, 1<<20)) // which is read in several chunks
}

// The bytes that numpy.save writes for numpy.arange(3, dtype='<i4').reshape(1, 3).
func TestWriteAsNumPy(t *testing.T) {
	var b bytes.Buffer
	must.Do(t, Write(&b, []int{1, 3}, []int32{0, 1, 2}))
	want := "\x93NUMPY\x01\x00v\x00{'descr': '<i4', 'fortran_order': False, 'shape': (1, 3), }"
	want += strings.Repeat(" ", 127-len(want)) + "\n" + "\x00\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00"
	if b.String() != want {
		t.Errorf("got  %q\nwant %q", b.String(), want)
	}
}

func TestReadForeign(t *testing.T) {
	cases := []struct {
		name  string
		file  []byte
		shape []int
		want  any
	}{
		{"format 2", arrayFile(2, "{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }\n", 1, 0, 2, 0), []int{2}, []int16{1, 2}},
		{"format 3", arrayFile(3, "{'shape': (2,), \"descr\": '|u1', 'fortran_order': False}", 1, 2), []int{2}, []uint8{1, 2}},
		{"long of Python 2", arrayFile(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2L, 1L)}", 1, 2), []int{2, 1}, []uint8{1, 2}},
		{"big-endian", arrayFile(1, "{'descr': '>i4', 'fortran_order': False, 'shape': (2,)}", 0, 0, 0, 1, 0, 0, 1, 0), []int{2}, []int32{1, 256}},
		{"Fortran", arrayFile(1, "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3)}", 1, 4, 2, 5, 3, 6), []int{2, 3}, []uint8{1, 2, 3, 4, 5, 6}},
		{"half", arrayFile(1, "{'descr': '<f2', 'fortran_order': False, 'shape': (5,)}", 0, 0x3c, 0, 0xc0, 1, 0, 0, 0x7c, 0xff, 0x7b), []int{5},
			[]float32{1, -2, 0x1p-24, float32(math.Inf(1)), 65504}},
		{"bool", arrayFile(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}", 0, 1, 7), []int{3}, []bool{false, true, true}},
	}
	for _, c := range cases {
		a, err := readOne(bytes.NewReader(c.file))
		if err != nil || !slices.Equal(a.Shape, c.shape) || !reflect.DeepEqual(a.Data, c.want) {
			t.Errorf("%s: %v, %v; want %v %v", c.name, a, err, c.shape, c.want)
		}
	}
}

var hostile = map[string][]byte{
	"nothing":        {},
	"magic alone":    []byte(magic),
	"no array":       []byte("PK\x03\x04 something else"),
	"format 9":       arrayFile(9, "{}"),
	"header cut off": arrayFile(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}")[:30],
	"header of 4 GB": {0x93, 'N', 'U', 'M', 'P', 'Y', 2, 0, 255, 255, 255, 255},
	"2^60 elements":  arrayFile(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (1152921504606846976,)}", 1, 2),
	"overflow":       arrayFile(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (4294967296, 4294967296, 4294967296)}", 1, 2),
	"beyond int":     arrayFile(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (99999999999999999999,)}", 1, 2),
	"data cut off":   arrayFile(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}", 1, 2, 3, 4, 5, 6, 7, 8, 9),
	"object":         arrayFile(1, "{'descr': '|O', 'fortran_order': False, 'shape': (2,)}", 1),
	"text":           arrayFile(1, "{'descr': '<U5', 'fortran_order': False, 'shape': (2,)}", 1),
	"fields":         arrayFile(1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}", 1),
	"negative":       arrayFile(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}", 1),
	"text as shape":  arrayFile(1, "{'descr': '<f4', 'fortran_order': False, 'shape': 'x'}", 1, 2, 3, 4),
	"no shape":       arrayFile(1, "{'descr': '<f4', 'fortran_order': False}", 1),
	"no order":       arrayFile(1, "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}", 1),
	"key twice":      arrayFile(1, "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", 1),
	"goes on":        arrayFile(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (1,)} + 1", 1),
	"no byte order":  arrayFile(1, "{'descr': '|f4', 'fortran_order': False, 'shape': (1,)}", 1, 2, 3, 4),
}

func TestReadHostile(t *testing.T) {
	for name, b := range hostile {
		refused(t, name, func() error { return must.Err(readOne(bytes.NewReader(b))) })
		path := filepath.Join(t.TempDir(), "a.npy")
		must.Do(t, os.WriteFile(path, b, 0o600))
		if format := refused(t, name, func() error { return must.Err(ReadFile(path)) }); format.File != path {
			t.Errorf("%s: error %v, want a FormatError naming the file", name, format)
		}
	}
}

// refused returns the error of a reader, which must be a FormatError of one line, and made without much memory.
func refused(t *testing.T, name string, read func() error) *FormatError {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := read()
	runtime.ReadMemStats(&after)
	format := new(FormatError)
	if !errors.As(err, &format) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%s: error %v, want a FormatError of one line", name, err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("%s: %d bytes of garbage", name, n)
	}
	return format
}

func TestReadFileRefuses(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, b, 0o600))
		return path
	}
	one := arrayFile(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (1,)}", 1)
	for path, want := range map[string]string{
		write("two.npy", append(one, 1)): "goes on",
		write("a\nb.npy", one[:9]):       `a\nb.npy`,
	} {
		_, err := ReadFile(path)
		var format *FormatError
		if !errors.As(err, &format) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	must.Get(ReadFile(write("one.npy", one)))(t)
	for n := range one {
		if _, err := ReadFile(write("cut.npy", one[:n])); err == nil {
			t.Errorf("%d of %d bytes were read", n, len(one))
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	var b bytes.Buffer
	must.Fail(t, Write(&b, []int{2}, []complex64{1}))  // complex numbers
	must.Fail(t, Write(&b, []int{2, 2}, []float32{1})) // 1 element for a shape of 4
	if b.Len() != 0 {
		t.Error("a refused array left bytes")
	}
}

func TestConversions(t *testing.T) {
	ints := Array{[]int{3}, []int64{-3, 0, 1 << 53}}
	if x, err := ints.Float64s(); err != nil || !slices.Equal(x, []float64{-3, 0, 1 << 53}) {
		t.Errorf("Float64s: %v, %v", x, err)
	}
	if x, err := (Array{[]int{1}, []float32{.1}}).Float32s(); err != nil || x[0] != .1 {
		t.Errorf("Float32s of float32: %v, %v", x, err)
	}
	if x, err := (Array{[]int{2}, []bool{true, false}}).Ints(); err != nil || !slices.Equal(x, []int{1, 0}) {
		t.Errorf("Ints of bools: %v, %v", x, err)
	}
	if x, err := (Array{[]int{2}, []float32{7, -2}}).Ints(); err != nil || !slices.Equal(x, []int{7, -2}) {
		t.Errorf("Ints of whole floats: %v, %v", x, err)
	}
	if x, err := (Array{[]int{2}, []float64{0.1, math.Inf(1)}}).Float32s(); err != nil || x[0] != float32(0.1) || !math.IsInf(float64(x[1]), 1) {
		t.Errorf("Float32s: %v, %v", x, err)
	}
	for name, err := range map[string]error{
		"2^53+1 as float64":  must.Err(Array{nil, []int64{1<<53 + 1}}.Float64s()),
		"maxint as float64":  must.Err(Array{nil, []int64{math.MaxInt64}}.Float64s()),
		"2^24+1 as float32":  must.Err(Array{nil, []uint32{1<<24 + 1}}.Float32s()),
		"1e300 as float32":   must.Err(Array{nil, []float64{1e300}}.Float32s()),
		"1.5 as int":         must.Err(Array{nil, []float32{1.5}}.Ints()),
		"NaN as int":         must.Err(Array{nil, []float64{math.NaN()}}.Ints()),
		"maxuint64 as int":   must.Err(Array{nil, []uint64{math.MaxUint64}}.Ints()),
		"strings as float64": must.Err(Array{nil, []string{"a"}}.Float64s()),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Read must neither panic nor return an array whose parts disagree; what it
// reads is written and read again to the same.
func FuzzRead(f *testing.F) {
	for _, b := range hostile {
		f.Add(b)
	}
	f.Add(arrayFile(1, "{'descr': '<f2', 'fortran_order': True, 'shape': (2, 1)}", 1, 2, 3, 4))
	f.Add(arrayFile(2, "{'descr': '|b1', 'fortran_order': False, 'shape': (2,)}", 1, 2, 3, 4))
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := readOne(bytes.NewReader(b))
		if err != nil {
			var format *FormatError
			if !errors.As(err, &format) {
				t.Errorf("%v is no FormatError", err)
			}
			return
		}
		var c bytes.Buffer
		must.Do(t, Write(&c, a.Shape, a.Data))
		first := bytes.Clone(c.Bytes())
		again := must.Get(readOne(&c))(t)
		if err := Write(&c, again.Shape, again.Data); err != nil || !bytes.Equal(first, c.Bytes()) {
			t.Errorf("not the same when written again (%v)", err)
		}
	})
}

// readOne reads one array, and no further.
func readOne(r io.Reader) (Array, error) {
	h, _, err := readHeader(r)
	if err != nil {
		return Array{}, err
	}
	return h.read(r, h.shape, unknown, false)
}
