package bound

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"tattle/nn"
	"tattle/release"
	"tattle/run"
)

// laddered is the small experiment with every rung.
func laddered(t testing.TB) (*nn.Net, pictures, Experiment) {
	m, data, e := small(t)
	low, high := make([]float64, 24), make([]float64, 24)
	for i := range low {
		low[i], high[i] = -5, 5 // the data, normal deviates, lie inside
	}
	box, err := Legal(low, high)
	if err != nil {
		t.Fatal(err)
	}
	e.Far = FarOptions{Starts: 4, Domain: box, Seed: 5}
	e.Barankin.Witnesses = 34
	e.Twins = TwinOptions{Examples: 3, Domain: box, Seed: 6}
	return m, data, e
}

// With every rung too, the same seed gives the same bytes, on any number of cores,
// and an interrupted run goes on to them.
func TestRungsAreReproducible(t *testing.T) {
	m, data, e := laddered(t)
	whole := mustRun(t, m, data, upTo(70), e)
	procs := runtime.GOMAXPROCS(1)
	one := mustRun(t, m, data, upTo(70), e)
	runtime.GOMAXPROCS(procs)
	if one.SHA256 != whole.SHA256 {
		t.Errorf("one core and %d give different bytes", procs)
	}
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := Run(ctx, m, data, upTo(70), e, RunOptions{Dir: dir, Progress: func(done, total int) {
		if done >= 64 {
			cancel()
		}
	}}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	other := e
	other.Far.Starts++
	var mismatch *run.MismatchError
	if _, err := Run(t.Context(), m, data, upTo(70), other, RunOptions{Dir: dir, Resume: true}); !errors.As(err, &mismatch) {
		t.Errorf("resumed with another number of far witnesses: %v", err)
	}
	r, err := Run(t.Context(), m, data, upTo(70), e, RunOptions{Dir: dir, Resume: true})
	if err != nil {
		t.Fatal(err)
	}
	if r.SHA256 != whole.SHA256 {
		t.Error("an interrupted run gives other bytes")
	}
	part := mustRun(t, m, data, []int{69, 1}, e)
	if !slices.Equal(part.Barankin.Std[:24], whole.Barankin.Std[69*24:]) || !slices.Equal(part.Far.Std[24:], whole.Far.Std[24:48]) {
		t.Error("bounds depend on order or company")
	}
}

func TestVerifyConfirmsRungs(t *testing.T) {
	m, data, e := laddered(t)
	for _, search := range []string{Direct, Algorithm1} {
		e.Search.Search, e.SkipCramerRao = search, search == Algorithm1
		r := mustRun(t, m, data, upTo(20), e)
		if found := verified(t, m, data, r, r.claims()); len(found) != 0 {
			t.Errorf("%s: %v", search, found)
		}
		if r.Twins.Tried != 3 {
			t.Errorf("twins of %d examples, want 3", r.Twins.Tried)
		}
		for k, std := range r.Barankin.Std {
			if std <= 0 {
				t.Errorf("nothing is proved of coordinate %d", k)
			}
			if cr := r.CramerRao; cr != nil && cr.Seen[k] > 1-SeenTolerance && math.Abs(std/cr.Full[k]-1) > 1e-3 && r.Barankin.Winner[k] == combined && e.Far.Starts == 0 {
				t.Errorf("coordinate %d: %g, Cramér-Rao %g", k, std, cr.Full[k])
			}
		}
	}
}

// Every array of every rung is checked by what it says.
func TestVerifyCatchesEveryRung(t *testing.T) {
	m, data, e := laddered(t)
	e.SkipCramerRao = true
	twins, far, alone := e, e, e // together, bounds are so large that rounding decides
	far.Twins, far.Barankin = TwinOptions{}, BarankinOptions{}
	twins.Far, twins.Barankin = FarOptions{}, BarankinOptions{}
	alone.Far, alone.Twins = FarOptions{}, TwinOptions{}
	catchesEveryRung(t, m, data, twins)
	catchesEveryRung(t, m, data, alone)
	catchesEveryRung(t, smallNet(t, 24, 90, 90), data, far) // whose features see every direction
}

func catchesEveryRung(t *testing.T, m *nn.Net, data pictures, e Experiment) {
	t.Helper()
	r := mustRun(t, m, data, upTo(5), e)
	f, to := open(t, r.Path), filepath.Join(t.TempDir(), "forged.npz")
	for _, s := range r.Experiment.blocks()[1:] {
		for _, c := range s.columns(24, 24) {
			if c.name == "twin_winner" {
				continue // where both are unbounded, either will do
			}
			a, err := f.Array(c.name)
			if err != nil {
				t.Fatal(err)
			}
			change := 1e-4
			norms, allowances := array(t, f, s.name+"_z_norm"), array(t, f, s.name+"_allowance")
			n := nn.Size(a.Shape)
			places := []int{0, n / 3, n / 2, n - 1}
			if strings.HasSuffix(c.name, "_solve") { // near the best coefficients others prove as much to second order
				change, places = 1, []int{0, 3 * (s.each + 1), s.each*s.each + s.each + 1}
			}
			for _, at := range places {
				switch x := a.Data.(type) {
				case []float64:
					if x[at] == 0 || math.IsInf(x[at], 1) || s.name == twinName && c.name != "twin_allowance" ||
						strings.HasSuffix(c.name, "_z_norm") && norms[at] <= allowances[at] {
						continue // no change, or of what is rounding alone
					}
				case []float32:
					if x[at] == 0 {
						continue
					}
				}
				claims := forge(t, r, to, c.name, at, change)
				claims.Summaries = nil
				if forged, err := Load(to, r.Experiment); err == nil {
					claims.Summaries = forged.Summaries
				}
				found, err := Verify(t.Context(), m, data, r.Experiment, claims, nil)
				if err == nil && (len(found) == 0 || names(found, "SHA-256")) {
					t.Errorf("%s %d changed: %v", c.name, at, found)
				}
			}
		}
	}
}

// Where rounding decides, verification on another processor needs room: but a bound
// of more than twice what comes out is found on every rung, however large, and of
// steps so small that z is rounding alone.
func TestVerifyCatchesExaggeration(t *testing.T) {
	m, data, e := laddered(t)
	e.SkipCramerRao = true
	tiny := e
	tiny.Far, tiny.Barankin, tiny.Twins, tiny.Sizes = FarOptions{}, BarankinOptions{}, TwinOptions{}, []float64{1e-15}
	for _, e := range []Experiment{e, tiny} {
		r := mustRun(t, m, data, upTo(5), e)
		f, decided := open(t, r.Path), 0
		for _, s := range r.Experiment.blocks() {
			exaggerated(t, m, data, r, s.name+"_std", 2.1)
			exaggerated(t, m, data, r, s.name+"_mean_square", 4.1)
			norms, allowances := array(t, f, s.name+"_z_norm"), array(t, f, s.name+"_allowance")
			for k, v := range norms {
				if v <= allowances[k] && v > 0 {
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
func exaggerated(t *testing.T, m *nn.Net, data pictures, r *Result, name string, times float64) {
	t.Helper()
	want, to := 0, filepath.Join(t.TempDir(), "forged.npz")
	claims := forgeArray(t, r, to, name, func(data any) {
		for k, v := range data.([]float64) {
			if v > 0 && v < math.MaxFloat64 {
				data.([]float64)[k], want = v*times, want+1
			}
		}
	})
	forged, err := Load(to, r.Experiment)
	if err != nil {
		t.Fatal(err)
	}
	claims.Summaries = forged.Summaries
	if found := verified(t, m, data, forged, claims); len(found) != min(want, mostDiscrepancies) {
		t.Errorf("%s: %d of %d exaggerations are found", name, len(found), want)
	}
}

// Every item of every rung's summaries counts, and none may be missing.
func TestVerifyCatchesEveryRungsSummary(t *testing.T) {
	m, data, e := laddered(t)
	e.Noise = estimated{overlapping{opaque{release.Gaussian{Sigma: 1}}}}
	r := mustRun(t, m, data, upTo(5), e)
	if r.Far == nil || r.Barankin == nil || r.Twins == nil {
		t.Fatal("a rung is missing")
	}
	for i, s := range r.Summaries {
		if s.Status == StatusCertified {
			t.Errorf("%s is certified under noise that is not", s.Method)
		}
		for what, change := range map[string]func(*Summary){
			"status": func(s *Summary) { s.Status = StatusCertified },
			"note":   func(s *Summary) { s.Note = "" },
			"domain": func(s *Summary) { s.Domain += "!" },
			"search": func(s *Summary) { s.Search += "!" },
			"method": func(s *Summary) { s.Method += "!" },
			"values": func(s *Summary) { s.Values++ },
		} {
			c := r.claims()
			change(&c.Summaries[i])
			if found := verified(t, m, data, r, c); len(found) != 1 {
				t.Errorf("summary %d, %s changed: %v", i, what, found)
			}
		}
		c := r.claims()
		c.Summaries = slices.Delete(c.Summaries, i, i+1)
		if len(verified(t, m, data, r, c)) == 0 {
			t.Errorf("summary %d may be missing", i)
		}
	}
}

// ticking is data that ticks whenever examples are read.
type ticking struct {
	pictures
	tick func()
}

func (d ticking) Examples(x []float32, indices []int) {
	d.tick()
	d.pictures.Examples(x, indices)
}

// Interrupted in the middle of far witnesses or twins, a run goes on to the same
// bytes, and never tells of less progress than before.
func TestInterruptedAmongRungs(t *testing.T) {
	m, data, e := laddered(t)
	e.Twins.Examples = 8
	whole := mustRun(t, m, data, upTo(20), e)
	toward := e
	toward.Twins.Toward = data
	same := mustRun(t, m, data, upTo(20), toward)
	if same.SHA256 != whole.SHA256 {
		t.Error("targets from the same data give other bytes")
	}
	for _, at := range []int{1, 2, 5, 8} {
		for _, where := range []string{"products", "twins"} {
			ctx, cancel := context.WithCancel(t.Context())
			calls, told, dir := 0, -1, t.TempDir()
			tick := func() {
				if calls++; calls == at {
					cancel()
				}
			}
			var net Model = &counter{m, tick}
			broken := toward
			if where == "twins" {
				net, broken.Twins.Toward = m, ticking{data, tick}
			}
			_, err := Run(ctx, net, data, upTo(20), broken, RunOptions{Dir: dir, Progress: func(done, total int) {
				if done <= told || done > 20 {
					t.Errorf("progress from %d to %d", told, done)
				}
				told = done
			}})
			cancel()
			if !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), "interrupted: ") {
				t.Errorf("cancelled in call %d of %s: %v (%d calls)", at, where, err, calls)
				continue
			}
			r, err := Run(t.Context(), m, data, upTo(20), toward, RunOptions{Dir: dir, Resume: true})
			if err != nil || r.SHA256 != whole.SHA256 {
				t.Errorf("cancelled in call %d of %s, resumed: %v, or other bytes", at, where, err)
			}
		}
	}
}

func TestRungsSummaries(t *testing.T) {
	m, data, e := laddered(t)
	r := mustRun(t, m, data, upTo(5), e)
	var got []string
	for _, s := range r.Summaries {
		got = append(got, strings.TrimSpace(strings.Join([]string{s.Method, s.Search, s.Band, s.Domain, s.Status}, " ")))
		if s.Search == SearchTwins && s.Band == "all" && s.Method == MethodHCR && s.Values != 3*24 {
			t.Errorf("%d values of twins, want %d", s.Values, 3*24)
		}
	}
	want := []string{
		"hcr direct all free certified", "hcr direct 2x2 free certified", "hcr-mean-square direct all free certified",
		"hcr far all legal certified", "hcr far 2x2 legal certified", "hcr-mean-square far all legal certified",
		"barankin  all free certified", "barankin  2x2 free certified", "barankin-mean-square  all free certified",
	}
	if r.Twins != nil {
		want = append(want, "hcr twins all legal certified", "hcr twins 2x2 legal certified", "hcr-mean-square twins all legal certified")
	}
	if !slices.Equal(got[:len(want)], want) {
		t.Errorf("summaries %q, want %q", got, want)
	}
}

// Noise that cannot be combined, or proved, says so.
func TestRungsUnderOtherNoise(t *testing.T) {
	m, data, e := laddered(t)
	e.Far.Starts, e.Twins.Examples, e.Noise = 0, 0, uncertain{opaque{release.Gaussian{Sigma: 1}}}
	r := mustRun(t, m, data, upTo(3), e)
	if r.Barankin != nil || !strings.Contains(r.Reason, "no combined witnesses") {
		t.Errorf("reason %q", r.Reason)
	}
	for _, s := range r.Summaries {
		if s.Status == StatusCertified || s.Status == StatusEstimated && s.Note == "" {
			t.Errorf("%s is %s: %s", s.Method, s.Status, s.Note)
		}
	}
	e.Noise = overlapping{opaque{release.Gaussian{Sigma: 1}}}
	want := mustRun(t, m, data, upTo(3), func() Experiment { e := e; e.Noise = release.Gaussian{Sigma: 1}; return e }())
	got := mustRun(t, m, data, upTo(3), e)
	for k, v := range got.Barankin.Std {
		if math.Abs(v/want.Barankin.Std[k]-1) > 1e-5 {
			t.Fatalf("coordinate %d: %g, in closed form %g", k, v, want.Barankin.Std[k])
		}
	}
}

// uncertain noise is bounded by an estimate.
type uncertain struct{ opaque }

func (uncertain) Certain() bool { return false }

// estimated noise is too, and knows its overlaps.
type estimated struct{ overlapping }

func (estimated) Certain() bool { return false }
