package bound

import (
	"context"
	"math"
	"strings"
	"testing"

	"tattle/internal/protect/release"
)

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
