package curious

import (
	"context"
	"errors"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/must"
)

// digits draws glyphs, whose digit and family are independent.
func digits(train, validation int) *dataset.Parts {
	part := func(n int, split dataset.Split, seed uint64) *dataset.Set {
		return dataset.Glyphs(dataset.GlyphOptions{N: n, Seed: seed, Split: split})
	}
	return &dataset.Parts{Train: part(train, dataset.Train, 1), Validation: part(validation, dataset.Train, 2), Test: part(1000, dataset.Test, 1)}
}

// digitPerceptron is a net for them that trains in a second.
var digitPerceptron = zoo.Perceptron([]int{1, 28, 28}, 96)

// TestTrainMixture trains both classifiers on glyphs. Chance is .1 for the digit and
// .2 for the family, with standard deviations below .013.
func TestTrainMixture(t *testing.T) {
	p := digits(3000, 300)
	var done, total int
	o := Options{
		Attack: MixtureKind, Net: digitPerceptron, Epochs: 5, Seed: 1,
		Progress: func(d, n int, _ float64) { done, total = d, n },
	}
	r := must.Get(Train(t.Context(), p, o))(t)
	if done != 300 || total != 300 || r.Steps != 300 || len(r.Epochs) != 5 {
		t.Errorf("%d of %d steps, %d counted, %d epochs", done, total, r.Steps, len(r.Epochs))
	}
	y, s := reached(t, r, p.Test)
	t.Logf("δy %.3f, δs %.3f", y, s)
	if y < .85 || s[0] < .45 {
		t.Errorf("the mixture reaches δy = %v and δs = %v", y, s)
	}
	e := r.Epochs[r.Attacks[0].Best-1]
	if r.Attacks[0].Validation != e.ValidationS[0] || r.Epochs[r.Best-1].ValidationY < .8 {
		t.Errorf("δs %v on validation, while its classifier has %v", r.Attacks[0].Validation, e.ValidationS)
	}
}

// TestTrainNormalMixture trains on the plane, where eq. (2)'s threshold is searched.
func TestTrainNormalMixture(t *testing.T) {
	p := Plane(2000, 1)
	r := must.Get(Train(t.Context(), p, Options{Attack: MixtureKind, Normal: true, Epochs: 12, LearningRate: .005, Seed: 1}))(t)
	y, s := reached(t, r, p.Test)
	t.Logf("δy %.3f, δs %.3f, τ′ %v", y, s, r.Attacks[0].Tau)
	if a := r.Attacks[0]; a.Kind != DecoderAttack || a.Tau <= 0 || a.Tau >= .5 || y < .9 || s[0] < .8 {
		t.Errorf("δy = %v, δs = %v with τ′ = %v", y, s, a.Tau)
	}
	small := digits(200, 50)
	r = must.Get(Train(t.Context(), small, Options{Attack: MixtureKind, Normal: true, Net: digitPerceptron, Epochs: 1, Seed: 1}))(t)
	if a := r.Attacks[0]; a.Kind != NetworkAttack {
		t.Errorf("10 and 5 classes are taken apart by a %s", a.Kind)
	}
}

// fading is a context that ends after it was asked a number of times.
type fading struct {
	context.Context
	left int
}

func (f *fading) Err() error {
	if f.left--; f.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestMixtureStops stops a training after each of its checks of the context. Half a mixture is
// none; one whose second net, or whose attack, was broken off is kept.
func TestMixtureStops(t *testing.T) {
	p := digits(200, 50)
	for normal, kind := range map[bool]string{false: DecoderAttack, true: NetworkAttack} {
		none, kept := 0, 0
		for asked := 0; ; asked++ {
			r, err := Train(&fading{t.Context(), asked}, p, Options{Attack: MixtureKind, Normal: normal, Net: digitPerceptron, Epochs: 2, Seed: 1})
			if err == nil {
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			if r == nil {
				none++
				continue
			}
			kept++
			if len(r.Attacks) != 1 || r.Attacks[0].Kind != kind {
				t.Errorf("stopped when asked %d times: %+v", asked, r)
			}
		}
		if none == 0 || kept == 0 {
			t.Errorf("normal %v: of what was broken off %d are none, %d are kept", normal, none, kept)
		}
	}
}
