package curious

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/engine/classify"
	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/engine/onnx"
	"tattle/internal/must"
)

// perceptron is a small net with random parameters.
func perceptron(inputs, classes int, seed uint64) *nn.Graph {
	return zoo.Perceptron([]int{inputs}, 16)(classes, seed)
}

func mustNet(t *testing.T, g *nn.Graph) *nn.Net {
	t.Helper()
	return must.Get(nn.NewNet(g))(t)
}

// labelsOf returns the largest output of each example.
func labelsOf(t *testing.T, g *nn.Graph, x []float32) []int {
	t.Helper()
	net := mustNet(t, g)
	_, n := net.Dims()
	return classify.Guesses(forward(net, x), n)
}

func normals(seed uint64, n int) []float32 {
	r := rand.New(rand.NewPCG(seed, 0))
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(3 * r.NormFloat64())
	}
	return x
}

// TestMixture holds that the hard mixture of two nets has the label of the one and,
// taken apart, that of the other, without exception, whether the nets end in a
// Softmax or not, and the same once written and read.
func TestMixture(t *testing.T) {
	const n, d = 500, 6
	x := normals(1, n*d)
	for _, classes := range [][2]int{{2, 2}, {5, 3}, {4, 4}, {7, 2}, {3, 1}} {
		y, s := classes[0], classes[1]
		fy, fs := perceptron(d, y, 2), Release(perceptron(d, s, 3), Soft)
		for _, b := range []Beta{{Y: .8, S: .2}, {Y: .51, S: .49}, {Y: 3, S: 2}, {Y: 1, S: 1e-6}} {
			f := mixtureGraph(fy, fs, y, s, b, true)
			g := mixtureDecoder(y, s, b)
			out := forward(mustNet(t, f), x)
			if !slices.Equal(labelsOf(t, f, x), labelsOf(t, fy, x)) {
				t.Errorf("%v, β %v: another label than that of y", classes, b)
			}
			if !slices.Equal(labelsOf(t, g, out), labelsOf(t, fs, x)) {
				t.Errorf("%v, β %v: decoded otherwise than s", classes, b)
			}
			readBack(t, f, x)
			readBack(t, g, out)
		}
	}
}

// TestMixtureNames mixes nets whose tensors are called as a mixture's own might be,
// and one that has gone to NaN, which the mixture must show.
func TestMixtureNames(t *testing.T) {
	named := func(name string) *nn.Graph {
		g := newGraph(name, 2)
		appendNode(g, name, diagonal(name, 2, 2, 1), g.Input)
		appendNode(g, name+".hard", &nn.Identity{}, name)
		g.Output = name
		return g
	}
	for _, name := range []string{"share", "y", "hard", "mixture", "s.share"} {
		for _, hard := range []bool{true, false} {
			f := mixtureGraph(named(name), named(name), 2, 2, Beta{Y: .75, S: .25}, hard)
			forward(mustNet(t, f), []float32{1, 2})
		}
	}
	broken := identityNet(2, 2)
	broken.Nodes[0].Op.(*nn.Dense).Weight.Data[0] = float32(math.NaN())
	f := mixtureGraph(broken, identityNet(2, 2), 2, 2, Beta{Y: .75, S: .25}, true)
	if out := forward(mustNet(t, f), []float32{1, 2}); out[0] == out[0] {
		t.Errorf("a broken net's mixture gives %v", out)
	}
}

// readBack holds a graph to what it is once written to a file and read.
func readBack(t *testing.T, g *nn.Graph, x []float32) {
	t.Helper()
	data := must.Get(onnx.Encode(g))(t)
	back := must.Get(onnx.Decode("mixture.onnx", data))(t)
	if !slices.Equal(forward(mustNet(t, g), x), forward(mustNet(t, back), x)) || back.Metadata[metaOutputs] != g.Metadata[metaOutputs] {
		t.Errorf("%s is another once read", g.Name)
	}
}

// identityNet hands on d inputs as scores.
func identityNet(in, out int) *nn.Graph {
	g := newGraph("identity", in)
	appendNode(g, "scores", diagonal("scores", in, out, 1), g.Input)
	return g
}

// TestMixtureExample is the example of B section 3.2: Y = 5, S = 3, ŷ = [0, .2, 0, .8, 0].
func TestMixtureExample(t *testing.T) {
	fy := identityNet(5, 5)
	fs := newGraph("s", 5)
	constant := &nn.Dense{In: 5, Out: 3, Weight: param("w", 3, 5), Bias: &nn.Param{Name: "b", Shape: []int{3}, Data: []float32{0, 1, 0}}}
	appendNode(fs, "scores", constant, fs.Input)
	f := mixtureGraph(fy, fs, 5, 3, Beta{Y: .8, S: .2}, true)
	if got := forward(mustNet(t, f), []float32{1, 2, 3, 9, 4}); !slices.Equal(got, []float32{0, .2, 0, .8, 0}) {
		t.Errorf("ŷ = %v", got)
	}
}

// TestNormalMixture holds the normal mixture to its formula, and takes one of two
// nets that are sure of themselves apart.
func TestNormalMixture(t *testing.T) {
	const n, d = 200, 4
	x := normals(5, n*d)
	fy, fs := perceptron(d, 4, 6), perceptron(d, 3, 7)
	f := mixtureGraph(fy, fs, 4, 3, Beta{Y: .7, S: .3}, false)
	got := forward(mustNet(t, f), x)
	y, s := forward(mustNet(t, Release(fy, Soft)), x), forward(mustNet(t, Release(fs, Soft)), x)
	for k := range n {
		for i := range 4 {
			want := .7 * float64(y[4*k+i])
			if i < 3 {
				want += .3 * float64(s[3*k+i])
			}
			if math.Abs(float64(got[4*k+i])-want) > 1e-6 {
				t.Fatalf("example %d: output %v, want %v", k, got[4*k+i], want)
			}
		}
	}
}

// TestMixtureThreshold holds the graph to B eq. (2) all over [0, 1].
func TestMixtureThreshold(t *testing.T) {
	for _, tau := range []float64{.1, .25, .4} {
		net := mustNet(t, mixtureThreshold(tau))
		for i := range 1000 {
			v := (float64(i) + .5) / 1000
			want := 0
			if v >= tau && v < .5 || v >= 1-tau {
				want = 1
			}
			if got := nn.Largest(forward(net, []float32{float32(1 - v), float32(v)})); got != want {
				t.Errorf("τ′ = %v: ŷ = %v means s̄ = %d, want %d", tau, v, got, want)
			}
		}
	}
}

// TestCheckMixture wants βy > βs > 0, as float32 has them.
func TestCheckMixture(t *testing.T) {
	for _, b := range []Beta{{Y: .5, S: .5}, {Y: 1}, {Y: 1, S: 1e-12}, {}, {Y: .5 + 1e-10, S: .5 - 1e-10}} {
		must.Fail(t, b.checkMixture(), "βy must be larger than βs and both positive")
	}
}
