package sheet

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"testing"

	"tattle/internal/must"
	"tattle/internal/npy"
)

// The same columns are read from a CSV, a packed one and an .npz, whose outputs are one array.
func TestColumns(t *testing.T) {
	text := "sex,p_0,p_1\nf,.5,.25\nm,1,.125\nf,0,2\n"
	var packed, archive bytes.Buffer
	z := gzip.NewWriter(&packed)
	must.Get(io.WriteString(z, text))(t)
	must.Do(t, z.Close())
	w := npy.NewWriter(&archive)
	must.Do(t, w.Add("sex", []int{3}, []string{"f", "m", "f"}))
	must.Do(t, w.Add("p", []int{3, 2}, []float64{.5, .25, 1, .125, 0, 2}))
	must.Do(t, w.Close())
	for name, x := range map[string]struct {
		content []byte
		numbers []int
		place   string
	}{
		"a.csv": {[]byte(text), []int{1, 2}, "line 3"}, "a.csv.gz": {packed.Bytes(), []int{1, 2}, "line 3"}, "a.npz": {archive.Bytes(), []int{1}, "row 1 (from 0)"},
	} {
		c := must.Get(Open(t.Context(), name, bytes.NewReader(x.content), int64(len(x.content)), nil))(t, name)
		for range 2 { // as often as one likes
			got := must.Get(c.Read([][]int{x.numbers}, []int{0}))(t, name)
			if s := fmt.Sprintf("%v %v %v %v %s", got.Numbers, got.Finer, got.Labels[0].Values, got.Labels[0].Codes, got.Place(1)); s != "[[0.5 0.25 1 0.125 0 2]] false [f m] [0 1 0] "+x.place {
				t.Errorf("%s: %s", name, s)
			}
		}
	}
}

// Digits beyond a float32 are seen, and only where there are some.
func TestFiner(t *testing.T) {
	for text, want := range map[string]bool{
		".5": false, "0.123456": false, "-123456": false, "16777217": true, "0.1000000001": true, "1e-7": false, "1.00000001e3": true, "0.30000001192092896": false, "0.10000000149": true, "3.4e38": false,
	} {
		table := "s,p\na," + text + "\n"
		c := must.Get(Open(t.Context(), "a.csv", bytes.NewReader([]byte(table)), int64(len(table)), nil))(t)
		if got := must.Get(c.Read([][]int{{1}}, nil))(t, text); got.Finer != want {
			t.Errorf("%s: %t", text, got.Finer)
		}
	}
}
