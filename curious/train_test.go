package curious

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"tattle/dataset"
	"tattle/nn"
)

// trainingParts returns three parts of a table of 6 columns of noise: y, of three
// classes, follows from the first two and s and r, of two and three, from the others.
func trainingParts(train int) *dataset.Parts {
	return &dataset.Parts{Train: trainingSet(train, 1), Validation: trainingSet(60, 2), Test: trainingSet(200, 3)}
}

func trainingSet(n int, seed uint64) *dataset.Set {
	r := rand.New(rand.NewPCG(seed, 1))
	s := &dataset.Set{
		Shape: []int{6}, YName: "y", YNames: []string{"a", "b", "c"},
		Sensitive: []dataset.Attribute{{Name: "s", Values: []string{"no", "yes"}}, {Name: "r", Values: []string{"u", "v", "w"}}},
	}
	third := func(a, b float64) int { return int(3 * (math.Atan2(a, b) + math.Pi) / (2*math.Pi + 1e-9)) }
	for range n {
		x := make([]float64, 6)
		for i := range x {
			x[i] = r.NormFloat64()
			s.Values = append(s.Values, float32(x[i]))
		}
		yes := 0
		if x[2]+x[3] > 0 {
			yes = 1
		}
		s.Y = append(s.Y, third(x[0], x[1]))
		s.Sensitive[0].Labels = append(s.Sensitive[0].Labels, yes)
		s.Sensitive[1].Labels = append(s.Sensitive[1].Labels, third(x[4], x[5]))
	}
	return s
}

// trained runs Train and fails the test where that errs.
func trained(t testing.TB, p *dataset.Parts, o Options) *Result {
	t.Helper()
	r, err := Train(context.Background(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// reached measures a result on a set: δy and the δs of each attack.
func reached(t testing.TB, r *Result, set *dataset.Set) (honesty float64, curiosity []float64) {
	t.Helper()
	out, err := Predict(context.Background(), r.Classifier, set)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range r.Attacks {
		net, err := nn.NewNet(a.Graph)
		if err != nil {
			t.Fatal(err)
		}
		curiosity = append(curiosity, accuracy(forward(net, out), set.Sensitive[a.Index].Labels))
	}
	return accuracy(out, set.Y), curiosity
}

// TestTrainHides trains every kind on data whose y and s are independent and of which
// PyTorch, by the same steps, reaches about the same (raw .98 and .98, soft .69 and
// .98): the attacks that are made for it find s, overlearning does not.
func TestTrainHides(t *testing.T) {
	if testing.Short() {
		t.Skip("trains seven nets")
	}
	p := trainingParts(3000)
	s, r := []int{0}, []int{1}
	for name, c := range map[string]struct {
		o                        Options
		honesty, curiosity, most float64 // the first two at least, curiosity at most
	}{
		"overlearning":  {Options{Attack: Overlearning, Attributes: s}, .9, 0, .65},
		"regularized":   {Options{Attack: Regularized, Attributes: s}, .9, .8, 1},
		"per example":   {Options{Attack: Regularized, Attributes: s, PerExample: true, Beta: Beta{Y: .5, S: .7}}, .9, .8, 1},
		"raw":           {Options{Attack: Parameterized, Attributes: s}, .9, .9, 1},
		"soft":          {Options{Attack: Parameterized, Attributes: s, Outputs: Soft, Beta: Beta{X: .001, Y: .1, S: .9}, Epochs: 60}, .6, .9, 1},
		"raw, three":    {Options{Attack: Parameterized, Attributes: r, Beta: Beta{Y: .6, S: .4}}, .9, .6, 1},
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

// parameters returns the bits of everything that training changes.
func parameters(graphs ...*nn.Graph) []uint32 {
	var bits []uint32
	for _, g := range graphs {
		for _, p := range state(g) {
			for _, v := range p.Data {
				bits = append(bits, math.Float32bits(v))
			}
		}
	}
	return bits
}

// pictures returns parts of small pictures in colour, for nets with batch norms.
func pictures(n int) *dataset.Parts {
	set := func(n int, split dataset.Split) *dataset.Set {
		s := dataset.Glyphs(dataset.GlyphOptions{N: n, Seed: 1, Split: split, Color: true})
		small := *s
		small.Shape, small.Pixels = []int{3, 16, 16}, nil
		for i := range n * 3 {
			for y := range 16 {
				row := s.Pixels[i*28*28+(y+6)*28+6:]
				small.Pixels = append(small.Pixels, row[:16]...)
			}
		}
		return &small
	}
	return &dataset.Parts{Train: set(n, dataset.Train), Validation: set(50, dataset.Test)}
}

// smallNet is B Table 12 for them, of a few channels.
func smallNet(classes int, seed uint64) *nn.Graph {
	return nn.CuriousNet(nn.CuriousOptions{Classes: classes, Side: 16, Widths: [5]int{8, 8, 8, 8, 16}}, seed)
}

// TestStepsAreApart holds that G's step leaves F's bytes as they are, running
// statistics too, and F's step those of G.
func TestStepsAreApart(t *testing.T) {
	p := pictures(120)
	for _, outputs := range []Outputs{Raw, Soft} {
		o := Options{Attack: Parameterized, Outputs: outputs, Net: smallNet, Attributes: []int{0}}.withDefaults()
		tr, err := newTraining(context.Background(), p, o)
		if err != nil {
			t.Fatal(err)
		}
		g := tr.attacks[0].graph
		for range 2 {
			tr.load(every(o.Batch))
			f0, g0 := parameters(tr.scores), parameters(g)
			if err := tr.stepAttacks(); err != nil {
				t.Fatal(err)
			}
			f1, g1 := parameters(tr.scores), parameters(g)
			if !slices.Equal(f0, f1) || slices.Equal(g0, g1) {
				t.Errorf("%s: G's step: F is the same: %v, G is another: %v", outputs, slices.Equal(f0, f1), !slices.Equal(g0, g1))
			}
			if _, err := tr.stepClassifier(); err != nil {
				t.Fatal(err)
			}
			f2, g2 := parameters(tr.scores), parameters(g)
			if slices.Equal(f1, f2) || !slices.Equal(g1, g2) {
				t.Errorf("%s: F's step: F is another: %v, G is the same: %v", outputs, !slices.Equal(f1, f2), slices.Equal(g1, g2))
			}
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

// TestTrainDropsTheRest wants 2 steps an epoch of 25 examples in batches of 10, in an
// order of its own each epoch, and one of all where a batch is more than all.
func TestTrainDropsTheRest(t *testing.T) {
	var orders [][]int
	l := loop{examples: 25, batch: 10, epochs: 3, seed: 1, sweep: func(int) error { return nil }}
	l.step = func(indices []int) error {
		orders = append(orders, slices.Clone(indices))
		return nil
	}
	if err := l.run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if len(orders) != 6 {
		t.Fatalf("%d steps, want 6", len(orders))
	}
	for i := 0; i < 6; i += 2 {
		seen := slices.Concat(orders[i], orders[i+1])
		slices.Sort(seen)
		if n := len(slices.Compact(seen)); n != 20 || seen[0] < 0 || seen[19] > 24 {
			t.Errorf("epoch %d has %d examples: %v", 1+i/2, n, seen)
		}
	}
	if slices.Equal(orders[0], orders[2]) {
		t.Error("two epochs go in the same order")
	}
	total := 0
	for want, batch := range map[int]int{6: 10, 3: 30} {
		o := Options{Attack: Parameterized, Epochs: 3, Batch: batch, Progress: func(_, n int, _ float64) { total = n }}
		if r := trained(t, trainingParts(25), o); r.Steps != want || total != want {
			t.Errorf("batches of %d: %d steps of %d, want %d", batch, r.Steps, total, want)
		}
	}
}

// TestOverlearningProgress wants steps of F and of both attacks counted up to the end.
func TestOverlearningProgress(t *testing.T) {
	last := 0
	r := trained(t, trainingParts(100), Options{Attack: Overlearning, Epochs: 2, Batch: 20, Progress: func(done, total int, loss float64) {
		if done != last+1 || total != 30 {
			t.Errorf("step %d of %d after %d", done, total, last)
		}
		last = done
	}})
	if last != 30 || r.Steps != 30 {
		t.Errorf("%d steps, %d told of, want 30", r.Steps, last)
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
	if !errors.Is(err, context.Canceled) || !r.Stopped || len(r.Epochs) != 2 || r.Steps != 25 {
		t.Fatalf("%+v, %v", r, err)
	}
	if r.Best != whole.Best || !slices.Equal(parameters(r.Classifier, r.Attacks[0].Graph), parameters(whole.Classifier, whole.Attacks[0].Graph)) {
		t.Error("what was stopped after two epochs is not what two epochs give")
	}
	if r, err := stop(Parameterized, 5); !errors.Is(err, context.Canceled) || r != nil {
		t.Errorf("stopped in the first epoch: %+v, %v", r, err)
	}
	r, err = stop(Overlearning, 55)
	if !errors.Is(err, context.Canceled) || !r.Stopped || len(r.Attacks) != 1 || len(r.Epochs) != 4 {
		t.Errorf("stopped while G trains: %+v, %v", r, err)
	}
}

// TestTrainRefusesNaN wants an error, and no step, on inputs that are no numbers.
func TestTrainRefusesNaN(t *testing.T) {
	p := trainingParts(30)
	p.Train.Values[0] = float32(math.NaN())
	for _, kind := range []Kind{Standard, Parameterized} {
		r, err := Train(context.Background(), p, Options{Attack: kind, Epochs: 2, Batch: 30})
		if err == nil || r != nil {
			t.Errorf("%s: %v, %v", kind, r, err)
		}
	}
}

// TestFitAttackIsOverlearning wants FitAttack on a standard classifier to give the G
// that Overlearning gives.
func TestFitAttackIsOverlearning(t *testing.T) {
	p := trainingParts(200)
	o := Options{Attack: Overlearning, Outputs: Soft, Epochs: 3, Seed: 4}
	r := trained(t, p, o)
	o.Attack = Standard
	f := Release(trained(t, p, o).Classifier, Soft)
	if f != Release(Release(f, Raw), Raw) && Released(Release(f, Raw)) != Raw {
		t.Error("a classifier does not change its outputs")
	}
	for i, want := range r.Attacks {
		a, err := FitAttack(context.Background(), f, p, i, AttackOptions{Epochs: 3, Seed: 4})
		if err != nil {
			t.Fatal(err)
		}
		if a.Best != want.Best || a.Validation != want.Validation || !slices.Equal(parameters(a.Graph), parameters(want.Graph)) {
			t.Errorf("attribute %d: %+v, want %+v", i, a, want)
		}
	}
}
