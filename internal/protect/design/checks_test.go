package design

import (
	"strings"
	"testing"

	"tattle/internal/protect/measure"
	"tattle/internal/protect/release"
	"tattle/internal/report"
)

// TestWorstOfTheList checks a promise whatever the data that leaves the number of candidates open: it is about all of the list.
func TestWorstOfTheList(t *testing.T) {
	s := &measure.Setup{
		Features: 2, Release: measure.Release{Family: "gaussian", Sigma: 1, Spec: release.Spec{ClipNorm: .3}},
		Lists: &measure.ListFigures{Holder: &measure.ListHolder{List: measure.ListUsed{Of: 300, Inputs: 300}}},
	}
	for worst, kept := range map[float64]bool{.01: true, .007: false} { // Φ(Φ⁻¹(1/300) + .3) = .0079
		p := Promise{Limits: Limits{Worst: worst}}
		c := p.checks(report.New("", "", 0), s)[0]
		if c.kept != kept || c.name != "whatever the data: named among 300" {
			t.Errorf("%v: %+v", worst, c)
		}
	}
}

// A limit that holds for certain has no confidence of 0.
func TestWorstConfidence(t *testing.T) {
	r := report.New("", "", 0)
	r.Layout = "design"
	r.Add(report.Claim{ID: "limit", Subject: "worst", Value: report.AtMost(.01, report.Share)}, report.Claim{ID: "figure", Subject: "worst", Value: report.AtMost(.009, report.Share)})
	var b strings.Builder
	if r.WriteText(&b, true); !strings.Contains(b.String(), "worst") || strings.Contains(b.String(), "0.0 %") {
		t.Error(b.String())
	}
}

// The first sentence says on which condition the promise is kept, and what an adversary can do.
func TestKeptPromiseSaysItsCondition(t *testing.T) {
	kept := []checked{{name: "identification", kept: true}}
	for people, condition := range map[int]string{0: ", for 4 releases of each input, if every input is of another person", 40: ", for 4 releases of each input"} {
		s := &measure.Setup{Release: measure.Release{Queries: 4}, Lists: &measure.ListFigures{Anybody: []measure.Population{{List: measure.ListUsed{Inputs: 50, People: people}}}}}
		for code, want := range map[string]string{
			"identified.rarely": "This release keeps all limits of the promise: identification" + condition + ".",
			"reconstructed":     "This release keeps all limits of the promise (identification" + condition + "). The best attack that ran errs by 3,",
		} {
			r := report.New("", "", 0)
			r.Add(report.Claim{ID: "attack", Value: report.Exactly(3, report.Number)})
			r.Find(code, "", "one", "")
			if says := r.Say((&Promise{}).verdict(r, s, kept)); !strings.HasPrefix(says, want) {
				t.Errorf("%d people, %s: %s", people, code, says)
			}
		}
	}
}
