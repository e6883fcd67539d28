package bound

import (
	"context"
	"math"
	"slices"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
	"tattle/internal/protect/release"
	"tattle/internal/shared"
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

// Where no ReLU changes its state between θ and θ+ε, and ε lies in the row space,
// one witness proves no more than the full Cramér-Rao bound of its own direction:
// (wᵀε)²/expm1(‖Jε‖²/σ²) ≤ σ²(wᵀε)²/‖Jε‖², and with w = ε/‖ε‖ that is at most
// σ²wᵀ(JᵀJ)⁺w by Cauchy-Schwarz. Elsewhere it may, which is the point of HCR.
func TestWitnessAgainstCramerRao(t *testing.T) {
	shared.Long(t, "certifies witnesses of real images")
	const restarts, images = 5, 4
	o := loadOracle(t)
	e := o.experiment(Direct)
	e.Search.Restarts, e.Sizes = restarts, []float64{1. / 200, 1. / 20000}
	r := mustRun(t, o.net, o.data, upTo(images), e)
	theta := o.data.X[:images*784]
	x := nn.Float64s(theta)
	factors := must.Get(factorsAt(t.Context(), o.net, theta))(t)
	c := Certifier{Net: o.net, Noise: release.Gaussian{Sigma: o.sigma}}
	for s := range e.Sizes {
		eps := witnesses(t, r, e.Sizes[s])
		same, checked := 0, 0
		for k, d := range c.Divergences(t.Context(), theta, eps) {
			i, ε := k/restarts, eps[k*784:(k+1)*784]
			if !o.sameStates(x[i*784:(i+1)*784], ε) {
				continue
			}
			same++
			w, seen, full := direction(factors[i], ε)
			if seen < 1-1e-6 {
				continue // rounding to float32 took ε out of the row space
			}
			checked++
			var g float64
			for j, v := range ε {
				g += w[j] * float64(v)
			}
			bound, cr := d.Std(g, 784*ulp*math.Abs(g)), o.sigma*math.Sqrt(full)
			// float64: J, its singular values and the sums err by 1e-7 at most (gramRatio).
			if bound > cr*(1+1e-6) {
				t.Errorf("size %g, image %d, witness %d: certified %g, Cramér-Rao %g", e.Sizes[s], i, k%restarts, bound, cr)
			}
		}
		if checked < images*restarts/2 {
			t.Errorf("size %g: only %d witnesses to compare", e.Sizes[s], checked)
		}
	}
}

// direction returns w = ε/‖ε‖, ‖Pw‖² and wᵀ(JᵀJ)⁺w.
func direction(f *Factors, eps []float32) (w []float64, seen, full float64) {
	norm := norm32(eps)
	w = make([]float64, len(eps))
	for i, v := range eps {
		w[i] = float64(v) / norm
	}
	for i, s := range f.S {
		var c float64
		for k, v := range f.V[i*f.P : (i+1)*f.P] {
			c += v * w[k]
		}
		seen += c * c
		full += c * c / (s * s)
	}
	return w, seen, full
}

// sameStates reports whether every ReLU is on at both θ and θ+ε or at neither. Then it is so on the
// whole segment, because the net is affine there.
func (o *oracle) sameStates(x []float64, eps []float32) bool {
	moved := make([]float64, len(x))
	for i, v := range eps {
		moved[i] = x[i] + float64(v)
	}
	states := func(x []float64) (s []bool) {
		for _, n := range o.net.Graph().Nodes {
			if d, ok := n.Op.(*nn.Dense); ok {
				y := make([]float64, d.Out)
				for j := range y {
					y[j] = float64(d.Bias.Data[j])
					for i, v := range d.Weight.Data[j*d.In : (j+1)*d.In] {
						y[j] += float64(v) * x[i]
					}
				}
				x = y
				continue
			}
			for i, v := range x {
				s = append(s, v > 0)
				x[i] = max(v, 0)
			}
		}
		return s
	}
	return slices.Equal(states(slices.Clone(x)), states(moved))
}

// divergencesFloat64 is Divergences for witnesses in float64.
func (c *Certifier) divergencesFloat64(ctx context.Context, theta []float32, eps []float64) []Divergence {
	p, _ := c.Net.Dims()
	each := len(eps) / len(theta)
	return c.evaluate(ctx, theta, each, func(i int) []float64 { return nn.Float64s(rowOf(eps, i, each*p)) })
}
