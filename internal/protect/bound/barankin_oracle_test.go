package bound

import (
	"math"
	"slices"
	"testing"

	"tattle/internal/math/stat"
	"tattle/internal/shared"
)

// On paper A's MNIST net the combination certifies what Cramér-Rao estimates, and
// far more than single witnesses do.
func TestBarankinOnMNIST(t *testing.T) {
	shared.Long(t, "combines 64 witnesses of 12 images")
	o := loadOracle(t)
	e := o.experiment(Auto)
	e.Barankin.Witnesses = DefaultWitnesses
	r := mustRun(t, o.net, o.data, upTo(12), e)
	median := func(x []float64) float64 { return stat.Quantile(slices.Clone(x), .5) }
	got, cr := median(r.Kind(SearchCombined).Std), median(o.cr[:12*784])
	if got < .99*cr {
		t.Errorf("median %g is below 0.99 of Cramér-Rao's, %g", got, cr)
	}
	good := 0
	for i := range 12 {
		ratio := median(r.Kind(SearchCombined).Std[i*784:(i+1)*784]) / median(o.cr[i*784:(i+1)*784])
		if ratio >= .99 {
			good++
		}
	}
	if good < 11 {
		t.Errorf("%d of 12 images reach 0.99 of Cramér-Rao", good)
	}
	if a := median(r.Kinds[0].Std); got < 2.7*a {
		t.Errorf("median %g is below 2.7 times Algorithm 1's, %g", got, a)
	}
	if a := median(o.std[:12*784]); got < 3*a {
		t.Errorf("median %g is below 3 times the authors', %g", got, a)
	}
}

// In real arithmetic, far witnesses, alone and combined with near ones, prove more than
// near ones do; twins leave nothing bounded. What is recorded is verified.
func TestLadderOnMNIST(t *testing.T) {
	shared.Long(t, "runs every kind of bound on 3 images")
	o := loadOracle(t)
	e := o.experiment(Auto)
	e.Search.Restarts, e.Search.Repeats = 5, 5
	e.Barankin.Witnesses, e.Runtime = DefaultWitnesses, RealArithmetic
	near := mustRun(t, o.net, o.data, upTo(3), e)
	box := box(o.data)
	e.Far = FarOptions{Starts: 8, Domain: box, Seed: 1}
	e.Twins = TwinOptions{Examples: 1, Domain: box, Seed: 1}
	r := mustRun(t, o.net, o.data, upTo(3), e)
	for k, std := range r.Kind(SearchCombined).Std {
		if std < near.Kind(SearchCombined).Std[k]*(1-1e-3) {
			t.Errorf("coordinate %d: %g with far witnesses, %g without", k, std, near.Kind(SearchCombined).Std[k])
			break
		}
	}
	e.Barankin.Near, e.Twins = true, TwinOptions{}
	if same := mustRun(t, o.net, o.data, upTo(2), e); !slices.Equal(same.Kind(SearchCombined).Std, near.Kind(SearchCombined).Std[:2*784]) {
		t.Error("far witnesses are in a combination that leaves them out")
	}
	if r.Kind(SearchTwins).Tried != 1 {
		t.Errorf("twins of %d examples", r.Kind(SearchTwins).Tried)
	}
	if !math.IsInf(r.Kind(SearchTwins).MeanSquare[0], 1) {
		t.Errorf("no twin within rounding: mean square %g", r.Kind(SearchTwins).MeanSquare[0])
	}
	if found := verified(t, o.net, o.data, r, r.claims()); len(found) != 0 {
		t.Errorf("%v", found)
	}
}
