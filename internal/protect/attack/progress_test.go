package attack

import (
	"context"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
	"tattle/internal/protect/release"
)

// wide is features that are the inputs.
func wide(t testing.TB, p int) *nn.Net {
	return chain(t, []int{p}, 0, &nn.Identity{})
}

// Progress counts every batch and every map once.
func TestLinearProgress(t *testing.T) {
	g, last, calls := newGaussian(t, 9, 7, 40), 0, 0
	must.Get(NewLinear(context.Background(), Setting{Front: g.front, Noise: release.Gaussian{Sigma: 1}, Data: g.draw(1400, 41), Progress: func(done, total int) {
		if done != calls+1 || done > total {
			t.Errorf("step %d of %d after %d", done, total, calls)
		}
		last, calls = total, done
	}}))(t)
	if calls != last || calls == 0 {
		t.Errorf("%d steps told of %d", calls, last)
	}
}
