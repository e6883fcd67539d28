package report

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"tattle/audit"
	"tattle/curious"
	"tattle/internal/file"
)

// FillAudit puts an audit into the report: its figures, its verdict, what reading
// the sample changed, its warnings, and as Curiosity what of it other programs
// compare across reports, with the accuracy of the hard label beside it. What the
// report already says of its data stays.
func (r *Report) FillAudit(a *audit.Result) {
	r.Audit = a
	r.Conclude(Outcome(a.Verdict), string(a.Verdict))
	r.Curiosity = curiosityOf(a)
	if r.Data.Name == "" {
		r.Data.Name = file.Name(a.Sample)
	}
	r.Data.Examples = a.Examples
	r.Data.Notes = unique(append(r.Data.Notes, a.Notes...))
	r.Warnings = append([]string{}, unique(append(r.Warnings, a.Warnings...))...) // a list where there are none, too
	if h := a.Honesty; h.Examples > 0 {
		r.Utility = Utility{CleanAccuracy: Number(h.Value), CleanInterval: h.Interval, ReleasedAccuracy: Number(h.Value), ReleasedInterval: h.Interval, Examples: h.Examples, Draws: 1}
	}
	if r.Release.Surface == "" {
		r.Release.Surface = surfaces[a.Outputs]
	}
}

// surfaces are a release's words for the outputs that are audited.
var surfaces = map[curious.Outputs]string{curious.Raw: "logits", curious.Soft: "probabilities"}

// errNoAudit says that a format is about audits alone.
var errNoAudit = errors.New("the report has no audit: run `tattle audit`")

// curiosityOf is the headline of an audit in the layout of every curious report: the
// categorical attributes, the largest excess first. It is nil where there is none.
func curiosityOf(a *audit.Result) *Curiosity {
	c := &Curiosity{
		Attack: "audit", Outputs: string(a.Outputs), Target: a.Target, Examples: a.Examples,
		Honesty: Number(a.Honesty.Value), HonestyInterval: Between(a.Honesty.Interval),
		EntropyBits: Number(math.NaN()), EntropyMax: Number(math.Log2(float64(max(1, len(a.Classes))))),
	}
	if a.Entropy != nil {
		c.EntropyBits = Number(a.Entropy.MeanBits)
	}
	var leaks []Leak
	for i := range a.Findings {
		if f := &a.Findings[i]; f.Curiosity != nil {
			leaks = append(leaks, leakOf(f))
		}
	}
	if len(leaks) == 0 {
		return nil
	}
	slices.SortStableFunc(leaks, func(x, y Leak) int { return cmp.Compare(y.Excess, x.Excess) })
	c.Leak, c.Others = leaks[0], leaks[1:]
	return c
}

func leakOf(f *audit.Finding) Leak {
	p := f.ExcessAdjusted
	l := Leak{
		Sensitive: f.Attribute, Guess: "audit", Curiosity: Number(f.Curiosity.Value), CuriosityInterval: Between(f.Curiosity.Interval),
		BaselineKind: f.Best, Excess: Number(f.Excess.Value), ExcessInterval: Between([2]float64{f.Excess.Low, f.Excess.High}),
		PValue: &p, Test: "the larger of the audit's tests of the excess, adjusted by Holm",
	}
	for _, b := range f.Baselines {
		if b.Accuracy == nil {
			continue
		}
		v := Number(b.Accuracy.Value)
		switch b.Name {
		case audit.Majority:
			l.Majority = v
		case audit.FromTarget:
			l.FromTarget = v
		case audit.FromLabel:
			l.FromLabel = v
		case audit.FromBoth:
			l.FromBoth = v
		}
		if b.Name == f.Best {
			l.Baseline = v
		}
	}
	if f.Information != nil {
		l.Information, l.InformationInterval = Number(f.Information.Bits), Between(f.Information.Interval)
	}
	return l
}
