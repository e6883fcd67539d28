package zoo

import (
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
)

// cifarNet is drawn once: it has forty million parameters.
var cifarNet = sync.OnceValue(func() *nn.Graph { return CIFAR10(5) })

func mustNet(t *testing.T, g *nn.Graph) *nn.Net {
	t.Helper()
	return must.Get(nn.NewNet(g))(t)
}

// counts returns the number of parameters of each operator that has any.
func counts(g *nn.Graph) []int {
	var c []int
	for _, n := range g.Nodes {
		total := 0
		for _, p := range n.Params() {
			total += len(p.Data)
		}
		if total > 0 {
			c = append(c, total)
		}
	}
	return c
}

func TestBuiltinSizes(t *testing.T) {
	for _, c := range []struct {
		g      *nn.Graph
		params []int
		p, n   int
	}{
		{MNIST(1), []int{784 * 785, 784 * 785, 7850}, 784, 10},
		{cifarNet(), []int{32*27 + 32, 1024*32*25 + 1024, 3072*1024*9 + 3072, 3072 * 3073, 30730}, 3072, 10},
		// Table 12 of paper B, Y = 2.
		{Curious(CuriousOptions{Classes: 2}, 1), []int{1664, 256, 65664, 256, 32832, 128, 16448, 128, 131200, 128*2 + 2}, 12288, 2},
		{Curious(CuriousOptions{Classes: 3, Channels: 1, Side: 32, Widths: [5]int{4, 0, 8, 8, 16}}, 1),
			[]int{4*4 + 4, 8, 128*4*4 + 128, 256, 8*128*4 + 8, 16, 8*8*4 + 8, 16, 16*32 + 16, 3*16 + 3}, 1024, 3},
		{Table(7, 4, 1), []int{128 * 8, 128 * 129, 4*128 + 4}, 7, 4},
		// Table 13 prints 80·Y and 610·Y, which they are at Y = 3, and 10·Y·S + S.
		{Attack(3, 5, 1), []int{80 * 3, 610 * 3, 10*3*5 + 5}, 3, 5},
		{Attack(2, 2, 1), []int{2*40 + 40, 40*20 + 20, 20*2 + 2}, 2, 2},
	} {
		net := mustNet(t, c.g)
		if p, n := net.Dims(); p != c.p || n != c.n || !slices.Equal(counts(c.g), c.params) {
			t.Errorf("%s: %d inputs, %d outputs, parameters %v; want %d, %d, %v", c.g.Name, p, n, counts(c.g), c.p, c.n, c.params)
		}
	}
}

// TestBuiltinShapes holds the outputs of layers to those of Table 12 and of paper
// A's text.
func TestBuiltinShapes(t *testing.T) {
	for _, c := range []struct {
		g     *nn.Graph
		nodes map[string][]int
	}{
		{Curious(CuriousOptions{Classes: 4}, 1), map[string][]int{
			"conv1": {128, 32, 32}, "dropout2": {128, 16, 16}, "bn3": {64, 8, 8}, "leaky4": {64, 4, 4}, "fc1": {128}, "fc2": {4}}},
		{cifarNet(), map[string][]int{
			"pool1": {32, 15, 15}, "conv2": {1024, 11, 11}, "pool2": {1024, 3, 3}, "conv3": {3072, 1, 1}, "relu4": {3072}}},
	} {
		shapes := must.Get(c.g.Shapes())(t)
		for name, want := range c.nodes {
			if !slices.Equal(shapes[name], want) {
				t.Errorf("%s: %s has shape %v, want %v", c.g.Name, name, shapes[name], want)
			}
		}
	}
	for g, want := range map[*nn.Graph]string{MNIST(1): "relu2", cifarNet(): "relu4", Curious(CuriousOptions{Classes: 2}, 1): "dropout5"} {
		if got, err := g.FeatureNode(); err != nil || got != want {
			t.Errorf("%s: features at %q, %v; want %q", g.Name, got, err, want)
		}
	}
}

// TestBuiltinSettings holds the probabilities of dropout and the slopes to Tables 12
// and 13.
func TestBuiltinSettings(t *testing.T) {
	for g, want := range map[*nn.Graph][]float64{
		Curious(CuriousOptions{Classes: 2}, 1): {.2, .2, .2, .2, .5},
		Attack(2, 2, 1):                        {.25, .25},
		Table(5, 2, 1):                         {.2, .2},
	} {
		var dropped []float64
		for _, n := range g.Nodes {
			switch op := n.Op.(type) {
			case *nn.Dropout:
				dropped = append(dropped, op.P)
			case *nn.ReLU:
				if op.Slope != .01 {
					t.Errorf("%s: slope %v", g.Name, op.Slope)
				}
			}
		}
		if !slices.Equal(dropped, want) {
			t.Errorf("%s: dropout by %v, want %v", g.Name, dropped, want)
		}
	}
}

// TestInit holds the initial parameters to a uniform distribution on ±1/√fan_in:
// the mean of squares of N draws is bound²/3 with a relative standard deviation of
// √(4/5N), of which six are allowed, so that 6 tests fail falsely with probability
// 1e-8.
func TestInit(t *testing.T) {
	once, again, other := Curious(CuriousOptions{Classes: 2}, 5), Curious(CuriousOptions{Classes: 2}, 5), Curious(CuriousOptions{Classes: 2}, 6)
	for i, p := range once.Params() {
		drawn := len(p.Data) > 2 && p.Data[0] != p.Data[1] // not a batch norm's
		if !slices.Equal(p.Data, again.Params()[i].Data) || drawn && slices.Equal(p.Data, other.Params()[i].Data) {
			t.Errorf("%s does not follow the seed", p.Name)
		}
	}
	g := cifarNet()
	for name, fanIn := range map[string]float64{"conv1": 27, "conv2": 800, "fc1": 3072} {
		for _, p := range g.Node(name).Params() {
			bound, squares, top := 1/math.Sqrt(fanIn), 0.0, 0.0
			for _, v := range p.Data {
				squares += float64(v) * float64(v)
				top = max(top, math.Abs(float64(v)))
			}
			n := float64(len(p.Data))
			ratio := squares / n / (bound * bound / 3)
			if float32(top) > float32(bound) || top < .5*bound || math.Abs(ratio-1) > 6*math.Sqrt(.8/n) {
				t.Errorf("%s: largest %v of %v, variance %v times what it should be", p.Name, top, bound, ratio)
			}
		}
	}
}

// TestCuriousRefuses holds that every setting that cannot be is named.
func TestCuriousRefuses(t *testing.T) {
	for _, o := range []CuriousOptions{{}, {Classes: 2, Side: 40}, {Classes: 2, Channels: -1}, {Classes: 2, Widths: [5]int{-1}}} {
		func() {
			defer func() {
				if text, ok := recover().(string); !ok || !strings.HasPrefix(text, "zoo: ") {
					t.Errorf("%+v: not refused as it should be", o)
				}
			}()
			Curious(o, 1)
		}()
	}
}
