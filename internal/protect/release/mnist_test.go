package release_test

import (
	"context"
	"math"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/engine/onnx"
	"tattle/internal/must"
	"tattle/internal/protect/release"
	"tattle/internal/shared"
)

// The figures of an independent PyTorch run on the same net.
func TestMNIST(t *testing.T) {
	shared.Long(t, "the figures of PyTorch on a real net")
	path := shared.Path(t, "models/mnist-mlp.onnx")
	data, _ := must.Get2(dataset.OpenInputs(t.Context(), shared.Path(t, "data/mnist"), dataset.Options{Part: dataset.Test}))(t)
	g := must.Get(onnx.Read(path))(t)
	node := must.Get(g.FeatureNode())(t)
	f, h := must.Get2(g.Cut(node))(t)
	front := must.Get(nn.NewNet(f))(t)
	head := must.Get(nn.NewNet(h))(t)
	rms, _, err := release.FeatureScale(context.Background(), front, data)
	if err != nil || math.Abs(rms-1.7024195) > 1e-6 {
		t.Errorf("RMS of the features %v, %v, want 1.7024195", rms, err)
	}
	noise := must.Get(release.NewGaussian(rms))(t)
	const draws = 4
	u := must.Get(release.Features{Front: front, Head: head, Noise: noise}.Utility(
		context.Background(), data, release.UtilityOptions{Draws: draws}))(t)
	if math.Abs(float64(u.Clean.Correct)-9756) > 1 { // a logit may tie to rounding
		t.Errorf("%d of 10,000 correct, want 9,756", u.Clean.Correct)
	}
	// There: .9494, of standard deviation .0016 from draw to draw. A mean of four
	// here and one there differ by less than 4.5 of theirs, but for 1e-5.
	if d := math.Abs(u.Released.Fraction - .9494); d > 4.5*.0016*math.Sqrt(1+1./draws) {
		t.Errorf("accuracy with noise %v, want .9494 ± .0016", u.Released.Fraction)
	}
}
