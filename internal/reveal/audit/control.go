package audit

import (
	"context"
	"fmt"
	"math/rand/v2"

	"tattle/internal/math/stat"
)

const (
	// controlLevel is the probability with which the negative control fails if
	// nothing is wrong: one audit in a thousand is inconclusive by bad luck.
	controlLevel = .001
	// controlExamples is the most examples that the negative control runs on, two folds of controlFit: a
	// pipeline that finds what is not there does so on these.
	controlExamples = 2 * controlFit
)

// The names of the controls.
const (
	NegativeControl = "negative" // shuffled s must come out clean
	PositiveControl = "positive" // a planted curious model must be found
)

// Control is an audit of what is known to be clean, or curious.
type Control struct {
	Name         string // NegativeControl or PositiveControl
	Passed       bool
	Where        string // the task it ran on
	Examples     int
	Excess       Excess
	P            float64
	TrueExcess   *float64 // of what was planted
	LearningLoss *float64 // TrueExcess less what the audit found, at least 0
	Note         string
}

// negative audits s with every attribute shuffled within y, so that nothing is left
// to find beyond what y explains. It fails if the audit finds something all the same, at
// controlLevel instead of the audit's own level: an attack then had access to the answers.
// References are left out, because their s is not shuffled. People keep one s: it is dealt out among people whose
// examples have the same y. Where few have another such, or an attribute is not one of people, there is no control, and nil
// is returned.
func negative(ctx context.Context, s *Sample, o Options) (*Control, error) {
	if o.Confidence < 1-controlLevel {
		o.Confidence = 1 - controlLevel
	}
	chance := random(o.Seed, streamControl, 0)
	where := "the audited outputs, s shuffled within y"
	var shuffled *Sample
	if _, people := s.people(); people == s.Len() {
		shuffled = shuffledWithin(s, chance)
	} else {
		s = s.some(controlExamples, chance)
		_, people = s.people()
		movable := 0
		if shuffled, movable = s.dealt(chance); 2*movable < people {
			return nil, nil
		}
		where = "the audited outputs, s dealt out among people of equal y"
	}
	if o.Folds == 0 {
		o.Folds = foldsWith(shuffled.Len(), o.maxFit()) // what is held back may be missing: to choose well is not needed
	}
	r, err := examine(ctx, &Record{Sample: shuffled}, o)
	if err != nil {
		return nil, fmt.Errorf("negative control: %w", err)
	}
	c := judgeNegative(r)
	c.Where = where
	return &c, nil
}

// judgeNegative judges the control by the worst attribute.
func judgeNegative(r *Result) Control {
	c := Control{Name: NegativeControl, Passed: true, Examples: r.Examples, P: 1}
	var p []float64
	usable := r.usable()
	for _, f := range usable {
		p = append(p, f.Permutation.P)
	}
	if len(usable) == 0 {
		c.Note = "No attribute could be audited, so the control did not run."
		return c
	}
	p = stat.Holm(p)
	for i, f := range usable {
		if p[i] < controlLevel || f.Verdict.ExceedsTarget() {
			c.Passed = false
		}
		if i == 0 || p[i] < c.P || p[i] == c.P && f.Excess.Value > c.Excess.Value {
			c.P, c.Excess = p[i], f.Excess
		}
	}
	if !c.Passed {
		c.Note = "Shuffled labels were guessed better than chance allows: attacks saw the answers, or examples are copies of each other."
	}
	return c
}

// shuffledWithin returns at most controlExamples of s with every attribute permuted
// within the examples of each y.
func shuffledWithin(s *Sample, r *rand.Rand) *Sample {
	t := s.some(controlExamples, r)
	of := byLabel(t.Y, len(t.Classes))
	for a := range t.Sensitive {
		for _, group := range of {
			shuffleAt(t.Sensitive[a].Labels, group, r)
			shuffleAt(t.Sensitive[a].Numbers, group, r)
		}
	}
	return t
}

// shuffleAt permutes the entries of x at the given places; a nil x is left alone.
func shuffleAt[T any](x []T, at []int, r *rand.Rand) {
	if x == nil {
		return
	}
	r.Shuffle(len(at), func(i, j int) { x[at[i]], x[at[j]] = x[at[j]], x[at[i]] })
}

// Control audits a planted model as the audited one was, with the same options. It passes if the verdict is
// LeakyBeyond or worse, for which no references are needed.
func (p *Trained) Control(ctx context.Context, o Options) (Control, error) {
	r, err := examine(ctx, &Record{Sample: p.Sample}, o)
	if err != nil {
		return Control{}, fmt.Errorf("positive control: %w", err)
	}
	f := r.Findings[0]
	c := Control{
		Name: PositiveControl, Passed: f.Verdict.ExceedsTarget(), Where: p.Where, Examples: r.Examples,
		Excess: f.Excess, P: f.Adjusted, Note: p.Note, TrueExcess: new(p.TrueExcess),
	}
	if f.Unusable == "" {
		c.LearningLoss = new(max(0, p.TrueExcess-f.Excess.Value))
	}
	return c, nil
}
