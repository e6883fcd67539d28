package bound

import (
	"math"
	"slices"
	"strings"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
	"tattle/internal/protect/release"
)

// everyKind is the small experiment with every kind of witness.
func everyKind(t testing.TB) (*nn.Net, nn.Rows, Experiment) {
	m, data, e := small(t)
	box := cube(24, 5) // the data, normal deviates, lie inside
	e.Far = FarOptions{Starts: 4, Domain: box, Seed: 5}
	e.Barankin.Witnesses = 34
	e.Twins = TwinOptions{Examples: 3, Domain: box, Seed: 6}
	return m, data, e
}

func TestSummariesOfEveryKind(t *testing.T) {
	m, data, e := everyKind(t)
	e.Barankin.Witnesses = 6 // three of them far ones, of four
	r := mustRun(t, m, data, upTo(5), e)
	combined, far := must.Get(r.Witnesses(r.Kind(SearchCombined), 2))(t), must.Get(r.Witnesses(r.Kind(SearchFar), 2))(t)
	if !slices.Equal(combined[3*24:], far[:3*24]) || slices.Equal(combined[2*24:3*24], far[3*24:]) {
		t.Error("not half the witnesses that are combined are far ones")
	}
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
		"hcr twins all legal certified", "hcr twins 2x2 legal certified", "hcr-mean-square twins all legal certified",
	}
	if !slices.Equal(got[:len(want)], want) {
		t.Errorf("summaries %q, want %q", got, want)
	}
}

// Noise whose bounds cannot be combined, or are not proved, is reported as such.
func TestEveryKindUnderOtherNoise(t *testing.T) {
	m, data, e := everyKind(t)
	e.Noise = estimated{overlapping{opaque{release.Gaussian{Sigma: 1}}}}
	every := mustRun(t, m, data, upTo(3), e)
	if every.Kind(SearchFar) == nil || every.Kind(SearchCombined) == nil || every.Kind(SearchTwins) == nil {
		t.Fatal("a kind of witness is missing")
	}
	e.Far.Starts, e.Twins.Examples, e.Noise = 0, 0, uncertain{opaque{release.Gaussian{Sigma: 1}}}
	r := mustRun(t, m, data, upTo(3), e)
	if r.Kind(SearchCombined) != nil || !strings.Contains(strings.Join(r.Experiment.Reasons, "; "), "no combined witnesses") {
		t.Errorf("reasons %q", r.Experiment.Reasons)
	}
	if len(r.Warnings) != 1 || !strings.HasPrefix(r.Warnings[0], "No combined witnesses: ") {
		t.Errorf("warnings %q", r.Warnings)
	}
	for _, s := range append(every.Summaries, r.Summaries...) {
		if s.Status == StatusCertified {
			t.Errorf("%s is %s", s.Method, s.Status)
		}
	}
	e.Noise = overlapping{opaque{release.Gaussian{Sigma: 1}}}
	want := mustRun(t, m, data, upTo(3), func() Experiment { e := e; e.Noise = release.Gaussian{Sigma: 1}; return e }())
	got := mustRun(t, m, data, upTo(3), e)
	for k, v := range got.Kind(SearchCombined).Std {
		if math.Abs(v/want.Kind(SearchCombined).Std[k]-1) > 1e-5 {
			t.Fatalf("coordinate %d: %g, in closed form %g", k, v, want.Kind(SearchCombined).Std[k])
		}
	}
}

// uncertain noise is bounded by an estimate.
type uncertain struct{ opaque }

func (uncertain) Certain() bool { return false }

// estimated noise is too, and knows its overlaps.
type estimated struct{ overlapping }

func (estimated) Certain() bool { return false }
