package reproduce

import (
	"path/filepath"
	"testing"

	"tattle/dataset"
	"tattle/internal/must"
	"tattle/internal/shared"
)

// The data of one target are opened after the other: an error leaves nothing behind, other
// data than the run began with are refused.
func TestGridOpens(t *testing.T) {
	t.Parallel()
	shared.Long(t, "data opened one after the other")
	data := filepath.Join(t.TempDir(), "celeba")
	must.Do(t, dataset.WriteFaces(t.Context(), data, "celeba", 100, 1))
	x := must.Get(Get("table1"))(t)
	g := must.Get(x.NewGrid(GridOptions{Data: data, Quick: true, Only: []string{"*-standard"}, Dir: t.TempDir()}))(t)
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
