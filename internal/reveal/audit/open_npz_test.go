package audit

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"tattle/internal/must"
	"tattle/internal/npy"
	"tattle/internal/reveal/curious"
)

// archiveOf writes an .npz of arrays in the order given: name, shape, data, …
func archiveOf(t testing.TB, arrays ...any) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.npz")
	f := must.Get(os.Create(path))(t)
	defer f.Close()
	w := npy.NewWriter(f)
	w.Compress = true
	for i := 0; i < len(arrays); i += 3 {
		must.Do(t, w.Add(arrays[i].(string), arrays[i+1].([]int), arrays[i+2]))
	}
	must.Do(t, w.Close())
	return path
}

func TestOpenNPZ(t *testing.T) {
	path := archiveOf(t, "scores", []int{4, 2}, []float64{1, 2, 3, 4, 5, 6, 7, 8}, "labels", []int{4}, []uint8{1, 0, 0, 1},
		"sex", []int{4}, []string{"m", "f", "f", "m"}, "age", []int{4}, []float32{.1, 2, .1, float32(math.NaN())},
		"old", []int{4}, []bool{true, false, false, true}, "other", []int{2, 2}, []int{1, 2, 3, 4})
	s, err := OpenOutputs(context.Background(), path, OpenOptions{})
	must.Do(t, err)
	want := &Sample{
		Name: "a", Outputs: []float32{1, 2, 3, 4, 5, 6}, Kind: curious.Raw, Y: []int{1, 0, 0}, Target: "labels", Classes: []string{"0", "1"},
		Sensitive: []Attribute{
			{Name: "sex", Values: []string{"f", "m"}, Labels: []int{1, 0, 0}},
			{Name: "age", Values: []string{"0.1", "2"}, Labels: []int{0, 1, 0}},
			{Name: "old", Values: []string{"0", "1"}, Labels: []int{1, 0, 0}},
		},
		Notes: []string{"arrays that are not used: other", "1 of 4 examples left out: they have no age"},
	}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("\n%+v\nwant\n%+v", s, want)
	}
	s, err = OpenOutputs(context.Background(), path, OpenOptions{Columns: []string{"scores"}, Target: "old", Sensitive: []string{"age:number", "sex: f; *"}})
	if err != nil || s.Target != "old" || len(s.Sensitive) != 2 || s.Sensitive[0].Numbers[0] != .1 || s.Sensitive[1].Values[1] != "others" {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestOpenNPZRefuses(t *testing.T) {
	y, shape := []int{0, 1}, []int{2}
	for want, path := range map[string]string{
		"no array of outputs":                    archiveOf(t, "y", shape, y, "s", shape, y),
		"of several kinds":                       archiveOf(t, "logits", []int{2, 2}, make([]float32, 4), "scores", []int{2, 2}, make([]float32, 4), "y", shape, y, "s", shape, y),
		"no column y":                            archiveOf(t, "logits", []int{2, 2}, make([]float32, 4), "s", shape, y),
		"has no sensitive array":                 archiveOf(t, "logits", []int{2, 2}, make([]float32, 4), "y", shape, y),
		"row 1, column 0":                        archiveOf(t, "logits", []int{2, 2}, []float64{0, 0, math.Inf(1), 0}, "y", shape, y, "s", shape, y),
		"shape [2 1 2]":                          archiveOf(t, "logits", []int{2, 1, 2}, make([]float32, 4), "y", shape, y, "s", shape, y),
		"one label for each":                     archiveOf(t, "logits", []int{2, 2}, make([]float32, 4), "y", []int{1}, y[:1], "s", shape, y),
		"class 1 does not exist":                 archiveOf(t, "logits", []int{2, 2}, make([]float32, 4), "y", shape, y, "s", shape, y, "s_about", []int{2}, []string{"s", "a"}),
		"shape [2 2]: want one":                  archiveOf(t, "logits", []int{2, 2}, make([]float32, 4), "y", []int{2, 2}, make([]int, 4), "s", shape, y, "s_about", []int{0}, []string{}),
		"row 1 (from 0): class 2 does not exist": archiveOf(t, "logits", []int{2, 2}, make([]float32, 4), "y", shape, y, "s", shape, []int{0, 2}, "s_about", []int{3}, []string{"s", "a", "b"}),
		"100000] ":                               archiveOf(t, "logits", []int{1, 100_000}, make([]float32, 100_000), "y", []int{1}, y[:1], "s", []int{1}, y[:1]),
	} {
		_, err := OpenOutputs(context.Background(), path, OpenOptions{})
		must.Fail(t, err, strings.TrimSpace(want))
	}
}

// Arrays as scripts save them: columns [n, 1], blanks in names, and names that write
// would not write.
func TestOpenNPZColumns(t *testing.T) {
	p := []float32{.5, .5, .25, .75}
	s, err := OpenOutputs(context.Background(), archiveOf(t, "proba", []int{2, 2}, p, "y", []int{2, 1}, []int64{1, 0}, "sex", []int{2, 1}, []string{" f", "m "}, "y_about", []int{3}, []string{"won", "no", " yes "}), OpenOptions{})
	if err != nil || !reflect.DeepEqual(s.Y, []int{1, 0}) || s.Classes[1] != "yes" || len(s.Sensitive) != 1 || s.Sensitive[0].Values[0] != "f" || s.Kind != curious.Soft {
		t.Errorf("%+v, %v", s, err)
	}
	for want, path := range map[string]string{
		"cannot be":                   archiveOf(t, "proba", []int{2, 2}, p, "y", []int{2}, []int{0, 1}, " sex", []int{2}, []int{0, 1}),
		"proba holds text":            archiveOf(t, "proba", []int{2, 2}, []string{"a", "b", "c", "d"}, "y", []int{2}, []int{0, 1}, "s", []int{2}, []int{0, 1}),
		"float32: scale":              archiveOf(t, "scores", []int{2, 1}, []float64{1e300, 2}, "y", []int{2}, []int{0, 1}, "s", []int{2}, []int{0, 1}),
		"has 0 arrays":                archiveOf(t),
		"shape []":                    archiveOf(t, "proba", []int{2, 2}, p, "y", []int{}, []int{0}, "s", []int{2}, []int{0, 1}),
		"values 9007199254740993":     archiveOf(t, "proba", []int{1, 2}, p[:2], "y", []int{1}, []int64{1<<53 + 1}, "s", []int{1}, []int{0}),
		"values 18446744073709551615": archiveOf(t, "proba", []int{1, 2}, p[:2], "y", []int{1}, []uint64{math.MaxUint64}, "s", []int{1}, []int{0}),
	} {
		must.Fail(t, must.Err(OpenOutputs(context.Background(), path, OpenOptions{})), want)
	}
}
