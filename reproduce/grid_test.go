package reproduce

import (
	"maps"
	"path/filepath"
	"testing"

	"tattle/dataset"
	"tattle/internal/must"
	"tattle/internal/shared"
	"tattle/run"
)

// The data of one target are opened after the other: an error leaves nothing behind, other
// data than the run began with are refused, and a worker opens no more than it needs.
func TestGridOpens(t *testing.T) {
	t.Parallel()
	shared.Long(t, "data opened one after the other")
	data := filepath.Join(t.TempDir(), "celeba")
	must.Do(t, dataset.WriteFaces(t.Context(), data, "celeba", 100, 1))
	x := must.Get(Get("table1"))(t)
	newGrid := func(serve bool) *Grid {
		return must.Get(x.NewGrid(GridOptions{Data: data, Quick: true, Only: []string{"*-standard"}, Dir: t.TempDir(), Serve: serve}))(t)
	}
	g := newGrid(false)
	must.Do(t, g.prepare(t.Context()))
	var names []string
	for _, tr := range x.Trainings {
		if g.chosen[tr.Key] {
			names = append(names, cellName(tr, 1))
		}
	}
	m, err := cells{g}.Manifest(t.Context(), names)
	if err != nil || len(m.Hashes) < 2 {
		t.Fatalf("the data of %d targets, %v", len(m.Hashes), err)
	}
	first, second := x.Trainings[0].Target, ""
	for target := range g.data {
		if target != first {
			second = target
		}
	}

	g.o.Data = "nowhere"
	if err := g.open(t.Context(), second); err == nil || g.open(t.Context(), first) == nil {
		t.Error("data that cannot be read are open")
	}
	g.o.Data = data
	g.data[second] = openedTarget{digest: "other"}
	must.Fail(t, g.open(t.Context(), second), "not those that the run began with") // other data
	if err := g.open(t.Context(), first); err != nil || g.parts == nil {
		t.Errorf("after an error: %v", err)
	}

	w := newGrid(true)
	stage, err := m.Encode()
	if err == nil {
		err = run.WriteManifest(filepath.Join(w.o.Dir, shardsFolder), stage)
	}
	if err == nil {
		err = w.prepare(t.Context())
	}
	must.Do(t, err)
	if again, err := (cells{w}).Manifest(t.Context(), names); err != nil || !maps.Equal(again.Hashes, m.Hashes) || w.target != first || w.data[second].steps != 0 {
		t.Errorf("a worker has %v of %v, and opened %s last; %v", again.Hashes, m.Hashes, w.target, err)
	}
	if err := w.open(t.Context(), second); err != nil || w.data[second].steps == 0 {
		t.Errorf("what a shard needs: %v", err)
	}
}

// A run by the paper's procedure is not called reduced, whether --quick was given or not.
func TestReduced(t *testing.T) {
	g := &Grid{seeds: []uint64{1, 2}, epochs: 50, side: 64}
	for _, g.o.Quick = range []bool{false, true} {
		if s := g.reduced(); s != "" {
			t.Errorf("quick %v: the paper's procedure is called reduced: %s", g.o.Quick, s)
		}
	}
}
