package bound

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
)

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
