package onnx

import (
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/must"
	"tattle/nn"
	"tattle/nn/zoo"
)

// mapCases are operators that rearrange and resize, on inputs of that shape.
func mapCases() map[string]struct {
	op nn.Op
	in []int
} {
	type c = struct {
		op nn.Op
		in []int
	}
	return map[string]c{
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
	}
}

// TestRoundTripMaps writes and reads each operator alone, and with a constant joined
// to it.
func TestRoundTripMaps(t *testing.T) {
	for name, c := range mapCases() {
		t.Run(name, func(t *testing.T) {
			shape := must.Get(c.op.Shape(c.in))(t)
			g := &nn.Graph{Name: "maps", Input: "x", InputShape: c.in, Output: "z", Nodes: []*nn.Node{
				{Name: "map", Op: c.op, Inputs: []string{"x"}, Output: "y"},
				{Name: "one", Op: &nn.Constant{Value: param(rand.New(rand.NewPCG(1, 1)), shape...)}, Output: "c"},
				{Name: "join", Op: &nn.Concat{Axis: 0}, Inputs: []string{"y", "c"}, Output: "z"},
			}}
			sameOutputs(t, g, 2)
		})
	}
}

// sameOutputs writes and reads a graph and compares both nets.
func sameOutputs(t *testing.T, g *nn.Graph, batch int) {
	t.Helper()
	b := must.Get(Encode(g))(t)
	back := must.Get(Decode("back.onnx", b))(t)
	one, two := net(t, g), net(t, back)
	p, n := one.Dims()
	if p2, n2 := two.Dims(); p2 != p || n2 != n {
		t.Fatalf("%d to %d came back as %d to %d", p, n, p2, n2)
	}
	r := rand.New(rand.NewPCG(2, 2))
	x, y, z := make([]float32, batch*p), make([]float32, batch*n), make([]float32, batch*n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	one.Forward(y, x)
	two.Forward(z, x)
	for i := range y {
		if !(math.Abs(float64(y[i]-z[i])) <= 1e-5*(1+math.Abs(float64(y[i])))) {
			t.Fatalf("output %d is %v, came back as %v", i, y[i], z[i])
		}
	}
}

func TestRoundTripResidual(t *testing.T) { sameOutputs(t, zoo.ResNet20(10, 1), 1) }

func TestEncodeMapsRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		op nn.Op
		in []int
	}{
		"scale":  {&nn.Resize{To: []int{6}, Scales: []float64{1.55}, Mode: "linear", Coordinates: "half_pixel"}, []int{4}},
		"value":  {&nn.Pad{Before: []int{1}, After: []int{0}, Value: math.NaN()}, []int{4}},
		"cubicA": {&nn.Resize{To: []int{6}, Mode: "cubic", Coordinates: "half_pixel", CubicA: -.7}, []int{4}},
	} {
		g := &nn.Graph{Input: "x", InputShape: c.in, Output: "y", Nodes: []*nn.Node{{Name: "n", Op: c.op, Inputs: []string{"x"}, Output: "y"}}}
		if _, err := Encode(g); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
