package report

import (
	"math"
	"strings"
	"testing"

	"tattle/bound"
)

// The verdict names the inputs that it counts: not all where some were tried.
func TestVerdictCountsWhatWasTried(t *testing.T) {
	row := func(search, band string, median, unbounded float64, examples int) bound.Summary {
		q := map[string]*float64{"0.5": &median}
		if math.IsInf(median, 1) {
			q["0.5"] = nil
		}
		return bound.Summary{Method: bound.MethodHCR, Search: search, Band: band, Coordinates: "dct", StdQuantiles: q,
			UnboundedFraction: unbounded, Examples: examples, Status: bound.StatusCertified}
	}
	inf := math.Inf(1)
	for _, c := range []struct {
		rows []bound.Summary
		want string
	}{
		{[]bound.Summary{row("direct", bound.AllBand, 2, 0, 10), row(bound.SearchTwins, bound.AllBand, inf, 1, 3)},
			"bounded for unbiased estimators only: any unbiased adversary errs by at least 20 grey levels in half of the cosine modes of the 10 inputs; for 100 % of the cosine modes of the 3 of 10 inputs that were tried, twins leave"},
		{[]bound.Summary{row("direct", bound.AllBand, 2, 0, 10), row(bound.SearchTwins, bound.AllBand, inf, .9999, 10)},
			"for 99.9 % of the cosine modes of the 10 inputs, twins leave"},
		{[]bound.Summary{row("direct", "8x8", 3, 0, 10)}, "at least 30 grey levels in half of the 8×8 coarsest cosine modes of the 10 inputs"},
		{[]bound.Summary{row("direct", bound.AllBand, .01, 0, 10)}, "vacuous: the certified error is under one grey level in half of the cosine modes of the 10 inputs or more"},
		{[]bound.Summary{row("direct", bound.AllBand, inf, 1, 10)}, "of any unbiased adversary in half of the cosine modes of the 10 inputs"},
		{[]bound.Summary{row("direct", bound.AllBand, 1e4, 0, 10)}, "more than 100 times the whole range of grey levels in half of the cosine modes of the 10 inputs"},
	} {
		r := &Report{Reconstruction: Reconstruction{Bounds: c.rows}, Data: Data{Examples: 10, GreyLevels: 10}}
		if _, got := verdict(r); !strings.Contains(got, c.want) {
			t.Errorf("verdict %q, want %q", got, c.want)
		}
	}
}

// Attacks that learned from the inputs that they attack are not adversaries without a list.
func TestHeadlineOfKnownInputs(t *testing.T) {
	r := full(t)
	r.Lists.Anybody = nil
	if s := r.releaseSays(); !strings.Contains(s, "Without a list, the best attack") {
		t.Error(s)
	}
	r.Learned = Arrays{SHA256: r.Data.SHA256}
	if s := r.releaseSays(); strings.Contains(s, "Without a list") || !strings.Contains(s, "learned from the inputs that it attacks") {
		t.Error(s)
	}
}
