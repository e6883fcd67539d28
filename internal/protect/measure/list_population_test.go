package measure

import (
	"context"
	"math"
	"strings"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/must"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/lattice"
	"tattle/internal/protect/release"
)

// TestNoiseFromSample: limits for adversaries without a list allow for noise that was computed from the
// sample, or are left out.
func TestNoiseFromSample(t *testing.T) {
	list := &List{Name: "numbers", Set: spread(1000, 1)}
	run := func(noise release.Noise, from NoiseFrom) *ListFigures {
		t.Helper()
		target := Target{Front: identity{p: 1}, Noise: noise, FromData: from, Coordinates: bound.Pixels(1), Legal: bound.Domain{Low: []float64{-1}, High: []float64{1}}}
		return must.Get(ListOptions{Sample: list, Attributes: []string{"half"}, Draws: 400, SkipAttacks: true}.Run(context.Background(), target))(t)
	}
	gaussian, _ := release.NewGaussian(.5)
	table := must.Get(release.NewTable([]float64{-3, -1, 0, 2, 4}, []float64{.1, .5, 1, .4, .05}, .5))(t)
	onLattice := must.Get(release.NewLattice(lattice.Lattice{Sigma: .5, Delta: 1. / 128, Clip: 2, Dim: 1}))(t)
	for _, c := range []struct {
		noise release.Noise
		from  NoiseFrom
		what  string // that is left out
	}{
		{gaussian, SigmaFrom, ""}, {onLattice, ClipFrom, ""},
		{table, SigmaFrom, "strength"}, {onLattice, BothFrom, "strength"}, {onLattice, SigmaFrom, "strength"},
	} {
		found := run(c.noise, c.from)
		if c.what != "" {
			if len(found.Anybody) != 0 || len(found.LeftOut) != 1 || !strings.Contains(found.LeftOut[0], c.what) {
				t.Errorf("%T, %q: %+v", c.noise, c.from, found)
			}
			continue
		}
		fixed, chosen := run(c.noise, NothingFrom).EverySample(), found.EverySample()
		a, b := fixed.Inferred[0], chosen.Inferred[0]
		if f := chosen.Floors[0].Anybody; !(f > 0 && f < fixed.Floors[0].Anybody) || !(b.Anybody > a.Anybody && b.AnybodyBits >= a.AnybodyBits && *b.AnybodyAUC > *a.AnybodyAUC) {
			t.Errorf("%T, %q: floor %v of %v, attribute %+v beside %+v", c.noise, c.from, f, fixed.Floors[0].Anybody, b, a)
		}
		if found.NoiseFrom != c.from || a.AnybodyBits <= a.Bits.Mean || *a.AnybodyAUC <= a.AUC.Mean || a.Given.AnybodyBits <= 0 {
			t.Errorf("%T, %q: %+v", c.noise, c.from, a)
		}
	}
}

// TestNoiseFromData: SetNoise says what it computed from the data.
func TestNoiseFromData(t *testing.T) {
	front := must.Get(nn.NewNet(nn.NewBuilder("flat", 1).Graph))(t)
	set := &dataset.Set{Shape: []int{1}, Values: []float32{-1, 3}}
	for _, c := range []struct {
		family string
		sigma  float64
		want   NoiseFrom
	}{
		{"none", 0, NothingFrom}, {"gaussian", 1, NothingFrom}, {"gaussian", 0, SigmaFrom}, {"lattice", 1, ClipFrom}, {"lattice", 0, BothFrom},
		{"lattice:0.0078125:4", 1, NothingFrom}, {"lattice::4", 1, NothingFrom}, {"lattice:0.0078125", 1, ClipFrom},
	} {
		q := Request{Data: set, Release: Release{Family: c.family, Sigma: c.sigma, Scale: 1}}
		for range 2 { // again, with everything settled
			must.Do(t, q.SetNoise(context.Background(), front, q.scaling(), ""))
		}
		if q.FromData != c.want || math.IsNaN(q.Sigma) {
			t.Errorf("%s, σ %v: %q from the data, want %q", c.family, c.sigma, q.FromData, c.want)
		}
	}
}

// TestScaleByTraining: what is left open of the noise is computed from training data, unless these are
// the measured data. Inputs of the measured data among them are counted.
func TestScaleByTraining(t *testing.T) {
	front := must.Get(nn.NewNet(nn.NewBuilder("flat", 1).Graph))(t)
	measured := &dataset.Set{Shape: []int{1}, Values: []float32{-1, 3}, SHA256: "measured"}
	many := &dataset.Set{Shape: []int{1}, SHA256: "many"}
	for i := range 2 * mostScaling {
		many.Values = append(many.Values, float32(i%2*6)) // root mean square 4.2
	}
	for _, c := range []struct {
		training    *dataset.Set
		family      string
		sigma, want float64
		whole       string
		shared      int
	}{
		{nil, "gaussian", 0, math.Sqrt(5), "gaussian", 2},
		{measured, "gaussian", 0, math.Sqrt(5), "gaussian", 2},
		{&dataset.Set{Shape: []int{1}, Values: []float32{7}, SHA256: "other"}, "gaussian", 0, 7, "gaussian", 0},
		{&dataset.Set{Shape: []int{1}, Values: []float32{7, 3}, SHA256: "other"}, "gaussian", 0, math.Sqrt(29), "gaussian", 1},
		{&dataset.Set{Shape: []int{1}, Values: []float32{7}, SHA256: "other"}, "gaussian", 2, 2, "gaussian", 2},
		{&dataset.Set{Shape: []int{1}, Values: []float32{7}, SHA256: "other"}, "lattice", 2, 2, "lattice:0.03125:8", 0},
		{&dataset.Set{Shape: []int{1}, Values: []float32{7}, SHA256: "other"}, "lattice:0.03125:4", 2, 2, "lattice:0.03125:4", 2},
		{many, "gaussian", 0, 3 * math.Sqrt2, "gaussian", 0},
	} {
		q := Request{Data: measured, Release: Release{Family: c.family, Sigma: c.sigma, Scale: 1}, Adversaries: &Adversaries{}}
		if c.training != nil {
			q.Adversaries.Training, q.Adversaries.TrainingSHA256 = c.training, c.training.SHA256
		}
		q.ScaleByTraining()
		must.Do(t, q.SetNoise(context.Background(), front, q.scaling(), ""))
		if math.Abs(q.Sigma/c.want-1) > .02 || q.Family != c.whole || q.Shared() != c.shared {
			t.Errorf("%+v: σ %v of %s, %d inputs shared", c, q.Sigma, q.Family, q.Shared())
		}
		if q.Scaling != nil && q.Scaling.Len() > mostScaling {
			t.Errorf("%d training inputs are read", q.Scaling.Len())
		}
	}
}
