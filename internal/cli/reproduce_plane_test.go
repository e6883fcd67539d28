package cli

import (
	"math"
	"path/filepath"
	"testing"

	"tattle/internal/shared"
)

// TestPlane holds figure 4 and the convex case to B section 3 on 20,000 samples: the
// classifiers are fitted to their optimum, and what is left is the sampling of the
// boundary's neighbourhood, a few examples. A boundary through the origin is right for both
// attributes in two quadrants and for one of them in the others: δy + δs = 1.5. Gradient descent
// stays within the bound of appendix A.2.
func TestPlane(t *testing.T) {
	shared.Long(t, "figure 4 and the convex case on 20,000 samples")
	convex, sums := reported(t, filepath.Join(t.TempDir(), "convex"), "reproduce", "convex"), 0
	most := map[string]float64{}
	for _, c := range convex.Claims {
		most[c.ID] = max(most[c.ID], c.Value.X)
		if c.ID == "neighbourhood.bound" && (c.Value.High < 0 || !math.IsNaN(c.Value.X)) {
			t.Errorf("a bound of %+v: not one that is rounded up", c.Value)
		}
		if c.ID == "trade.sum" {
			if sums++; math.Abs(c.Value.X-1.5) > .01 {
				t.Errorf("βs = %s: δy + δs = %v, want 1.5", c.Subject, c.Value.X)
			}
		}
	}
	if convex.Data.Examples != 20000 || sums < 10 || most["trade.honesty"] < .99 || most["trade.curiosity"] < .99 {
		t.Errorf("%d points on %d examples, at most %v", sums, convex.Data.Examples, most)
	}
	if held := convex.Claim("neighbourhood.held", ""); held == nil || held.Value.X < 80 || held.Value.X != held.Beside[0].Value.X {
		t.Errorf("gradient descent leaves its bound: %+v", held)
	}
	mixed, cells := reported(t, filepath.Join(t.TempDir(), "mixtures"), "reproduce", "mixtures"), 0
	for _, c := range mixed.Claims {
		if c.ID == "honesty" || c.ID == "curiosity" {
			if cells++; math.Abs(c.Value.X-c.Beside[0].Value.X) > .01 {
				t.Errorf("%s of %s: %v, published %v", c.ID, c.Group, c.Value.X, c.Beside[0].Value.X)
			}
		}
	}
	if cells != 4 || len(mixed.Series) != 8 || mixed.Verdict() != "tables.ran" {
		t.Errorf("%d cells, %d series; %s", cells, len(mixed.Series), mixed.Verdict())
	}
}
