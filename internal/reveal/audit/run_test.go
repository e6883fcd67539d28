package audit

import (
	"context"
	"encoding/json"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"tattle/internal/must"
	"tattle/internal/reveal/curious"
	"tattle/internal/shared"
)

// quick is an audit by the cheapest attacks.
var quick = Options{Seed: 3, Attacks: []string{"logistic", "threshold"}, Permutations: 499, Confidence: .95}

func examined(t *testing.T, s *Sample, o Options) *Result {
	t.Helper()
	return examinedRecord(t, &Record{Sample: s}, o)
}

// examinedRecord is an audit without controls.
func examinedRecord(t *testing.T, rec *Record, o Options) *Result {
	t.Helper()
	r := must.Get(examine(t.Context(), rec, o))(t)
	r.dependences(o.withDefaults())
	r.Conclude()
	return r
}

// Where s has nothing to do with the outputs given y, p-values are at least as large
// as uniform ones, whatever s has to do with y. 60 of them are at most ½ 48 times or
// more, or at most .05 14 times or more, with probability 3e-6 and 4e-6.
func TestNothingIsFoundWhereNothingIs(t *testing.T) {
	shared.Long(t, "the level of p-values, over 60 audits")
	const runs = 60
	count := map[string]int{}
	for i := range runs {
		m := made{n: 200, classes: 2 + i%3, values: []int{2 + i%2}, lean: float64(i%4) / 4, seed: uint64(i)}
		o := quick
		o.Seed = uint64(1000 + i)
		f := examined(t, m.sample(), o).Findings[0]
		for what, is := range map[string]bool{
			"p of the excess at most ½": f.Permutation.P <= .5, "p of the excess at most .05": f.Permutation.P <= .05,
			"p given y and label at most ½": f.Given.Permutation.P <= .5, "p given y and label at most .05": f.Given.Permutation.P <= .05,
			"a gain": f.Given.P <= .05, "ranked pairs": f.Given.Order.dependent() <= .05, "leaky beyond the target": f.Verdict.ExceedsTarget(),
		} {
			count[what] += int(one(is))
		}
	}
	for what, n := range count {
		if n >= 48 || n >= 14 && !strings.Contains(what, "½") {
			t.Errorf("%s: %d of %d audits of nothing", what, n, runs)
		}
	}
}

// The best guess is right with a known probability; cross-fitted figures lie within
// 4.5 standard errors of it (one run in 10⁵ does not), but for what learning costs.
func TestPlantedSignalIsMeasured(t *testing.T) {
	shared.Long(t, "audits of known signals")
	const learning = .015 // logistic regression on 1,200 examples of 3 numbers
	for _, shift := range []float64{.25, .5, 1} {
		m := made{n: 1500, classes: 3, values: []int{2}, shift: shift, seed: 9}
		f := examined(t, m.sample(), quick).Findings[0]
		best := m.bayes()
		reach := 4.5 * math.Sqrt(best*(1-best)/float64(m.n))
		if got := f.Curiosity.Value; got > best+reach || got < best-reach-learning {
			t.Errorf("shift %v: curiosity %.4f, Bayes' rule has %.4f ± %.4f", shift, got, best, reach)
		}
		if want := best - .5; f.Excess.Low > want+reach || f.Excess.High < want-reach-learning {
			t.Errorf("shift %v: excess %+v, want about %.4f", shift, f.Excess, want)
		}
		if f.Verdict != LeakyBeyond || f.Permutation.P > .01 {
			t.Errorf("shift %v: %q, permutation p %v", shift, f.Verdict, f.Permutation.P)
		}
	}
}

// All attacks, chosen without looking, on scores and on their softmax, in which the
// shift cancels.
func TestAllAttacksTogether(t *testing.T) {
	shared.Long(t, "runs all attacks at once")
	m := made{n: 400, classes: 3, values: []int{2, 3}, shift: .8, seed: 4}
	s := m.sample()
	o := Options{Seed: 1, Permutations: 499}
	r := examined(t, s, o)
	f := r.Findings[0]
	if f.Verdict != LeakyBeyond || r.Verdict != LeakyBeyond || len(f.Chosen) != DefaultFolds {
		t.Errorf("%q, %q by %q", r.Verdict, f.Verdict, f.Chosen)
	}
	if attacks, err := allAttacks(s, o, attackName{}); err != nil || len(attacks) != 13 {
		t.Errorf("%d attacks, %v", len(attacks), err)
	}
	if v := r.Findings[1].Verdict; v.ExceedsTarget() {
		t.Errorf("s2, of which nothing was planted, is %q", v)
	}
	soft := *s
	soft.Kind, soft.Outputs = curious.Soft, make([]float32, len(s.Outputs))
	for i := range s.Y {
		softRow(soft.Outputs[3*i:3*i+3], s.Outputs[3*i:3*i+3], curious.Raw)
	}
	if v := examined(t, &soft, quick).Verdict; v.ExceedsTarget() {
		t.Errorf("probabilities, from which the shift is gone, are %q", v)
	}
	sameOnOneCore(t, s, o, r)
}

// sameOnOneCore audits again on one core.
func sameOnOneCore(t *testing.T, s *Sample, o Options, r *Result) {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if got, want := encoded(t, examined(t, s, o)), encoded(t, r); got != want {
		t.Error("another number of cores gives other bytes")
	}
}

func encoded(t *testing.T, r *Result) string {
	t.Helper()
	b, err := json.Marshal(r) // errs on what is not finite
	must.Do(t, err)
	return string(b)
}

func TestNamesOfClassesChangeNothing(t *testing.T) {
	shared.Long(t, "audits with other names of classes")
	m := made{n: 300, classes: 3, values: []int{3, 2}, shift: .5, lean: .3, seed: 6}
	s := m.sample()
	turned := *s
	turned.Sensitive = slices.Clone(s.Sensitive)
	turned.Sensitive[0].Labels = make([]int, m.n)
	for i, l := range s.Sensitive[0].Labels {
		turned.Sensitive[0].Labels[i] = (l + 1) % 3
	}
	turned.Sensitive[0].Values = []string{"c", "a", "b"}
	a, b := examined(t, s, quick), examined(t, &turned, quick)
	f, g := a.Findings[0], b.Findings[0]
	if *f.Curiosity != *g.Curiosity || f.Excess != g.Excess || f.Adjusted != g.Adjusted || f.Verdict != g.Verdict {
		t.Errorf("renamed classes: %+v, %+v", f, g)
	}
	for i, c := range a.x.guesses[0].best {
		if b.x.guesses[0].best[i] != (c+1)%3 {
			t.Fatal("a guess follows the name of the class")
		}
	}
}

func TestOddSamples(t *testing.T) {
	one := made{n: 200, classes: 2, values: []int{2}, seed: 1}.sample()
	clear(one.Sensitive[0].Labels)
	ten := made{n: 10, classes: 2, values: []int{2}, seed: 2}.sample()
	constant := made{n: 200, classes: 3, values: []int{2, 3}, seed: 3}.sample()
	for i := range constant.Outputs {
		constant.Outputs[i] = .25
	}
	huge := made{n: 200, classes: 2, values: []int{2}, seed: 4}.sample()
	for i := range huge.Outputs {
		huge.Outputs[i] *= 1e37
	}
	rare := made{n: 200, classes: 2, values: []int{2}, seed: 5}.sample()
	clear(rare.Sensitive[0].Labels)
	rare.Sensitive[0].Labels[7] = 1
	oneY := made{n: 200, classes: 2, values: []int{2}, seed: 6}.sample()
	clear(oneY.Y)
	swapped := made{n: 200, classes: 2, values: []int{2}, seed: 6}.sample()
	for i, y := range swapped.Y {
		swapped.Outputs[2*i], swapped.Outputs[2*i+1] = float32(y), float32(1-y)
	}
	number := made{n: 200, classes: 2, values: nil, seed: 7}.sample()
	number.Sensitive = []Attribute{{Name: "age", Numbers: make([]float64, 200)}}
	for _, c := range []struct {
		name    string
		s       *Sample
		verdict Verdict
		warning string
	}{
		{"one class", one, Inconclusive, ""},
		{"ten examples", ten, Inconclusive, ""},
		{"constant outputs", constant, NoEvidence, "All rows of outputs are equal"},
		{"huge scores", huge, "", ""},
		{"one example of a class", rare, Inconclusive, ""},
		{"one class of y", oneY, "", "All examples have y = 0"},
		{"classes in another order", swapped, "", "right for 0.0 % only, less often than by guessing among 2 classes"},
		{"constant number", number, Inconclusive, ""},
	} {
		r, err := (&Record{Sample: c.s}).Audit(context.Background(), quick)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		encoded(t, r)
		if r.Verdict.ExceedsTarget() || c.verdict != "" && r.Verdict != c.verdict {
			t.Errorf("%s: %q, want %q", c.name, r.Verdict, c.verdict)
		}
		if c.warning != "" && !strings.Contains(strings.Join(r.Warnings, " "), c.warning) {
			t.Errorf("%s: warnings %q", c.name, r.Warnings)
		}
		for _, f := range r.Findings {
			if (f.Verdict == Inconclusive) != (f.Undecided.Why != "") || f.Undecided.Why == ByUnknown {
				t.Errorf("%s: %q because %q", c.name, f.Verdict, f.Undecided.Why)
			}
		}
	}
}

func TestRunStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	o := quick
	o.Progress = func(string, int, int) { cancel() }
	s := made{n: 200, classes: 2, values: []int{2}, seed: 1}.sample()
	must.Fail(t, must.Err((&Record{Sample: s}).Audit(ctx, o))) // a context that has ended
	must.Fail(t, must.Err((&Record{Sample: s, References: []*Sample{s}}).Audit(t.Context(), quick)), "no spread to compare with")
	for _, o := range []Options{{Folds: 1}, {Confidence: .4}, {Margin: new(-1.)}, {Attacks: []string{"magic"}}, {Permutations: -1}, {MaxFit: -1}} {
		if _, err := (&Record{Sample: s}).Audit(context.Background(), o); err == nil {
			t.Errorf("options %+v pass", o)
		}
	}
}
