package bayes

import (
	"context"
	"math"
	"testing"

	"tattle/internal/must"
	"tattle/internal/protect/release"
)

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
