package dataset

import (
	"bytes"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tattle/internal/file"
	"tattle/internal/must"
	"tattle/internal/npy"
)

// part is one array of an .npz.
type part struct {
	name  string
	shape []int
	data  any
}

// npzOf writes arrays.
func npzOf(t testing.TB, compress bool, parts ...part) string {
	t.Helper()
	var b bytes.Buffer
	w := npy.NewWriter(&b)
	w.Compress = compress
	for _, p := range parts {
		must.Do(t, w.Add(p.name, p.shape, p.data))
	}
	must.Do(t, w.Close())
	path := filepath.Join(t.TempDir(), "made.npz")
	must.Do(t, os.WriteFile(path, b.Bytes(), 0o666))
	return path
}

// npyOf writes one array.
func npyOf(t testing.TB, shape []int, data any) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "made.npy")
	must.Do(t, file.Write(path, func(w io.Writer) error { return npy.Write(w, shape, data) }))
	return path
}

// counting are n bytes, 0, 1, 2 and so on.
func counting(n int) []uint8 {
	b := make([]uint8, n)
	for i := range b {
		b[i] = uint8(i)
	}
	return b
}

// The same pictures by rows and columns with the colours last are those with the
// colours first.
func TestArraysOfPictures(t *testing.T) {
	last, first := counting(4*5*6*3), make([]uint8, 4*5*6*3)
	for i, v := range last {
		picture, pixel, c := i/90, i%90/3, i%3
		first[picture*90+c*30+pixel] = v
	}
	labels := part{"labels", []int{4}, []int64{1, 0, 5, 1}}
	for _, compress := range []bool{false, true} {
		a, notes := opened(t, npzOf(t, compress, part{"images", []int{4, 5, 6, 3}, last}, labels), Options{Limit: of(t, 3, 1)})
		b, _ := opened(t, npzOf(t, compress, labels, part{"X", []int{4, 3, 5, 6}, first}), Options{Limit: of(t, 3, 1)})
		if a.SHA256 != b.SHA256 || !slices.Equal(a.Shape, []int{3, 5, 6}) || !slices.Equal(a.Y, []int{1, 0}) || len(a.YNames) != 6 {
			t.Errorf("compressed %v: shapes %v and %v, labels %v", compress, a.Shape, b.Shape, a.Y)
		}
		if x := values(a, 1); x[31] != float32(90+3+1)/255 || !notesSay(notes, "bytes are scaled to 0 … 1") {
			t.Errorf("value %g; notes %q", x[31], notes)
		}
		whole, _ := opened(t, npzOf(t, compress, part{"x", []int{4, 5, 6, 3}, last}), Options{Preprocess: preprocessOf(t, "layout=hwc")})
		if !bytes.Equal(whole.Pixels, last) || whole.Labelled() {
			t.Error("pictures with the colours last are not what they were")
		}
	}
	grey, _ := opened(t, npzOf(t, false, part{"pictures", []int{4, 9, 10}, counting(360)}), Options{Shape: []int{9, 10}})
	if !slices.Equal(grey.Shape, []int{9, 10}) || len(grey.Mean) != 1 {
		t.Errorf("grey pictures have shape %v", grey.Shape)
	}
	flat, _ := opened(t, npzOf(t, false, part{"x", []int{4, 90}, counting(360)}), Options{Shape: []int{3, 5, 6}})
	if x := values(flat, 0); !slices.Equal(flat.Shape, []int{3, 5, 6}) || x[31] != float32(31)/255 || len(flat.Mean) != 3 {
		t.Errorf("flat pictures have shape %v", flat.Shape)
	}
}

func TestArraysOfNumbers(t *testing.T) {
	x := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	path := npzOf(t, false, part{"x", []int{3, 2, 2}, x}, part{"y", []int{3, 1}, []uint8{2, 0, 1}})
	s, _ := opened(t, path, Options{Limit: of(t, 2, 0)})
	if !slices.Equal(s.Values, []float32{9, 10, 11, 12, 1, 2, 3, 4}) || !slices.Equal(s.Y, []int{1, 2}) {
		t.Errorf("values %v, labels %v", s.Values, s.Y)
	}
	if lo, hi := s.Range(); len(lo) != 1 || lo[0] != 1 || hi[0] != 12 {
		t.Errorf("range %v to %v", lo, hi)
	}
	s, _ = opened(t, path, Options{Preprocess: preprocessOf(t, "mean=1,2 std=2"), Shape: []int{4}})
	if !slices.Equal(s.Values[:4], []float32{0, .5, .5, 1}) || !slices.Equal(s.Shape, []int{4}) {
		t.Errorf("values %v", s.Values)
	}
	s, _ = opened(t, path, Options{Preprocess: preprocessOf(t, "mean=1,2 std=2 layout=hwc")})
	if !slices.Equal(s.Values[:4], []float32{0, 0, 1, 1}) {
		t.Errorf("values %v with the channels last", s.Values)
	}
	single := npyOf(t, []int{2, 3}, []int32{1, 2, 3, 4, 5, 6})
	if s, _ = opened(t, single, Options{Shape: []int{1, 3}}); s.Len() != 2 || s.Labelled() || !slices.Equal(s.Values, []float32{1, 2, 3, 4, 5, 6}) {
		t.Errorf("values %v of a single array", s.Values)
	}
}

func TestArraysRefused(t *testing.T) {
	nan := float32(math.NaN())
	ten := part{"x", []int{2, 5}, make([]float32, 10)}
	none := Options{}
	for words, c := range map[string]struct {
		parts []part
		o     Options
	}{
		"call that of the examples x":              {[]part{{"a", []int{1}, []uint8{1}}, {"b", []int{1}, []uint8{1}}}, none},
		"example 1 has the value NaN":              {[]part{{"x", []int{2, 2}, []float32{1, 2, 3, nan}}}, none},
		"example 0 has the value +Inf":             {[]part{{"x", []int{1, 2}, []float32{1, float32(math.Inf(1))}}}, none},
		"array y of shape 3 for 2 examples":        {[]part{ten, {"y", []int{3}, []int64{1, 2, 3}}}, none},
		"one-hot rows that is y.argmax(1)":         {[]part{ten, {"y", []int{2, 3}, make([]int64, 6)}}, none},
		"label -1 of example 1":                    {[]part{ten, {"y", []int{2}, []int64{1, -1}}}, none},
		"label 99999999 of example 0":              {[]part{ten, {"y", []int{2}, []int64{99999999, -1}}}, none},
		"not a value of type int":                  {[]part{ten, {"y", []int{2}, []float32{.5, 1}}}, none},
		`has no array "z"`:                         {[]part{ten}, Options{Target: "z"}},
		"holds no examples":                        {[]part{{"x", []int{0, 5}, []float32{}}, {"y", []int{0}, []int64{}}}, none},
		"want some numbers in each":                {[]part{{"x", []int{2, 0}, []float32{}}}, none},
		"which are the channels?":                  {[]part{{"x", []int{1, 3, 7, 3}, counting(63)}}, none},
		"neither 1 nor 3 channels":                 {[]part{{"x", []int{1, 4, 7, 2}, counting(56)}}, none},
		"and no pictures":                          {[]part{{"x", []int{1, 2, 2, 2, 2}, counting(16)}}, none},
		"numbers, not bytes":                       {[]part{ten}, Options{Preprocess: Preprocess{Resize: []int{3}}}},
		"these are numbers":                        {[]part{ten}, Options{Preprocess: Preprocess{Range: []float64{0, 1}}}},
		"of shape 5, and the model takes 7":        {[]part{ten}, Options{Shape: []int{7}}},
		"the examples x_test and the labels y_tra": {[]part{{"x_test", []int{1, 1}, []float32{1}}, {"y_train", []int{1}, []int64{1}}}, none},
	} {
		if c.parts != nil {
			refusesInputs(t, npzOf(t, false, c.parts...), c.o, words)
		}
	}
	whole := must.Get(os.ReadFile(npzOf(t, false, ten)))(t)
	cut := filepath.Join(t.TempDir(), "cut.npz")
	must.Do(t, os.WriteFile(cut, whole[:len(whole)/2], 0o666))
	refusesInputs(t, cut, none, "cut.npz")
	settled, _ := opened(t, npzOf(t, false, part{"x", []int{1, 3, 7, 3}, counting(63)}), Options{Preprocess: preprocessOf(t, "layout=hwc")})
	if !slices.Equal(settled.Shape, []int{3, 7, 3}) || !bytes.Equal(settled.Pixels, counting(63)) {
		t.Errorf("shape %v", settled.Shape)
	}
}
