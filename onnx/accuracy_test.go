package onnx_test

import (
	"math"
	"testing"

	"tattle/dataset"
	"tattle/internal/shared"
	"tattle/nn"
	"tattle/onnx"
)

// The model scores on MNIST's test pictures what PyTorch says of it.
func TestMNISTAccuracy(t *testing.T) {
	g, err := onnx.Read(shared.Path(t, "models/mnist-mlp.onnx"))
	if err != nil {
		t.Fatal(err)
	}
	test, err := dataset.Open(shared.Path(t, "data/mnist"), dataset.Split("test"))
	if err != nil {
		t.Fatal(err)
	}
	net, err := nn.NewNet(g)
	if err != nil {
		t.Fatal(err)
	}
	a := 100 * nn.Accuracy(net, test)
	t.Logf("%.2f %% of %d", a, test.Len())
	if test.Len() != 10000 || math.Abs(a-97.56) > 0.02 {
		t.Errorf("%.2f %% of %d, want 97.56 %% of 10000", a, test.Len())
	}
}
