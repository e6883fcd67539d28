package onnx

import (
	"slices"
	"testing"

	"tattle/internal/must"
	"tattle/internal/shared"
	"tattle/npy"
)

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
