package design

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/engine/onnx"
	"tattle/internal/must"
	"tattle/internal/protect/bayes"
	"tattle/internal/protect/measure"
	"tattle/internal/protect/release"
	"tattle/internal/protect/shape"
	"tattle/internal/shared"
)

// dense is an affine layer without a bias.
func dense(out, in int, w ...float32) *nn.Dense {
	return &nn.Dense{In: in, Out: out, Weight: &nn.Param{Name: "w", Shape: []int{out, in}, Data: w}}
}

// table is a set of rows x with labels.
func table(x [][]float32, y []int) *dataset.Set {
	set := &dataset.Set{Name: "table", Shape: []int{len(x[0])}, Y: y, YName: "class", YNames: []string{"0", "1"}}
	for _, row := range x {
		set.Values = append(set.Values, row...)
	}
	return set
}

// model is a graph whose node "features" is a front of these operators, and whose head
// distinguishes classes by the sum of the features.
func model(in, features int, ops ...nn.Op) *nn.Graph {
	w := make([]float32, 2*features)
	for i := range features {
		w[i], w[features+i] = -1, 1
	}
	return shape.Join(shape.Chain("features", []int{in}, ops...), shape.Chain("logits", []int{features}, dense(2, features, w...)))
}

// pairs are rows of eight numbers: the class is the sign of the first four, and the attribute "side" that of
// the others.
func pairs(n int, seed uint64) *dataset.Set {
	r := rand.New(rand.NewPCG(seed, 2))
	x, y, side := make([][]float32, n), make([]int, n), make([]int, n)
	for i := range x {
		y[i], side[i] = i%2, r.IntN(2)
		for k := range 8 {
			x[i] = append(x[i], float32(2*[]int{y[i], side[i]}[k/4]-1)+float32(r.NormFloat64())/2)
		}
	}
	set := table(x, y)
	set.Sensitive = []dataset.Attribute{{Name: "side", Values: []string{"left", "right"}, Labels: side}}
	return set
}

// pairModel has the features max(±x, 0), and a head that answers the class.
func pairModel() *nn.Graph {
	w := make([]float32, 16*8)
	for i := range 8 {
		w[i*8+i], w[(8+i)*8+i] = 1, -1
	}
	return model(8, 16, dense(16, 8, w...), &nn.ReLU{})
}

func searchOptions(o Options) Options {
	o.Epochs, o.ListDraws, o.Seed = 60, 2000, 5
	if o.Nodes == nil {
		o.Nodes = []string{"features"}
	}
	o.Fresh = pairs(150, 8)
	return o
}

// accuracyOf returns how often a head answers right from what is released with noise.
func accuracyOf(t *testing.T, a *Answer, head *nn.Graph, data *dataset.Set) float64 {
	t.Helper()
	front, _ := must.Get2(a.Model.Cut(Node))(t)
	models := make([]nn.Model, 2)
	for i, g := range []*nn.Graph{front, head} {
		models[i] = must.Get(nn.NewNet(g))(t)
	}
	noise := must.Get(release.NewGaussian(a.Best.Sigma))(t)
	return must.Get(FinalAccuracy(t.Context(), models[0], models[1], measure.Purpose{Data: data}, noise, 1, nil))(t).Released.Fraction
}

// TestSearch measures the answer of each kind of search again: adversaries with the list identify the
// input no more often than promised, new inputs included, and the heads answer the tasks.
func TestSearch(t *testing.T) {
	shared.Long(t, "searches for the release that keeps a promise")
	ctx := context.Background()
	train, test := pairs(300, 6), pairs(300, 7)
	for _, c := range []struct {
		name    string
		options Options
		least   float64 // accuracy of each task
	}{
		{"trained", Options{Methods: []Method{Trained}}, .97},
		{"trained for two tasks", Options{Methods: []Method{Trained}, Tasks: []string{"side"}}, .95},
		{"two tasks in closed form", Options{Methods: []Method{Projected}, Tasks: []string{"side"}}, .7},
		{"a node whose head is not linear", Options{Methods: []Method{Projected, Shaped}, Nodes: []string{"features-1"}}, .85},
		{"three queries", Options{Methods: []Method{Discriminant, Projected}, Queries: 3}, .78}, // .81 to .86, by the seed
		{"protected", Options{Methods: []Method{Shaped, Trained}, Limits: Limits{Protect: []Protect{{Attribute: "side", Accuracy: .75}}}}, .85},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := searchOptions(c.options)
			o.Identify = .02
			a := must.Get(Search(ctx, pairModel(), train, test, o))(t)
			if a.Best == nil {
				t.Fatalf("no release: nearest %+v, left %v", a.Nearest, a.Left)
			}
			front, _ := must.Get2(a.Model.Cut(Node))(t)
			noise := must.Get(release.NewGaussian(a.Best.Sigma))(t)
			released := func(data nn.Source) list {
				r := must.Get(outputs(ctx, front, data, nil))(t)
				return list{r, nn.Indices(data.Len())}
			}
			candidates := released(train)
			var side []bayes.Attribute
			if len(o.Protect) > 0 {
				side = []bayes.Attribute{{Name: "side", Classes: 2, Class: train.Sensitive[0].Labels}}
			}
			r := must.Get(bayes.Run(ctx, candidates, noise, side, bayes.Options{Draws: 2000, Queries: max(o.Queries, 1), Seed: 99}))(t)
			// A mean over new draws exceeds the limit that the search allowed for about once in 10⁵ times.
			if first, _ := r.Identified(1e-5); first.Low > o.Identify {
				t.Errorf("identified in at least %v, promised %v", first.Low, o.Identify)
			}
			if side != nil {
				if right, _ := r.Guessed(0, 1e-5); right.Low > .75 {
					t.Errorf("the side is guessed in at least %v", right.Low)
				}
			}
			h := must.Get(bayes.RunHidden(ctx, candidates, released(test), nil, noise, bayes.Options{Draws: 2000, Queries: max(o.Queries, 1), Seed: 99}))(t)
			if first := h.Identified(1e-5); first.Low > o.Identify {
				t.Errorf("new inputs are identified in at least %v, promised %v", first.Low, o.Identify)
			}
			if len(a.Heads) != 1+len(o.Tasks) {
				t.Fatalf("%d heads", len(a.Heads))
			}
			for k, head := range a.Heads {
				data := test
				if k > 0 {
					side := *test
					side.Y, data = test.Sensitive[0].Labels, &side
				}
				if got := accuracyOf(t, a, head, data); got < c.least {
					t.Errorf("accuracy %v of task %d, want at least %v", got, k, c.least)
				}
			}
		})
	}
}

// TestWorstCase measures an answer to a promise whatever the data, among more candidates than there are: what the clip proves
// keeps it, the heads answer what is clipped, and the chart's bound is above what adversaries with the list do.
func TestWorstCase(t *testing.T) {
	shared.Long(t, "searches for the release that keeps a promise")
	train, test := pairs(300, 6), pairs(300, 7)
	for name, c := range map[string]struct {
		options Options
		least   float64
	}{
		"closed form": {Options{Methods: []Method{Discriminant, Projected}}, .85},
		"two queries": {Options{Methods: []Method{Trained}, Queries: 2}, .8},
		"two tasks":   {Options{Methods: []Method{Trained}, Tasks: []string{"side"}}, .7},
	} {
		o := searchOptions(c.options)
		o.Limits, o.Fresh = Limits{Worst: .1, Among: 1000}, nil
		a := must.Get(Search(t.Context(), pairModel(), train, test, o))(t)
		if a.Best == nil {
			t.Fatalf("%s: no release: nearest %+v, left %v", name, a.Nearest, a.Left)
		}
		noise := must.Get(release.NewGaussian(a.Best.Sigma))(t)
		w, ok := release.WorstOf(noise, a.Best.Radius, o.Queries)
		if limit := w.Success(.001); !ok || limit > .1 || limit < .099 {
			t.Errorf("%s: radius %v at σ = %v proves %v", name, a.Best.Radius, a.Best.Sigma, limit)
		}
		spec := release.Spec{Node: Node, ClipNorm: a.Best.Radius}
		front, head := must.Get2(spec.Build(t.Context(), a.Model, train))(t)
		models := []nn.Model{must.Get(nn.NewNet(front))(t), must.Get(nn.NewNet(head))(t)}
		if got := must.Get(FinalAccuracy(t.Context(), models[0], models[1], measure.Purpose{Data: test}, noise, 1, nil))(t).Released; got.Fraction < c.least {
			t.Errorf("%s: accuracy %v, want at least %v", name, got.Fraction, c.least)
		}
		if len(a.Curves) != 3 {
			t.Fatalf("%s: %d curves", name, len(a.Curves))
		}
		average, exposed, worst := a.Curves[0], a.Curves[1], a.Curves[2]
		if !slices.IsSorted(worst.Probability) || worst.Accuracy[0] > worst.Accuracy[len(worst.Accuracy)-1] {
			t.Errorf("%s: whatever the data: %+v", name, worst)
		}
		for i, p := range average.Probability {
			if exposed.Probability[i] < p || i > 0 && p > average.Probability[i-1]+.02 {
				t.Errorf("%s: on average %+v, exposed %+v", name, average, exposed)
			}
		}
	}
}

// visits are rows of people, five near-copies of each, as pairs are of different ones.
func visits(people int, seed uint64) *dataset.Set {
	of, r := pairs(people, seed), rand.New(rand.NewPCG(seed, 3))
	var rows []int
	group := &dataset.Attribute{Name: "person", Values: make([]string, people)}
	for p := range people {
		rows = append(rows, p, p, p, p, p)
		group.Labels = append(group.Labels, p, p, p, p, p)
	}
	set := of.Subset(rows)
	set.Values = append([]float32(nil), set.Values...)
	for i := range set.Values {
		set.Values[i] += float32(1e-3 * r.NormFloat64())
	}
	set.Group = group
	return set
}

// TestPeople: a promise is about the person where the data say whose inputs are: naming one of five near-copies is rarer.
func TestPeople(t *testing.T) {
	shared.Long(t, "searches for the release that keeps a promise")
	train, test := visits(100, 6), visits(60, 7)
	o := searchOptions(Options{Methods: []Method{Isotropic}, Limits: Limits{Identify: .2}})
	o.Fresh, o.Candidates = nil, Whole(train, 402, o.Seed)
	if o.Candidates != 400 || Whole(train, 4, o.Seed) != 0 || People(train) != 100 {
		t.Fatalf("%d candidates of people with five each", o.Candidates)
	}
	if some, others := measure.DividePeople(train, 5, 1); len(some) != 100 || len(others) != 400 || slices.ContainsFunc(some, func(i int) bool { return slices.Contains(others, i-i%5) }) {
		t.Errorf("people are divided into %d and %d inputs", len(some), len(others))
	}
	a := must.Get(Search(t.Context(), pairModel(), train, test, o))(t)
	if a.Best == nil {
		t.Fatalf("no release: nearest %+v, left %v", a.Nearest, a.Left)
	}
	front, _ := must.Get2(a.Model.Cut(Node))(t)
	r := must.Get(outputs(t.Context(), front, train, nil))(t)
	people := measure.PeopledOf(train, o.list(train))
	noise := must.Get(release.NewGaussian(a.Best.Sigma))(t)
	found := must.Get(bayes.Run(t.Context(), list{r, people.Indices}, noise, nil, bayes.Options{Prior: people.Prior, People: people.People, Draws: 2000, Seed: 99}))(t)
	person := found.Named(1e-5)
	input, _ := found.Identified(1e-5)
	if people.Count != 80 || person.Low > .2 || person.High < .1 || input.High > person.Low/2 {
		t.Errorf("of %d people each is named in %+v, their inputs in %+v", people.Count, person, input)
	}
	o.Limits = Limits{Identify: .009}
	must.Fail(t, must.Err(Search(t.Context(), pairModel(), train, test, o)), "0.9 % of 100 people: guessing without the release already names 1 %")
}

// TestSearchResumes: a search that is interrupted after its first place, and continued, gives the same bytes.
func TestSearchResumes(t *testing.T) {
	shared.Long(t, "searches for the release that keeps a promise")
	train, test := pairs(300, 6), pairs(200, 7)
	o := searchOptions(Options{Methods: []Method{Projected, Trained, Discriminant}, Limits: Limits{Identify: .05}})
	answer := func(o Options, ctx context.Context) ([]byte, error) {
		a, err := Search(ctx, pairModel(), train, test, o)
		if err != nil {
			return nil, err
		}
		b, err := onnx.Encode(a.Model)
		return fmt.Append(b, a.Best, a.Points), err
	}
	want := must.Get(answer(o, context.Background()))(t)
	o.Dir = t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	p := o
	p.Progress = func(phase string, done, total int) {
		if phase == "searching" && done == 1 {
			cancel()
		}
	}
	if _, err := answer(p, ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted: %v", err)
	}
	o.Resume = true
	var kept []int // places that are searched, as they become more
	o.Progress = func(phase string, done, total int) {
		if phase == "searching" {
			kept = append(kept, done)
		}
	}
	got := must.Get(answer(o, context.Background()))(t)
	if !bytes.Equal(got, want) {
		t.Error("the continued search gives another answer")
	}
	if len(kept) == 0 || kept[0] < 1 || kept[0] > 2 || kept[len(kept)-1] != 3 {
		t.Errorf("the continued search has %v of 3 places", kept)
	}
}

// TestNewInputsDecide: if new inputs are identified too often at some strength of the noise, no point
// with that strength or less counts as meeting the limits.
func TestNewInputsDecide(t *testing.T) {
	f := &found{}
	for _, sigma := range []float64{1, 2, 4} {
		f.Points = append(f.Points, Point{Sigma: sigma, Meets: true})
	}
	best := f.Points[1]
	f.Best = &best
	f.setNew(.3, false)
	if best.Meets || best.New != .3 || f.Points[0].Meets || f.Points[1].Meets || f.Points[1].New != .3 || !f.Points[2].Meets {
		t.Errorf("%+v, best %+v", f.Points, best)
	}
	best = f.Points[2]
	f.setNew(.1, true)
	if !best.Meets || !f.Points[2].Meets || f.Points[2].New != .1 || f.Points[0].Meets {
		t.Errorf("%+v, best %+v", f.Points, best)
	}
}

// The limit on bits of a protected attribute is for an adversary who knows the answers to all tasks.
func TestProtectedBeyondAllTasks(t *testing.T) {
	train := pairs(20, 6)
	s := &searcher{Options: Options{Limits: Limits{Protect: []Protect{{Attribute: "side", Bits: .1}}}}, train: train}
	targets := func() int {
		seen := map[int]bool{}
		for _, y := range s.attributes(measure.PeopledOf(train, nn.Indices(train.Len())))[0].Target {
			seen[y] = true
		}
		return len(seen)
	}
	one := targets()
	s.Tasks = []string{"side"}
	if two := targets(); two != 2*one {
		t.Errorf("%d answers of one task, %d of two", one, two)
	}
}
