package audit

import (
	"context"
	"fmt"
	"slices"

	"tattle/classify"
	"tattle/curious"
	"tattle/stat"
)

// guesses are what the attacks, fitted without the example, guess of one attribute.
// Of a numeric one value and bestValue are filled, else guess and best.
type guesses struct {
	attack    []attackName
	guess     [][]int     // [attack][example]
	value     [][]float64 // [attack][example]
	fitted    [][]int     // [attack][fold], examples it was fitted on
	chosen    []int       // by fold: index of the attack chosen there by accuracy, for guess and value
	scored    []int       // by fold: index of the attack chosen there by its score given y, for own and given
	best      []int       // [example], the chosen attack's
	bestValue []float64   // [example], the chosen attack's
	own       []float64   // [example, classes], log-probabilities or numbers of the attack in scored
	given     []float64   // [example, classes], the same given y and the answered label
	added     []float64   // given, of a numeric y less what y says: what ranks examples of similar y
	base      []float64   // [example], log q of the true class given y and the answered label, or the mean given both
	back      []int       // from the classes of own and given to the attribute's
	label     []int       // [example], the answered label
	fold      []int       // [example], 0 … folds−1
	listed    []int       // examples that every attack guessed
	folds     int
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
// class or of examples, has nil in its place.
func crossFit(ctx context.Context, s *Sample, o Options, progress func(done, total int)) ([]*guesses, error) {
	o = o.withDefaults()
	folds := o.foldsOf(s.Len())
	h := &hunt{s: s, o: o, label: s.hard()}
	var err error
	if h.attacks, h.learners, err = allAttacks(s, o); err != nil {
		return nil, err
	}
	all := make([]*guesses, len(s.Sensitive))
	h.twin, _, _ = twins(s)
	fold := deal(s, h.twin, folds, o.Seed)
	for a := range s.Sensitive {
		if g, _ := goalOf(s, a, folds); g != nil {
			h.add(g, folds)
			all[a] = h.out[len(h.out)-1]
			all[a].fold, all[a].folds, all[a].back, all[a].label = fold, folds, g.back, h.label
		}
	}
	if len(h.goals) == 0 {
		return all, nil
	}
	for k := range folds {
		train, test := parts(fold, k)
		list := h.list(test, k)
		if err := h.judge(ctx, k, train, test, list); err != nil {
			return nil, err
		}
		for _, g := range h.out {
			g.listed = append(g.listed, list...)
		}
		if progress != nil {
			progress(k+1, folds)
		}
	}
	h.finish()
	return all, nil
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

// list returns the examples of fold k that every attack guesses: listMost at random,
// none if the attacks are not to be listed.
func (h *hunt) list(test []int, k int) []int {
	if h.o.brief {
		return nil
	}
	rows := make([]int, 0, listMost)
	for _, j := range random(h.o.Seed, streamList, uint64(k)).Perm(len(test))[:min(listMost, len(test))] {
		rows = append(rows, test[j])
	}
	return rows
}

// finish combines the chosen guesses and names classes as the attributes do.
func (h *hunt) finish() {
	for t, g := range h.out {
		goal := h.goals[t]
		for _, guess := range g.guess {
			for i, c := range guess {
				guess[i] = goal.back[c]
			}
		}
		if goal.target.Labels == nil {
			for _, value := range append(slices.Clone(g.value), g.own, g.given, g.base) {
				for i, v := range value {
					value[i] = goal.mean + goal.spread*v
				}
			}
		}
		for i, k := range g.fold {
			if goal.target.Labels != nil {
				g.best[i] = g.guess[g.chosen[k]][i]
			} else {
				g.bestValue[i] = g.value[g.chosen[k]][i]
			}
		}
	}
}
