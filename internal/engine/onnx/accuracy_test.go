package onnx_test

import (
	"math"
	"slices"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/engine/onnx"
	"tattle/internal/must"
	"tattle/internal/shared"
)

// The trained ResNet-20 scores on pictures of CIFAR-10 what PyTorch says of it.
func TestResNetAccuracy(t *testing.T) {
	shared.Long(t, "1,017 images")
	g := must.Get(onnx.Read(shared.Path(t, "models/resnet20-cifar10.onnx")))(t)
	test, _ := must.Get2(dataset.OpenInputs(t.Context(), shared.Path(t, "data/cifar-10-batches-bin"), dataset.Options{Part: dataset.Test}))(t)
	test.Mean, test.Std = []float32{.485, .456, .406}, []float32{.229, .224, .225}
	net := must.Get(nn.NewNet(g))(t)
	a := 100 * nn.Accuracy(net, test)
	t.Logf("%.2f %% of %d", a, test.Len())
	if test.Len() != 1017 || math.Abs(a-91.6) > 0.3 {
		t.Errorf("%.2f %% of %d, want 91.6 %% of 1017", a, test.Len())
	}
}

// The float64 features of the trained ResNet-20 are proved: in pairs, their error is far below what a bound allows.
func TestResNetIsProved(t *testing.T) {
	shared.Long(t, "a net in pairs of float64")
	g := must.Get(onnx.Read(shared.Path(t, "models/resnet20-cifar10.onnx")))(t)
	front, _, err := g.Cut(must.Get(g.FeatureNode())(t))
	must.Do(t, err)
	test, _ := must.Get2(dataset.OpenInputs(t.Context(), shared.Path(t, "data/cifar-10-batches-bin"), dataset.Options{Part: dataset.Test}))(t)
	test.Mean, test.Std = []float32{.485, .456, .406}, []float32{.229, .224, .225}
	net := must.Get(nn.NewNet(front))(t)
	p, n := net.Dims()
	pixels, x := make([]float32, p), make([]float64, p)
	test.Examples(pixels, []int{0})
	for i, v := range pixels {
		x[i] = float64(v)
	}
	a, bound := make([]float64, n), make([]float64, n)
	net.ForwardWide64(a, bound, x, make([]float64, p))
	largest := slices.Max(a)
	for j, b := range bound {
		if !(b <= 1e-12*largest) {
			t.Fatalf("feature %d is %v ± %v, and the largest %v", j, a[j], b, largest)
		}
	}
}
