package onnx

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/must"
)

func param(r *rand.Rand, shape ...int) *nn.Param {
	p := &nn.Param{Shape: shape, Data: make([]float32, nn.Size(shape))}
	for i := range p.Data {
		p.Data[i] = float32(r.NormFloat64() / 4)
	}
	return p
}

// allOperators has every operator, with settings that are not the defaults.
func allOperators() *nn.Graph {
	r := rand.New(rand.NewPCG(1, 2))
	variance := param(r, 4)
	for i, v := range variance.Data {
		variance.Data[i] = v*v + 0.1
	}
	g := &nn.Graph{Name: "all", Input: "x", InputShape: []int{2, 9, 7}, Metadata: map[string]string{"b": "2", "a": "eins"}}
	last := "x"
	add := func(op nn.Op, more ...string) string {
		name := strings.ToLower(op.Kind()) + string(rune('a'+len(g.Nodes)))
		g.Nodes = append(g.Nodes, &nn.Node{Name: name, Op: op, Inputs: append([]string{last}, more...), Output: name + "_out"})
		last = name + "_out"
		g.Output = last
		return last
	}
	add(&nn.Conv2D{InChannels: 2, OutChannels: 4, Kernel: [2]int{3, 2}, Stride: [2]int{2, 1}, Pad: [4]int{1, 0, 2, 1}, Weight: param(r, 4, 2, 3, 2), Bias: param(r, 4)})
	add(&nn.BatchNorm{Channels: 4, Scale: param(r, 4), Shift: param(r, 4), Mean: param(r, 4), Variance: variance, Epsilon: 1e-3, Momentum: 0.3})
	skip := add(&nn.ReLU{Slope: 0.2})
	add(&nn.Conv2D{InChannels: 4, OutChannels: 4, Kernel: [2]int{3, 3}, Dilation: [2]int{2, 1}, Pad: [4]int{2, 1, 2, 1}, Groups: 2, Weight: param(r, 4, 2, 3, 3)})
	add(&nn.Binary{Operator: "Add"}, skip)
	add(&nn.ReLU{})
	add(&nn.MaxPool{Kernel: [2]int{2, 2}, Pad: [4]int{1, 0, 0, 1}})
	add(&nn.AveragePool{Kernel: [2]int{2, 2}, Stride: [2]int{2, 1}, Pad: [4]int{0, 1, 1, 0}, CountIncludePad: true})
	add(&nn.Dropout{P: 0.3})
	add(&nn.Reduce{Function: "Mean", Axes: []int{1, 2}, Keep: true})
	add(nn.Flatten())
	shared := param(r, 4, 4)
	shared.Name = "x" // also the name of the input
	add(&nn.Dense{In: 4, Out: 4, Weight: shared, Bias: param(r, 4)})
	add(&nn.Identity{})
	add(&nn.Dense{In: 4, Out: 4, Weight: shared})
	p := add(&nn.Softmax{})
	add(&nn.Unary{Function: "Log"})
	add(&nn.Binary{Operator: "Mul"}, p)
	terms := add(&nn.Identity{})
	add(&nn.Hardmax{})
	add(&nn.Binary{Operator: "Add"}, terms)
	return g
}

func everything(t testing.TB) []byte {
	return must.Get(Encode(allOperators()))(t)
}

// roundTrip holds a decoded graph to the one that was encoded.
func roundTrip(t *testing.T, g *nn.Graph, batch int) {
	t.Helper()
	first := must.Get(Encode(g))(t)
	back := must.Get(Decode("back.onnx", first))(t)
	if second, err := Encode(back); err != nil || !bytes.Equal(first, second) {
		t.Errorf("not the same bytes when written again (%v)", err)
	}
	if len(back.Nodes) != len(g.Nodes) || back.Name != g.Name || len(back.Metadata) != len(g.Metadata) {
		t.Errorf("%d nodes of %q came back as %d of %q", len(g.Nodes), g.Name, len(back.Nodes), back.Name)
	}
	for i, n := range back.Nodes {
		if n.Name != g.Nodes[i].Name || n.Output != g.Nodes[i].Output || !slices.Equal(n.Inputs, g.Nodes[i].Inputs) {
			t.Errorf("node %+v came back as %+v", g.Nodes[i], n)
		}
	}
	a, b := net(t, g), net(t, back)
	p, n := a.Dims()
	r := rand.New(rand.NewPCG(3, 4))
	x, x64 := make([]float32, batch*p), make([]float64, batch*p)
	for i := range x {
		x64[i] = r.NormFloat64()
		x[i] = float32(x64[i])
	}
	y, z := make([]float32, batch*n), make([]float32, batch*n)
	a.Forward(y, x)
	b.Forward(z, x)
	if !slices.Equal(y, z) {
		t.Error("float32 outputs differ")
	}
	y64, z64 := make([]float64, batch*n), make([]float64, batch*n)
	a.Forward64(y64, x64)
	b.Forward64(z64, x64)
	if !slices.Equal(y64, z64) {
		t.Error("float64 outputs differ")
	}
	if slices.Max(y) == slices.Min(y) {
		t.Error("all outputs are equal: the comparison says nothing")
	}
}

func net(t *testing.T, g *nn.Graph) *nn.Net {
	t.Helper()
	return must.Get(nn.NewNet(g))(t)
}

func TestRoundTrip(t *testing.T) {
	t.Run("operators", func(t *testing.T) { roundTrip(t, allOperators(), 3) })
	t.Run("mnist", func(t *testing.T) { roundTrip(t, zoo.MNIST(1), 2) })
	t.Run("curious", func(t *testing.T) { roundTrip(t, zoo.Curious(zoo.CuriousOptions{Classes: 4}, 1), 2) })
	t.Run("attack", func(t *testing.T) { roundTrip(t, zoo.Attack(3, 5, 1), 2) })
}

// comesBack writes a graph, reads it again and compares what they compute of three examples.
func comesBack(t *testing.T, g *nn.Graph) {
	t.Helper()
	again := must.Get(Decode(g.Name, must.Get(Encode(g))(t)))(t)
	x := param(rand.New(rand.NewPCG(2, 8)), 3*nn.Size(g.InputShape)).Data
	for i := range x {
		x[i] *= 4
	}
	want, got := outputs(t, g, x), outputs(t, again, x)
	if len(got) != len(want) {
		t.Fatalf("%d outputs, were %d", len(got), len(want))
	}
	must.Do(t, closeTo(got, want, 0))
}

// outputs returns those of a batch.
func outputs(t testing.TB, g *nn.Graph, x []float32) []float32 {
	t.Helper()
	net := must.Get(nn.NewNet(g))(t)
	p, n := net.Dims()
	y := make([]float32, len(x)/p*n)
	net.Forward(y, x)
	return y
}

// inTurn is a graph of operators one after another.
func inTurn(shape []int, ops ...nn.Op) *nn.Graph {
	b := nn.NewBuilder("chain", shape...)
	for _, op := range ops {
		b.Add("", op)
	}
	return b.Graph
}

// TestComesBack has large nets, and what no reader makes; every operator that is read is written
// and read again by holdReads.
func TestComesBack(t *testing.T) {
	swin := zoo.Swin(zoo.SwinOptions{Classes: 5, Side: 20, Embed: 8, Depths: []int{2, 2}, Heads: []int{2, 4}, Window: 3}, 1)
	r := rand.New(rand.NewPCG(1, 8))
	up := &nn.ConvTranspose{
		InChannels: 4, OutChannels: 6, Kernel: [2]int{3, 2}, Stride: [2]int{2, 3}, Dilation: [2]int{1, 2},
		Pad: [4]int{1, 0, 0, 1}, OutputPad: [2]int{1, 0}, Groups: 2, Weight: param(r, 4, 3, 3, 2), Bias: param(r, 6),
	}
	for name, g := range map[string]*nn.Graph{
		"residual": zoo.ResNet20(10, 1), "swin": swin,
		"several images": inTurn([]int{3, 4, 5, 6}, up),
		"pictures": inTurn([]int{4, 5, 6}, up, &nn.Pad{Before: []int{0, 1, -1}, After: []int{0, 0, 2}, Value: 2.5},
			&nn.Unary{Function: "Clip", Alpha: -.5, Beta: math.Inf(1)}),
		"sum": inTurn([]int{2, 6}, &nn.Reduce{Function: "Sum", Keep: true}),
		// Dilated pools are written at an opset that has them.
		"dilated": inTurn([]int{2, 9, 8}, &nn.MaxPool{Kernel: [2]int{2, 3}, Pad: [4]int{1, 2, 2, 2}, Dilation: [2]int{3, 2}},
			&nn.AveragePool{Kernel: [2]int{2, 2}, Pad: [4]int{2, 0, 0, 1}, Dilation: [2]int{3, 2}}),
	} {
		t.Run(name, func(t *testing.T) { comesBack(t, g) })
	}
	b := must.Get(Encode(swin))(t)
	if again := must.Get(Encode(swin))(t); !slices.Equal(b, again) {
		t.Error("a second time other bytes")
	}
}

func TestRoundTripSettings(t *testing.T) {
	g := allOperators()
	back := must.Get(Decode("back.onnx", everything(t)))(t)
	if b := back.Nodes[1].Op.(*nn.BatchNorm); b.Momentum != 0.3 || b.Epsilon != 1e-3 {
		t.Errorf("momentum %v, epsilon %v", b.Momentum, b.Epsilon)
	}
	if d := back.Nodes[8].Op.(*nn.Dropout); d.P != 0.3 {
		t.Errorf("dropout %v", d.P)
	}
	for k, v := range g.Metadata {
		if back.Metadata[k] != v {
			t.Errorf("metadata %q is %q, not %q", k, back.Metadata[k], v)
		}
	}
	one, two := back.Nodes[11].Op.(*nn.Dense).Weight, back.Nodes[13].Op.(*nn.Dense).Weight
	if one != two || one.Name != "x_1" {
		t.Errorf("a shared weight came back as %q and %q", one.Name, two.Name)
	}
}

func TestEncodeRefuses(t *testing.T) {
	for want, spoil := range map[string]func(g *nn.Graph){
		"NaN":           func(g *nn.Graph) { g.Params()[0].Data[3] = float32(math.NaN()) },
		`"convb"`:       func(g *nn.Graph) { g.Nodes[0].Name, g.Nodes[1].Name = "convb", "convb" },
		`"none"`:        func(g *nn.Graph) { g.Nodes[4].Inputs[1] = "none" },
		"epsilon 1e-60": func(g *nn.Graph) { g.Nodes[1].Op.(*nn.BatchNorm).Epsilon = 1e-60 },
	} {
		g := allOperators()
		spoil(g)
		must.Fail(t, must.Err(Encode(g)), want)
	}
}

func TestEncodeRefusesOperators(t *testing.T) {
	for _, op := range []nn.Op{
		&nn.Reduce{Function: "Max", Axes: []int{}}, &nn.LayerNorm{Epsilon: 1e-60}, &nn.LayerNorm{Epsilon: 1e300},
		&nn.Pad{Before: []int{1, 0}, After: []int{0, 0}, Value: math.NaN()},
	} {
		g := &nn.Graph{Name: "bad", Input: "x", InputShape: []int{4, 2}, Output: "y", Nodes: []*nn.Node{{Name: "node", Op: op, Inputs: []string{"x"}, Output: "y"}}}
		if _, err := Encode(g); err == nil {
			t.Errorf("%+v is written", op)
		}
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model.onnx")
	for range 2 { // the second replaces the first
		must.Do(t, Write(path, zoo.Attack(3, 2, 1)))
	}
	if g, err := Read(path); err != nil || len(g.Params()) != 6 {
		t.Errorf("%v, %v", g, err)
	}
	bad := zoo.Attack(3, 2, 1)
	bad.Output = "none"
	if Write(path, bad) == nil {
		t.Error("no error")
	}
	for _, where := range []string{filepath.Join(dir, "none", "model.onnx"), dir} {
		err := Write(where, zoo.Attack(3, 2, 1))
		if err == nil || !strings.HasPrefix(err.Error(), "write "+where+": ") || strings.Count(err.Error(), dir) != 1 {
			t.Errorf("error %v, want one that names %s alone", err, where)
		}
	}
	for _, where := range []string{dir, os.DevNull} {
		must.Fail(t, must.Err(Read(where)), where+": is a ")
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("%d files are left", len(files))
	}
	if _, err := Read(path); err != nil {
		t.Errorf("a failed write spoilt the file: %v", err)
	}
}
