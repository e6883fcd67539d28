package bound

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/math/lsqr"
	"tattle/internal/must"
	"tattle/internal/protect/release"
)

// Both searches start from the same draws and apply the same pseudoinverse, one
// by LSQR: the witnesses agree to its tolerance, here 1e-7 times the condition
// of J (some hundreds) and what ten nonlinear repeats make of it.
func TestDirectAgreesWithAlgorithm1(t *testing.T) {
	m, data, e := small(t)
	for _, iteration := range []string{PaperIteration, InverseIteration} {
		e.Search.Iteration = iteration
		e.Search.Search = Direct
		direct := witnesses(t, mustRun(t, m, data, upTo(70), e), DefaultSize)
		e.Search.Search = Algorithm1
		free := witnesses(t, mustRun(t, m, data, upTo(70), e), DefaultSize)
		median, worst := distance(free, direct, 24, .5), distance(free, direct, 24, .99)
		if median > 1e-4 || worst > 1e-2 {
			t.Errorf("%s iteration: witnesses differ by %.2g (median), %.2g (99%%)", iteration, median, worst)
		}
	}
}

// Systems that have stopped are left out of the products: the same solutions, to
// LSQR's tolerance, with fewer rows through the net.
func TestStoppedSystemsCostNothing(t *testing.T) {
	m, data, _ := small(t)
	p, n := m.Dims()
	const examples, restarts = 8, 6
	r := rand.New(rand.NewPCG(10, 10))
	z, rows := normals(r, examples*restarts*n, 1), 0
	free := &matrixFree{model: &counter{m, func(inputs int) { rows += inputs }}}
	free.batch = &batch{record: &record{theta: data.X[:examples*p]}}
	solve := func(a lsqr.Operator[float32]) ([]float32, int) {
		rows = 0
		got := lsqr.Solve(a, z, examples*restarts, converged)
		return got.X, rows
	}
	want, all := solve(&free.operator(t.Context(), examples*restarts).products)
	got, some := solve(free.operator(t.Context(), examples*restarts))
	if again, _ := solve(free.operator(t.Context(), examples*restarts)); !slices.Equal(again, got) {
		t.Error("two solutions differ")
	}
	if d := distance(got, want, p, 1); d > 1e-4 {
		t.Errorf("solutions differ by %g", d)
	}
	if some*10 > all*9 {
		t.Errorf("%d rows through the net, %d without leaving any out", some, all)
	}
}

// The inverse iteration reaches the least singular value: ‖ε‖/‖z‖ → 1/s_r.
func TestInverseIterationFindsTheLeastSingularValue(t *testing.T) {
	m, data, e := small(t)
	e.Search.Search, e.Search.Iteration, e.Search.Repeats = Direct, InverseIteration, 20
	e.Sizes = []float64{1e-4}
	r := mustRun(t, m, data, upTo(20), e)
	eps := witnesses(t, r, 1e-4)
	ds := divergences(t, m, r, r.Near()[0])
	good := 0
	for i := range 20 {
		s := r.Spectra[i]
		k := i * 6
		if got := norm32(eps[k*24:(k+1)*24]) / ds[k].ZNorm * s[len(s)-1]; got > .99 {
			good++
		}
	}
	if good < 15 {
		t.Errorf("‖ε‖/‖z‖ reaches .99/s_r for %d of 20 examples", good)
	}
}

// The published procedure solves one system for the stack, in a diagonal form got
// by updating the decomposition of J at θ: the same as LSQR on J itself, at θ, at
// points where few units have changed and at points where many have, but for the
// rounding of float32, which may cost a step or two of some eighty.
func TestPublishedDiagonalForm(t *testing.T) {
	m, data, _ := small(t)
	r := rand.New(rand.NewPCG(9, 9))
	p, n := m.Dims()
	theta, z := data.X[:5*p], normals(r, 5*n, 1)
	base := must.Get(factorsAt(t.Context(), m, theta))(t)
	for _, far := range []float64{0, .03, .1, 3} {
		at := slices.Clone(theta)
		for i := range at {
			at[i] += float32(far * r.NormFloat64())
		}
		s := &published{model: m, updater: newUpdater(m, theta, base), effort: make([]int64, 3)}
		got, err := s.stacked(t.Context(), at, z, 1e-4/publishedATol)
		must.Do(t, err)
		want := lsqr.Solve[float32](stack{&products{t.Context().Err, m.Linearize(at), p, n}, 5}, z, 1, lsqr.Options{ATol: 1e-4, BTol: publishedBTol})
		anew := s.updater.full
		if n := want.Stats[0].Iterations; math.Abs(float64(s.effort[0])-float64(n)) > 4 {
			t.Errorf("%g away: %d steps in the diagonal form, %d in the original", far, s.effort[0], n)
		}
		if d := distance(got, want.X, 5*p, .5); d > 5e-3 {
			t.Errorf("%g away: solutions differ by %g", far, d)
		}
		s.updater = nil
		if got, err = s.stacked(t.Context(), at, z, 1e-4/publishedATol); err != nil || distance(got, want.X, 5*p, .5) > 0 {
			t.Errorf("%g away: without decomposition, solutions differ: %v", far, err)
		}
		if full := anew; far == .1 && full > 0 || far == 3 && full == 0 {
			t.Errorf("%g away: %d Jacobians formed anew", far, full)
		}
	}
}

func TestResolveRefuses(t *testing.T) {
	m, data, good := small(t)
	for what, change := range map[string]func(*Experiment){
		"sigma is 0":     func(e *Experiment) { e.Noise = release.Gaussian{Sigma: 0} },
		"sigma is -1":    func(e *Experiment) { e.Noise = release.Gaussian{Sigma: -1} },
		"sigma is NaN":   func(e *Experiment) { e.Noise = release.Gaussian{Sigma: math.NaN()} },
		"sigma is 1e+30": func(e *Experiment) { e.Noise = release.Gaussian{Sigma: 1e30} },
		"of 7 inputs":    func(e *Experiment) { e.Coordinates = Pixels(7) },
		"size 0 of":      func(e *Experiment) { e.Sizes = []float64{0} },
		"given twice":    func(e *Experiment) { e.Sizes = []float64{.01, .01} },
		"at most 32767":  func(e *Experiment) { e.Search.Restarts = 1 << 20 },
		"no coordinates": func(e *Experiment) { e.Coordinates = nil },
		"for 1 inputs":   func(e *Experiment) { e.Domain = Domain{Low: []float64{0}, High: []float64{1}} },
	} {
		e := good
		change(&e)
		must.Fail(t, must.Err2(e.resolve(lookAt(m, data.X[:24]), nil)), what)
	}
	for _, o := range []PairOptions{{Witnesses: -1}, {Witnesses: MostPairs + 1}, {Witnesses: 1, Domain: boxOf(23, 0, 1)}, {Groups: 1}, {Witnesses: 1, Groups: MostPairGroups + 1}, {Witnesses: 1, Groups: -1}} {
		e := good
		e.Pairs = o
		must.Fail(t, must.Err2(e.resolve(lookAt(m, data.X[:24]), nil)))
	}
}

// Certify gives the same figures as Run for a data set of that input, with its witnesses.
func TestCertifyIsRun(t *testing.T) {
	m, data, e := small(t)
	box := cube(24, 4)
	e.Far, e.Barankin, e.Twins = FarOptions{Starts: 3, Domain: box}, BarankinOptions{Witnesses: 8}, TwinOptions{Examples: 1, Domain: box}
	theta := data.X[:24]
	got := must.Get(Certify(t.Context(), m, theta, e))(t)
	want := mustRun(t, m, nn.Rows{P: 24, X: theta}, []int{0}, e)
	for i, pair := range [][2]*Bounds{{got.Kinds[0], want.Kinds[0]}, {got.Kind(SearchFar), want.Kind(SearchFar)}, {got.Kind(SearchCombined), want.Kind(SearchCombined)}, {got.Kind(SearchTwins), want.Kind(SearchTwins)}} {
		if !slices.Equal(pair[0].Std, pair[1].Std) {
			t.Errorf("bounds %d: %v, want %v", i, pair[0], pair[1])
		}
		a, err := got.Witnesses(pair[0], 0)
		b, err2 := want.Witnesses(pair[1], 0)
		if err != nil || err2 != nil || !slices.Equal(a, b) {
			t.Errorf("bounds %d: witnesses differ: %v, %v", i, err, err2)
		}
	}
	if !reflect.DeepEqual(got.Summaries, want.Summaries) {
		t.Errorf("summaries %v, want %v", got.Summaries, want.Summaries)
	}
}

func TestCertifyErrs(t *testing.T) {
	m, data, e := small(t)
	must.Fail(t, must.Err(Certify(t.Context(), m, data.X[:23], e))) // an input of the wrong length
	e.Coordinates = nil
	if r, err := Certify(t.Context(), m, data.X[:24], e); err != nil || r.Experiment.Coordinates.Name() != "pixels" {
		t.Errorf("coordinates by default: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	must.Fail(t, must.Err(Certify(ctx, m, data.X[:24], e)))
}

// Two features, x₁ + x₂ and 2x₂, are released with noise of standard deviation 0.1. No
// unbiased estimator of an input can have a smaller standard deviation than this.
func ExampleCertify() {
	g := &nn.Graph{Input: "x", InputShape: []int{2}, Output: "a", Nodes: []*nn.Node{{
		Name: "a", Inputs: []string{"x"}, Output: "a", Op: &nn.Dense{In: 2, Out: 2,
			Weight: &nn.Param{Shape: []int{2, 2}, Data: []float32{1, 1, 0, 2}}, Bias: &nn.Param{Shape: []int{2}, Data: []float32{0, 0}}},
	}}}
	net, err := nn.NewNet(g)
	if err != nil {
		log.Fatal(err)
	}
	result, err := Certify(context.Background(), net, []float32{.3, .7}, Experiment{
		Noise:    release.Gaussian{Sigma: .1},
		Settings: Settings{Barankin: BarankinOptions{Witnesses: 2}, Runtime: RealArithmetic},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f\n", result.Kind(SearchCombined).Std)
	// Output: [0.1118 0.0500]
}
