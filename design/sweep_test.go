package design

import (
	"context"
	"errors"
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
	"tattle/onnx"
	"tattle/release"
)

// glyphNet is a small net of 28×28 pictures, fitted to glyphs once for all tests: two layers of 48 and
// 40 features.
var glyphNet = sync.OnceValues(func() (*nn.Graph, error) {
	affine := func(p, n int) nn.Op {
		return &nn.Dense{In: p, Out: n, Weight: &nn.Param{Name: "weight", Shape: []int{n, p}, Data: make([]float32, n*p)}, Bias: &nn.Param{Name: "bias", Shape: []int{n}, Data: make([]float32, n)}}
	}
	g := &nn.Graph{Input: "image", InputShape: []int{1, 28, 28}, Output: "image"}
	for i, op := range []nn.Op{&nn.Flatten{}, affine(784, 48), &nn.ReLU{}, affine(48, 40), &nn.ReLU{}, affine(40, 10)} {
		name := []string{"flatten", "first", "relu1", "second", "relu2", "classes"}[i]
		if d, ok := op.(*nn.Dense); ok {
			d.Weight.Name, d.Bias.Name = name+".weight", name+".bias"
		}
		g.Nodes = append(g.Nodes, &nn.Node{Name: name, Op: op, Inputs: []string{g.Output}, Output: name + "_out"})
		g.Output = name + "_out"
	}
	g.Init(1)
	_, err := train.Fit(context.Background(), g, glyphs(dataset.Train), train.Options{Epochs: 8, Seed: 2})
	return g, err
})

func glyphs(part dataset.Split) *dataset.Set {
	n := 2000
	if part == dataset.Test {
		n = 800
	}
	return dataset.Glyphs(dataset.GlyphOptions{N: n, Seed: 5, Split: part})
}

// quick are options that suit the small net.
func quick(limits Limits, maxDrop float64) Options {
	return Options{Limits: limits, MaxDrop: maxDrop, Seed: 3, Indices: dataset.First(40), Coordinates: bound.DCT([]int{1, 28, 28}),
		Families: []string{"gaussian", "laplace"}, Keeps: []int{0, 16, 8}, Projections: []string{"principal", "random"}}
}

func sweepGlyphs(t *testing.T, o Options) *Answer {
	t.Helper()
	return must.Get(Search(context.Background(), must.Get(glyphNet())(t), glyphs(dataset.Train), glyphs(dataset.Test), o))(t)
}

// answerOf measures an answer on test data with other noise, and computes again what unbiased estimators
// resolve, from the model that was written.
func answerOf(t *testing.T, o Options, a *Answer) (u Utility, directions, median float64) {
	t.Helper()
	if a.Best == nil {
		t.Fatalf("no release: nearest %+v, left %q", a.Nearest, a.Left)
	}
	test := glyphs(dataset.Test)
	b := must.Get(onnx.Encode(a.Model))(t)
	written := must.Get(onnx.Decode("model", b))(t)
	u = must.Get(a.Utility(context.Background(), must.Get(glyphNet())(t), written, test, nil, func(n int) (release.Noise, error) { return release.ParseNoise(a.Family, a.Best.Sigma, n) }, 77))(t)
	front, _ := must.Get2(written.Cut(Node))(t)
	net := must.Get(nn.NewNet(front))(t)
	_, n := net.Dims()
	if n != a.Best.Keep {
		t.Errorf("%d numbers are released, %d were chosen", n, a.Best.Keep)
	}
	noise := must.Get(release.ParseNoise(a.Family, a.Best.Sigma, n))(t)
	var counts, stds []float64
	x, x64 := make([]float32, 784), make([]float64, 784)
	for _, i := range o.Indices {
		test.Examples(x, []int{i})
		for k, v := range x {
			x64[k] = float64(v)
		}
		f := must.Get(bound.Jacobians(net, x64)[0].Factor())(t)
		scale := 1 / math.Sqrt(noise.Fisher())
		counts = append(counts, float64(bound.Resolvable(f.S, scale, []float64{o.Level()})[0]))
		stds = append(stds, f.CramerRao(o.Coordinates, scale).Full...)
	}
	slices.Sort(counts)
	slices.Sort(stds)
	middle := func(x []float64) float64 { return (x[(len(x)-1)/2] + x[len(x)/2]) / 2 }
	directions, median = middle(counts), middle(stds)
	if directions != a.Best.Directions || math.Abs(median/a.Best.MedianStd-1) > 1e-4 {
		t.Errorf("%v directions and a median of %v, said to be %v and %v", directions, median, a.Best.Directions, a.Best.MedianStd)
	}
	return u, directions, median
}

// A target alone: it is met, at no greater cost than at any point that meets it, and with little more
// noise than where it is not.
func TestTargetAlone(t *testing.T) {
	shared.Long(t, "a target without a largest drop, against every point tried")
	o := quick(Limits{Directions: 3, Within: .5}, 0)
	a := sweepGlyphs(t, o)
	u, directions, _ := answerOf(t, o, a)
	if directions > 3 || u.Drop.Fraction > .5 {
		t.Errorf("%v directions, at a drop of %v", directions, u.Drop.Fraction)
	}
	// Both are of the same examples: fresh noise changes the mean of two and of eight draws by less than ½/√n each.
	// A normal deviate leaves 4.5 of its own with probability 7e-6.
	if d := math.Abs(u.Drop.Fraction - a.Best.Drop); d > 4.5*.5*math.Sqrt(1./1600+1./6400) {
		t.Errorf("the drop is %v by fresh noise, %v by the search's", u.Drop.Fraction, a.Best.Drop)
	}
	below := 0.
	for _, p := range a.Points {
		if p.Meets && p.Accuracy[0] > a.Best.Accuracy[0]+.01 {
			t.Errorf("%+v meets the target more cheaply than %+v", p, a.Best)
		}
		if math.Abs(a.Clean-p.Accuracy[0]-p.Drop) > 1e-9 { // what the projection loses and what the noise does count together
			t.Errorf("%+v, but without defence %v", p, a.Clean)
		}
		if p.Method == a.Best.Method && p.Keep == a.Best.Keep && p.Family == a.Best.Family && !p.Meets {
			below = max(below, p.Sigma)
		}
	}
	if !a.Best.Free && a.Best.Sigma > 1.005*below {
		t.Errorf("σ = %v, though already %v does not meet the target", a.Best.Sigma, below)
	}
}

// A greatest drop alone: it is kept by fresh noise, nothing that keeps it is more confidential, and a
// little more noise on the same line would not keep it.
func TestMaxDropAlone(t *testing.T) {
	shared.Long(t, "a search for the most confidential release")
	o := quick(Limits{}, .05)
	a := sweepGlyphs(t, o)
	if u, _, _ := answerOf(t, o, a); u.Drop.Interval.High > o.MaxDrop {
		t.Errorf("the drop may be %v", u.Drop.Interval.High)
	}
	above := math.Inf(1)
	for _, p := range a.Points {
		if p.Meets && p.Directions < a.Best.Directions {
			t.Errorf("%+v is more confidential than %+v", p, a.Best)
		}
		if p.Method == a.Best.Method && p.Keep == a.Best.Keep && p.Family == a.Best.Family && !p.Meets {
			above = min(above, p.Sigma)
		}
	}
	if above > 1.005*a.Best.Sigma {
		t.Errorf("σ = %v is kept, but the next that is not is %v", a.Best.Sigma, above)
	}
	// Eight random features of forty lose accuracy by themselves.
	if !strings.Contains(strings.Join(a.Left, "\n"), "8 random features at relu2: even without noise") {
		t.Errorf("left %q", a.Left)
	}
}

// Noise that improves a model, and noise under a model that only guesses, are never recommended: such a
// model is given inputs that it was not made for. Nor is noise far beyond the features.
func TestNoImplausibleAnswer(t *testing.T) {
	for name, change := range map[string]func(w, b []float32){
		"worse than a guess, so that noise helps": func(w, b []float32) {
			for i := range w {
				w[i] = -w[i]
			}
		},
		"one class whatever the input, so that noise costs nothing": func(w, b []float32) { b[3] = 1e6 },
	} {
		g := must.Get(copyOf(must.Get(glyphNet())(t)))(t)
		last := g.Nodes[len(g.Nodes)-1].Op.(*nn.Dense)
		change(last.Weight.Data, last.Bias.Data)
		for _, o := range []Options{quick(Limits{}, .05), quick(Limits{Directions: 3, Within: .5}, 0)} {
			o.Families, o.Keeps = []string{"gaussian"}, []int{0}
			a := must.Get(Search(t.Context(), g, glyphs(dataset.Train), glyphs(dataset.Test), o))(t)
			if left := strings.Join(a.Left, "; "); a.Best != nil || !strings.Contains(left, "raises the accuracy") && !strings.Contains(left, "guessing the commonest class") {
				t.Errorf("%s: %+v, left %s", name, a.Best, left)
			}
			if slices.ContainsFunc(a.Points, func(p Point) bool { return p.Meets }) {
				t.Errorf("%s: a point counts as an answer", name)
			}
		}
	}
	o := quick(Limits{Directions: 0, Within: 1e6}, 0)
	o.Families, o.Keeps = []string{"gaussian"}, []int{0}
	if a := sweepGlyphs(t, o); a.Best != nil || a.Nearest == nil || a.Nearest.Sigma < 10 {
		t.Errorf("only noise far beyond the features would do: %+v, nearest %+v", a.Best, a.Nearest)
	}
}

// TestCertifiedMedian: σ is raised until the certificate has the median that is asked for. Logistic noise
// combines no witnesses, so that its certificate is far below the estimate. No bound can be proved for
// Student's t.
func TestCertifiedMedian(t *testing.T) {
	shared.Long(t, "searches and certifies releases")
	for family, raised := range map[string][2]float64{"gaussian": {1, 1.1}, "logistic": {1.2, 4}} {
		o := quick(Limits{MedianStd: .3}, 0)
		o.Families, o.Keeps, o.Dir = []string{family}, []int{0}, t.TempDir()
		a := sweepGlyphs(t, o)
		_, _, median := answerOf(t, o, a)
		front, _ := must.Get2(a.Model.Cut(Node))(t)
		e := bound.Experiment{Noise: must.Get(release.ParseNoise(a.Family, a.Best.Sigma, a.Best.Keep))(t), Coordinates: o.Coordinates,
			Settings: bound.Settings{Search: bound.SearchOptions{Seed: o.Seed}, Barankin: bound.BarankinOptions{Witnesses: witnesses}}}
		r := must.Get(bound.Run(t.Context(), must.Get(nn.NewNet(front))(t), glyphs(dataset.Test), o.Indices, e, bound.RunOptions{Dir: t.TempDir()}))(t)
		if got := CertifiedMedian(r.Summaries); got < .3 || got > 1.05*.3 {
			t.Errorf("%s: a median of %v is certified", family, got)
		}
		if by := median / .3; by < raised[0]*.999 || by > raised[1] {
			t.Errorf("%s: the estimate is %v times the target", family, by)
		}
	}
	o := quick(Limits{MedianStd: .3}, 0)
	o.Families, o.Keeps = []string{"student-t"}, []int{16}
	if a := sweepGlyphs(t, o); a.Best != nil || !strings.Contains(strings.Join(a.Left, ""), "no bound can be proved") {
		t.Errorf("%+v, left %q", a.Best, a.Left)
	}
	o.Families = []string{"student-t", "gaussian"}
	if a := sweepGlyphs(t, o); a.Best == nil || a.Best.Family != "gaussian" {
		t.Errorf("%+v", a.Best)
	}
}

// The linear attack's error on the examples is at least what is asked for; an error beyond the data's
// variance cannot be had.
func TestAttackTarget(t *testing.T) {
	shared.Long(t, "a target for the error of the linear attack")
	o := quick(Limits{LinearMSE: .6}, 0)
	o.Families, o.Keeps = []string{"gaussian"}, []int{0, 16}
	a := sweepGlyphs(t, o)
	answerOf(t, o, a)
	s := must.Get(newSearcher(must.Get(glyphNet())(t), glyphs(dataset.Train), glyphs(dataset.Test), o))(t)
	front, _ := must.Get2(a.Model.Cut(Node))(t)
	s.Seed = 99 // other noise
	rms := must.Get(s.attacked(t.Context(), must.Get(nn.NewNet(front))(t), must.Get(release.NewGaussian(a.Best.Sigma))(t), []string{"linear"}, s.train, s.test, o.Indices))(t)
	if rms*rms < .6 || rms*rms > .75 {
		t.Errorf("the attack errs by %v", rms*rms)
	}
	o.LinearMSE = 1e3
	if a = sweepGlyphs(t, o); a.Best != nil || a.Nearest == nil {
		t.Errorf("an error beyond the data's variance: %+v", a.Best)
	}
}

// A promise and a target are kept together, on a model of the promise's methods.
func TestPromiseWithTarget(t *testing.T) {
	shared.Long(t, "a search for a promise and a target")
	o := Options{Limits: Limits{Identify: .2, Candidates: 100, Directions: 2, Within: .5}, Seed: 3, Indices: dataset.First(20), Coordinates: bound.DCT([]int{1, 28, 28}), Methods: []Method{Isotropic, Discriminant}, ListDraws: 1000}
	a := sweepGlyphs(t, o)
	if _, directions, _ := answerOf(t, o, a); directions > 2 || a.Best.Identified > .2 {
		t.Errorf("%v directions, %v identified", directions, a.Best.Identified)
	}
	for _, p := range a.Points {
		if p.Meets && (p.Directions > 2 || p.Identified > .2) {
			t.Errorf("%+v does not meet both limits", p)
		}
	}
}

// However often the search is interrupted, the answer is the same; another search does not continue it.
func TestSweepResumes(t *testing.T) {
	shared.Long(t, "an interrupted search comes to the same answer")
	o := quick(Limits{MedianStd: .3}, 0)
	o.Families, o.Indices = []string{"gaussian"}, dataset.First(10)
	want := sweepGlyphs(t, o)
	o.Dir, o.Resume = t.TempDir(), true
	for _, phase := range []string{"searching", "certifying"} {
		ctx, cancel := context.WithCancel(context.Background())
		o.Progress = func(now string, done, total int) {
			if now == phase && done > 0 {
				cancel()
			}
		}
		if _, err := Search(ctx, must.Get(glyphNet())(t), glyphs(dataset.Train), glyphs(dataset.Test), o); !errors.Is(err, context.Canceled) {
			t.Fatalf("interrupted while %s: %v", phase, err)
		}
	}
	o.Progress = nil
	if got := sweepGlyphs(t, o); !reflect.DeepEqual(got.Best, want.Best) || !reflect.DeepEqual(got.Points, want.Points) {
		t.Errorf("in pieces: %+v\nwant %+v", got.Best, want.Best)
	}
	o.Seed++
	_, err := Search(context.Background(), must.Get(glyphNet())(t), glyphs(dataset.Train), glyphs(dataset.Test), o)
	must.Fail(t, err, "Seed")
}

func TestKeeps(t *testing.T) {
	for _, c := range []struct {
		keeps []int
		n     int
		want  []int
	}{
		{nil, 784, []int{784, 392, 196, 98, 49, 24, 12}},
		{nil, 10, []int{10}},
		{nil, 4, []int{4}},
		{[]int{5, 0, 30, 5, 20}, 30, []int{30, 20, 5}},
	} {
		if got := must.Get((&Options{Keeps: c.keeps}).keeps(c.n))(t); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v of %d: %v, want %v", c.keeps, c.n, got, c.want)
		}
	}
}

func TestParseResolvable(t *testing.T) {
	for s, want := range map[string]Limits{"10@0.5": {Directions: 10, Within: .5}, "0@2": {Within: 2}, "3@1e-2": {Directions: 3, Within: .01}} {
		if n, within, err := ParseResolvable(s); err != nil || n != want.Directions || within != want.Within {
			t.Errorf("%q: %d, %v, %v", s, n, within, err)
		}
	}
	for _, s := range []string{"", "10", "@", "10@", "@.5", "-1@.5", "10@0", "10@-1", "10@NaN", "10@Inf", "1.5@1", "10@.5@1"} {
		must.Fail(t, must.Err2(ParseResolvable(s)), "10@0.5")
	}
}

func TestSweepRefuses(t *testing.T) {
	g := must.Get(glyphNet())(t)
	ten := Limits{Directions: 10, Within: .5}
	for want, o := range map[string]Options{
		"no promise and no target":  {},
		"accuracy drop -0.1":        {MaxDrop: -.1},
		"accuracy drop 2":           {MaxDrop: 2},
		"accuracy drop NaN":         {MaxDrop: math.NaN()},
		"within what":               {Limits: Limits{Directions: 3}, MaxDrop: .1},
		"-1 directions":             {Limits: Limits{Directions: -1, Within: 1}},
		"+Inf: give a positive":     {Limits: Limits{MedianStd: math.Inf(1)}},
		"-1: give a positive":       {Limits: Limits{LinearMSE: -1}},
		"-1 draws":                  {Limits: ten, Draws: -1},
		"learns from training data": {Limits: Limits{LinearMSE: 1}},
		"principal directions are":  {Limits: ten, Projections: []string{"principal"}},
		`there is no "pca"`:         {Limits: ten, Projections: []string{"pca"}},
		"9999 of 40 features":       {Limits: ten, Keeps: []int{9999}},
		"uniform":                   {Limits: ten, Families: []string{"uniform"}},
		"laplace is given twice":    {Limits: ten, Families: []string{"laplace", "laplace"}},
		"/proc/no":                  {Limits: ten, Keeps: []int{0}, Families: []string{"gaussian"}, Dir: "/proc/nowhere/at/all"},
		"needs training data":       {Limits: Limits{Bits: 1}},
	} {
		must.Fail(t, must.Err(Search(context.Background(), g, nil, glyphs(dataset.Test), o)), want)
	}
}
