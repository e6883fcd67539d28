package nn

import (
	"fmt"
	"slices"
)

// Upsampled returns g behind a resize of images [C, side…] to its input [C, …],
// which makes the enlargement a part of the model that is differentiated: paper A's
// 91 × 91 pixels for nets of 224 × 224 (section 3.3). mode is "linear", as
// torchvision's bilinear resize without antialias, or "cubic". One side means all. The
// parameters are shared with g. It returns an error if the input is no image or the mode is
// unknown.
func (g *Graph) Upsampled(mode string, side ...int) (*Graph, error) {
	in := g.InputShape
	if len(in) < 2 || len(side) != 1 && len(side) != len(in)-1 {
		return nil, fmt.Errorf("cannot enlarge images of sides %v to inputs of shape %v", side, in)
	}
	from := slices.Clone(in)
	for i := range from[1:] {
		from[i+1] = side[i%len(side)]
		if from[i+1] <= 0 {
			return nil, fmt.Errorf("sides %v of images: want positive numbers", side)
		}
	}
	if mode != "linear" && mode != "cubic" {
		return nil, fmt.Errorf("unknown mode %q: want linear or cubic", mode)
	}
	up := *g
	up.Input, up.InputShape = g.unusedName("small"), from
	by, tensor, shape := &Resize{Mode: mode, Coordinates: "half_pixel", CubicA: CubicPyTorch}, up.Input, slices.Clone(from)
	var nodes []*Node
	for d := 1; d < len(in); d++ {
		if shape[d] == in[d] {
			continue
		}
		ops, err := by.Along(shape, d, in[d], 0)
		if err != nil {
			return nil, err
		}
		for i, op := range ops {
			name := g.unusedName(fmt.Sprintf("resize%d.%d", d, i))
			nodes = append(nodes, &Node{Name: name, Op: op, Inputs: []string{tensor}, Output: name})
			tensor = name
		}
		shape[d] = in[d]
	}
	if len(nodes) == 0 {
		return g, nil
	}
	nodes[len(nodes)-1].Output = g.Input
	up.Nodes = append(nodes, g.Nodes...)
	return &up, nil
}

// unusedName returns the stem, with underscores until neither node nor tensor has it.
func (g *Graph) unusedName(stem string) string {
	for g.Node(stem) != nil || stem == g.Input {
		stem += "_"
	}
	return stem
}
