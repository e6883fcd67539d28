package paper

import (
	"slices"
	"strings"

	"tattle/internal/report"
	"tattle/internal/reveal/curious"
	"tattle/internal/reveal/curious/training"
)

// gaps adds how much more honest each classifier is on the training part than on the test part, and how certain
// its outputs are. B appendix D expects of a curious classifier a smaller gap than of the standard one, and features of no larger
// entropy. Trainings of earlier versions, and those without an attack, have no gap.
func (res *results) gaps(r *report.Report) {
	curiousOnes, smaller := 0, 0
	for _, t := range res.Trainings {
		all := res.fitted(t)
		if len(all) == 0 {
			continue
		}
		gap := overGaps(all)
		attributes := []string{t.Target}
		if t.Kind != curious.Standard {
			attributes = append(attributes, t.Sensitive...)
		}
		c := report.Claim{ID: "gap", Subject: strings.Join(attributes, " / "), Group: t.series(string(t.Outputs[0])), Kind: report.Measured, Value: report.Exactly(gap.Mean, report.Points), N: res.TestExamples, Source: report.Searched}
		beside := func(name string, x float64, u report.Unit) {
			c.Beside = append(c.Beside, report.Beside{Name: name, Value: report.Exactly(x, u)})
		}
		if gap.Seeds > 1 {
			beside("±", gap.Std, report.Points)
		}
		beside("trained", meanOf(all, func(m *training.Measure) float64 { return m.Evaluation.Trained.Value }), report.Share)
		beside("tested", meanOf(all, func(m *training.Measure) float64 { return m.Evaluation.Honesty.Value }), report.Share)
		beside("entropy", meanOf(all, func(m *training.Measure) float64 { return m.Evaluation.Entropy.MeanBits }), report.Bits)
		if standard := res.fitted(res.standard(t)); t.Kind != curious.Standard && len(standard) > 0 {
			plain := overGaps(standard)
			beside("standard", plain.Mean, report.Points)
			if curiousOnes++; gap.Mean < plain.Mean {
				smaller++
			}
		}
		r.Add(c)
	}
	if curiousOnes > 0 {
		r.Add(count("gap.smaller", "", smaller, curiousOnes))
		r.Find("gap", "")
	}
}

// fitted are the measures, of all seeds, of a training's classifier that have its honesty on the training part.
func (res *results) fitted(t Training) []*training.Measure {
	if len(t.Outputs) == 0 {
		return nil
	}
	return slices.DeleteFunc(res.measures(t, string(t.Outputs[0])), func(m *training.Measure) bool { return m.Evaluation.Trained == nil })
}

// standard is the standard training that a curious one differs from by its curiosity alone, without a key if there is none.
func (res *results) standard(t Training) (of Training) {
	for _, s := range res.Trainings {
		if s.Kind == curious.Standard && s.Target == t.Target && s.Widths == t.Widths && s.Student == t.Student && s.Beta.X == t.Beta.X {
			return s
		}
	}
	return of
}

// overGaps is the generalisation gap over seeds.
func overGaps(all []*training.Measure) curious.MeanStd {
	var gaps []float64
	for _, m := range all {
		gaps = append(gaps, m.Evaluation.Trained.Value-m.Evaluation.Honesty.Value)
	}
	return overSeeds(gaps)
}
