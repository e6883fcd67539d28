package onnx

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/must"
)

// releaseGraphs are graphs of features, some with names that a release has.
func releaseGraphs(t *testing.T) map[string]*nn.Graph {
	t.Helper()
	mnist := zoo.MNIST(3)
	mnist.Input, mnist.Nodes[0].Inputs[0] = "pixels", "pixels"
	node := must.Get(mnist.FeatureNode())(t)
	front, _ := must.Get2(mnist.Cut(node))(t)
	pictures := zoo.Curious(zoo.CuriousOptions{Classes: 5, Side: 16, Widths: [5]int{8, 8, 8, 8, 16}}, 1)
	w := &nn.Param{Name: "noise", Shape: []int{2, 2}, Data: []float32{1, 2, 3, 4}}
	names := &nn.Graph{Name: "names", Input: "release", InputShape: []int{2}, Output: "input", Nodes: []*nn.Node{
		{Name: "release", Op: &nn.Dense{In: 2, Out: 2, Weight: w, Bias: &nn.Param{Name: "features", Shape: []int{2}, Data: []float32{0, 1}}}, Inputs: []string{"release"}, Output: "features"},
		{Name: "release.noised", Op: &nn.ReLU{}, Inputs: []string{"features"}, Output: "noise"},
		{Name: "last", Op: &nn.Binary{Operator: "Add"}, Inputs: []string{"noise", "features"}, Output: "input"},
	}}
	return map[string]*nn.Graph{"mnist": front, "pictures": pictures, "names": names}
}

// TestEncodeRelease: what is read back of a release are the features, and writing that again gives
// the same file.
func TestEncodeRelease(t *testing.T) {
	for name, g := range releaseGraphs(t) {
		inward := name == "mnist"
		file := must.Get(EncodeRelease(g, 1./64, 16, inward))(t, name)
		back := must.Get(decode(name, file, ReadOptions{Output: releaseFeatures}, nil, maxFolded))(t, name)
		again := must.Get(EncodeRelease(back, 1./64, 16, inward))(t, name)
		x := param(rand.New(rand.NewPCG(5, 5)), 3*nn.Size(g.InputShape)).Data
		if !bytes.Equal(file, again) {
			t.Errorf("%s: reading and writing changes the file", name)
		}
		if want := map[bool]string{true: releaseInput, false: g.Input}[reserved(g.Input)]; back.Input != want {
			t.Errorf("%s: the input is %s, want %s", name, back.Input, want)
		}
		if !slices.Equal(outputs(t, g, x), outputs(t, back, x)) {
			t.Errorf("%s: other features", name)
		}
	}
	g := releaseGraphs(t)["names"]
	for _, bad := range [][2]float64{{0, 1}, {-1, 1}, {1, math.Inf(1)}, {1, 1e-60}, {.1, 1}} {
		if _, err := EncodeRelease(g, bad[0], bad[1], false); err == nil {
			t.Errorf("delta %v, clip %v: no error", bad[0], bad[1])
		}
	}
}
