package bound

import (
	"context"
	"testing"

	"tattle/internal/engine/nn"
)

// Tiny perturbations that move the features by less than rounding prove little:
// no more than larger ones do, and nothing unbounded. The arrays and the
// verification bear it.
func TestAllRounding(t *testing.T) {
	m, data, e := small(t)
	e.Sizes = []float64{1e-15}
	r := mustRun(t, m, data, upTo(8), e)
	ds, lost := divergences(t, m, r, r.Near()[0]), 0
	for _, d := range ds {
		if d.Status == AllRounding {
			lost++
		}
	}
	if lost < len(ds)*9/10 {
		t.Errorf("%d of %d witnesses are all rounding", lost, len(ds))
	}
	e.Sizes = []float64{1e-6}
	same := mustRun(t, m, data, upTo(8), e)
	for k, v := range r.Near()[0].Std {
		if most := same.Kinds[0].Std[k]; v > most {
			t.Fatalf("coordinate %d: %g, %g from larger perturbations in the same directions", k, v, most)
		}
	}
	if found := verified(t, m, data, r, r.claims()); len(found) != 0 {
		t.Error(found)
	}
}

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
