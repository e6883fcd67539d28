package audit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

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
	Rows       []StudyRow   `json:"rows"`     // data × kind × outputs × examples
	Rates      []StudyRate  `json:"rates"`    // how often audits are right
	Evidence   []StudyCount `json:"evidence"` // what verdicts rested on
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

// StudyCount counts the audits with a verdict on the same kinds of evidence.
type StudyCount struct {
	References bool    `json:"references"` // with them
	Verdict    Verdict `json:"verdict"`
	Evidence   string  `json:"evidence,omitempty"` // the kinds that were each enough
	Honest     int     `json:"honest"`             // audits of honest classifiers, y and s independent
	Curious    int     `json:"curious"`            // of curious ones
	Correlated int     `json:"correlated"`         // of honest ones, y and s dependent
}

// StudyTally counts verdicts. Smallest is the mean of the stated smallest detectable
// excess over the audits that state one, 0 if none does.
type StudyTally struct {
	Curious      int     `json:"curious"`
	LeakyBeyond  int     `json:"leaky_beyond_the_target"`
	Leaky        int     `json:"leaky_by_correlation"`
	NoEvidence   int     `json:"no_evidence"`
	Inconclusive int     `json:"inconclusive"`
	Smallest     float64 `json:"smallest"`
	Stated       int     `json:"stated"` // how many audits Smallest is the mean of
}

// Detects returns Smallest in points with the number of audits that state one, if not all do;
// a dash if none does.
func (t StudyTally) Detects(audits int) string {
	switch {
	case t.Stated == 0:
		return "–"
	case t.Stated < audits:
		return fmt.Sprintf("%.1f (%d of %d)", 100*t.Smallest, t.Stated, audits)
	}
	return fmt.Sprintf("%.1f", 100*t.Smallest)
}

// String returns the five counts in the order of StudyTally.
func (t StudyTally) String() string {
	return fmt.Sprintf("%d / %d / %d / %d / %d", t.Curious, t.LeakyBeyond, t.Leaky, t.NoEvidence, t.Inconclusive)
}

// tabulate makes the tables of what is on disk.
func (b *bench) tabulate() *Study {
	s := &Study{
		Seed: b.o.Seed, Quick: b.o.Quick, References: studyReferences,
		Controls: b.positive, Audits: b.records, Spreads: b.spreads(), Rows: rows(b.records), Evidence: evidenceCounts(b.records),
	}
	if b.o.MNIST == "" {
		s.Notes = append(s.Notes, "QMNIST was not given, so that all audits are of glyphs.")
	}
	if b.o.Quick {
		s.Notes = append(s.Notes, "A quick study: its rates say little.")
	}
	s.Rates = rates(b.records, b.plan.sizes)
	return s
}

// spreads describes the honest classifiers of each task.
func (b *bench) spreads() []Spread {
	var all []Spread
	for t, task := range b.tasks {
		for _, o := range []curious.Outputs{curious.Raw, curious.Soft} {
			var accuracy, excess, honesty []float64
			for i, n := range b.plan.nets {
				if n.task == t && n.kind.attack == curious.Standard {
					v := b.nets[i].Truth[place(o)]
					accuracy, excess, honesty = append(accuracy, v.Accuracy), append(excess, v.excess()), append(honesty, v.Honesty)
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
// values, 0 if they are all the same.
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
	case LeakyBeyond:
		t.LeakyBeyond++
	case Leaky:
		t.Leaky++
	case NoEvidence:
		t.NoEvidence++
	default:
		t.Inconclusive++
	}
	if v.Smallest != nil {
		t.Stated++
		t.Smallest += (*v.Smallest - t.Smallest) / float64(t.Stated)
	}
}

// evidenceCounts counts verdicts with references and without, the worst first, by their evidence.
func evidenceCounts(audits []StudyAudit) []StudyCount {
	var all []StudyCount
	for _, with := range []bool{true, false} {
		for _, a := range audits {
			v := a.Without
			if with {
				v = a.With
			}
			c := StudyCount{References: with, Verdict: v.Verdict, Evidence: strings.Join(v.Evidence, ", ")}
			i := slices.IndexFunc(all, func(x StudyCount) bool {
				return x.References == with && x.Verdict == c.Verdict && x.Evidence == c.Evidence
			})
			if i < 0 {
				i = len(all)
				all = append(all, c)
			}
			switch {
			case a.Correlated:
				all[i].Correlated++
			case a.Honest:
				all[i].Honest++
			default:
				all[i].Curious++
			}
		}
	}
	place := func(c StudyCount) int {
		at := slices.Index(Verdicts(), c.Verdict)
		if !c.References {
			at += len(Verdicts())
		}
		return at
	}
	slices.SortStableFunc(all, func(a, b StudyCount) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a.Evidence, b.Evidence))
	})
	return all
}
