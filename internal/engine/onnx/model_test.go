package onnx

import (
	"math"
	"slices"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/must"
	"tattle/internal/npy"
	"tattle/internal/shared"
)

// near holds a to b in relative 2-norm.
func near(t *testing.T, what string, a, b []float32, limit float64) {
	t.Helper()
	if len(a) != len(b) {
		t.Fatalf("%s: %d values, want %d", what, len(a), len(b))
	}
	var d, s float64
	for i := range a {
		d += (float64(a[i]) - float64(b[i])) * (float64(a[i]) - float64(b[i]))
		s += float64(b[i]) * float64(b[i])
	}
	e := math.Sqrt(d / s)
	t.Logf("%s: relative difference %.2g", what, e)
	if !(e <= limit) {
		t.Errorf("%s: relative difference %.2g, want at most %.2g", what, e, limit)
	}
}

// The features of the model of paper A's MNIST experiment, its logits and its
// products, against PyTorch's.
func TestMNIST(t *testing.T) {
	g := must.Get(Read(shared.Path(t, "models/mnist-mlp.onnx")))(t)
	golden := must.Get(npy.Open(shared.Path(t, "models/mnist-mlp.golden.npz")))(t)
	defer golden.Close()
	array := func(name string) []float32 {
		x, _ := must.Get2(golden.Float32s(name))(t)
		return x
	}
	name, err := g.FeatureNode()
	if err != nil || name != "/4/Relu" {
		t.Fatalf("features at %q (%v), want the second ReLU", name, err)
	}
	front, _ := must.Get2(g.Cut(name))(t)
	const limit = 1e-5
	x := array("x")
	logits := make([]float32, 100*10)
	net(t, g).Forward(logits, x)
	near(t, "logits", logits, array("logits"), limit)

	features := net(t, front)
	if p, n := features.Dims(); p != 784 || n != 784 {
		t.Fatalf("features from %d to %d", p, n)
	}
	l := features.Linearize(x)
	near(t, "features", l.Features(), array("features"), limit)
	product := make([]float32, 100*784)
	l.JVP(product, array("v"))
	near(t, "J·v", product, array("Jv"), limit)
	l.VJP(product, array("u"))
	near(t, "Jᵀ·u", product, array("Jtu"), limit)
}

// Real models against PyTorch: outputs, J·u and Jᵀ·v.
func TestModels(t *testing.T) {
	for _, c := range []struct {
		name    string
		batch   int // of the examples that the reference has
		large   bool
		shape   []int
		classes int
	}{
		{"resnet20-cifar10", 4, false, []int{3, 32, 32}, 10},
		{"swin-mini", 1, true, []int{3, 224, 224}, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := shared.Path(t, "models/"+c.name+".onnx")
			if c.large && testing.Short() {
				t.Skip("a picture through this net takes seconds: left out under -short")
			}
			g := must.Get(Read(path))(t)
			golden := must.Get(npy.Open(shared.Path(t, "models/"+c.name+".golden.npz")))(t)
			defer golden.Close()
			part := func(name string, each int) []float32 {
				x, _ := must.Get2(golden.Float32s(name))(t)
				return x[:c.batch*each]
			}
			const limit = 1e-4
			p, n := nn.Size(c.shape), c.classes
			l := net(t, g).Linearize(part("input", p))
			near(t, "outputs", l.Features(), part("output", n), limit)
			y := make([]float32, c.batch*n)
			l.JVP(y, part("u", p))
			near(t, "J·u", y, part("jvp", n), limit)
			x := make([]float32, c.batch*p)
			l.VJP(x, part("v", n))
			near(t, "Jᵀ·v", x, part("vjp", p), limit)
		})
	}
}

// TestResNet20Structure puts the weights of Idelbayev's trained net, where batch norms
// are part of the convolutions, into ResNet20, and compares the outputs.
func TestResNet20Structure(t *testing.T) {
	file := must.Get(Read(shared.Path(t, "models/resnet20-cifar10.onnx")))(t)
	g := zoo.ResNet20(10, 1)
	convs, norms := kindsOf[*nn.Conv2D](g), kindsOf[*nn.BatchNorm](g)
	from := kindsOf[*nn.Conv2D](file)
	if len(from) != len(convs) || len(norms) != len(convs) {
		t.Fatalf("%d convolutions and %d norms, the file has %d", len(convs), len(norms), len(from))
	}
	for i, c := range from {
		copy(convs[i].Weight.Data, c.Weight.Data)
		copy(norms[i].Shift.Data, c.Bias.Data)
		for j := range norms[i].Variance.Data {
			norms[i].Variance.Data[j] = 1 - nn.DefaultBatchNormEpsilon
		}
	}
	last, dense := kindsOf[*nn.Dense](file), kindsOf[*nn.Dense](g)
	copy(dense[0].Weight.Data, last[len(last)-1].Weight.Data)
	copy(dense[0].Bias.Data, last[len(last)-1].Bias.Data)
	x := make([]float32, 3*32*32)
	for i := range x {
		x[i] = float32(i*i%255)/128 - 1
	}
	y, want := make([]float32, 10), make([]float32, 10)
	net(t, g).Forward(y, x)
	net(t, file).Forward(want, x)
	for i := range y {
		if d := y[i] - want[i]; !(d*d < 1e-6) {
			t.Errorf("output %d is %v, the file's %v", i, y[i], want[i])
		}
	}
}

// kindsOf returns the operators of a kind, in order.
func kindsOf[O nn.Op](g *nn.Graph) (ops []O) {
	for _, n := range g.Nodes {
		if op, ok := n.Op.(O); ok {
			ops = append(ops, op)
		}
	}
	return ops
}

// A random forest as sklearn-onnx writes it, against ONNX Runtime: probabilities but for
// the order of sums, and labels but for ties that this order decides.
func TestRandomForest(t *testing.T) {
	path := shared.Path(t, "models/sklearn-randomforest.onnx")
	golden := must.Get(npy.Open(shared.Path(t, "models/sklearn-randomforest.golden.npz")))(t)
	defer golden.Close()
	part := func(name string) []float32 {
		x, _ := must.Get2(golden.Float32s(name))(t)
		return x
	}
	run := func(output string, size int) []float32 {
		g := must.Get(ReadWith(path, ReadOptions{Output: output}))(t)
		if output == "" && !slices.Equal(g.Classes, []string{"0", "1", "2"}) {
			t.Errorf("classes %q", g.Classes)
		}
		y := make([]float32, size)
		net(t, g).Forward(y, part("input"))
		return y
	}
	want, labels := part("probabilities"), part("label")
	near(t, "probabilities", run("", len(want)), want, 1e-6)
	for i, y := range run("output_label", len(labels)) {
		if p := want[3*i : 3*i+3]; p[int(y)] < p[int(labels[i])]-1e-6 {
			t.Errorf("row %d of %v has label %v, want %v", i, p, y, labels[i])
		}
	}
}
