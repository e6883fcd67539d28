package audit

import (
	"context"
	"fmt"
	"slices"

	"tattle/classify"
	"tattle/curious"
	"tattle/stat"
)

// guesses are what the attacks, fitted without the example, say of one attribute. An attack is chosen in
// each fold by accuracy, for best, and one by its score given y and the answered label, for given.
type guesses struct {
	*goal
	fold  []int // [example], 0 … folds−1
	folds int
	label []int // [example], the answered label

	chosen, scored []attackName // by fold
	best           []int        // [example], the chosen attack's guess; nil of a numeric attribute
	bestValue      []float64    // [example], the same of numbers
	given          []float64    // [example, classes], log-probabilities or numbers given y and the answered label
	added          []float64    // given, of a numeric y less what y says: what ranks examples of similar y
	base           []float64    // [example], log q of the true class given y and the answered label, or the mean given both
}

// goal is an attribute as attacks are given it: classes in the order of their first
// example, so that nothing depends on what they are called, and numbers
// standardised.
type goal struct {
	attribute    int
	target       classify.Target
	back         []int // from the target's classes to the attribute's
	mean, spread float64
}

// goalOf returns the goal of attribute a, or why there is none.
func goalOf(s *Sample, a int, folds int) (*goal, string) {
	at := &s.Sensitive[a]
	if n := s.Len(); n < folds*smallestFold {
		return nil, fmt.Sprintf("Fitting attacks on some examples and judging them on others requires %d examples; there are %d.", folds*smallestFold, n)
	}
	g := &goal{attribute: a}
	if at.Numeric() {
		g.mean, g.spread = stat.MeanStd(at.Numbers)
		if slices.Min(at.Numbers) == slices.Max(at.Numbers) || g.spread == 0 {
			return nil, "All examples have the same number, so there is nothing to guess."
		}
		g.target.Values = make([]float64, s.Len())
		for i, v := range at.Numbers {
			g.target.Values[i] = (v - g.mean) / g.spread
		}
		return g, ""
	}
	g.target.Labels, g.back = firstSeen(at.Labels, len(at.Values))
	if g.target.Classes = len(g.back); g.target.Classes < 2 {
		return nil, "All examples are of one class, so there is nothing to guess."
	}
	return g, ""
}

// allAttacks returns the attacks that the options name: each learner on each form.
// The network is paper B's G, applied to the released outputs; the threshold is one on the
// entropy of probabilities.
func allAttacks(s *Sample, o Options) ([]attackName, map[string]classify.Learner, error) {
	learners := classify.Learners()
	if o.Attacks != nil {
		learners = nil
		for _, name := range o.Attacks {
			l, err := classify.ByName(name)
			if err != nil {
				return nil, nil, fmt.Errorf("audit: %w", err)
			}
			learners = append(learners, l)
		}
	}
	own := formSoft
	if s.Kind != curious.Soft {
		own = formRaw
	}
	var attacks []attackName
	known := map[string]classify.Learner{}
	for _, l := range learners {
		known[l.Name()] = l
		switch l.(type) {
		case classify.Network:
			if s.Kind == Vector {
				own = vectorForms(s, l)[0]
			}
			attacks = append(attacks, attackName{l.Name(), own})
		case classify.Threshold:
			if s.Kind == Vector {
				continue // vectors have no entropy
			}
			attacks = append(attacks, attackName{l.Name(), formSoft})
		default:
			for _, form := range formsOf(s, l) {
				attacks = append(attacks, attackName{l.Name(), form})
			}
		}
	}
	return attacks, known, nil
}

// formsOf returns the forms for a learner without one of its own: tables also get those for
// codes, logistic regression also the order.
func formsOf(s *Sample, l classify.Learner) []string {
	forms, ordered := []string{formRaw, formSoft, formTop1}, false
	if s.Kind == Vector {
		forms = vectorForms(s, l)
	}
	switch l.(type) {
	case classify.Lookup:
		forms, ordered = []string{formDigits, formBits, formValues}, true
	case classify.Logistic:
		ordered = true
	}
	if ordered && s.Kind != Vector && s.RowWidth() >= orderClasses {
		forms = append(forms, formOrder)
	}
	return forms
}

// crossFit guesses every attribute of every example by attacks that were fitted,
// and chosen, without it. An attribute that cannot be guessed, for want of a second
// class or of examples, has nil in its place. Where a code was planted, reader is the attack that reads
// it: the others are coins.
func crossFit(ctx context.Context, s *Sample, o Options, reader attackName, progress func(done, total int)) ([]*guesses, error) {
	o = o.withDefaults()
	folds, label := o.foldsOf(s.Len()), s.hard()
	h := &hunt{s: s, o: o, reader: reader}
	var err error
	if h.attacks, h.learners, err = allAttacks(s, o); err != nil {
		return nil, err
	}
	all := make([]*guesses, len(s.Sensitive))
	h.twin, _, _ = twins(s)
	fold := deal(s, h.twin, folds, o.Seed)
	for a := range s.Sensitive {
		if g, _ := goalOf(s, a, folds); g != nil {
			all[a] = newGuesses(s, g, fold, folds, label)
			h.out = append(h.out, all[a])
		}
	}
	if len(h.out) == 0 {
		return all, nil
	}
	for k := range folds {
		train, test := parts(fold, k)
		if err := h.judge(ctx, k, train, test); err != nil {
			return nil, err
		}
		if progress != nil {
			progress(k+1, folds)
		}
	}
	for _, g := range h.out {
		g.finish()
	}
	return all, nil
}

// newGuesses returns the guesses of a goal, with room for those of all examples.
func newGuesses(s *Sample, goal *goal, fold []int, folds int, label []int) *guesses {
	n, w := s.Len(), goal.target.Width()
	g := &guesses{goal: goal, fold: fold, folds: folds, label: label, given: make([]float64, n*w), base: make([]float64, n)}
	if goal.target.Labels != nil {
		g.best = make([]int, n)
	} else {
		g.bestValue = make([]float64, n)
	}
	if g.added = g.given; s.YNumbers != nil {
		g.added = make([]float64, n*w)
	}
	return g
}

// parts divides the examples into those outside fold k and those in it.
func parts(fold []int, k int) (train, test []int) {
	for i, f := range fold {
		if f == k {
			test = append(test, i)
		} else {
			train = append(train, i)
		}
	}
	return train, test
}

// finish names classes as the attribute does, and puts numbers on its scale.
func (g *guesses) finish() {
	for i, c := range g.best {
		g.best[i] = g.back[c]
	}
	if g.target.Labels == nil {
		for _, value := range [][]float64{g.bestValue, g.given, g.base} {
			for i, v := range value {
				value[i] = g.mean + g.spread*v
			}
		}
	}
}
