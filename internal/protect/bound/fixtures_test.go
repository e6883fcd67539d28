package bound

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
	"tattle/internal/protect/release"
)

func noise(p, count int) nn.Rows {
	r := rand.New(rand.NewPCG(8, uint64(p)))
	d := nn.Rows{X: normals(r, p*count, 1), P: p, Labels: make([]int, count)}
	for i := range d.Labels {
		d.Labels[i] = i % 3
	}
	return d
}

func small(t testing.TB) (*nn.Net, nn.Rows, Experiment) {
	e := Experiment{Noise: release.Gaussian{Sigma: 1}, Coordinates: DCT([]int{4, 6}), Settings: Settings{Band: 2, Search: SearchOptions{Restarts: 6, Repeats: 4, Seed: 3}}}
	return smallNet(t, 24, 40, 30), noise(24, 70), e
}

func mustRun(t testing.TB, m Model, d nn.Source, indices []int, e Experiment) *Result {
	t.Helper()
	return must.Get(Run(context.Background(), m, d, indices, e, RunOptions{Dir: t.TempDir()}))(t)
}

// witnesses reads the perturbations of a run.
func witnesses(t testing.TB, r *Result, size float64) []float32 {
	t.Helper()
	x, _ := must.Get2(open(t, r.Path).Float32s(SizeName(size) + "_eps"))(t)
	return x
}

// divergences returns what the witnesses of one kind are certified by.
func divergences(t testing.TB, m Model, r *Result, s *Bounds) []Divergence {
	t.Helper()
	theta, _ := must.Get2(open(t, r.Path).Float32s("theta"))(t)
	c := r.Experiment.certifier(m)
	c.Domain, c.Runtime, c.Counted = s.domain, s.runtime, s.counted
	return c.evaluate(context.Background(), theta, s.Witnesses, func(i int) []float64 { return must.Get(r.Witnesses(s, i))(t) })
}

// distance returns ‖a−b‖/‖b‖ of rows of length p, the q-quantile over rows.
func distance(a, b []float32, p int, q float64) float64 {
	var ratios []float64
	for i := 0; i < len(a); i += p {
		var d, s float64
		for k := i; k < i+p; k++ {
			d += float64(a[k]-b[k]) * float64(a[k]-b[k])
			s += float64(b[k]) * float64(b[k])
		}
		ratios = append(ratios, math.Sqrt(d/s))
	}
	slices.Sort(ratios)
	return ratios[int(q*float64(len(ratios)-1))]
}

// boxOf is a box of p inputs with the same range.
func boxOf(p int, low, high float64) Domain {
	return Domain{Low: slices.Repeat([]float64{low}, p), High: slices.Repeat([]float64{high}, p)}
}

// box is the range of all the data.
func box(d nn.Rows) Domain { return boxOf(d.P, float64(slices.Min(d.X)), float64(slices.Max(d.X))) }
