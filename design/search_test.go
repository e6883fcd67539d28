package design

import (
	"context"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"tattle/bound"
	"tattle/dataset"
	"tattle/internal/must"
	"tattle/internal/shared"
	"tattle/nn"
	"tattle/nn/train"
)

// glyphNet is a small net of 28×28 pictures: two layers of 48 and 40 features.
func glyphNet() *nn.Graph {
	g := &nn.Graph{Input: "image", InputShape: []int{1, 28, 28}, Output: "logits"}
	last := g.Input
	add := func(name string, op nn.Op) {
		g.Nodes = append(g.Nodes, &nn.Node{Name: name, Op: op, Inputs: []string{last}, Output: name + "_out"})
		last = name + "_out"
	}
	affine := func(name string, p, n int) nn.Op { return dense(name, p, n).Nodes[0].Op }
	add("flatten", &nn.Flatten{})
	add("first", affine("first", 784, 48))
	add("relu1", &nn.ReLU{})
	add("second", affine("second", 48, 40))
	add("relu2", &nn.ReLU{})
	add("classes", affine("classes", 40, 10))
	g.Output = last
	g.Init(1)
	return g
}

var glyphs = sync.OnceValues(func() (func() (*nn.Graph, *dataset.Set, *dataset.Set), error) {
	data := dataset.Glyphs(dataset.GlyphOptions{N: 2000, Seed: 5})
	test := dataset.Glyphs(dataset.GlyphOptions{N: 800, Seed: 5, Split: dataset.Test})
	g := glyphNet()
	_, err := train.Fit(context.Background(), g, data, train.Options{Epochs: 8, Seed: 2})
	return func() (*nn.Graph, *dataset.Set, *dataset.Set) { return g, data, test }, err
})

// trained is the net fitted to glyphs, once for all tests.
func trained(t *testing.T) (g *nn.Graph, train, test *dataset.Set) {
	t.Helper()
	f := must.Get(glyphs())(t)
	return f()
}

// quick are options that suit the small net.
func quick(target Target, maxDrop float64) Options {
	return Options{Target: target, MaxDrop: maxDrop, Seed: 3, Examples: 40,
		Families: []string{"gaussian", "laplace"}, Keeps: []int{0, 16, 8}, Projections: []string{"principal", "random"}}
}

func search(t *testing.T, o Options) *Answer {
	t.Helper()
	g, train, test := trained(t)
	return must.Get(Search(context.Background(), g, "", train, test, o))(t)
}

// A target alone: it is met, at no greater drop than that of any other point that
// meets it.
func TestTargetAlone(t *testing.T) {
	shared.Long(t, "a target without a largest drop, against every point tried")
	g, train, test := trained(t)
	o := quick(Target{Directions: 3, Within: .5}, 0)
	a := search(t, o)
	if !a.Met || a.Near != "" || a.Best == nil || !a.Best.Meets || a.Best.Directions > 3 {
		t.Fatalf("%+v, near %q", a.Best, a.Near)
	}
	if a.Best.Drop.Mean > .5 {
		t.Errorf("met only where accuracy drops by %v", a.Best.Drop.Mean)
	}
	for _, p := range a.Frontier {
		recount(t, g, train, test, p, o)
		// What the projection loses and what the noise does count together.
		if math.Abs(a.Clean.Fraction-p.Accuracy.Fraction-p.Drop.Mean) > 1e-12 || p.Drop.Interval.High-p.Drop.Mean > .05 {
			t.Errorf("%+v, but without defence %+v", p, a.Clean)
		}
		if p.Meets && p.Sigma > 0 && p.Drop.Mean < a.Best.Drop.Mean-.01 {
			t.Errorf("%+v meets the target more cheaply than %+v", p, a.Best)
		}
	}
	if c := a.Confirmed; c.Status != bound.StatusCertified || c.Method != bound.MethodBarankin || c.Examples != 40 || c.Raised != 1 ||
		!(c.MedianStd >= .98*c.Estimate) {
		t.Errorf("%+v", c)
	}
	confirmed(t, a)
}

// confirmed checks that fresh noise, of another seed, gives much the same accuracy. Both drops are of the same examples: they differ by noise alone, whose
// standard deviation in the mean over draws is less than ½/√(examples·draws) each,
// and the search's is the lucky one of some that were nearly as good. A normal
// deviate leaves 4.5 of its own with probability 7e-6.
func confirmed(t testing.TB, a *Answer) {
	t.Helper()
	c := a.Confirmed
	limit := 4.5 * .5 * math.Sqrt(2/float64(c.Drop.Examples*a.Best.Drop.Draws))
	if d := math.Abs(c.Drop.Mean - a.Best.Drop.Mean); d > limit {
		t.Errorf("the drop is %v by fresh noise, %v by the search's: more than %v apart", c.Drop.Mean, a.Best.Drop.Mean, limit)
	}
	if c.Drop.Draws < freshDraws || c.Accuracy.Trials != c.Drop.Examples*c.Drop.Draws || c.Seed == a.Best.Spec.Seed {
		t.Errorf("the noise is not fresh: %+v", c)
	}
}

// A greatest drop alone: it is kept to, nothing that keeps to it is more
// confidential, and a little more noise on the same line would not keep to it.
func TestMaxDropAlone(t *testing.T) {
	shared.Long(t, "a search for the most confidential release")
	o := quick(Target{}, .05)
	a := search(t, o)
	if a.Best == nil || !a.Best.Keeps || a.Best.Drop.Interval.High > o.MaxDrop {
		t.Fatalf("%+v, near %q", a.Best, a.Near)
	}
	if a.Met != a.Confirmed.Keeps || a.Confirmed.Keeps != (a.Confirmed.Drop.Mean <= o.MaxDrop) {
		t.Errorf("met %v, %+v", a.Met, a.Confirmed)
	}
	above := math.Inf(1)
	for _, p := range a.Frontier {
		if p.Keeps && p.Directions < a.Best.Directions {
			t.Errorf("%+v is more confidential than %+v", p, a.Best)
		}
		if compareLines(p, *a.Best) == 0 && !p.Keeps {
			above = min(above, p.Sigma)
		}
	}
	if above > a.Best.Sigma*(1+2*fineness) {
		t.Errorf("σ = %v is kept, but the next that is not is %v", a.Best.Sigma, above)
	}
	confirmed(t, a)
}

// Noise that improves a model, and noise under a model that only guesses, are never recommended:
// such a model is given inputs that it was not made for.
func TestNoImplausibleAnswer(t *testing.T) {
	g, train, test := trained(t)
	for name, change := range map[string]func(w, b []float32){
		"worse than a guess, so that noise helps": func(w, b []float32) {
			for i := range w {
				w[i] = -w[i]
			}
		},
		"one class whatever the input, so that noise costs nothing": func(w, b []float32) { b[3] = 1e6 },
	} {
		other := *g
		other.Nodes = slices.Clone(g.Nodes)
		last := *other.Nodes[len(other.Nodes)-1]
		was := last.Op.(*nn.Dense)
		d := nn.Dense{In: was.In, Out: was.Out, Weight: was.Weight, Bias: was.Bias}
		copied := func(p *nn.Param) *nn.Param {
			return &nn.Param{Name: p.Name, Shape: p.Shape, Data: slices.Clone(p.Data)}
		}
		d.Weight, d.Bias = copied(d.Weight), copied(d.Bias)
		last.Op = &d
		other.Nodes[len(other.Nodes)-1] = &last
		change(d.Weight.Data, d.Bias.Data)
		for _, o := range []Options{quick(Target{}, .05), quick(Target{Directions: 3, Within: .5}, 0)} {
			o.Families, o.Keeps = []string{"gaussian"}, []int{0}
			a := must.Get(Search(t.Context(), &other, "", train, test, o))(t)
			if a.Best != nil || a.Met || !strings.Contains(a.Near, "raises the accuracy") && !strings.Contains(a.Near, "guessing the commonest class") {
				t.Errorf("%s: %+v, met %v: %s", name, a.Best, a.Met, a.Near)
			}
			for _, p := range a.Frontier {
				if p.Scale > strongest {
					t.Errorf("%s: noise of %g times the features was tried", name, p.Scale)
				}
			}
		}
	}
}

// A target that only noise far beyond the features would meet is not met by such noise.
func TestNoStrongerNoise(t *testing.T) {
	o := quick(Target{Directions: 0, Within: 1e6}, 0)
	o.Families, o.Keeps = []string{"gaussian"}, []int{0}
	if a := search(t, o); a.Best != nil || !strings.Contains(a.Near, "at most 32 times is tried") {
		t.Errorf("%+v: %s", a.Best, a.Near)
	}
}

// A certified median: σ is raised until the certificate has it.
func TestMedianStdIsCertified(t *testing.T) {
	shared.Long(t, "searches and certifies a design")
	o := quick(Target{MedianStd: .4}, 0)
	a := search(t, o)
	c := a.Confirmed
	if !a.Met || c.MedianStd < .4 || c.Status != bound.StatusCertified {
		t.Fatalf("%+v, near %q", c, a.Near)
	}
	if c.Raised < 1 || c.Raised > 1.1 || (c.Raised > 1) != (c.Note != "") {
		t.Errorf("σ raised by %v, %q", c.Raised, c.Note)
	}
	if c.MedianStd > 1.05*.4 {
		t.Errorf("a median of %v where %v is asked for", c.MedianStd, .4)
	}
}

// Noise for which no bound can be proved does not meet a target of a certified median: the search
// chooses noise of another family. If no family has a bound, the target is not met, and the answer
// says why.
func TestEstimatesAreNotCertified(t *testing.T) {
	shared.Long(t, "a search with noise for which no bound can be proved")
	o := quick(Target{MedianStd: .3}, 0)
	o.Families, o.Keeps = []string{"student-t"}, []int{16}
	a := search(t, o)
	if a.Met || a.Best == nil || a.Confirmed.Status == bound.StatusCertified || !strings.Contains(a.Near, "(estimated)") {
		t.Errorf("%+v, near %q", a.Confirmed, a.Near)
	}
	o.Families = []string{"student-t", "gaussian"}
	if a = search(t, o); !a.Met || a.Best.Family != "gaussian" || a.Confirmed.Status != bound.StatusCertified {
		t.Errorf("%+v, near %q", a.Best, a.Near)
	}
}

// Logistic noise combines no witnesses: its certificate is far below the estimate,
// and σ is raised until it is not below the target.
func TestShortfallRaisesSigma(t *testing.T) {
	shared.Long(t, "a certificate below its estimate raises σ")
	o := quick(Target{MedianStd: .3}, 0)
	o.Families, o.Keeps = []string{"logistic"}, []int{0}
	a := search(t, o)
	c := a.Confirmed
	if !a.Met || c.MedianStd < .3 || c.Raised < 1.2 || !strings.Contains(c.Note, "σ was raised") {
		t.Fatalf("%+v, near %q", c, a.Near)
	}
	if math.Abs(c.Estimate-.3) > 1e-6 || math.Abs(a.Best.MedianStd/c.Estimate/c.Raised-1) > 1e-9 {
		t.Errorf("raised by %v from %v to %v", c.Raised, c.Estimate, a.Best.MedianStd)
	}
	confirmed(t, a)
}

// Progress never goes back and ends at its total.
func TestProgress(t *testing.T) {
	shared.Long(t, "the counts of progress")
	o := quick(Target{Directions: 3, Within: .5}, 0)
	last, end := map[string]int{}, map[string]int{}
	o.Progress = func(phase string, done, total int) {
		if done < last[phase] || done > total || phase == Searching && last[Certifying] > 0 {
			t.Errorf("%s: %d of %d after %v", phase, done, total, last)
		}
		last[phase], end[phase] = done, total
	}
	search(t, o)
	if want := map[string]int{Searching: 10, Certifying: 40}; !reflect.DeepEqual(last, want) || !reflect.DeepEqual(end, want) {
		t.Errorf("ended at %v of %v", last, end)
	}
}

// The linear attack's error on test data is at least what is asked for.
func TestAttackTarget(t *testing.T) {
	shared.Long(t, "a target for the error of the linear attack")
	o := quick(Target{AttackMSE: .6}, 0)
	o.Families, o.Keeps = []string{"gaussian"}, []int{0, 16}
	a := search(t, o)
	if !a.Met || a.Confirmed.AttackMSE < .6 || a.Confirmed.AttackMSE > .7 {
		t.Fatalf("%+v, near %q", a.Confirmed, a.Near)
	}
	o.Target.AttackMSE = 1e3
	if a = search(t, o); a.Met || a.Best != nil || !strings.Contains(a.Near, "no strength of noise meets the target") {
		t.Errorf("an error beyond the data's variance: %+v, %q", a.Best, a.Near)
	}
}

// Where nothing meets both the answer says how near it came.
func TestNearAnswers(t *testing.T) {
	shared.Long(t, "the nearest answer where none meets the target")
	o := quick(Target{Directions: 0, Within: 5}, .02)
	a := search(t, o)
	if a.Met || a.Best == nil || a.Confirmed == nil {
		t.Fatalf("%+v", a)
	}
	for _, want := range []string{"2 %", "directions within 5", "the target takes σ", a.Best.Family} {
		if !strings.Contains(a.Near, want) {
			t.Errorf("%q does not say %q", a.Near, want)
		}
	}
	if !a.Best.Keeps || a.Best.Meets {
		t.Errorf("%+v", a.Best)
	}
	// Eight random features of forty lose accuracy by themselves.
	if !strings.Contains(strings.Join(a.Left, "\n"), "8 features (random): even without noise") {
		t.Errorf("left %q", a.Left)
	}
}
