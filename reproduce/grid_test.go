package reproduce

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"
	"time"

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

// After the first training a line says how long the others will take.
func TestTimeLeft(t *testing.T) {
	for _, x := range []struct {
		steps, left int
		want        string
	}{
		{100, 0, ""}, {0, 100, ""}, {100, 900, ""}, // 54 seconds
		{100, 30000, "30 minutes"}, {100, 60000 * 5, "5 hours"}, {100, 60000 * 24 * 5, "5 days"},
	} {
		if got := timeLeft(6*time.Second, x.steps, x.left); got != x.want {
			t.Errorf("%d steps in 6 s, %d left: %q, want %q", x.steps, x.left, got, x.want)
		}
	}
	x := must.Get(Get("table4"))(t)
	var said strings.Builder
	g := &Grid{Experiment: x, total: 1000, missing: 10, o: GridOptions{Say: func(format string, a ...any) { fmt.Fprintf(&said, format, a...) }}}
	g.trained(100, 10*time.Minute)
	if want := "the first training took 10m0s; 9 more will take about 90 minutes"; !strings.Contains(said.String(), want) {
		t.Errorf("%q does not say %q", said.String(), want)
	}
	said.Reset()
	if g.trained(100, 10*time.Minute); said.Len() > 0 || g.missing != 8 || g.done != 200 {
		t.Errorf("after the second: %q, %d to train, %d steps done", said.String(), g.missing, g.done)
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
