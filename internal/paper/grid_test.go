package paper

import (
	"testing"

	"tattle/internal/must"
)

// A run by the paper's procedure is not called reduced, whether --quick was given or not.
func TestReduced(t *testing.T) {
	x := must.Get(Get("table5"))(t)
	for _, quick := range []bool{false, true} {
		g := must.Get(x.NewGrid(GridOptions{Epochs: 50, Seeds: 2}))(t)
		g.o.Quick = quick
		if s := g.reduced(); s != "" {
			t.Errorf("quick %v: the paper's procedure is called reduced: %s", quick, s)
		}
	}
}

// The plan of a training by the paper's procedure.
func TestGridSays(t *testing.T) {
	x := must.Get(Get("table8"))(t)
	g := must.Get(x.NewGrid(GridOptions{Only: []string{"race5-age5-parameterized-soft-y.5s.5"}}))(t)
	const want = "table8: 1 training × 5 seeds × 50 epochs; all examples, batches of 100, Adam with learning rate 0.001, 64×64 pictures"
	if s := g.String(); s != want {
		t.Errorf("%q, want %q", s, want)
	}
}
