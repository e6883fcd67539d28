package release

import (
	"context"
	"fmt"
	"math"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/protect/lattice"
)

// Reclipped returns the two sides of a release with the clip of s put anew where they have it.
func (s Spec) Reclipped(front, head *nn.Graph) (f, h *nn.Graph, err error) {
	front, head, center := unclipped(front, head)
	return s.clip(front, head, center)
}

// clip puts x·min(1, R/‖x‖) behind front, as x/√max(1, ‖x‖²/R²). With a center c, which may be nil, x is a − c, and c is added
// before head.
func (s Spec) clip(front, head *nn.Graph, center *nn.Param) (f, h *nn.Graph, err error) {
	shapes, err := front.Shapes()
	if err != nil {
		return nil, nil, err
	}
	// A lattice.Lattice with Ball has nothing left to clip.
	radius := s.ClipNorm * lattice.Within(nn.Size(shapes[front.Output]))
	if !(s.ClipNorm >= 1e-12 && s.ClipNorm <= 1e18) { // where squares are subnormal, which some runtimes take to be 0, their sum is small
		return nil, nil, fmt.Errorf("norm %v: give a number from 1e-12 to 1e18", s.ClipNorm)
	}
	f, h = new(nn.Graph), new(nn.Graph)
	*f, *h = *front, *head
	f.Nodes, h.Nodes = slices.Clone(front.Nodes), slices.Clone(head.Nodes)
	if center != nil {
		appendNode(f, "release-center", &nn.Binary{Operator: "Sub", Constant: center}, f.Output)
		prependNode(h, "release-uncenter", &nn.Binary{Operator: "Add", Constant: center}, f.Output)
	}
	x, one := f.Output, []int{}
	for range shapes[front.Output] {
		one = append(one, 1)
	}
	inverse := nn.NewParam("release-radius", one...)
	inverse.Data[0] = float32(1 / (radius * radius))
	appendNode(f, "release-squares", &nn.Binary{Operator: "Mul"}, x, x)
	appendNode(f, "release-square", &nn.Reduce{Function: "Sum", Keep: true}, f.Output)
	appendNode(f, "release-ratio", &nn.Binary{Operator: "Mul", Constant: inverse}, f.Output)
	appendNode(f, "release-beyond", &nn.Unary{Function: "Clip", Alpha: 1, Beta: math.Inf(1)}, f.Output)
	appendNode(f, "release-factor", &nn.Unary{Function: "Sqrt"}, f.Output)
	appendNode(f, "release-clipped", &nn.Binary{Operator: "Div"}, x, f.Output)
	return f, h, nil
}

// Clipped returns the share of examples whose norm a front made for Spec.ClipNorm clips.
func Clipped(ctx context.Context, front nn.Model, data nn.Source, norm float64) (float64, error) {
	_, n := front.Dims()
	clipped := 0
	err := forEachBatch(ctx, front, data, func(_ int, y []float32) error {
		for i := 0; i < len(y); i += n {
			square := 0.
			for _, v := range y[i : i+n] {
				square += float64(v) * float64(v)
			}
			if math.Sqrt(square) > norm*lattice.Within(n)*(1-0x1p-14) {
				clipped++
			}
		}
		return nil
	})
	return float64(clipped) / float64(data.Len()), err
}

// centerOf returns the mean of what front gives for the training data; nil if there are none.
func centerOf(ctx context.Context, front *nn.Graph, train nn.Source) (*nn.Param, error) {
	if train == nil {
		return nil, nil
	}
	m, err := nn.NewNet(front)
	if err != nil {
		return nil, err
	}
	shapes, err := front.Shapes()
	if err != nil {
		return nil, err
	}
	_, n := m.Dims()
	sum := make([]float64, n)
	err = forEachBatch(ctx, m, train, func(_ int, y []float32) error {
		for i, v := range y {
			sum[i%n] += float64(v)
		}
		return nil
	})
	center := nn.NewParam("release-mean", shapes[front.Output]...)
	for i, v := range sum {
		if center.Data[i] = float32(v / float64(train.Len())); !finite(center.Data[i]) {
			return nil, fmt.Errorf("the mean of feature %d over the training data is not finite", i)
		}
	}
	return center, err
}

// unclipped returns the sides that clip was given, and its center, of those that it made: what it shares with front and head is not
// to be changed.
func unclipped(front, head *nn.Graph) (f, h *nn.Graph, center *nn.Param) {
	f, h = new(nn.Graph), new(nn.Graph)
	*f, *h = *front, *head
	last := &nn.Node{Inputs: []string{front.Output}}
	end := func(tensor string) { // the front ends there
		f.Output = tensor
		i := slices.IndexFunc(f.Nodes, func(n *nn.Node) bool { return n.Output == tensor })
		if f.Nodes = f.Nodes[:i+1]; i >= 0 {
			last = f.Nodes[i]
		}
	}
	end(front.Output)
	end(last.Inputs[0])
	before, _ := last.Op.(*nn.Binary)
	for i, n := range head.Nodes {
		behind, _ := n.Op.(*nn.Binary)
		if before == nil || behind == nil || n.Inputs[0] != head.Input || before.Operator != "Sub" || behind.Operator != "Add" ||
			before.Constant == nil || behind.Constant == nil || !slices.Equal(before.Constant.Data, behind.Constant.Data) {
			continue
		}
		end(last.Inputs[0])
		h.Input, h.Nodes = n.Output, slices.Delete(slices.Clone(h.Nodes), i, i+1)
		return f, h, before.Constant
	}
	return f, h, nil
}
