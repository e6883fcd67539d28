package audit

import (
	"slices"

	"tattle/stat"
)

// The names of the rates. With references a classifier is detected if the verdict is
// Curious, without them if it is LeakyBeyond, never if the audit is inconclusive. A
// false alarm is that of an honest one, among the audits whose controls passed: the
// others give neither verdict. Without references it is one by the excess: the true gain and AUC
// of honest classifiers are not known.
const (
	RateFalseAlarm        = "false alarms: honest classifiers called curious"
	rateFalseAlarmWithout = "false alarms without references: an excess shown, true excess within the margin"
	rateWithinWithout     = "leaky beyond the target without references by gain or AUC alone, true excess within the margin"
	RateStrong            = "detection: true excess over honest training 10 points or more"
	RateStrongBaseline    = "detection: true excess over the best baseline 10 points or more"
	rateStrongWithout     = "detection without references: true excess 10 points or more"
	RatePromised          = "detection: true excess over honest training at least the stated smallest"
	ratePromisedWithout   = "detection without references: true excess at least the stated smallest"
	RateCorrelated        = "correlated but honest called leaky by correlation or leaky beyond the target"
	rateCorrelatedAlarm   = "correlated but honest called curious"
	rateInconclusive      = "inconclusive, with references"
	rateFailed            = "inconclusive because a control failed"
)

// StudyRate is how many audits were called something, with the interval of Clopper
// and Pearson at studyConfidence, as if audits were independent: those of one task
// share references and examples. Examples is 0 for all sizes together.
type StudyRate struct {
	Name     string     `json:"name"`
	Examples int        `json:"examples,omitempty"`
	Count    int        `json:"count"`
	Of       int        `json:"of"`
	Value    float64    `json:"value"`
	Interval [2]float64 `json:"interval"`
}

// A studyQuestion says which audits are counted, and among which.
type studyQuestion struct {
	name           string
	among, counted func(a *StudyAudit) bool
}

// studyQuestions are those that a study answers; all but the last four are of tasks
// whose y and s are independent.
func studyQuestions() []studyQuestion {
	called := func(a *StudyAudit) bool { return a.With.Verdict == Curious }
	calledWithout := func(a *StudyAudit) bool { return a.Without.Verdict.ExceedsTarget() }
	byExcess := func(a *StudyAudit) bool { return slices.Contains(a.Without.Evidence, figureExcess) }
	correlated := func(a *StudyAudit) bool { return a.Correlated }
	all := func(a *StudyAudit) bool { return true }
	plain := func(f func(a *StudyAudit) bool) func(a *StudyAudit) bool {
		return func(a *StudyAudit) bool { return !a.Correlated && f(a) }
	}
	within := plain(func(a *StudyAudit) bool { return a.TrueExcess <= DefaultMargin && !a.Failed })
	planted := func(f func(a *StudyAudit) bool) func(a *StudyAudit) bool {
		return plain(func(a *StudyAudit) bool { return !a.Honest && f(a) })
	}
	return []studyQuestion{
		{RateFalseAlarm, plain(func(a *StudyAudit) bool { return a.Honest && !a.Failed }), called},
		{rateFalseAlarmWithout, within, func(a *StudyAudit) bool { return calledWithout(a) && byExcess(a) }},
		{rateWithinWithout, within, func(a *StudyAudit) bool { return calledWithout(a) && !byExcess(a) }},
		{RateStrong, planted(func(a *StudyAudit) bool { return min(a.TrueExcess, a.TrueDifference) >= studyStrong }), called},
		{RateStrongBaseline, planted(func(a *StudyAudit) bool { return a.TrueExcess >= studyStrong }), called},
		{rateStrongWithout, plain(func(a *StudyAudit) bool { return a.TrueExcess >= studyStrong }), calledWithout},
		{RatePromised, planted(func(a *StudyAudit) bool { return a.With.promises(a.TrueDifference) }), called},
		{ratePromisedWithout, plain(func(a *StudyAudit) bool { return a.Without.promises(a.TrueExcess) }), calledWithout},
		{RateCorrelated, correlated, func(a *StudyAudit) bool { return a.With.Verdict == Leaky || a.With.Verdict == LeakyBeyond }},
		{rateCorrelatedAlarm, correlated, called},
		{rateInconclusive, all, func(a *StudyAudit) bool { return a.With.Verdict == Inconclusive }},
		{rateFailed, all, func(a *StudyAudit) bool { return a.Failed }},
	}
}

// promises reports whether a true excess is one that the audit says it finds.
func (v *StudyVerdict) promises(truth float64) bool { return v.Smallest != nil && truth >= *v.Smallest }

// rates answers the questions of a study, for each size and for all.
func rates(audits []StudyAudit, sizes []studySize) []StudyRate {
	var all []StudyRate
	for _, q := range studyQuestions() {
		for _, n := range append([]studySize{{}}, sizes...) {
			if r := q.rate(audits, n.examples); r.Of > 0 {
				all = append(all, r)
			}
		}
	}
	return all
}

// rate answers for the audits of so many examples, 0 for all.
func (q *studyQuestion) rate(audits []StudyAudit, examples int) StudyRate {
	r := StudyRate{Name: q.name, Examples: examples}
	for i := range audits {
		a := &audits[i]
		if examples != 0 && a.Examples != examples || !q.among(a) {
			continue
		}
		r.Of++
		if q.counted(a) {
			r.Count++
		}
	}
	if r.Of > 0 {
		c := stat.ClopperPearson(r.Count, r.Of, studyConfidence)
		r.Value, r.Interval = float64(r.Count)/float64(r.Of), [2]float64{c.Low, c.High}
	}
	return r
}
