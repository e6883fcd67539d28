package attack

import (
	"context"
	"testing"

	"tattle/bound"
	"tattle/dataset"
	"tattle/internal/must"
	"tattle/internal/shared"
	"tattle/nn"
	"tattle/nn/train"
	"tattle/nn/zoo"
	"tattle/release"
)

// Controls on pictures that need no files. With next to no noise every attack
// gives pictures that the net takes for the originals; with nothing but noise none
// does better than the mean picture.
func TestControlsOnGlyphs(t *testing.T) {
	shared.Long(t, "trains a net and attacks it: seconds")
	ctx := context.Background()
	data := dataset.Glyphs(dataset.GlyphOptions{N: 1200, Seed: 1})
	test := dataset.Glyphs(dataset.GlyphOptions{N: 40, Seed: 1, Split: dataset.Test})
	g := zoo.MNIST(3)
	must.Get(train.Fit(ctx, g, data, train.Options{Epochs: 5, Seed: 4}))(t)
	front := features(t, g)
	whole := must.Get(nn.NewNet(g))(t)
	controls(t, front, whole, data, test, all(20), 2)
}

// controls runs the positive and the negative control.
func controls(t *testing.T, front, whole *nn.Net, train, test *dataset.Set, indices []int, epochs int) {
	ctx, domain := context.Background(), box(t, train)
	rms, _ := must.Get2(release.FeatureScale(ctx, front, test))(t)
	prior := must.Get(bound.NewPrior(ctx, train, nn.Size(train.Shape), 6000, 1))(t)
	for _, scale := range []float64{.01, 300} {
		noise := release.Gaussian{Sigma: scale * rms}
		m := must.Get(NewMean(front, prior.Mean, domain))(t)
		l := must.Get(NewLinear(ctx, front, noise, train, LinearOptions{Domain: domain}))(t)
		d := must.Get(NewDecoder(ctx, front, noise, train, DecoderOptions{Domain: domain, Epochs: epochs, Linear: l}))(t)
		v := must.Get(NewInversion(front, noise, prior, InversionOptions{Starts: []Attack{l}, Domain: domain}))(t)
		attacks := []Attack{m, l, d, v}
		var alone float64
		for i, a := range attacks {
			r := must.Get(Measure(ctx, a, front, noise, test, indices, Options{Draws: 1, Classifier: whole}))(t)
			e := r.RootMeanSquare()
			t.Logf("σ = %v RMS: %s %.4f, recognised %.2f", scale, a.Name(), e, r.Recognised)
			switch {
			case i == 0:
				alone = e
			case scale < 1 && (r.Recognised < .8 || e > .7*alone):
				t.Errorf("σ = %v RMS: %s (%s) has error %v, the prior alone %v, and %v recognised, want .8", scale, a.Name(), a.About(), e, alone, r.Recognised)
			case scale > 1 && (e < .97*alone || e > 1.1*alone || r.Recognised > .35):
				t.Errorf("σ = %v RMS: %s (%s) has error %v, the prior alone %v, and %v recognised", scale, a.Name(), a.About(), e, alone, r.Recognised)
			}
		}
	}
}
