package audit

import (
	"context"
	"slices"

	"tattle/classify"
	"tattle/curious"
	"tattle/stat"
)

// StudyAudit is one audit of a study: what is true and what it said, with references
// and without.
type StudyAudit struct {
	Data       string          `json:"data"`
	Kind       string          `json:"kind"`
	Outputs    curious.Outputs `json:"outputs"`
	Examples   int             `json:"examples"`
	Honest     bool            `json:"honest"`
	Correlated bool            `json:"correlated"`
	Failed     bool            `json:"control_failed,omitempty"` // so that nothing could be said

	Honesty        float64 `json:"honesty"`         // of the pool
	TrueExcess     float64 `json:"true_excess"`     // over the best baseline
	TrueDifference float64 `json:"true_difference"` // over the honest classifiers' mean

	With    StudyVerdict `json:"with_references"`
	Without StudyVerdict `json:"without_references"`
}

// StudyVerdict is what one audit said.
type StudyVerdict struct {
	Verdict  Verdict  `json:"verdict"`
	Evidence []string `json:"evidence,omitempty"` // the kinds that were each enough for the verdict
	Excess   float64  `json:"excess"`
	Low      float64  `json:"low"` // lower limit: of the excess, with references of the difference from their mean
	P        float64  `json:"p"`
	Smallest *float64 `json:"smallest,omitempty"` // the smallest detectable excess that is stated of scores, where classifiers of the study leak
}

// controls plants: for raw and for soft outputs and every number of examples the first
// curious classifier of its kind is audited, on the study's own task.
func (b *bench) controls(ctx context.Context) (err error) {
	b.positive, err = kept(ctx, b, "control", len(b.plan.controls), func(ctx context.Context, i int) (Control, error) {
		a := &b.plan.controls[i]
		s, references := b.samples(a)
		t := b.tasks[b.plan.nets[a.net].task]
		p := &Planted{Sample: s, TrueExcess: b.nets[a.net].Truth[place(a.outputs)].excess(), Where: t.name}
		return positiveControl(ctx, p, references, b.options(a))
	})
	return err
}

// audits does all audits.
func (b *bench) audits(ctx context.Context) (err error) {
	b.records, err = kept(ctx, b, "audit", len(b.plan.audits), func(ctx context.Context, i int) (StudyAudit, error) {
		return b.audit(ctx, &b.plan.audits[i])
	})
	return err
}

// samples returns what an audit is given.
func (b *bench) samples(a *planAudit) (s *Sample, references []*Sample) {
	t := b.tasks[b.plan.nets[a.net].task]
	rows := a.draw(t.pool.Len())
	of := func(net int) *Sample {
		n := b.plan.nets[net]
		whole := &Sample{
			Name: n.kind.name, Outputs: b.nets[net].Outputs, Kind: n.kind.outputs,
			Y: t.pool.Y, Target: t.pool.YName, Classes: t.pool.YNames,
			Sensitive: t.pool.Sensitive[:1],
		}
		return as(whole.Subset(rows), a.outputs)
	}
	for _, r := range a.references {
		references = append(references, of(r))
	}
	return of(a.net), references
}

// options returns an audit's options: the defaults but, in a quick study, for attacks
// that are quickly fitted.
func (b *bench) options(a *planAudit) Options {
	o := Options{Seed: a.seed}
	if b.o.Quick {
		o.Attacks = []string{classify.Logistic{}.Name(), classify.Trees{}.Name()}
	}
	return o
}

// audit does one audit, with everything that a whole one has but the defences.
func (b *bench) audit(ctx context.Context, a *planAudit) (StudyAudit, error) {
	s, references := b.samples(a)
	o := b.options(a)
	o.References, o.Recipe = references, RecipeCompared // the same net, data and settings
	r, err := Run(ctx, s, o)
	if err != nil {
		return StudyAudit{}, err
	}
	if c := b.control(a); c != nil {
		r.Controls = append(r.Controls, *c)
	}
	r.Conclude()
	n := b.plan.nets[a.net]
	t := b.nets[a.net].Truth[place(a.outputs)]
	record := StudyAudit{
		Data: b.tasks[n.task].name, Kind: n.kind.name, Outputs: a.outputs, Examples: s.Len(),
		Honest: n.kind.attack == curious.Standard, Correlated: b.tasks[n.task].correlated,
		Honesty: t.Honesty, TrueExcess: t.excess(), TrueDifference: t.Accuracy - b.honestMean(n.task, a.outputs, a.net),
		Failed: r.failed() != nil, With: said(r),
	}
	record.Without = said(unreferenced(r))
	return record, nil
}

// control returns the positive control of the same task, outputs and size, nil if
// there is none.
func (b *bench) control(a *planAudit) *Control {
	task := b.plan.nets[a.net].task
	for i, c := range b.plan.controls {
		if b.plan.nets[c.net].task == task && c.outputs == a.outputs && c.examples == a.examples {
			return &b.positive[i]
		}
	}
	return nil
}

// honestMean returns the mean true accuracy of attacks on the task's honest
// classifiers but for one.
func (b *bench) honestMean(task int, o curious.Outputs, except int) float64 {
	sum, n := 0., 0
	for i, p := range b.plan.nets {
		if p.task == task && p.kind.attack == curious.Standard && i != except {
			sum += b.nets[i].Truth[place(o)].Accuracy
			n++
		}
	}
	return sum / float64(n)
}

// said returns what a study keeps of an audit of one attribute.
func said(r *Result) StudyVerdict {
	f := &r.Findings[0]
	v := StudyVerdict{Verdict: r.Verdict, Evidence: f.evidence(r.Settings.Confidence), Excess: f.Excess.Value, Low: f.Excess.Low, P: f.Adjusted, Smallest: f.Power.inScores()}
	if f.Reference != nil {
		v.Low = f.Reference.Low
	}
	return v
}

// The kinds of evidence of a study beside the figures that a verdict rests on.
const (
	overReferences      = " over references"
	evidenceCorrelation = "correlation"
)

// evidence returns the kinds of evidence that are enough for the verdict, each by itself.
func (f *Finding) evidence(confidence float64) []string {
	switch f.Verdict {
	case Leaky:
		return []string{evidenceCorrelation}
	case Curious:
		above := f.aboveReferences()
		p := stat.Holm(above[:])
		var all []string
		for i, figure := range []string{figureExcess, figureGain} {
			if p[i] <= 1-confidence {
				all = append(all, figure+overReferences)
			}
		}
		return all
	}
	return f.restsOn(confidence)
}

// unreferenced returns what the audit says without its references.
func unreferenced(r *Result) *Result {
	c := *r
	c.Findings = slices.Clone(r.Findings)
	for i := range c.Findings {
		c.Findings[i].Reference = nil
		if x := c.Findings[i].Given; x != nil {
			g := *x
			g.Reference = nil
			c.Findings[i].Given = &g
		}
	}
	c.Settings.References, c.Entropy = 0, nil
	c.Conclude()
	return &c
}
