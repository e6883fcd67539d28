package bound

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
	"tattle/internal/protect/release"
	"tattle/internal/run"
	"tattle/internal/shared"
)

var searches = []string{Direct, Algorithm1, Published}

// wellFormed checks what every run promises: witnesses that are numbers, winners
// that gave the bound, and a verification without complaint.
func wellFormed(t *testing.T, m Model, data nn.Source, r *Result) {
	t.Helper()
	e, p := r.Experiment, r.Experiment.Coordinates.Inputs()
	for _, s := range r.Near() {
		if !nn.Finite(witnesses(t, r, s.Size)) {
			t.Error("a witness is not a number")
		}
		for k, v := range s.Std {
			if !(v >= 0) {
				t.Fatalf("bound %d is %g", k, v)
			}
		}
	}
	for _, kind := range []*Bounds{r.Kind(SearchFar), r.Kind(SearchCombined), r.Kind(SearchTwins)} {
		if kind == nil {
			continue
		}
		for k, v := range kind.Std {
			if !(v >= 0) {
				t.Fatalf("bound %d is %g", k, v)
			}
		}
	}
	if len(witnesses(t, r, r.Kinds[0].Size)) != len(r.Indices)*e.Search.Restarts*p {
		t.Error("too few witnesses")
	}
	if found := verified(t, m, data, r, r.claims()); len(found) != 0 {
		t.Error(found)
	}
}

// What is too small or too large to be squared proves nothing.
func TestDivergenceOfNumbersOutOfRange(t *testing.T) {
	d, inf := Divergence{Root: 1, Share: .25}, math.Inf(1)
	for _, x := range []float64{1e-155, 1e200} {
		if a, b := d.meanSquare([]float64{x}), d.PairMeanSquare([]float64{x}); a != 0 || b != 0 {
			t.Errorf("%v: mean squares of %v and %v", x, a, b)
		}
	}
	if (Divergence{Root: .5}).meanSquare([]float64{0x1p-480}) == 0 {
		t.Error("the least square that is not too small proves nothing")
	}
	if a, b := d.Std(inf, 0), d.Pair(inf, 0); a != 0 || b != 0 {
		t.Errorf("bounds %v and %v of an infinite step", a, b)
	}
	eps, sum := make([]float64, 1000), exact(0)
	for i := range eps {
		eps[i] = 1 + 1/float64(i+1)
		sum.Add(sum, exactProduct(exact(eps[i]), exact(eps[i])))
	}
	for _, got := range []float64{d.meanSquare(eps), 4 * d.PairMeanSquare(eps)} {
		if all := exactProduct(exact(got), exact(1000)); all.Cmp(sum) > 0 || got < 1 {
			t.Errorf("a mean square of %v is above the exact one", got)
		}
	}
	v, ms := proof{ds: []Divergence{{Root: 1e-7}}}, moments{1, []float64{1e-14}, []float64{0}, []bool{false}, nil}
	v.bounds = newLimits(1)
	v.jointly(&ms, Pixels(1), []float64{1}, []float64{1}, []float64{0}, []float64{1})
	if std, square := v.bounds.std[0], v.bounds.square; !(std > 1e6 && std < 1.1e7 && square < 1.1e14) || max(v.bounds.slack[0], v.bounds.squareSlack) > 1.1*certificateTolerance {
		t.Errorf("what depends on no rounding is called unbounded: %v, mean square %v", std, square)
	}
}

func TestShapesOfRuns(t *testing.T) {
	shared.Long(t, "runs of every shape")
	for _, v := range []struct{ p, hidden, n, restarts, repeats, examples, sizes int }{
		{24, 40, 30, 1, 1, 1, 1},
		{7, 20, 40, 3, 2, 5, 5}, // n > p, p prime
		{40, 30, 3, 2, 3, 9, 2}, // n < p
		{1, 4, 1, 2, 2, 3, 1},
	} {
		m, data := smallNet(t, v.p, v.hidden, v.n), noise(v.p, v.examples)
		for _, search := range searches {
			t.Run(fmt.Sprintf("%d inputs, %d features, %s", v.p, v.n, search), func(t *testing.T) {
				e := Experiment{Noise: release.Gaussian{Sigma: .5}, Coordinates: Pixels(v.p),
					Settings: Settings{Band: 8, Search: SearchOptions{Search: search, Restarts: v.restarts, Repeats: v.repeats}},
				}
				e.Far.Starts, e.Barankin.Witnesses = 1+v.sizes, 3*v.restarts
				for i := range v.sizes {
					e.Sizes = append(e.Sizes, 1/(100*float64(i+1)))
				}
				r := mustRun(t, m, data, upTo(v.examples), e)
				wellFormed(t, m, data, r)
				e.Coordinates = DCT([]int{v.p})
				wellFormed(t, m, data, mustRun(t, m, data, upTo(v.examples), e))
			})
		}
	}
}

// deadNet is a net whose features are all off.
func deadNet(t *testing.T) *nn.Net {
	m := smallNet(t, 24, 40, 30)
	bias := m.Graph().Params()[3]
	for i := range bias.Data {
		bias.Data[i] = -1e3
	}
	bias.Changed()
	return m
}

// Features that are all off give nothing away: every coordinate is unbounded, by
// every search and in both domains.
func TestDeadFeaturesAreUnbounded(t *testing.T) {
	m := deadNet(t)
	_, data, e := small(t)
	e.Barankin.Witnesses, e.Far = 3, FarOptions{Starts: 2, Domain: cube(24, 9)}
	for _, e.Domain = range []Domain{Free, cube(24, 9)} {
		for _, e.Search.Search = range searches {
			r := mustRun(t, m, data, upTo(10), e)
			wellFormed(t, m, data, r)
			for k, v := range r.Near()[0].Std {
				if !math.IsInf(v, 1) {
					t.Fatalf("%s, %v: bound %d is %g", e.Search.Search, e.Domain, k, v)
				}
			}
			for k, v := range r.Kind(SearchCombined).Std {
				if !math.IsInf(v, 1) {
					t.Fatalf("%s, %v: combined bound %d is %g", e.Search.Search, e.Domain, k, v)
				}
			}
			if s := r.Summaries[0]; s.UnboundedFraction != 1 || !math.IsInf(s.Quantile(.05), 1) {
				t.Errorf("%s: %+v", e.Search.Search, s)
			}
			if len(r.Spectra[3]) != 0 || r.CramerRao.Seen[5] != 0 {
				t.Errorf("%s: rank %d", e.Search.Search, len(r.Spectra[3]))
			}
		}
	}
}

// Nets whose products overflow float32, or all but vanish in it, and noise at the
// ends of its range: nothing but numbers reaches the arrays.
func TestSearchBeyondFloat32(t *testing.T) {
	shared.Long(t, "runs every search at extreme scales")
	_, data, e := small(t)
	e.Barankin.Witnesses, e.Far.Starts, e.Sizes = 9, 2, []float64{leastSize, mostSize}
	e.Search.Restarts, e.Search.Repeats = 2, 2
	for _, scale := range []float32{1e-40, 1e-15, 1e17} {
		m := smallNet(t, 24, 40, 30)
		for _, p := range m.Graph().Params() {
			for i := range p.Data {
				p.Data[i] *= scale
			}
			p.Changed()
		}
		for _, sigma := range []float64{leastSigma, mostSigma} {
			e.Noise = release.Gaussian{Sigma: sigma}
			for _, e.Search.Search = range searches {
				wellFormed(t, m, data, mustRun(t, m, data, upTo(2), e))
			}
		}
	}
}

// A run is resumed with the same vectors only, though their name and number be
// the same.
func TestResumeTellsCoordinatesApart(t *testing.T) {
	m, data, e := small(t)
	dir := t.TempDir()
	for i, v := range []struct {
		first float64
		other bool
	}{{1, false}, {1, false}, {2, true}} {
		w := make([]float64, 24)
		w[0], w[1] = v.first, 1
		var err error
		e.Coordinates = must.Get(Vectors("w", w, 24))(t)
		_, err = Run(t.Context(), m, data, upTo(3), e, RunOptions{Dir: dir, Resume: true})
		var mismatch *run.MismatchError
		if errors.As(err, &mismatch) != v.other || !v.other && err != nil {
			t.Errorf("run %d: %v", i, err)
		}
	}
}

// boxed is uniform noise, whose divergence is infinite.
type boxed struct{ release.Gaussian }

func (boxed) String() string               { return "uniform" }
func (boxed) Certain() bool                { return true }
func (boxed) Bound(z, e []float64) float64 { return math.Inf(1) }

// Fewer features than inputs: every row about unbiased estimators says so, but the one
// about a single unknown; a net with features enough has no vacuous row but Cramér-Rao's
// where coordinates are not identifiable; and uniform noise proves nothing at all.
func TestVacuous(t *testing.T) {
	few, data := smallNet(t, 24, 40, 10), noise(24, 12)
	_, _, e := small(t)
	e.Barankin.Witnesses, e.Far.Starts, e.Far.Domain = 8, 2, cube(24, 5)
	r := mustRun(t, few, data, upTo(12), e)
	for _, s := range r.Summaries {
		why := s.Vacuous
		has := strings.HasPrefix(why, "10 features cannot determine 24 inputs") && strings.Contains(why, "adversaries with a prior")
		if want := s.Method != MethodCramerRaoAxis && !s.Pair(); has != want {
			t.Errorf("%s %s: %v", s.Method, s.Band, s.Vacuous)
		}
	}
	if found, err := Verify(context.Background(), few, data, r.Experiment, Claims{r.Path, r.SHA256}, nil); err != nil || len(found) > 0 {
		t.Errorf("%v %v", found, err)
	}

	many := smallNet(t, 24, 400, 300)
	for _, s := range mustRun(t, many, data, upTo(12), e).Summaries {
		if s.Vacuous != "" {
			t.Errorf("%s %s of 300 features: %v", s.Method, s.Band, s.Vacuous)
		}
	}

	m, _, e := small(t) // of rank below 24 for most inputs
	e.Noise = boxed{release.Gaussian{Sigma: 1}}
	for _, s := range mustRun(t, m, data, upTo(12), e).Summaries {
		switch {
		case strings.HasPrefix(s.Method, MethodHCR):
			if !strings.HasPrefix(s.Vacuous, "zero: under uniform noise the χ²") {
				t.Errorf("%s %s: %v", s.Method, s.Band, s.Vacuous)
			}
		case s.Method == MethodCramerRao:
			if !strings.HasPrefix(s.Vacuous, "not identifiable: ") {
				t.Errorf("%s %s: %v", s.Method, s.Band, s.Vacuous)
			}
		}
	}
}

// proven is what witnesses of θ = 0 prove of every input, combined where the noise
// allows it.
func proven(t testing.TB, c *Certifier, eps []float32, w Coordinates) *Bounds {
	t.Helper()
	p := w.Inputs()
	s := &Bounds{Witnesses: len(eps) / p}
	if combines(c.Noise) {
		s.kind = BarankinOptions{}
	}
	s.columns(p, w.Len()).grow(1)
	copy(s.eps, eps)
	must.Do(t, s.certify(t.Context(), c, w, make([]float32, p)))
	return s
}
