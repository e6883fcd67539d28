package release

import (
	"context"
	"fmt"
	"math"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
)

// How far a projection that was stored may be off.
const (
	mostSkew = 1e-4 // of the entries of WB from those of the identity: both are stored in float32
	mostBias = 1e-5 // of the bias from −Wμ, relative to 1 + ‖w‖·‖μ‖
)

// BuildLike is Build of a release that was built before, whose two sides are keptFront and
// keptHead. From these it takes what another processor may compute with other roundings, the
// layers of the covariance, the center of the clip, and a learned projection if train is nil. It returns an error if
// these layers are not what s says: the projection y = W(a − μ) with the way back By + μ
// must have WB = I, and the rows of a principal one must be orthonormal.
func (s Spec) BuildLike(ctx context.Context, g *nn.Graph, train nn.Source, keptFront, keptHead *nn.Graph) (front, head *nn.Graph, err error) {
	return s.build(ctx, g, train, keptFront, keptHead)
}

// kept returns the layers that the sides of a release end and begin with, by their names.
func (s Spec) kept(front, head *nn.Graph) map[string]layers {
	all := map[string]layers{}
	end, begin := front.Output, head.Input
	take := func(name string) {
		l := layers{name: name}
		for _, n := range front.Nodes {
			if d, ok := n.Op.(*nn.Dense); ok && n.Output == end && len(n.Inputs) == 1 {
				l.onto, end = d, n.Inputs[0]
				break
			}
		}
		for _, n := range head.Nodes {
			if d, ok := n.Op.(*nn.Dense); ok && len(n.Inputs) == 1 && n.Inputs[0] == begin {
				l.back, begin = d, n.Output
				break
			}
		}
		all[name] = l
	}
	if s.Covariance != nil {
		take("whiten")
	}
	if s.Keep > 0 {
		take("project")
	}
	return all
}

// fit returns an error unless the layers map n numbers to keep, and back.
func (l layers) fit(n, keep int) error {
	switch {
	case l.onto == nil || l.back == nil:
		return fmt.Errorf("the release ends or begins with no affine layer")
	case l.onto.In != n || l.onto.Out != keep || l.back.In != keep || l.back.Out != n:
		return fmt.Errorf("from %d to %d entries and back from %d to %d, expected %d and %d", l.onto.In, l.onto.Out, l.back.In, l.back.Out, n, keep)
	case (l.onto.Bias == nil) != (l.back.Bias == nil):
		return fmt.Errorf("only one of its two layers has a bias")
	}
	return nil
}

// inverse returns an error unless the layers map n numbers to keep, and back so that the map
// undoes that. The way back of an orthonormal map is its transpose.
func (l layers) inverse(n, keep int, orthonormal bool) error {
	if err := l.fit(n, keep); err != nil {
		return err
	}
	for k, w := range l.onto.Weight.Data {
		if orthonormal && w != l.back.Weight.Data[k%n*keep+k/n] {
			return fmt.Errorf("the head does not undo it at row %d, column %d", k/n, k%n)
		}
	}
	rows := nn.Float64s(l.onto.Weight.Data)
	if i, j, off := offIdentity(rows, nn.Float64s(l.back.Weight.Data), keep, mostSkew); off {
		return fmt.Errorf("the head does not undo it: rows %d and %d", i, j)
	}
	return l.biased(rows)
}

// offIdentity returns the place of the first entry of W·B that differs from the identity matrix by more than most, and whether
// there is one. W is [rows, inner], B [inner, rows].
func offIdentity(w, b []float64, rows int, most float64) (i, j int, off bool) {
	product, inner := make([]float64, rows*rows), len(w)/rows
	simd.Gemm(false, false, rows, rows, inner, 1, w, inner, b, rows, 0, product, rows)
	for i := range rows {
		product[i*rows+i]--
	}
	k := slices.IndexFunc(product, func(x float64) bool { return !(math.Abs(x) <= most) })
	return k / rows, k % rows, k >= 0
}

// biased returns an error unless the bias is that of the mean that the head adds.
func (l layers) biased(rows []float64) error {
	if l.onto.Bias == nil {
		return nil
	}
	n, mean := l.onto.In, nn.Float64s(l.back.Bias.Data)
	length := math.Sqrt(simd.SumSquares(mean))
	for i, v := range l.onto.Bias.Data {
		row := rows[i*n : (i+1)*n]
		if d := float64(v) + simd.Dot(row, mean); !(math.Abs(d) <= mostBias*(1+length*math.Sqrt(simd.SumSquares(row)))) {
			return fmt.Errorf("its bias %d is not that of the mean that the head adds", i)
		}
	}
	return nil
}
