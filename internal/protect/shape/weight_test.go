package shape_test

import (
	"context"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/train"
	"tattle/internal/must"
	"tattle/internal/protect/bayes"
	"tattle/internal/protect/release"
	"tattle/internal/protect/shape"
	"tattle/internal/shared"
)

// TestWeightLowersIdentification learns releases of generated digits. The best adversary with the
// list of all of them identifies an input less often from the one with the larger weight.
func TestWeightLowersIdentification(t *testing.T) {
	shared.Long(t, "releases that are learned")
	ctx := context.Background()
	const count = 400
	data := dataset.Glyphs(dataset.GlyphOptions{N: count, Seed: 1})
	pixels := nn.Size(data.Shape)
	moments := must.Get(shape.NewMoments(ctx, data, pixels, 10))(t)
	indices := nn.Indices(count)
	identified := func(weight float64) float64 {
		s := must.Get(shape.Fit(ctx, data, moments, []train.Task{{Classes: 10, Labels: data.Y}}, shape.Options{Weight: weight, Epochs: 40, Batch: 100}))(t)
		net := must.Get(nn.NewNet(s.Layer))(t)
		r := must.Get(bayes.Run(ctx, bayes.Inputs{Front: net, Data: data, Indices: indices}, release.Gaussian{Sigma: s.Sigma}, nil, bayes.Options{Draws: 1000}))(t)
		var sum float64
		for _, d := range r.Draws {
			sum += d.Top
		}
		return sum / float64(len(r.Draws))
	}
	without, with, more := identified(0), identified(.3), identified(3)
	t.Logf("identified: %.3f without a penalty, %.3f with weight 0.3, %.3f with weight 3", without, with, more)
	if !(with < .8*without && more < .8*with) {
		t.Errorf("identified: %.3f without a penalty, %.3f with weight 0.3, %.3f with weight 3", without, with, more)
	}
}
