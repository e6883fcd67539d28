package bound

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
	"tattle/internal/protect/release"
)

// Settings read back are those that were written, but for the inputs of domains: an
// experiment with a domain of which only the name is known is refused.
func TestSettingsReadBack(t *testing.T) {
	m, data, e := small(t)
	e.Domain, e.Far = cube(24, 5), FarOptions{Starts: 2, Domain: Free, Seed: 4}
	e, _ = must.Get2(e.resolve(lookAt(m, data.X[:24]), nil))(t)
	b := must.Get(json.Marshal(e.Settings))(t)
	back := e
	back.Settings = Settings{}
	must.Do(t, json.Unmarshal(b, &back.Settings))
	if s := back.Domain.String(); s != DomainLegal {
		t.Errorf("domain %q", s)
	}
	must.Fail(t, back.check(m)) // an experiment with a domain of unknown inputs
	back.Domain = e.Domain
	if err := back.check(m); err != nil || !reflect.DeepEqual(back.Settings, e.Settings) {
		t.Errorf("%v: %+v, want %+v", err, back.Settings, e.Settings)
	}
}

// bytesAs is the grid of p bytes. A byte v becomes (v/255 − mean)/std, in float32.
func bytesAs(t testing.TB, p int, mean, std float32) Domain {
	t.Helper()
	list := make([]float32, 256)
	for v := range list {
		x := float32(v) / 255
		x -= mean
		list[v] = x / std
	}
	return must.Get(Stored(slices.Repeat([]float64{float64(list[0])}, p), slices.Repeat([]float64{float64(list[255])}, p), slices.Repeat([]Values{{1, list}}, p)))(t)
}

// onGrid draws stored inputs.
func onGrid(d Domain, count int, seed uint64) nn.Rows {
	r := rand.New(rand.NewPCG(seed, 1))
	p := len(d.Low)
	data := nn.Rows{X: make([]float32, count*p), P: p, Labels: make([]int, count)}
	for i := range data.X {
		list := d.Grid[i%p].List
		data.X[i] = list[r.IntN(len(list))]
	}
	for i := range data.Labels {
		data.Labels[i] = i % 3
	}
	return data
}

// stored is the small experiment with far witnesses and twins among stored inputs.
func stored(t testing.TB) (*nn.Net, nn.Rows, Experiment, Domain) {
	m, _, e := small(t)
	d := bytesAs(t, 24, .5, .5)
	e.Far = FarOptions{Starts: 4, Domain: d, Seed: 5}
	e.Twins = TwinOptions{Examples: 5, Domain: d, Seed: 6}
	return m, onGrid(d, 12, 9), e, d
}

// What the searches find is on the grid, exactly; the same seed gives the same bytes, and
// verify agrees.
func TestStoredWitnessesAreStored(t *testing.T) {
	m, data, e, d := stored(t)
	e.Domain, e.Barankin.Witnesses = d, 12
	r := mustRun(t, m, data, upTo(5), e)
	if again := mustRun(t, m, data, upTo(5), e); again.SHA256 != r.SHA256 {
		t.Error("the same seed gives other bytes")
	}
	f, proved := open(t, r.Path), 0
	for _, s := range r.Experiment.witnessSets() {
		eps := array(t, f, s.name+"_eps")
		for k := range len(eps) / 24 {
			theta, x, zero := rowOf(data.X, k/s.Witnesses, 24), make([]float64, 24), make([]float64, 24)
			for i, v := range rowOf(eps, k, 24) {
				sum, err := twoSum(float64(theta[i]), v)
				if x[i] = sum; err != 0 || !slices.Contains(d.Grid[i].List, float32(sum)) || float64(float32(sum)) != sum {
					t.Fatalf("%s: witness %d has input %d at %g + %g", s.name, k, i, sum, err)
				}
			}
			if !d.stored(x, zero) {
				t.Fatalf("%s: witness %d is not on the grid", s.name, k)
			}
		}
		if slices.Max(array(t, f, s.name+"_mean_square")) > 0 {
			proved++
		}
	}
	if proved < 3 {
		t.Errorf("%d of %d kinds of witnesses prove something", proved, len(r.Experiment.witnessSets()))
	}
	if found := verified(t, m, data, r, r.claims()); len(found) > 0 {
		t.Errorf("verify finds %v", found)
	}
	for _, s := range r.Summaries {
		if s.Domain != "" && s.Domain != DomainStored {
			t.Errorf("%s: a summary about the domain %s", s.Method, s.Domain)
		}
	}
}

// Steps along the grid never make a witness worth less, and most of them worth much more. A witness of zeros, which was
// not found, stays so.
func TestRefineClimbs(t *testing.T) {
	m, data, _, d := stored(t)
	f := must.Get(newTwinFinder(m.Graph(), d))(t)
	var theta []float32
	var eps []float64
	for i := range data.Len() {
		e, found := make([]float64, 48), make([]float64, 24)
		if ok, err := f.find(t.Context(), e, rowOf(data.X, i, 24), nil); err != nil {
			t.Fatal(err)
		} else if ok[0] {
			d.Round(found, rowOf(data.X, i, 24), e[:24])
			theta, eps = append(theta, rowOf(data.X, i, 24)...), append(eps, found...)
		}
	}
	theta, eps = append(theta, rowOf(data.X, 0, 24)...), append(eps, make([]float64, 24)...)
	c := Certifier{Net: m, Noise: release.Gaussian{Sigma: 1}, Domain: d}
	worth := func() (w []float64) {
		for i := range len(theta) / 24 {
			e := rowOf(eps, i, 24)
			w = append(w, c.divergencesFloat64(t.Context(), rowOf(theta, i, 24), e)[0].meanSquare(e))
		}
		return w
	}
	before := worth()
	// A walk keeps where 1, 2, 4, … steps lead, and where it ends.
	at, z := make([]float64, 24), make([]float64, 30)
	moved(t.Context(), m, z, nn.Float64s(theta[:24]), eps[:24])
	floats.AddTo(at, nn.Float64s(theta[:24]), eps[:24])
	r, j := &refiner{model: m, domain: d, sigma: 1, p: 24, n: 30}, Jacobians(m, at)[0]
	s, path := newSteps(r, j, nn.Float64s(theta[:24]), eps[:24], z), [][]float64{}
	for s.single() || s.pair() {
		path = append(path, slices.Clone(s.eps))
	}
	var kept []float64
	for k := 1; k < len(path); k *= 2 {
		kept = append(kept, path[k-1]...)
	}
	if kept = append(kept, path[len(path)-1]...); !slices.Equal(kept, r.walk(t.Context(), j, nn.Float64s(theta[:24]), eps[:24], z)) {
		t.Errorf("a walk of %d steps keeps others than %d of them", len(path), len(kept)/24)
	}
	// J is taken at the end of a row. A row is worth ‖ε‖²/expm1(q²), also where nothing moves.
	all := &refiner{model: m, sigma: 2, hidden: 1, p: 24, n: 30, each: 1, theta: nn.Float64s(theta), eps: eps}
	floats.AddTo(at, nn.Float64s(theta[48:72]), eps[48:72])
	if js := all.jacobians(t.Context(), []int{1, 2}); !floats.EqualApprox(js[1].Rows, Jacobians(m, at)[0].Rows, 1e-5) {
		t.Error("another Jacobian of row 2")
	}
	a := all.value([]float64{3, 4}, []float64{0, 3})
	all.hidden = 0
	if b := all.value([]float64{3, 4}, []float64{0, 0}); math.Abs(a-math.Log(25/math.Expm1(4))) > 1e-12 || !(b > 700) {
		t.Errorf("values %g and %g", a, b)
	}
	ended, cancel := context.WithCancel(t.Context())
	if cancel(); r.walk(ended, j, nn.Float64s(theta[:24]), eps[:24], z) != nil {
		t.Error("a walk goes on after the end of its context")
	}
	must.Do(t, d.refine(t.Context(), m, eps, theta, 1, 1e-9, 1, 1))
	better := 0
	for i, v := range worth() {
		if v < before[i]*(1-1e-9) {
			t.Errorf("example %d: %g, and rounded %g", i, v, before[i])
		}
		if v > 2*before[i] {
			better++
		}
	}
	if square(eps[len(eps)-24:]) != 0 {
		t.Error("a witness that was not found is another one")
	}
	if len(before) < 9 || better < len(before)*3/4 {
		t.Errorf("%d of %d twins are worth twice what rounding leaves", better, len(before))
	}
}

// Verify finds witnesses that leave the grid by one rounding, and a runtime's error
// that was made smaller.
func TestVerifyCatchesWitnessesOffTheGrid(t *testing.T) {
	m, data, e, _ := stored(t)
	r := mustRun(t, m, data, upTo(5), e)
	for _, name := range []string{"far_eps", "twin_eps"} {
		claims := forgeArray(t, r, name, func(x any) {
			eps := x.([]float64)
			for i := range eps {
				if eps[i] != 0 {
					eps[i] = math.Nextafter(eps[i], 0)
				}
			}
		})
		if len(verified(t, m, data, r, claims)) == 0 {
			t.Errorf("%s off the grid: nothing is found", name)
		}
	}
	other := *r
	other.Experiment.Runtime.Error /= 1000
	if len(verified(t, m, data, &other, r.claims())) == 0 {
		t.Error("a smaller runtime error: nothing is found")
	}
}

// Integers and categories: membership is exact, rounding goes to the nearest row of a
// group, and a step goes from one category to another.
func TestGridOfColumns(t *testing.T) {
	age := []float32{-1.5, -.5, .25, 3}
	colour := []float32{1, 0, 0, 0, 1, 0, 0, 0, 1}
	d := must.Get(Stored([]float64{-1.5, 0, 0, 0, -2}, []float64{3, 1, 1, 1, 2}, []Values{{1, age}, {3, colour}, {Width: 1}}))(t)
	zero := make([]float64, 5)
	for _, v := range []struct {
		x    []float64
		want bool
	}{
		{[]float64{-.5, 0, 1, 0, .5}, true}, {[]float64{-.5, 0, 1, 0, 1. / 3}, false}, {[]float64{-.4, 0, 1, 0, .5}, false},
		{[]float64{3, 1, 1, 0, .5}, false}, {[]float64{3, 0, 0, 0, .5}, false}, {[]float64{math.NaN(), 0, 1, 0, .5}, false},
	} {
		if got := d.stored(v.x, zero); got != v.want {
			t.Errorf("%v: %v", v.x, got)
		}
	}
	if d.stored([]float64{-.5, 0, 1, 0, .5}, []float64{0, 0, 1e-300, 0, 0}) {
		t.Error("inexact values are on the grid")
	}
	theta, eps := []float32{-.5, 1, 0, 0, .1}, make([]float64, 5)
	d.Round(eps, theta, []float64{.6, -.6, .1, .7, .25})
	for i, want := range []float64{.25, 0, 0, 1, float64(float32(float64(theta[4]) + .25))} {
		if got := float64(theta[i]) + eps[i]; got != want {
			t.Errorf("input %d is rounded to %g, want %g", i, got, want)
		}
	}
	if d.Round(eps, theta, []float64{.3, -.5, .5, 0, 0}); eps[0] != 0 || eps[1] != 0 {
		t.Errorf("not the number below, or of two categories as near the second: %g", eps)
	}
	two, three := []float32{0, 1}, []float32{0, 2}
	for t0, high := range map[float32]float64{1e-30: 1, 0: .5} { // no float32 is the change, or the change leaves the box
		if (Domain{Low: make([]float64, 1), High: []float64{high}, Grid: []Values{{1, two}}}).Round(eps, []float32{t0}, []float64{1}); eps[0] != 0 {
			t.Errorf("%g in a box to %g changes by %g", t0, high, eps[0])
		}
	}
	same := func(grid ...Values) string {
		return Domain{Low: make([]float64, 2), High: []float64{2, 2}, Grid: grid}.digest()
	}
	if all := []string{same(Values{1, two}, Values{1, two}), same(Values{1, two}, Values{1, three}), same(Values{1, three}, Values{1, two}), same(Values{2, two})}; len(slices.Compact(slices.Sorted(slices.Values(all)))) < 4 {
		t.Errorf("other grids have the same digests: %q", all)
	}
	for _, bad := range [][]Values{nil, {{1, age}}, {{1, []float32{1, 1}}, {3, colour}, {Width: 1}}, {{1, age}, {3, colour[:4]}, {Width: 1}}, {{2, nil}, {3, colour}}} {
		if _, err := Stored(d.Low, d.High, bad); err == nil {
			t.Errorf("%v is taken for a grid", bad)
		}
	}
}

// Float32 passes of the net stay within the runtime's error that is derived or measured,
// and it is counted: without it, bounds are larger.
func TestRuntimeErrorCoversFloat32(t *testing.T) {
	m, data, e, _ := stored(t)
	with := mustRun(t, m, data, upTo(5), e)
	got := with.Experiment.Runtime
	if !(got.Error > 0) || got.From == "" || got.From == RuntimeGiven {
		t.Fatalf("the default is %+v", got)
	}
	_, n := m.Dims()
	for i := range data.Len() {
		x := rowOf(data.X, i, 24)
		a, b := make([]float32, n), make([]float64, n)
		m.Forward(a, x)
		m.Forward64(b, nn.Float64s(x))
		for j := range a {
			if d := math.Abs(float64(a[j]) - b[j]); d > got.Error*math.Sqrt(float64(n)) {
				t.Errorf("example %d: feature %d is %g off, %g is allowed for", i, j, d, got.Error)
			}
		}
	}
	e.Runtime = RealArithmetic
	without := mustRun(t, m, data, upTo(5), e)
	for i, v := range with.Kind(SearchFar).MeanSquare {
		if !(v < without.Kind(SearchFar).MeanSquare[i]) {
			t.Errorf("example %d: %g with a runtime's error, %g without", i, v, without.Kind(SearchFar).MeanSquare[i])
		}
	}
	if !slices.Equal(with.Kinds[0].Std, without.Kinds[0].Std) {
		t.Error("near witnesses, which move the features, pay for the runtime's error")
	}
}

// The likelihood ratio between two stored inputs is an unbiased estimator at both, of
// variance (wᵀε)²/expm1(‖z‖²/σ²) at the first, z as the runtime has it: nothing that is
// certified of this pair exceeds it, however the runtime errs within its allowance.
func TestStoredBoundsAgainstLikelihoodRatio(t *testing.T) {
	m, data, e, _ := stored(t)
	e.Runtime = Runtime{1e-4, RuntimeGiven}
	e.Coordinates = Pixels(24)
	r := mustRun(t, m, data, upTo(5), e)
	_, n := m.Dims()
	ds := divergences(t, m, r, r.Kind(SearchTwins))
	for i := range 5 {
		eps, known := must.Get(r.Witnesses(r.Kind(SearchTwins), i))(t), make([]float64, 24)
		for k, d := range ds[2*i : 2*i+2] {
			least := d.ZNorm + 2*e.Runtime.Error*math.Sqrt(float64(n)) // both sides err along z
			for w, g := range rowOf(eps, k, 24) {
				known[w] = max(known[w], math.Abs(g)/math.Sqrt(math.Expm1(least*least))) // σ is 1
			}
		}
		for w, v := range rowOf(r.Kind(SearchTwins).Std, i, 24) {
			if v > known[w] {
				t.Errorf("example %d, pixel %d: %g is certified, an estimator has %g", i, w, v, known[w])
			}
		}
	}
}

// A model of one feature whose witnesses move nothing: with a runtime's error no witness
// is called unbounded on real arithmetic alone.
func TestNothingIsUnboundedByRealArithmeticAlone(t *testing.T) {
	c := Certifier{Net: affine{[]float64{0, 1}, 2, 1}, Noise: release.Gaussian{Sigma: 1}}
	theta, eps := []float32{0, 0}, []float32{1, 0}
	if d := c.Divergences(t.Context(), theta, eps)[0]; !math.IsInf(d.Std(1, 0), 1) {
		t.Fatalf("in real arithmetic: %g", d.Std(1, 0))
	}
	c.Runtime = 1e-6
	if v := c.Divergences(t.Context(), theta, eps)[0].Std(1, 0); math.IsInf(v, 1) || v > 1/(2*c.Runtime) || v < .99/(2*c.Runtime) {
		t.Errorf("features 1e-6 off: %g", v)
	}
}
