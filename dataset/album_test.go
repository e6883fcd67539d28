package dataset

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/fstest"
)

// One cache serves whichever rows of a source are asked for, and no picture that
// it has is opened again.
func TestCacheOfRows(t *testing.T) {
	files, names := many(t, 40)
	const size = 3 * 4 * 4
	whole, _ := mustDecode(t, files, names, pictureOptions{cache: noCache})
	o := pictureOptions{source: "faces", cache: t.TempDir()}
	rng := rand.New(rand.NewPCG(1, 2))
	had := map[int]bool{}
	for trial := range 30 {
		o.rows = rng.Perm(40)[:rng.IntN(12)]
		if trial == 20 {
			o.rows = rng.Perm(40)
		}
		seen := only(files, names, had)
		got, notes := mustDecode(t, seen, names, o)
		if !bytes.Equal(got, pick(whole, size, o.rows)) || notes != "" {
			t.Fatalf("trial %d, rows %v: other pictures than theirs, notes %q", trial, o.rows, notes)
		}
		for _, i := range o.rows {
			had[i] = true
		}
		if kept := filesIn(t, o.cache); len(kept) > 1 {
			t.Fatalf("kept %v", kept)
		}
	}
	o.rows = nil
	if got, _ := mustDecode(t, only(files, names, had), names, o); !bytes.Equal(got, whole) {
		t.Error("all rows: other pictures than they are")
	}
}

// only empties the pictures that are kept, under the same size and time: who
// decodes them fails.
func only(files fstest.MapFS, names []string, kept map[int]bool) fstest.MapFS {
	out := fstest.MapFS{}
	for i, name := range names {
		f := *files[name]
		if kept[i] {
			f.Data = make([]byte, len(f.Data))
		}
		out[name] = &f
	}
	return out
}

func TestAlbumKeepsFewByThemselves(t *testing.T) {
	pixels := []uint8{10, 11, 12, 13, 14}
	a := album{[]int{4, 2, 0, 1, 3}, pixels}
	few := a.choose([]int{1, 4}, 6, 1)
	if !slices.Equal(few, []uint8{13, 10}) || &few[0] == &pixels[0] {
		t.Errorf("%v, or all are held for two", few)
	}
	if most := a.choose([]int{1, 4, 0}, 6, 1); !slices.Equal(most, []uint8{13, 10, 12}) || &most[0] != &pixels[0] {
		t.Errorf("%v, or held twice", most)
	}
	if missing := a.lacks([]int{5, 0, 1}, 6); !slices.Equal(missing, []int{5}) {
		t.Errorf("missing %v", missing)
	}
	for _, rows := range [][]int{{0, 0}, {-1}, {6}} {
		if distinctBelow(rows, 6) {
			t.Errorf("rows %v of 6 are taken", rows)
		}
	}
}
