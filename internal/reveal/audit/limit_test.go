package audit

import (
	"context"
	"slices"
	"testing"

	"tattle/internal/must"
)

// The report says on how many examples attacks were fitted if these were limited, and nothing otherwise.
func TestFitsAreLimited(t *testing.T) {
	s := made{n: 400, classes: 2, values: []int{2}, shift: .7, seed: 1}.sample()
	const want = "Each attack was fitted on at most 100 examples (--max-fit), drawn at random from those that it did not judge. All 400 examples were judged."
	for _, limit := range []int{100, 320, 0} {
		o := quick
		o.MaxFit = limit
		r := examined(t, s, o)
		said := false
		for _, f := range r.Report(&Setup{}).Findings {
			said = said || slices.Contains(f.Args, want)
		}
		if limited := limit == 100; said != limited || (r.Fitted == limit) != (limit != 320) {
			t.Errorf("limit %d: attacks were fitted on %d examples; the report says so: %t", limit, r.Fitted, said)
		}
		for _, sp := range r.x.splits {
			if len(sp.small) > len(sp.large) || len(sp.large) > len(sp.all) || len(sp.all) > r.Settings.MaxFit {
				t.Errorf("limit %d: attacks are fitted on %d, %d and %d", limit, len(sp.small), len(sp.large), len(sp.all))
			}
		}
	}
}

// Attacks on what is planted are fitted on as many examples as those on a large sample, in as many folds, and a lower
// limit makes the power as much worse as it makes attacks.
func TestPlantedLimit(t *testing.T) {
	for _, n := range []int{plantedExamples, 3 * plantedExamples} {
		x := newFolded(made{n: n, classes: 2, values: []int{2}, seed: 1}.sample(), Options{})
		for _, sp := range x.splits {
			if len(x.splits) != 2 || len(sp.all) != DefaultMaxFit || len(sp.large) != DefaultMaxFit || len(sp.large) < secondFit*len(sp.small) {
				t.Errorf("%d examples: %d folds, fitted on %d", n, len(x.splits), len(sp.all))
			}
		}
	}
	var found []float64
	for _, limit := range []int{0, 40} {
		o := Options{Seed: 1, MaxFit: limit}.withDefaults()
		c := Channel{Channel: RepeatedChannel}
		must.Do(t, c.measure(context.Background(), softly(600, 3, 1), 1, o, 1))
		if c.Planted == nil {
			c.Planted = new(1.)
		}
		found = append(found, *c.Planted)
	}
	if found[1] < 1.2*found[0] {
		t.Errorf("codes of %.3f are found, and of %.3f by attacks that are fitted on 40 examples", found[0], found[1])
	}
}
