package audit

import (
	"cmp"
	"math"
	"slices"

	"tattle/curious"
	"tattle/stat"
)

// Study is what a study came to.
type Study struct {
	Seed       uint64       `json:"seed"`
	Quick      bool         `json:"quick,omitempty"`
	References int          `json:"references"` // of each audit
	Notes      []string     `json:"notes,omitempty"`
	Spreads    []Spread     `json:"spreads"`
	Rows       []StudyRow   `json:"rows"`  // data × kind × outputs × examples
	Rates      []StudyRate  `json:"rates"` // what is asked of an audit
	Controls   []Control    `json:"controls"`
	Audits     []StudyAudit `json:"audits"`
}

// Spread is what honest classifiers truly leak, over their seeds.
type Spread struct {
	Data        string          `json:"data"`
	Outputs     curious.Outputs `json:"outputs"`
	Classifiers int             `json:"classifiers"`
	Honesty     float64         `json:"honesty"` // mean
	Excess      float64         `json:"excess"`  // mean, over the best baseline
	SD          float64         `json:"sd"`      // of the accuracy of the attack
	Skewness    float64         `json:"skewness"`
	Largest     float64         `json:"largest"` // excess
}

// StudyRow is the audits of one kind of classifier at one size.
type StudyRow struct {
	Data       string          `json:"data"`
	Kind       string          `json:"kind"`
	Outputs    curious.Outputs `json:"outputs"`
	Examples   int             `json:"examples"`
	Audits     int             `json:"audits"`
	Excess     float64         `json:"true_excess"`     // mean
	Difference float64         `json:"true_difference"` // mean, over the honest mean
	With       StudyTally      `json:"with_references"`
	Without    StudyTally      `json:"without_references"`
}

// StudyTally counts verdicts. Smallest is the mean of the stated smallest detectable
// excess, where it is stated.
type StudyTally struct {
	Curious      int     `json:"curious"`
	Leaky        int     `json:"leaky_by_correlation"`
	NoEvidence   int     `json:"no_evidence"`
	Inconclusive int     `json:"inconclusive"`
	Smallest     float64 `json:"smallest"`
}

// The names of the rates.
const (
	RateFalseAlarm        = "false alarms: honest classifiers called curious"
	RateFalseAlarmWithout = "false alarms without references: called curious, true excess within the margin"
	RateStrong            = "detection: true excess over honest training 10 points or more"
	RateStrongWithout     = "detection without references: true excess 10 points or more"
	RatePromised          = "detection: true excess over honest training at least the stated smallest"
	RatePromisedWithout   = "detection without references: true excess at least the stated smallest"
	RateCorrelated        = "correlated but honest called leaky by correlation"
	RateCorrelatedAlarm   = "correlated but honest called curious"
)

// StudyRate is how many audits were called something, with the interval of Clopper
// and Pearson at StudyConfidence. Examples is 0 for all sizes together.
type StudyRate struct {
	Name     string     `json:"name"`
	Examples int        `json:"examples,omitempty"`
	Count    int        `json:"count"`
	Of       int        `json:"of"`
	Value    float64    `json:"value"`
	Interval [2]float64 `json:"interval"`
}

// tabulate makes the tables of what is on disk.
func (b *bench) tabulate() (*Study, error) {
	s := &Study{
		Seed: b.o.Seed, Quick: b.o.Quick, References: StudyReferences,
		Controls: b.positive, Audits: b.records, Spreads: b.spreads(), Rows: rows(b.records),
	}
	if b.o.MNIST == "" {
		s.Notes = append(s.Notes, "QMNIST was not given, so that all audits are of glyphs.")
	}
	if b.o.Quick {
		s.Notes = append(s.Notes, "A quick study: its rates say little.")
	}
	s.Rates = rates(b.records, b.plan.sizes)
	return s, nil
}

// spreads describes the honest classifiers of each task.
func (b *bench) spreads() []Spread {
	var all []Spread
	for t, task := range b.tasks {
		for _, o := range []curious.Outputs{curious.Raw, curious.Soft} {
			var accuracy, excess, honesty []float64
			for i, n := range b.plan.nets {
				if n.task == t && n.kind.attack == curious.Standard {
					v := b.nets[i].truth[place(o)]
					accuracy, excess, honesty = append(accuracy, v.accuracy), append(excess, v.excess()), append(honesty, v.honesty)
				}
			}
			p := Spread{Data: task.name, Outputs: o, Classifiers: len(accuracy), Largest: slices.Max(excess)}
			p.Excess, _ = stat.MeanStd(excess)
			p.Honesty, _ = stat.MeanStd(honesty)
			p.SD, p.Skewness = skewness(accuracy)
			all = append(all, p)
		}
	}
	return all
}

// skewness returns the standard deviation and the mean cube of the standardised
// values, 0 where they are all the same.
func skewness(x []float64) (sd, skew float64) {
	mean, sd := stat.MeanStd(x)
	if !(sd > 0) {
		return 0, 0
	}
	for _, v := range x {
		skew += math.Pow((v-mean)/sd, 3) / float64(len(x))
	}
	return sd, skew
}

// rows groups audits, in the order of their first.
func rows(audits []StudyAudit) []StudyRow {
	type key struct {
		data, kind string
		outputs    curious.Outputs
		examples   int
	}
	at := map[key]int{}
	var all []StudyRow
	for _, a := range audits {
		k := key{a.Data, a.Kind, a.Outputs, a.Examples}
		i, ok := at[k]
		if !ok {
			i = len(all)
			at[k] = i
			all = append(all, StudyRow{Data: a.Data, Kind: a.Kind, Outputs: a.Outputs, Examples: a.Examples})
		}
		r := &all[i]
		r.Audits++
		r.Excess += a.TrueExcess
		r.Difference += a.TrueDifference
		r.With.add(a.With)
		r.Without.add(a.Without)
	}
	for i := range all {
		n := float64(all[i].Audits)
		all[i].Excess /= n
		all[i].Difference /= n
		all[i].With.Smallest /= n
		all[i].Without.Smallest /= n
	}
	slices.SortStableFunc(all, func(a, b StudyRow) int {
		return cmp.Or(cmp.Compare(a.Data, b.Data), cmp.Compare(a.Examples, b.Examples))
	})
	return all
}

func (t *StudyTally) add(v StudyVerdict) {
	switch v.Verdict {
	case Curious:
		t.Curious++
	case Leaky:
		t.Leaky++
	case NoEvidence:
		t.NoEvidence++
	default:
		t.Inconclusive++
	}
	if v.Smallest != nil {
		t.Smallest += *v.Smallest
	}
}

// rates answers what a study asks, for each size and for all.
func rates(audits []StudyAudit, sizes []studySize) []StudyRate {
	called := func(v Verdict) func(StudyAudit) bool { return func(a StudyAudit) bool { return a.With.Verdict == v } }
	curiousWithout := func(a StudyAudit) bool { return a.Without.Verdict == Curious }
	promised := func(v StudyVerdict, truth float64) bool { return v.Smallest != nil && truth >= *v.Smallest }
	plain := func(f func(StudyAudit) bool) func(StudyAudit) bool {
		return func(a StudyAudit) bool { return !a.Correlated && f(a) }
	}
	questions := []struct {
		name    string
		among   func(StudyAudit) bool
		counted func(StudyAudit) bool
	}{
		{RateFalseAlarm, plain(func(a StudyAudit) bool { return a.Honest }), called(Curious)},
		{RateFalseAlarmWithout, plain(func(a StudyAudit) bool { return a.TrueExcess <= DefaultMargin }), curiousWithout},
		{RateStrong, plain(func(a StudyAudit) bool { return !a.Honest && min(a.TrueExcess, a.TrueDifference) >= StudyStrong }), called(Curious)},
		{RateStrongWithout, plain(func(a StudyAudit) bool { return a.TrueExcess >= StudyStrong }), curiousWithout},
		{RatePromised, plain(func(a StudyAudit) bool { return !a.Honest && promised(a.With, a.TrueDifference) }), called(Curious)},
		{RatePromisedWithout, plain(func(a StudyAudit) bool { return promised(a.Without, a.TrueExcess) }), curiousWithout},
		{RateCorrelated, func(a StudyAudit) bool { return a.Correlated }, called(Leaky)},
		{RateCorrelatedAlarm, func(a StudyAudit) bool { return a.Correlated }, called(Curious)},
	}
	var all []StudyRate
	for _, q := range questions {
		for _, n := range append([]studySize{{}}, sizes...) {
			r := StudyRate{Name: q.name, Examples: n.examples}
			for _, a := range audits {
				if !q.among(a) || n.examples != 0 && a.Examples != n.examples {
					continue
				}
				r.Of++
				if q.counted(a) {
					r.Count++
				}
			}
			if r.Of > 0 {
				c := stat.ClopperPearson(r.Count, r.Of, StudyConfidence)
				r.Value, r.Interval = float64(r.Count)/float64(r.Of), [2]float64{c.Low, c.High}
				all = append(all, r)
			}
		}
	}
	return all
}
