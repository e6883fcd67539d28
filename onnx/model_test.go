package onnx

import (
	"math"
	"testing"

	"tattle/internal/must"
	"tattle/internal/shared"
	"tattle/nn/zoo"
	"tattle/npy"
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

func BenchmarkDecode(b *testing.B) {
	data := must.Get(Encode(zoo.MNIST(1)))(b)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		must.Get(Decode("model.onnx", data))(b)
	}
}

func BenchmarkEncode(b *testing.B) {
	g := zoo.MNIST(1)
	b.SetBytes(4 * (784*784*2 + 784*10))
	b.ReportAllocs()
	for b.Loop() {
		must.Get(Encode(g))(b)
	}
}
