package bound

import (
	"context"
	"fmt"
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

// chain returns the graph of operators one after the other.
func chain(shape []int, ops ...nn.Op) *nn.Graph {
	g := &nn.Graph{Name: "chain", Input: "x", InputShape: shape, Output: "x"}
	for i, op := range ops {
		name := fmt.Sprintf("%s%d", op.Kind(), i)
		g.Nodes = append(g.Nodes, &nn.Node{Name: name, Op: op, Inputs: []string{g.Output}, Output: name})
		g.Output = name
	}
	return g
}

// netOf returns the net of p numbers of operators one after the other.
func netOf(t testing.TB, p int, ops ...nn.Op) *nn.Net {
	t.Helper()
	return must.Get(nn.NewNet(chain([]int{p}, ops...)))(t)
}

// weights returns an affine layer [out, in] of those weights, and biases after them.
func weights(out, in int, w ...float32) *nn.Dense {
	d := &nn.Dense{In: in, Out: out, Weight: &nn.Param{Name: "w", Shape: []int{out, in}, Data: w[:out*in]}}
	if len(w) > out*in {
		d.Bias = &nn.Param{Name: "b", Shape: []int{out}, Data: w[out*in:]}
	}
	return d
}

// normals returns count deviates of N(0, scale²).
func normals(r *rand.Rand, count int, scale float64) []float32 {
	x := make([]float32, count)
	for i := range x {
		x[i] = float32(scale * r.NormFloat64())
	}
	return x
}

// drawn returns an affine layer with normal weights over √in and biases.
func drawn(r *rand.Rand, out, in int) *nn.Dense {
	return weights(out, in, normals(r, out*in+out, 1/math.Sqrt(float64(in)))...)
}

// smallNet is a ReLU net with weights of PyTorch's size, p inputs and n features.
func smallNet(t testing.TB, p, hidden, n int) *nn.Net {
	t.Helper()
	r := rand.New(rand.NewPCG(7, uint64(p)))
	layer := func(out, in int) *nn.Dense {
		w := make([]float32, out*in+out)
		for i := range w {
			w[i] = float32(2 / math.Sqrt(float64(in)) * (2*r.Float64() - 1))
		}
		return weights(out, in, w...)
	}
	return netOf(t, p, layer(hidden, p), &nn.ReLU{}, layer(n, hidden), &nn.ReLU{})
}

// linearNet is an affine layer with normal weights.
func linearNet(t testing.TB, r *rand.Rand, p, n int) *nn.Net {
	t.Helper()
	return netOf(t, p, weights(n, p, normals(r, n*p, 1)...))
}
