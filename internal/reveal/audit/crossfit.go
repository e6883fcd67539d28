package audit

import (
	"context"
	"fmt"
	"slices"

	"tattle/internal/engine/classify"
	"tattle/internal/reveal/curious"
)

// guesses are what the attacks, fitted without the example, say of one attribute. An attack is chosen in
// each fold by accuracy, for best, and one by its score given y and the answered label, for given.
type guesses struct {
	in *folded // the sample
	*goal

	chosen     []attackName  // by fold
	best       []int         // [example], the chosen attack's guess
	bestValue  []float64     // [example], the same of a numeric attribute
	fromNumber baselineGuess // what a numeric y says, learned on the other folds
	given      []float64     // [example, classes], log-probabilities or numbers given y and the answered label
	added      []float64     // given, of a numeric y less what y says: what ranks examples of similar y
	base       []float64     // [example], log q of the true class given y and the answered label, or the mean given both

	fit          classify.Target // of all examples that attacks are fitted on in the fold that is judged
	known, final *joint          // of that fold: learned on the examples that are not held back, and on all for training
}

// crossFit guesses every attribute of every example of s by attacks that were fitted,
// and chosen, without its attributes. What is computed from outputs alone, such as their means, is of all examples. So the
// guess for an example depends on all outputs and on the attributes of others, never on its own attribute.
func crossFit(ctx context.Context, s *Sample, o Options, progress func(done, total int)) (*folded, error) {
	attacks, err := allAttacks(s, o, attackName{})
	if err != nil {
		return nil, err
	}
	x := newFolded(s, o)
	h := &hunt{folded: x, attacks: attacks, seed: o.Seed}
	h.out = slices.DeleteFunc(slices.Clone(h.guesses), func(g *guesses) bool { return g == nil })
	if len(h.out) == 0 {
		return x, nil
	}
	x.keepForms(attacks)
	defer func() { x.made = nil }()
	return x, h.run(ctx, progress)
}

// run judges every fold.
func (h *hunt) run(ctx context.Context, progress func(done, total int)) error {
	for k := range h.splits {
		h.learn(k)
		if err := h.judge(ctx, k, &h.splits[k]); err != nil {
			return err
		}
		if progress != nil {
			progress(k+1, len(h.splits))
		}
	}
	return nil
}

// attackName is a learner on a form of the outputs.
type attackName struct{ learner, form string }

// String returns "learner on form".
func (a attackName) String() string { return a.learner + " on " + a.form }

// attack is an attack with what is fitted and the form that it is fitted to: its own or, in place of an
// attack that cannot read a planted code, a coin.
type attack struct {
	attackName
	fits  classify.Learner
	input string
}

// allAttacks returns the attacks that the options name: each learner on each form. The network is
// paper B's G, applied to the released outputs; the threshold is one on the entropy of probabilities. All
// but the reader of a planted code, if there is one, are coins.
func allAttacks(s *Sample, o Options, reader attackName) (attacks []attack, err error) {
	learners := classify.Learners()
	if o.Attacks != nil {
		learners = make([]classify.Learner, len(o.Attacks))
		for i, name := range o.Attacks {
			if learners[i], err = classify.ByName(name); err != nil {
				return nil, fmt.Errorf("audit: %w", err)
			}
		}
	}
	for _, l := range learners {
		for _, form := range formsOf(s, l) {
			a := attack{attackName{l.Name(), form}, l, form}
			if _, network := l.(classify.Network); network && form == formSketch {
				a.fits = classify.Network{Inputs: sketchedInputs}
			}
			if reader != (attackName{}) && a.attackName != reader {
				a.fits, a.input = coin{l}, formRow
			}
			attacks = append(attacks, a)
		}
	}
	return attacks, nil
}

const (
	// sketched is the number of columns of a sketch; narrower outputs have none.
	sketched = 512
	// sketchedInputs makes layers of 100 and 50 units for a sketch: with 400 and 200, a fit takes five times as long.
	sketchedInputs = 5
)

// formsOf returns the forms for a learner: tables have those for codes, logistic regression and tables also
// the order, networks one that is as outputs are released, and thresholds, which are on an entropy that vectors
// do not have, probabilities. Networks and logistic regression are fitted to the sketch of wide outputs, and logistic
// regression and trees to their sorted numbers, with the largest among them.
func formsOf(s *Sample, l classify.Learner) []string {
	forms, ordered := []string{formRaw, formSoft, formTop1}, s.Kind != Vector && s.RowWidth() >= orderClasses
	if s.Kind == Vector {
		forms = []string{formRaw, formUnit}
	}
	wide := s.RowWidth() > sketched
	switch l.(type) {
	case classify.Network:
		switch {
		case wide:
			return []string{formSketch}
		case s.Kind == curious.Soft:
			return []string{formSoft}
		}
		return forms[:1]
	case classify.Threshold:
		if s.Kind == Vector {
			return nil
		}
		return []string{formSoft}
	case classify.Lookup:
		forms = []string{formDigits, formBits, formValues}
	case classify.Logistic:
		if wide {
			forms = []string{formSketch, formSorted}
		}
	case classify.Trees:
		if ordered = false; wide {
			forms = append(forms[:2], formSorted)
		}
	}
	if ordered {
		forms = append(forms, formOrder)
	}
	return forms
}
