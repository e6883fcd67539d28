package release_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/engine/onnx"
	"tattle/internal/must"
	"tattle/internal/protect/release"
	"tattle/internal/shared"
)

// smallNet maps 6 inputs by two layers of 5 to 3 logits.
func smallNet(softmax bool) *nn.Graph {
	b := nn.NewBuilder("small", 6)
	b.Dense("fc1", 5, true)
	b.Add("relu1", &nn.ReLU{})
	b.Dense("fc2", 3, true)
	if softmax {
		b.Add("softmax", &nn.Softmax{})
	}
	b.Graph.Init(3)
	return b.Graph
}

type inputs = nn.Rows

func normal(n int) []float32 {
	r := rand.New(rand.NewPCG(1, 2))
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

func outputs(t *testing.T, g *nn.Graph, x []float32) []float32 {
	t.Helper()
	net := must.Get(nn.NewNet(g))(t)
	p, n := net.Dims()
	y := make([]float32, len(x)/p*n)
	net.Forward(y, x)
	return y
}

func same(t *testing.T, what string, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	for i, v := range got {
		if math.Abs(float64(v-want[i])) > 1e-5 {
			t.Fatalf("%s: %v at %d, want %v", what, v, i, want[i])
		}
	}
}

// Front and head composed give the scores that the surface promises, a projection to
// all entries loses nothing, and both graphs survive ONNX.
func TestSpecBuild(t *testing.T) {
	x := normal(6 * 40)
	train := inputs{P: 6, X: x}
	logits := outputs(t, smallNet(false), x)
	soft := outputs(t, smallNet(true), x)
	for _, c := range []struct {
		spec  release.Spec
		width int
		want  []float32
	}{
		{release.Spec{}, 5, logits},
		{release.Spec{Node: "fc1"}, 5, logits},
		{release.Spec{Keep: 5}, 5, logits},
		{release.Spec{Keep: 5, Projection: "principal"}, 5, logits},
		{release.Spec{Keep: 3, Surface: "logits"}, 3, logits},
		{release.Spec{Surface: "logits"}, 3, logits},
		{release.Spec{Surface: "label"}, 3, logits},
		{release.Spec{Surface: "probabilities"}, 3, soft},
	} {
		for _, softmax := range []bool{false, true} {
			g := smallNet(softmax)
			before := len(g.Nodes)
			front, head := must.Get2(c.spec.Build(context.Background(), g, train))(t, c.spec)
			want := c.want
			if softmax && c.spec.Surface == "" {
				want = soft
			}
			features := outputs(t, front, x)
			if len(features) != 40*c.width || len(g.Nodes) != before {
				t.Errorf("%+v: %d features; the graph has %d nodes, of %d", c.spec, len(features)/40, len(g.Nodes), before)
			}
			same(t, "head of front", outputs(t, head, features), want)
			stored(t, front)
			stored(t, head)
		}
	}
}

// The front of a clipped norm gives x·min(1, R/‖x‖) of the differences x from the mean; what is not clipped stays as it is; the
// release is built again from what was kept of it, and one without the clip is not.
func TestSpecClipNorm(t *testing.T) {
	x := normal(6 * 40)
	train := inputs{P: 6, X: x}
	for _, spec := range []release.Spec{{}, {Keep: 3, Projection: "principal"}, {Surface: "logits"}} {
		bare, bareHead := must.Get2(spec.Build(t.Context(), smallNet(false), train))(t)
		y := outputs(t, bare, x)
		n := len(y) / 40
		for _, radius := range []float64{.5, 100} {
			for _, from := range []nn.Source{train, nil} {
				if spec.Keep > 0 && from == nil {
					continue
				}
				clipped, mean := spec, make([]float64, n)
				clipped.ClipNorm = radius
				front, head := must.Get2(clipped.Build(t.Context(), smallNet(false), from))(t)
				want, beyond := slices.Clone(y), 0
				for i, v := range y {
					if from != nil {
						mean[i%n] += float64(v) / 40
					}
				}
				for i := 0; i < len(y); i += n {
					square := 0.
					for j := range n {
						want[i+j] -= float32(mean[j])
						square += float64(want[i+j]) * float64(want[i+j])
					}
					if norm := math.Sqrt(square); norm > radius {
						beyond++
						for j := range n {
							want[i+j] *= float32(radius / norm)
						}
					}
				}
				got := outputs(t, front, x)
				for i, v := range got {
					if math.Abs(float64(v-want[i])) > .001*radius || math.Abs(float64(v)) > radius {
						t.Fatalf("%+v: %v at %d, want %v", clipped, v, i, want[i])
					}
				}
				if share := must.Get(release.Clipped(t.Context(), must.Get(nn.NewNet(front))(t), train, radius))(t); share != float64(beyond)/40 || (beyond > 0) != (radius < 1) {
					t.Errorf("%+v: %v of the inputs are clipped, want %d of 40", clipped, share, beyond)
				}
				if beyond == 0 {
					same(t, "head of front", outputs(t, head, got), outputs(t, bareHead, y))
				}
				kept, keptHead := stored(t, front), stored(t, head)
				again, againHead := must.Get2(clipped.BuildLike(t.Context(), smallNet(false), nil, kept, keptHead))(t)
				must.Do(t, onnx.Same(kept, again))
				must.Do(t, onnx.Same(keptHead, againHead))
				again, _ = must.Get2(clipped.Reclipped(kept, keptHead))(t)
				must.Do(t, onnx.Same(kept, again))
				again, _ = must.Get2(clipped.Reclipped(stored(t, bare), stored(t, bareHead)))(t)
				must.Fail(t, onnx.Same(stored(t, bare), again), "SHA-256")
			}
		}
	}
	for _, least := range []release.Spec{{ClipNorm: 1e-12}, {ClipNorm: 1e18}} {
		must.Get2(least.Build(t.Context(), smallNet(false), nil))(t)
	}
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1), 1e-30, 1e30} {
		_, _, err := release.Spec{ClipNorm: bad}.Build(t.Context(), smallNet(false), nil)
		must.Fail(t, err, "norm")
	}
}

// What follows a softmax and only hands it on changes no logits; outputs of other functions of
// scores are not taken for logits, and one number is no distribution over classes.
func TestSpecScores(t *testing.T) {
	x := normal(6 * 10)
	logits := outputs(t, smallNet(false), x)
	ending := func(op nn.Op, inputs ...string) *nn.Graph {
		g := smallNet(false)
		for _, n := range []*nn.Node{{Name: "end", Op: op, Inputs: inputs, Output: "end"}, {Name: "same", Op: &nn.Identity{}, Inputs: []string{"end"}, Output: "same"}} {
			g.Nodes, g.Output = append(g.Nodes, n), n.Output
		}
		return g
	}
	logSoftmax := ending(&nn.Binary{Operator: "Sub"}, "fc2", "sum")
	logSoftmax.Nodes = slices.Insert(logSoftmax.Nodes, len(logSoftmax.Nodes)-2, &nn.Node{Name: "sum", Op: &nn.Reduce{Function: "Sum"}, Inputs: []string{"fc2"}, Output: "sum"})
	product := ending(&nn.Binary{Operator: "Mul"}, "fc2", "sum")
	product.Nodes = slices.Insert(product.Nodes, len(product.Nodes)-2, logSoftmax.Node("sum"))
	times, none := slices.Clone(logits), make([]float32, len(logits))
	for i, v := range logits {
		times[i] = v * (logits[i/3*3] + logits[i/3*3+1] + logits[i/3*3+2])
	}
	for _, c := range []struct {
		g    *nn.Graph
		want []float32
	}{
		{ending(&nn.Softmax{}, "fc2"), logits}, {logSoftmax, logits}, {ending(nn.Flatten(), "fc2"), logits},
		{product, times}, {ending(&nn.Binary{Operator: "Sub"}, "fc2", "fc2"), none},
	} {
		front, _ := must.Get2(release.Spec{Surface: "logits"}.Build(t.Context(), c.g, nil))(t)
		same(t, c.g.Nodes[len(c.g.Nodes)-2].Op.Kind(), outputs(t, front, x), c.want)
	}
	two := &nn.Dense{In: 3, Out: 2, Weight: &nn.Param{Name: "w", Shape: []int{2, 3}, Data: []float32{1, 2, 3, 4, 5, 6}}}
	must.Get2(release.Spec{Surface: "probabilities"}.Build(t.Context(), ending(two, "fc2"), nil))(t)
	one := &nn.Dense{In: 3, Out: 1, Weight: &nn.Param{Name: "w", Shape: []int{1, 3}, Data: []float32{1, 2, 3}}}
	for _, c := range []struct {
		g             *nn.Graph
		surface, want string
	}{
		{ending(&nn.Unary{Function: "Sigmoid"}, "fc2"), "logits", `node "end" (Sigmoid)`},
		{ending(&nn.Unary{Function: "Clip", Beta: 1}, "fc2"), "label", `node "end" (Clip)`},
		{ending(&nn.Binary{Operator: "Div"}, "fc2", "fc2"), "probabilities", `node "end" (Div)`},
		{ending(one, "fc2"), "probabilities", "one output"},
		{ending(one, "fc2"), "label", "one output"},
	} {
		_, _, err := release.Spec{Surface: c.surface}.Build(t.Context(), c.g, nil)
		must.Fail(t, err, c.want)
	}
	must.Get2(release.Spec{Surface: "logits"}.Build(t.Context(), ending(one, "fc2"), nil))(t)
}

// The rows of a projection are orthonormal; principal ones keep more of the variance
// than any others, and what they drop is replaced by its mean.
func TestSpecProjection(t *testing.T) {
	x := normal(6 * 200)
	train := inputs{P: 6, X: x}
	lost := map[string]float64{}
	full := outputs(t, cutFront(t), x)
	for _, kind := range []string{"first", "principal"} {
		front, head := must.Get2(release.Spec{Keep: 2, Projection: kind}.Build(context.Background(), smallNet(false), train))(t)
		w := front.Nodes[len(front.Nodes)-1].Op.(*nn.Dense).Weight.Data
		for i := range 2 {
			for j := range 2 {
				var dot float64
				for k := range 5 {
					dot += float64(w[i*5+k]) * float64(w[j*5+k])
				}
				if want := map[bool]float64{true: 1}[i == j]; math.Abs(dot-want) > 1e-6 {
					t.Errorf("%s: rows %d and %d have product %v", kind, i, j, dot)
				}
			}
		}
		back := &nn.Graph{Name: "back", Input: head.Input, InputShape: head.InputShape, Output: head.Nodes[0].Output, Nodes: head.Nodes[:1]}
		for i, v := range outputs(t, back, outputs(t, front, x)) {
			d := float64(v - full[i])
			lost[kind] += d * d
		}
	}
	if !(lost["principal"] < lost["first"]) {
		t.Errorf("squares lost: %v", lost)
	}
}

func cutFront(t *testing.T) *nn.Graph {
	front, _ := must.Get2(release.Spec{}.Build(context.Background(), smallNet(false), nil))(t)
	return front
}

func TestSpecErrs(t *testing.T) {
	shared.Long(t, "accuracies of every family")
	for want, s := range map[string]release.Spec{
		"no surface":                {Surface: "skin"},
		"no projection":             {Keep: 1, Projection: "mercator"},
		"keep at least 1":           {Keep: -1},
		"there are 5 entries":       {Keep: 6},
		"needs the number":          {Projection: "first"},
		"training data":             {Keep: 2, Projection: "principal"},
		"no node":                   {Node: "nowhere"},
		"but the surface is logits": {Surface: "logits", Node: "fc1"},
	} {
		must.Fail(t, must.Err2(s.Build(context.Background(), smallNet(false), nil)), want)
	}
	wide := &nn.Graph{Name: "wide", Input: "x", InputShape: []int{1 << 14}, Output: "y", Nodes: []*nn.Node{
		{Name: "y", Op: &nn.Identity{}, Inputs: []string{"x"}, Output: "y"}}}
	for want, s := range map[string]release.Spec{
		"keep at most 4096":         {Surface: "logits", Keep: 5000},
		"for principal directions,": {Surface: "logits", Keep: 2, Projection: "principal"},
	} {
		must.Fail(t, must.Err2(s.Build(context.Background(), wide, inputs{P: 1 << 14, X: nil})), want)
	}
	must.Fail(t, must.Err2((release.Spec{Keep: 2, Node: "conv1"}).Build(context.Background(), zoo.CIFAR10(1), nil)), "flat")
}

func TestSpecHolds(t *testing.T) {
	noise := release.Gaussian{Sigma: 1}
	for _, c := range []struct {
		spec  release.Spec
		noise release.Noise
		label bool
		ok    bool
		say   string
	}{
		{release.Spec{}, noise, false, true, ""},
		{release.Spec{}, noise, true, true, "post-processing"},
		{release.Spec{}, nil, false, false, "no noise"},
		{release.Spec{Surface: "label"}, noise, false, false, "label"},
	} {
		ok, reason := c.spec.Holds(c.noise, c.label)
		if ok != c.ok || !strings.Contains(reason, c.say) || (c.say == "") != (reason == "") {
			t.Errorf("%+v: %v, %q", c, ok, reason)
		}
	}
}
