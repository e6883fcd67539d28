package bound

import (
	"math"
	"strings"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
	"tattle/internal/must"
	"tattle/internal/shared"
)

func TestVerifyConfirmsEveryKind(t *testing.T) {
	m, data, e := everyKind(t)
	e.Sizes = []float64{1. / 200, 1. / 1000}
	for _, search := range []string{Direct, Algorithm1, Published} {
		e.Search.Search, e.SkipCramerRao = search, search != Direct
		r := mustRun(t, m, data, upTo(20), e)
		if found := verified(t, m, data, r, r.claims()); len(found) != 0 {
			t.Errorf("%s: %v", search, found)
		}
		if r.Kind(SearchTwins).Tried != 3 {
			t.Errorf("twins of %d examples, want 3", r.Kind(SearchTwins).Tried)
		}
		for k, std := range r.Kind(SearchCombined).Std {
			if std <= 0 {
				t.Errorf("nothing is proved of coordinate %d", k)
			}
		}
	}
}

// Every array of near, far and combined witnesses is checked: figures by what they say, witnesses by what they prove.
func TestVerifyCatchesEveryRung(t *testing.T) {
	shared.Long(t, "a change in every array of witnesses is found")
	m, data, e := everyKind(t)
	e.SkipCramerRao = true
	e.Twins = TwinOptions{}
	far, alone := e, e // together, bounds are so large that rounding decides
	far.Barankin, alone.Far = BarankinOptions{}, FarOptions{}
	catchesEveryRung(t, m, data, alone)
	catchesEveryRung(t, smallNet(t, 24, 90, 90), data, far) // whose features see every direction
}

func catchesEveryRung(t *testing.T, m *nn.Net, data nn.Rows, e Experiment) {
	t.Helper()
	r := mustRun(t, m, data, upTo(5), e)
	f := open(t, r.Path)
	for _, s := range r.Experiment.witnessSets() {
		for _, c := range s.columns(24, 24) {
			a := must.Get(f.Array(c.name))(t)
			if strings.HasSuffix(c.name, "_eps") { // what one witness proves less, another may prove
				if len(verified(t, m, data, r, forgeArray(t, r, c.name, func(data any) { clear(data.([]float32)[:s.Witnesses*24]) }))) == 0 {
					t.Errorf("%s without witnesses: nothing is found", c.name)
				}
				continue
			}
			change := 1e-4
			n := nn.Size(a.Shape)
			places := []int{0, n / 3, n / 2, n - 1}
			if strings.HasSuffix(c.name, "_solve") { // near the best coefficients others prove as much to second order
				change, places = 1, []int{0, 3 * (s.Witnesses + 1), s.Witnesses*s.Witnesses + s.Witnesses + 1}
			}
			for _, at := range places {
				if x := a.Data.([]float64); x[at] == 0 || math.IsInf(x[at], 1) {
					continue // no change
				}
				if found := verified(t, m, data, r, forge(t, r, c.name, at, change)); len(found) == 0 || names(found, "SHA-256") {
					t.Errorf("%s %d changed: %v", c.name, at, found)
				}
			}
		}
	}
}

// Where rounding decides, verification on another processor needs room: but a bound
// of more than twice what comes out is found on every kind, however large, and of
// steps so small that z is only rounding.
func TestVerifyCatchesExaggeration(t *testing.T) {
	m, data, e := everyKind(t)
	e.SkipCramerRao = true
	tiny := e
	tiny.Far, tiny.Barankin, tiny.Twins, tiny.Sizes = FarOptions{}, BarankinOptions{}, TwinOptions{}, []float64{1e-15}
	for _, e := range []Experiment{e, tiny} {
		r := mustRun(t, m, data, upTo(5), e)
		decided := 0
		for _, s := range r.Kinds {
			exaggerated(t, m, data, r, s.name+"_std", 2.1)
			exaggerated(t, m, data, r, s.name+"_mean_square", 4.1)
			for _, d := range divergences(t, m, r, s) {
				if d.Status == AllRounding && d.ZNorm > 0 {
					decided++
				}
			}
		}
		if decided == 0 {
			t.Error("rounding decides nothing: the test is idle")
		}
	}
}

// exaggerated checks that every finite bound of an array, made so many times larger,
// is found.
func exaggerated(t *testing.T, m *nn.Net, data nn.Rows, r *Result, name string, times float64) {
	t.Helper()
	want := 0
	claims := forgeArray(t, r, name, func(data any) {
		for k, v := range data.([]float64) {
			if v > 0 && v < math.MaxFloat64 {
				data.([]float64)[k], want = v*times, want+1
			}
		}
	})
	if found := verified(t, m, data, r, claims); len(found) != min(want, mostDiscrepancies) {
		t.Errorf("%s: %d of %d exaggerations are found", name, len(found), want)
	}
}

// Of twins, whose bounds are unbounded and z rounding alone, every array is checked:
// other witnesses are no twins, and no finite bound will do.
func TestVerifyCatchesTwins(t *testing.T) {
	shared.Long(t, "a change in every array of twins is found")
	m, data, e := everyKind(t)
	e.SkipCramerRao, e.Far, e.Barankin, e.Runtime = true, FarOptions{}, BarankinOptions{}, RealArithmetic
	r := mustRun(t, m, data, upTo(5), e)
	std := array(t, open(t, r.Path), "twin_std")
	for k := range std[:24] {
		if !math.IsInf(std[k], 1) {
			t.Fatalf("coordinate %d: %g", k, std[k])
		}
	}
	set := func(at int, v float64) func(data any) {
		return func(data any) { data.([]float64)[at] = v }
	}
	last := 3*24 + 5 // of an example that was not tried
	for _, v := range []struct {
		array  string
		change func(data any)
	}{
		{"twin_std", set(3, 1e5)}, {"twin_std", set(3, 0)}, {"twin_std", set(last, 1)}, {"twin_std", set(last, math.Inf(1))},
		{"twin_mean_square", set(1, 1e11)}, {"twin_mean_square", set(4, math.Inf(1))},
		{"twin_eps", set(2, 9)}, {"twin_eps", set(24+2, math.NaN())}, {"twin_eps", func(data any) { clear(data.([]float64)[:48]) }},
		{"twin_eps", func(data any) { simd.Scale(1e-9, data.([]float64)[:48]) }},
	} {
		if len(verified(t, m, data, r, forgeArray(t, r, v.array, v.change))) == 0 {
			t.Errorf("%s changed: nothing is found", v.array)
		}
	}
}
