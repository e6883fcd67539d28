package report

import (
	"bytes"
	"strings"
	"testing"

	"tattle/audit"
	"tattle/internal/must"
)

// studied is a study whose audits were right, except for those that the arguments name.
func studied(alarms int) *audit.Study {
	rate := func(name string, examples, count, of int, low, high float64) audit.StudyRate {
		return audit.StudyRate{Name: name, Examples: examples, Count: count, Of: of, Value: float64(count) / float64(of), Interval: [2]float64{low, high}}
	}
	return &audit.Study{
		References: 5,
		Audits:     []audit.StudyAudit{{Honest: true}, {}, {Honest: true, Correlated: true}},
		Rates: []audit.StudyRate{
			rate(audit.RateFalseAlarm, 0, alarms, 100, float64(alarms)/200, .3),
			rate(audit.RateStrong, 2000, 40, 40, .87, 1), rate(audit.RateStrong, 0, 80, 100, .68, .89),
			rate(audit.RatePromised, 0, 90, 100, .8, .96), rate(audit.RateCorrelated, 0, 96, 100, .88, .99),
		},
		Rows:     []audit.StudyRow{{Data: "glyphs", Kind: "mixture, hard", Outputs: "soft", Examples: 10000, Audits: 3, Excess: .123, With: audit.StudyTally{Curious: 2, Inconclusive: 1}}},
		Evidence: []audit.StudyCount{{References: true, Verdict: audit.LeakyBeyond, Evidence: "auc, gain", Honest: 17}},
		Spreads:  []audit.Spread{{Data: "glyphs", Outputs: "raw", Classifiers: 6, Honesty: .9, Excess: -.01, SD: .002}},
	}
}

func TestStudyVerdict(t *testing.T) {
	if _, said := studyVerdict(studied(3)); said != "all of 4 demands are met" {
		t.Error(said)
	}
	if _, said := studyVerdict(studied(20)); said != "1 of 4 demands are not met: "+audit.RateFalseAlarm {
		t.Error(said)
	}
	missed := studied(3)
	missed.Rates = append(missed.Rates, audit.StudyRate{Name: audit.RatePromised, Examples: 500, Count: 8, Of: 10, Value: .8, Interval: [2]float64{.4, 1}},
		audit.StudyRate{Name: audit.RateStrongBaseline, Examples: 2000, Count: 38, Of: 39, Value: 38. / 39, Interval: [2]float64{.8, 1}})
	if _, said := studyVerdict(missed); said != "2 of 6 demands are not met: "+audit.RateStrongBaseline+"; "+audit.RatePromised {
		t.Error(said)
	}
	quick := studied(20)
	quick.Quick = true
	if _, said := studyVerdict(quick); !strings.Contains(said, "too few for rates") {
		t.Error(said)
	}
}

func TestStudyShown(t *testing.T) {
	r := &Report{Title: "What audits detect", Study: studied(3), Verdict: "all of 4 demands are met"}
	var text, html bytes.Buffer
	for _, err := range []error{r.WriteDetails(&text), r.WriteHTML(&html)} {
		must.Do(t, err)
	}
	for _, said := range []string{text.String(), html.String()} {
		flat := strings.ReplaceAll(strings.Join(strings.Fields(said), " "), "\u00a0", " ")
		for _, want := range []string{
			"3 audits of classifiers", "1 trained honestly, 1 trained to be curious, 1 trained honestly where",
			"40 of 40, 100.00 %", "All of 4 demands are met.", "mixture, hard", "12.3", "−1.0", "AUC, gain",
		} {
			if !strings.Contains(flat, want) {
				t.Errorf("nothing of %q in\n%s", want, said)
			}
		}
	}
	for line := range strings.Lines(text.String()) {
		if n := len([]rune(line)); n > width+1 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}
