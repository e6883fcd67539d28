package onnx

import (
	"math/rand/v2"
	"testing"

	"tattle/internal/must"
	"tattle/nn"
)

// mapGraphs have an operator each that rearranges or resizes, and a constant joined to what it gives.
func mapGraphs(t *testing.T) map[string]*nn.Graph {
	graphs := map[string]*nn.Graph{}
	for name, c := range map[string]struct {
		op nn.Op
		in []int
	}{
		"reshape":         {&nn.Reshape{To: []int{3, 4}}, []int{2, 6}},
		"transpose":       {&nn.Transpose{Perm: []int{2, 0, 1}}, []int{2, 3, 4}},
		"slice":           {&nn.Slice{Starts: []int{1, 0, 5}, Steps: []int{1, 1, -2}, Counts: []int{2, 4, 3}}, []int{3, 4, 6}},
		"slice back":      {&nn.Slice{Starts: []int{4}, Steps: []int{-1}, Counts: []int{5}}, []int{5}},
		"slice all":       {&nn.Slice{Starts: []int{0}, Counts: []int{5}}, []int{5}},
		"gather":          {&nn.Gather{Axis: 1, Indices: []int{3, 0, 3, 1}, Dims: []int{2, 2}}, []int{2, 4, 3}},
		"gather one":      {&nn.Gather{Axis: 0, Indices: []int{1}}, []int{2, 4, 3}},
		"pad":             {&nn.Pad{Before: []int{1, -1}, After: []int{0, 2}, Value: 2.5}, []int{2, 4}},
		"pad edge":        {&nn.Pad{Before: []int{1, 0}, After: []int{0, 2}, Mode: "edge"}, []int{2, 4}},
		"pad reflect":     {&nn.Pad{Before: []int{1, 3}, After: []int{0, 2}, Mode: "reflect"}, []int{2, 4}},
		"pad reflect far": {&nn.Pad{Before: []int{5, 0}, After: []int{0, 4}, Mode: "reflect"}, []int{3, 3}},
		"pad wrap":        {&nn.Pad{Before: []int{1, 0}, After: []int{0, 6}, Mode: "wrap"}, []int{2, 4}},
		"expand":          {&nn.Expand{To: []int{3, 2, 4}}, []int{2, 1}},
		"tile":            {&nn.Tile{Repeats: []int{2, 3}}, []int{2, 4}},
		"resize linear":   {&nn.Resize{To: []int{2, 7, 5}, Mode: "linear", Coordinates: "half_pixel"}, []int{2, 4, 6}},
		"resize corners":  {&nn.Resize{To: []int{2, 7, 5}, Mode: "linear", Coordinates: "align_corners"}, []int{2, 4, 6}},
		"resize cubic":    {&nn.Resize{To: []int{2, 7, 5}, Mode: "cubic", Coordinates: "pytorch_half_pixel", CubicA: -.5, ExcludeOutside: true}, []int{2, 4, 6}},
		"resize nearest":  {&nn.Resize{To: []int{2, 8, 3}, Mode: "nearest", Coordinates: "asymmetric", Nearest: "floor"}, []int{2, 4, 6}},
		"resize scales":   {&nn.Resize{To: []int{2, 6, 9}, Scales: []float64{1, 1.625, 1.5}, Mode: "linear", Coordinates: "half_pixel"}, []int{2, 4, 6}},
		"resize alias":    {&nn.Resize{To: []int{2, 3, 2}, Mode: "linear", Coordinates: "half_pixel_symmetric", Antialias: true}, []int{2, 7, 6}},
	} {
		shape := must.Get(c.op.Shape(c.in))(t)
		graphs[name] = &nn.Graph{Name: "maps", Input: "x", InputShape: c.in, Output: "z", Nodes: []*nn.Node{
			{Name: "map", Op: c.op, Inputs: []string{"x"}, Output: "y"},
			{Name: "one", Op: &nn.Constant{Value: param(rand.New(rand.NewPCG(1, 1)), shape...)}, Output: "c"},
			{Name: "join", Op: &nn.Concat{Axis: 0}, Inputs: []string{"y", "c"}, Output: "z"},
		}}
	}
	return graphs
}
