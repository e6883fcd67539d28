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
