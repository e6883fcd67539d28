package curious

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"testing"

	"tattle/internal/must"
	"tattle/internal/shared"
)

// TestTrainHides trains every kind on data whose y and s are independent and of which
// PyTorch, by the same steps, reaches about the same (raw .98 and .98, soft .69 and
// .98): the attacks that are made for it find s, overlearning does not.
func TestTrainHides(t *testing.T) {
	shared.Long(t, "trains six nets")
	p := trainingParts(3000)
	s := []int{0}
	for name, c := range map[string]struct {
		o                        Options
		honesty, curiosity, most float64 // the first two at least, curiosity at most
	}{
		"overlearning":  {Options{Attack: Overlearning, Attributes: s}, .9, 0, .65},
		"regularized":   {Options{Attack: Regularized, Attributes: s}, .9, .8, 1},
		"per example":   {Options{Attack: Regularized, Attributes: s, PerExample: true, Beta: Beta{Y: .5, S: .7}}, .9, .8, 1},
		"raw":           {Options{Attack: Parameterized, Attributes: s}, .9, .9, 1},
		"soft":          {Options{Attack: Parameterized, Attributes: s, Outputs: Soft, Beta: Beta{X: .001, Y: .1, S: .9}, Epochs: 60}, .6, .9, 1},
		"raw, together": {Options{Attack: Parameterized, Beta: Beta{Y: .4, S: .6}, Epochs: 45}, .9, .6, 1},
	} {
		c.o.Seed = 1
		if c.o.Epochs == 0 {
			c.o.Epochs = 15
		}
		result := trained(t, p, c.o)
		honesty, curiosity := reached(t, result, p.Test)
		t.Logf("%s: δy %.3f, δs %.3f", name, honesty, curiosity)
		if honesty < c.honesty || slices.Min(curiosity) < c.curiosity || slices.Max(curiosity) > c.most {
			t.Errorf("%s: δy %v, δs %v", name, honesty, curiosity)
		}
	}
}

// TestTrainKeepsTheBest wants what is returned to be F and G of the first epoch with
// the largest score: on the validation part they reach what that epoch reached.
func TestTrainKeepsTheBest(t *testing.T) {
	p := trainingParts(400)
	for _, o := range []Options{
		{},
		{Attack: Regularized, Attributes: []int{0}},
		{Attack: Parameterized, Outputs: Soft},
		{Attack: Overlearning},
	} {
		o.Epochs, o.LearningRate, o.Seed = 6, .01, 3
		r := trained(t, p, o)
		scores := make([]float64, 6)
		for i, e := range r.Epochs {
			scores[i] = e.Score
		}
		best := slices.Index(scores, slices.Max(scores))
		if r.Best != best+1 {
			t.Errorf("%s: epoch %d is the best of %v", o.Attack, r.Best, scores)
		}
		honesty, curiosity := reached(t, r, p.Validation)
		e := r.Epochs[best]
		var want []float64
		for i, a := range r.Attacks {
			want = append(want, a.Validation)
			if o.Attack != Overlearning && (a.Validation != e.ValidationS[i] || a.Best != r.Best) {
				t.Errorf("%s: attack %+v of epoch %+v", o.Attack, a, e)
			}
		}
		if honesty != e.ValidationY || !slices.Equal(curiosity, want) {
			t.Errorf("%s: reaches %v and %v, the epoch had %v and %v", o.Attack, honesty, curiosity, e.ValidationY, want)
		}
	}
}

// TestTrainReproducible wants the same bytes from the same seed on one core and two,
// and others from another seed.
func TestTrainReproducible(t *testing.T) {
	p := pictures(250)
	for _, o := range []Options{
		{Attack: Parameterized, Outputs: Soft, Attributes: []int{0}},
		{Attack: Overlearning},
	} {
		bytes := func(cores int, seed uint64) []uint32 {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
			o.Seed, o.Epochs, o.Net = seed, 2, smallNet
			r := trained(t, p, o)
			return parameters(r.Classifier, r.Attacks[0].Graph)
		}
		one := bytes(1, 1)
		if !slices.Equal(one, bytes(2, 1)) {
			t.Errorf("%s: two cores give other bytes than one", o.Attack)
		}
		if slices.Equal(one, bytes(2, 2)) {
			t.Errorf("%s: two seeds give the same bytes", o.Attack)
		}
	}
}

// TestTrainDropsTheRest wants 2 steps an epoch of 25 examples in batches of 10, and one of all where
// a batch is more than all.
func TestTrainDropsTheRest(t *testing.T) {
	total := 0
	for want, batch := range map[int]int{6: 10, 3: 30} {
		o := Options{Attack: Parameterized, Epochs: 3, Batch: batch, Progress: func(_, n int, _ float64) { total = n }}
		if r := trained(t, trainingParts(25), o); r.Steps != want || total != want {
			t.Errorf("batches of %d: %d steps of %d, want %d", batch, r.Steps, total, want)
		}
	}
}

// TestTrainStops ends the context in the third epoch, in the first, and while G of
// overlearning trains: what was the best so far comes back with the context's error.
func TestTrainStops(t *testing.T) {
	p := trainingParts(100)
	stop := func(kind Kind, step int) (*Result, error) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		return Train(ctx, p, Options{Attack: kind, Epochs: 4, Batch: 10, Progress: func(done, _ int, _ float64) {
			if done == step {
				cancel()
			}
		}})
	}
	whole := trained(t, p, Options{Attack: Parameterized, Epochs: 2, Batch: 10})
	r, err := stop(Parameterized, 25)
	if !errors.Is(err, context.Canceled) || len(r.Epochs) != 2 || r.Steps != 25 {
		t.Fatalf("%+v, %v", r, err)
	}
	if r.Best != whole.Best || !slices.Equal(parameters(r.Classifier, r.Attacks[0].Graph), parameters(whole.Classifier, whole.Attacks[0].Graph)) {
		t.Error("what was stopped after two epochs is not what two epochs give")
	}
	if r, err := stop(Parameterized, 20); !errors.Is(err, context.Canceled) || len(r.Epochs) != 1 {
		t.Errorf("stopped as it was to be validated: %+v, %v", r, err)
	}
	if r, err := stop(Parameterized, 5); !errors.Is(err, context.Canceled) || r != nil {
		t.Errorf("stopped in the first epoch: %+v, %v", r, err)
	}
	r, err = stop(Overlearning, 40*100+15) // F's steps, which take longer, count as a hundred
	if !errors.Is(err, context.Canceled) || len(r.Attacks) != 1 || len(r.Epochs) != 4 {
		t.Errorf("stopped while G trains: %+v, %v", r, err)
	}
}

// TestFitAttacksIsOverlearning wants FitAttacks on a standard classifier to give the
// G that Overlearning gives, of all attributes at once and of each alone, and progress
// over all of them.
func TestFitAttacksIsOverlearning(t *testing.T) {
	p := trainingParts(200)
	o := Options{Attack: Overlearning, Outputs: Soft, Epochs: 3, Seed: 4}
	r := trained(t, p, o)
	o.Attack = Standard
	f := trained(t, p, o).Classifier
	fit := func(attributes ...int) []Attack {
		last := 0
		return must.Get(FitAttacks(context.Background(), f, p, attributes, Options{Epochs: 3, Seed: 4, Progress: func(done, total int, _ float64) {
			if last++; done != last || total != len(attributes)*3*2 {
				t.Errorf("step %d of %d, want %d of %d", done, total, last, len(attributes)*3*2)
			}
		}}))(t)
	}
	together := fit(0, 1)
	for i, want := range r.Attacks {
		for _, a := range []Attack{together[i], fit(i)[0]} {
			if a.Best != want.Best || a.Validation != want.Validation || !slices.Equal(parameters(a.Graph), parameters(want.Graph)) {
				t.Errorf("attribute %d: %+v, want %+v", i, a, want)
			}
		}
	}
}
