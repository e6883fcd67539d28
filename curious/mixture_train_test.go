package curious

import (
	"context"
	"errors"
	"slices"
	"testing"

	"tattle/dataset"
	"tattle/internal/must"
	"tattle/nn"
)

// digits draws glyphs, whose digit and family are independent.
func digits(train, validation int) *dataset.Parts {
	part := func(n int, split dataset.Split, seed uint64) *dataset.Set {
		return dataset.Glyphs(dataset.GlyphOptions{N: n, Seed: seed, Split: split})
	}
	return &dataset.Parts{Train: part(train, dataset.Train, 1), Validation: part(validation, dataset.Train, 2), Test: part(1000, dataset.Test, 1)}
}

// digitPerceptron is a net for them that trains in a second.
func digitPerceptron(classes int, seed uint64) *nn.Graph {
	const width = 96
	g := newGraph("small", 1, 28, 28)
	appendNode(g, "flat", &nn.Flatten{}, g.Input)
	appendNode(g, "hidden", &nn.Dense{In: 784, Out: width, Weight: param("w1", width, 784), Bias: param("b1", width)}, g.Output)
	appendNode(g, "relu", &nn.ReLU{}, g.Output)
	appendNode(g, "scores", &nn.Dense{In: width, Out: classes, Weight: param("w2", classes, width), Bias: param("b2", classes)}, g.Output)
	g.Init(seed)
	return g
}

// attained returns δy of F and δs of G on the test part.
func attained(t *testing.T, f *nn.Graph, a Attack, test *dataset.Set) (honesty, curiosity float64) {
	t.Helper()
	out := must.Get(Predict(t.Context(), f, test))(t)
	curiosity = must.Get(guessed(a.Graph, out, test.Sensitive[a.Index].Labels))(t)
	return accuracy(out, test.Y), curiosity
}

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
	y, s := attained(t, r.Classifier, r.Attacks[0], p.Test)
	t.Logf("δy %.3f, δs %.3f", y, s)
	if y < .85 || s < .45 {
		t.Errorf("the mixture reaches δy = %v and δs = %v", y, s)
	}
	e := r.Epochs[r.Attacks[0].Best-1]
	if r.Attacks[0].Validation != e.ValidationS[0] || r.Epochs[r.Best-1].ValidationY < .8 {
		t.Errorf("δs %v on validation, while its classifier has %v", r.Attacks[0].Validation, e.ValidationS)
	}
	testSaved(t, r, p.Test)
}

// testSaved holds what is read to what was written.
func testSaved(t *testing.T, r *Result, test *dataset.Set) {
	t.Helper()
	dir := t.TempDir()
	must.Do(t, Save(dir, r))
	back := must.Get(Open(dir))(t)
	once := must.Get(Predict(t.Context(), r.Classifier, test))(t)
	again := must.Get(Predict(t.Context(), back.Classifier, test))(t)
	if !slices.Equal(once, again) {
		t.Error("a mixture from a file has other outputs")
	}
	if !slices.Equal(forward(mustNet(t, r.Attacks[0].Graph), once), forward(mustNet(t, back.Attacks[0].Graph), once)) {
		t.Error("an attack from a file has other scores")
	}
	a, b := r.Attacks[0], back.Attacks[0]
	if a.Kind != b.Kind || a.Tau != b.Tau || a.Best != b.Best || a.Validation != b.Validation || back.Classifier.Metadata[metaOutputs] != string(Soft) {
		t.Errorf("the attack %+v came back as %+v", a, b)
	}
}

// TestTrainNormalMixture trains on the plane, where eq. (2)'s threshold is searched.
func TestTrainNormalMixture(t *testing.T) {
	p := Plane(2000, 1)
	r := must.Get(Train(t.Context(), p, Options{Attack: MixtureKind, Normal: true, Epochs: 12, LearningRate: .005, Seed: 1}))(t)
	y, s := attained(t, r.Classifier, r.Attacks[0], p.Test)
	t.Logf("δy %.3f, δs %.3f, τ′ %v", y, s, r.Attacks[0].Tau)
	if a := r.Attacks[0]; a.Kind != DecoderAttack || a.Tau <= 0 || a.Tau >= .5 || y < .9 || s < .8 {
		t.Errorf("δy = %v, δs = %v with τ′ = %v", y, s, a.Tau)
	}
	testSaved(t, r, p.Test)
	small := digits(200, 50)
	r = must.Get(Train(t.Context(), small, Options{Attack: MixtureKind, Normal: true, Net: digitPerceptron, Epochs: 1, Seed: 1}))(t)
	if a := r.Attacks[0]; a.Kind != NetworkAttack {
		t.Errorf("10 and 5 classes are taken apart by a %s", a.Kind)
	}
}

// TestMixtureStops holds that half a mixture is none, and one whose second training
// was broken off is one.
func TestMixtureStops(t *testing.T) {
	p := digits(200, 50)
	for _, stop := range []int{1, 6} {
		ctx, cancel := context.WithCancel(t.Context())
		o := Options{Attack: MixtureKind, Net: digitPerceptron, Epochs: 2, Seed: 1}
		o.Progress = func(done, _ int, _ float64) {
			if done > stop {
				cancel()
			}
		}
		r, err := Train(ctx, p, o)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("stopped after %d steps: %v", stop, err)
		}
		if (r != nil) != (stop == 6) || r != nil && (!r.Stopped || len(r.Attacks) != 1) {
			t.Errorf("stopped after %d steps: %+v", stop, r)
		}
		cancel()
	}
	must.Fail(t, must.Err(Train(t.Context(), p, Options{Attack: MixtureKind, Beta: Beta{Y: .5, S: .5}, Net: digitPerceptron}))) // a mixture in equal parts
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

// TestMixtureStopsInItsAttack holds that a normal mixture whose network was broken off
// is kept with the network's best epoch, wherever that was.
func TestMixtureStopsInItsAttack(t *testing.T) {
	p := digits(200, 50)
	o := Options{Attack: MixtureKind, Normal: true, Net: digitPerceptron, Epochs: 2, Seed: 1}
	kept := 0
	for asked := 0; ; asked++ {
		r, err := Train(&fading{t.Context(), asked}, p, o)
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if r != nil {
			kept++
			if !r.Stopped || len(r.Attacks) != 1 || r.Attacks[0].Kind != NetworkAttack {
				t.Errorf("stopped when asked %d times: %+v", asked, r)
			}
		}
	}
	if kept == 0 {
		t.Error("no mixture whose attack was broken off is kept")
	}
}
