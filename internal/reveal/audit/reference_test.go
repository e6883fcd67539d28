package audit

import (
	"math"
	"testing"

	"tattle/internal/must"
	"tattle/internal/shared"
)

// Honest classifiers asked about another population, or about fewer examples, are no
// reason to call one that leaks as much curious.
func TestUnpairedPopulations(t *testing.T) {
	shared.Long(t, "audits with references on other examples")
	s := telling(1500, .8, 1, 1)
	rec := &Record{Sample: s, Unpaired: true}
	for seed := range uint64(4) {
		rec.References = append(rec.References, telling(600, .5, 1, 2+seed))
	}
	r := must.Get(examine(t.Context(), rec, quickly))(t)
	f := r.Findings[0]
	if f.Curiosity.Value < .85 || f.ExcessAdjusted > .05 {
		t.Fatalf("the sample is right on %.3f with p %v: no test", f.Curiosity.Value, f.ExcessAdjusted)
	}
	// Bayes: .841 and .890 right, of which .341 and .090 are excess.
	if f.Verdict != LeakyBeyond || f.Reference.Difference > -.15 || f.Reference.Difference < -.35 {
		t.Errorf("%q, %+v", f.Verdict, f.Reference)
	}
	if m := f.Reference.Mean - f.BestBaseline().figure(); math.Abs(m-.341) > .08 { // 4 errors of .019
		t.Errorf("references tell %.3f more than their baseline", m)
	}
}

// Of references 1, 2 and 3, whose standard deviation is 1, one more of 5 is 3 above their mean. Its limits are Student's with two
// degrees of freedom, 2.92 at .95, times the deviation of a difference of means, √(1 + 1/3 + extra).
func TestReferenceTest(t *testing.T) {
	for extra, deviation := range map[float64]float64{0: math.Sqrt(4. / 3), 8. / 3: 2} {
		x := referenceTest(5, []float64{1, 2, 3}, extra, 3, .95)
		reach := 2.919985580353725 * deviation
		if x.Mean != 2 || x.SD != 1 || x.Difference != 3 || math.Abs(x.Low-3+reach) > 1e-9 || math.Abs(x.High-3-reach) > 1e-9 || !x.Above {
			t.Errorf("%+v, want 3 ± %v", x, reach)
		}
		// Student's t with two degrees of freedom is above x with the probability ½ − x/2√(2 + x²).
		if v := 3 / deviation; math.Abs(x.P-.5+v/2/math.Sqrt(2+v*v)) > 1e-9 {
			t.Errorf("p = %v at t = %v", x.P, v)
		}
		if referenceTest(5, []float64{1, 2, 3}, extra, 3.001, .95).Above {
			t.Error("a difference of 3 is above 3.001")
		}
	}
}
