package release

import (
	"context"
	"fmt"
	"math"

	"tattle/internal/simd"
	"tattle/nn"
)

// How far a projection that was stored may be off.
const (
	mostSkew = 1e-4 // of the entries of PPᵀ from those of the identity: P is stored in float32
	mostBias = 1e-5 // of the bias from −Pμ, relative to 1 + ‖μ‖
)

// BuildLike is Build with the projection of a release that was built before, whose two
// sides are keptFront and keptHead: for a projection whose training data are not there. It
// returns an error if what the front ends with is not y = P(a − μ) with orthonormal rows
// P, or what the head begins with is not Pᵀy + μ.
func (s Spec) BuildLike(ctx context.Context, g, keptFront, keptHead *nn.Graph) (front, head *nn.Graph, err error) {
	if err := s.check(); err != nil {
		return nil, nil, err
	}
	whole := s
	whole.Keep, whole.Projection = 0, ""
	if front, head, err = whole.Build(ctx, g, nil); err != nil {
		return nil, nil, err
	}
	n, err := s.projectable(front)
	if err != nil {
		return nil, nil, fmt.Errorf("projection: %w", err)
	}
	onto, back := lastDense(keptFront), firstDense(keptHead)
	if onto == nil || back == nil {
		return nil, nil, fmt.Errorf("projection: the release ends or begins with no affine layer")
	}
	if onto.In != n || onto.Out != s.Keep || back.In != s.Keep || back.Out != n || (onto.Bias == nil) != (back.Bias == nil) {
		return nil, nil, fmt.Errorf("projection: from %d to %d entries and back from %d to %d, expected %d and %d", onto.In, onto.Out, back.In, back.Out, n, s.Keep)
	}
	if err := inverse(onto, back); err != nil {
		return nil, nil, fmt.Errorf("projection: %w", err)
	}
	front, head = s.around(front, head, onto, back)
	return front, head, nil
}

// lastDense is the affine layer that a graph ends with, nil if it ends otherwise.
func lastDense(g *nn.Graph) *nn.Dense {
	for _, n := range g.Nodes {
		if n.Output == g.Output {
			d, _ := n.Op.(*nn.Dense)
			return d
		}
	}
	return nil
}

// firstDense is the affine layer that reads a graph's input, nil if another does.
func firstDense(g *nn.Graph) *nn.Dense {
	for _, n := range g.Nodes {
		if len(n.Inputs) == 1 && n.Inputs[0] == g.Input {
			d, _ := n.Op.(*nn.Dense)
			return d
		}
	}
	return nil
}

// inverse returns an error if the rows of onto are not orthonormal or back does not undo
// it.
func inverse(onto, back *nn.Dense) error {
	n, keep := onto.In, onto.Out
	rows := make([]float64, keep*n)
	for i := range keep {
		for j := range n {
			rows[i*n+j] = float64(onto.Weight.Data[i*n+j])
			if back.Weight.Data[j*keep+i] != onto.Weight.Data[i*n+j] {
				return fmt.Errorf("the head does not undo it at row %d, column %d", i, j)
			}
		}
	}
	products := make([]float64, keep*keep)
	simd.Gemm(false, true, keep, keep, n, 1, rows, n, rows, n, 0, products, keep)
	for i := range keep {
		products[i*keep+i]--
	}
	for k, v := range products {
		if !(math.Abs(v) <= mostSkew) {
			return fmt.Errorf("its rows %d and %d are not orthonormal", k/keep, k%keep)
		}
	}
	if onto.Bias == nil {
		return nil
	}
	mean := make([]float64, n)
	for j, v := range back.Bias.Data {
		mean[j] = float64(v)
	}
	within := mostBias * (1 + math.Sqrt(simd.SumSquares(mean)))
	for i, v := range onto.Bias.Data {
		if d := float64(v) + simd.Dot(rows[i*n:(i+1)*n], mean); !(math.Abs(d) <= within) {
			return fmt.Errorf("its bias %d is not that of the mean that the head adds", i)
		}
	}
	return nil
}
