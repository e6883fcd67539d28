package release_test

import (
	"context"
	"math"
	"testing"

	"tattle/dataset"
	"tattle/internal/shared"
	"tattle/nn"
	"tattle/onnx"
	"tattle/release"
)

// The figures of an independent PyTorch run on the same net.
func TestMNIST(t *testing.T) {
	shared.Long(t, "the figures of PyTorch on a real net")
	path := shared.Path(t, "models/mnist-mlp.onnx")
	data, err := dataset.Open(shared.Path(t, "data/mnist"), dataset.Test)
	if err != nil {
		t.Fatal(err)
	}
	g, err := onnx.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	node, err := g.FeatureNode()
	if err != nil {
		t.Fatal(err)
	}
	f, h, err := g.Cut(node)
	if err != nil {
		t.Fatal(err)
	}
	front, err := nn.NewNet(f)
	if err != nil {
		t.Fatal(err)
	}
	head, err := nn.NewNet(h)
	if err != nil {
		t.Fatal(err)
	}
	rms, _, err := release.FeatureScale(context.Background(), front, data)
	if err != nil || math.Abs(rms-1.7024195) > 1e-6 {
		t.Errorf("RMS of the features %v, %v, want 1.7024195", rms, err)
	}
	noise, err := release.NewGaussian(rms)
	if err != nil {
		t.Fatal(err)
	}
	const draws = 4
	u, err := release.Features{Front: front, Head: head, Noise: noise}.Utility(
		context.Background(), data, release.UtilityOptions{Draws: draws})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(float64(u.Clean.Correct)-9756) > 1 { // a logit may tie to rounding
		t.Errorf("%d of 10,000 correct, want 9,756", u.Clean.Correct)
	}
	// There: .9494, of standard deviation .0016 from draw to draw. A mean of four
	// here and one there differ by less than 4.5 of theirs, but for 1e-5.
	if d := math.Abs(u.Released.Fraction - .9494); d > 4.5*.0016*math.Sqrt(1+1./draws) {
		t.Errorf("accuracy with noise %v, want .9494 ± .0016", u.Released.Fraction)
	}
}
