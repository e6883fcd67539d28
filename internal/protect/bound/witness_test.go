package bound

import (
	"context"
	"testing"

	"tattle/internal/engine/nn"
)

func TestLegalDomain(t *testing.T) {
	m, data, e := small(t)
	for i, v := range data.X {
		data.X[i] = min(max(v, -1), 1)
	}
	e.Domain = cube(24, 1)
	for _, search := range []string{Direct, Algorithm1, Published} {
		e.Search.Search = search
		r := mustRun(t, m, data, upTo(30), e)
		eps := witnesses(t, r, DefaultSize)
		for k, v := range eps {
			if x := float64(data.X[k/(6*24)*24+k%24]) + float64(v); x < -1 || x > 1 {
				t.Fatalf("%s: θ+ε = %g leaves [-1, 1]", search, x)
			}
		}
		if q := r.Summaries[0].Quantile(.5); !(q > 0) {
			t.Errorf("%s: median bound %g", search, q)
		}
	}
}

// divergencesFloat64 is Divergences for witnesses in float64.
func (c *Certifier) divergencesFloat64(ctx context.Context, theta []float32, eps []float64) []Divergence {
	p, _ := c.Net.Dims()
	each := len(eps) / len(theta)
	return c.evaluate(ctx, theta, each, func(i int) []float64 { return nn.Float64s(rowOf(eps, i, each*p)) })
}
