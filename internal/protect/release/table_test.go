package release

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tattle/internal/must"
)

func TestNewTableErrs(t *testing.T) {
	must.Get(NewTable([]float64{-1, 0, 1}, []float64{1e-290, 1e290, 1e-290}, 1))(t)
	for want, c := range map[string][2][]float64{
		"3 positions and 2": {{1, 2, 3}, {1, 1}},
		"2 positions":       {{1, 2}, {1, 1}},
		"x is 1 in row 2 and 1 in the row before": {{1, 1, 2}, {1, 2, 1}},
		"x is -1e+101 in row 1":                   {{-1e101, 1, 2}, {1, 2, 1}},
		"x is NaN":                                {{1, math.NaN(), 2}, {1, 2, 1}},
		"is 0 in row 1: where the supports":       {{1, 2, 3}, {0, 2, 1}},
		"density is -1 in row 2":                  {{1, 2, 3}, {1, -1, 1}},
		"density is +Inf":                         {{1, 2, 3}, {1, math.Inf(1), 1}},
		"must rise":                               {{1, 2, 3}, {2, 1, .5}},
		"are out of range":                        {{1e99, 1.0000000001e99, 1e100}, {1e-290, 1, 1e-290}},
		"rise in the first":                       {{1, 2, 3}, {2, 2, 1}},
		"fall in the last":                        {{1, 2, 3}, {1, 2, 2}},
		"as many of either,":                      {make([]float64, MaxTable+1), make([]float64, MaxTable+1)},
	} {
		table, err := NewTable(c[0], c[1], 1)
		if want == "are out of range" && err == nil {
			continue // or it is in range after all: the fuzz test checks such tables
		}
		if table != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, error %v, want %s", table, err, want)
		}
	}
}

// The largest table is read.
func TestLargestTable(t *testing.T) {
	x, d := make([]float64, MaxTable), make([]float64, MaxTable)
	for k := range x {
		x[k], d[k] = float64(k), 1
	}
	d[0], d[MaxTable-1] = .5, .5
	if table := must.Get(NewTable(x, d, 1))(t); math.Abs(table.Fisher()-chiSquared(table, []float64{1e-7})*1e14) > .1*table.Fisher() {
		t.Errorf("Fisher information %v", table.Fisher())
	}
}

func TestReadTable(t *testing.T) {
	dir := t.TempDir()
	var first float64
	for name, b := range map[string][]byte{
		"a.csv": []byte("-1,1\n0, 5\n2,1"), "b.txt": []byte("x,density\n-1,1\n0,5\n2,1\n"),
	} {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, b, 0o666))
		table, err := ReadTable(path, 1)
		if err != nil || table.String() != "table:"+path {
			t.Fatalf("%s: %v, %v", name, table, err)
		}
		chi := chiSquared(table, []float64{.5})
		if first == 0 {
			first = chi
		}
		if chi != first {
			t.Errorf("%s: χ² = %v, elsewhere %v", name, chi, first)
		}
	}
	for want, text := range map[string]string{"row 1: \"-1\" and \"x\"": "-1,x\n0,5\n2,1\n3,.5", "row 3: \"x\" and \"y\"": "-1,1\n0,5\nx,y\n2,1\n"} {
		must.Fail(t, must.Err2(decodeTable([]byte(text))), want)
	}
	for name, b := range map[string][]byte{
		"a.csv": []byte("1,2,3\n"), "b.csv": nil, "d.npy": []byte("\x93NUMPY"),
		"f.csv": bytes.Repeat([]byte("1,1\n"), MaxTable+1), "g.csv": make([]byte, maxTableFile+1),
	} {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, b, 0o666))
		must.Fail(t, must.Err(ReadTable(path, 1)), name)
	}
}

func FuzzReadTable(f *testing.F) {
	f.Add([]byte("x,density\n-1,1\n0,5\n2,1\n"))
	f.Add([]byte("-1e99,1e-290\n0,1e290\n1e-99,1\n"))
	f.Add([]byte("\"1\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		x, density, err := decodeTable(b)
		if err != nil {
			return
		}
		table, err := NewTable(x, density, 1)
		if err != nil {
			return
		}
		for _, d := range []float64{1e-4, -.1} {
			chi, bound := chiSquared(table, []float64{d}), table.Bound([]float64{d}, []float64{1e-12})
			if !(chi >= 0 && bound >= chi) {
				t.Errorf("χ² = %v, bound %v", chi, bound)
			}
		}
	})
}
