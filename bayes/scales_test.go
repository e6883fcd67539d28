package bayes

import (
	"context"
	"math"
	"testing"

	"tattle/internal/must"
	"tattle/internal/shared"
	"tattle/release"
)

// TestScales compares candidates whose noise has scales of their own with sums over all of them.
func TestScales(t *testing.T) {
	shared.Long(t, "draws of many strengths")
	const count, dim = blockCandidates + 300, 3
	list := table{dim, normal(count*dim, 1)}
	scales := make([]float64, count)
	for j, v := range normal(count, 2) {
		scales[j] = math.Exp(v / 2)
	}
	for name, noise := range noises(t, .3, dim) {
		for _, queries := range []int{1, 3} {
			t.Run(name, func(t *testing.T) {
				o := Options{Draws: 40, Queries: queries, Seed: 3, Scales: scales}
				got := must.Get(Run(context.Background(), list, noise, nil, o))(t)
				d := must.Get(newDraws(context.Background(), list, noise, o))(t)
				for b, have := range got.Draws {
					p := slowScaled(list, noise, d, b)
					var top, entropy float64
					for _, v := range p {
						top = max(top, v)
						entropy -= v * math.Log2(v+1e-300)
					}
					if math.Abs(have.Top-top) > 1e-9 || math.Abs(have.Entropy-entropy) > 1e-8 {
						t.Errorf("draw %d: %+v, want %v and %v bits", b, have, top, entropy)
					}
				}
			})
		}
	}
}

// slowScaled returns the posterior of one draw from the definition: the density of noise of
// scale c is f(z/c)/cⁿ.
func slowScaled(list table, noise Density, d *drawn, b int) []float64 {
	l, largest, total := make([]float64, list.Len()), math.Inf(-1), 0.
	for j := range l {
		for q := range d.queries {
			z := append([]float64(nil), d.release(b, q)...)
			for i := range z {
				z[i] = (z[i] - list.a[j*list.dim+i]) / d.scales[j]
			}
			l[j] += noise.LogDensity(z) - float64(list.dim)*math.Log(d.scales[j])
		}
		largest = max(largest, l[j])
	}
	for j := range l {
		l[j] = math.Exp(l[j] - largest)
		total += l[j]
	}
	for j := range l {
		l[j] /= total
	}
	return l
}

// TestEqualScales: one scale for all candidates is noise of another strength, and two candidates
// with the same features and scales σ and cσ are named as the densities' overlap says.
func TestEqualScales(t *testing.T) {
	list := table{4, normal(4*500, 1)}
	scales := make([]float64, 500)
	for j := range scales {
		scales[j] = 2
	}
	o := Options{Draws: 200, Seed: 1}
	want := must.Get(Run(context.Background(), list, release.Gaussian{Sigma: 1}, nil, o))(t)
	o.Scales = scales
	got := must.Get(Run(context.Background(), list, release.Gaussian{Sigma: .5}, nil, o))(t)
	for b, d := range got.Draws {
		if math.Abs(d.Top-want.Draws[b].Top) > 1e-9 || math.Abs(d.Rank-want.Draws[b].Rank) > 1e-9 {
			t.Fatalf("draw %d: %+v, want %+v", b, d, want.Draws[b])
		}
	}
	// Naming N(0, 1) or N(0, c²): right with probability ½ + ½TV, and the densities cross at
	// z² = 2 ln c/(1 − 1/c²).
	const c, alpha = 3., 1e-7
	r := must.Get(Run(context.Background(), table{1, []float64{0, 0}}, release.Gaussian{Sigma: 1}, nil, Options{Draws: 20000, Seed: 1, Scales: []float64{1, c}}))(t)
	z := math.Sqrt(2 * math.Log(c) / (1 - 1/c/c))
	right := .5 + (math.Erf(z/math.Sqrt2)-math.Erf(z/c/math.Sqrt2))/2
	if named, _ := r.Identified(alpha); named.Low > right || named.High < right || math.Abs(named.Mean-right) > .01 {
		t.Errorf("named %+v, want %v", named, right)
	}
}

func TestScaleErrors(t *testing.T) {
	list := table{1, []float64{0, 1}}
	for name, scales := range map[string][]float64{"too few": {1}, "zero": {1, 0}, "infinite": {1, math.Inf(1)}, "not a number": {math.NaN(), 1}} {
		if _, err := Run(context.Background(), list, release.Gaussian{Sigma: 1}, nil, Options{Scales: scales}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	// Noise of a tiny scale is resolved by no float64.
	if _, err := Run(context.Background(), list, release.Gaussian{Sigma: 1}, nil, Options{Scales: []float64{1, 1e-9}}); err != ErrRounding {
		t.Errorf("a tiny scale: %v", err)
	}
}
