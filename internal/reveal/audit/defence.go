package audit

import (
	"context"
	"fmt"
	"slices"

	"tattle/internal/engine/classify"
	"tattle/internal/math/simd"
	"tattle/internal/math/stat"
)

const (
	// defenceExamples is the largest number of examples on which defences are tried.
	// The standard error of an excess is then below a point, and for each defence every
	// attack is fitted again.
	defenceExamples = 5000
	// defenceFolds is the number of folds when attacks are fitted to a defence. Each further
	// fold costs one more fit of every attack, for every defence. A sample of plantedExamples has two folds instead, of
	// defenceFit examples, as many as each attack is fitted on in three.
	defenceFolds = 3
	defenceFit   = defenceExamples * (defenceFolds - 1) / defenceFolds
)

// NoDefence and LabelOnly are the names of the first and the last defence that is tried.
const (
	NoDefence = "none"
	LabelOnly = "label only"
)

// Defence is a change of what is released, the honesty it keeps and the curiosity
// that attacks fitted to it still reach.
type Defence struct {
	Name    string              `json:"name"`
	Honesty classify.Proportion `json:"honesty"`
	Left    []DefenceLeft       `json:"left"` // by attribute
	Note    string              `json:"note,omitempty"`

	right []float64 // [person], the share of their examples whose released label is right
}

// DefenceLeft is what a defence leaves of one attribute's leak.
type DefenceLeft struct {
	Attribute string `json:"attribute"`
	Numeric   bool   `json:"numeric,omitempty"`
	Excess    Excess `json:"excess"`
	// Given is what the outputs reveal given y and the released label. It also reacts to
	// rare values, which the excess misses. Its p-values are adjusted for its own two tests.
	Given *Given `json:"given,omitempty"`
	// HighOfAll is the upper limit of Excess that holds for all defences together, which
	// share what the confidence leaves.
	HighOfAll float64 `json:"high_of_all,omitempty"`
}

// defend tries defences, which change what is released. Each has the honesty that it keeps, and the excess that attacks still reach when they are
// fitted to what it releases. The attacks are defenceAttacks, and tables for the label alone. It returns the same errors as Run.
func defend(ctx context.Context, s *Sample, o Options) ([]Defence, error) {
	o = o.withDefaults()
	most := defenceExamples
	if o.Folds, o.Attacks = defenceFolds, defenceAttacks(o.Attacks); s.Len() >= plantedExamples {
		o.Folds, most = 2, 2*defenceFit
	}
	return tryAll(ctx, changes(s.some(most, random(o.Seed, streamDefence, 0)), o.Seed), o)
}

// tryAll tries the defences in parallel, because the fits for one do not use all cores. The
// first is NoDefence.
func tryAll(ctx context.Context, tried []change, o Options) ([]Defence, error) {
	list, errs := make([]Defence, len(tried)), make([]error, len(tried))
	done := o.counter("defences", len(tried))
	simd.Parallel(len(tried), 1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			list[i], errs[i] = try(ctx, tried[i], len(tried), o)
			done()
		}
	})
	for i := range list {
		if errs[i] != nil {
			return nil, fmt.Errorf("audit: defence %s: %w", tried[i].name, errs[i])
		}
	}
	return list, nil
}

// defenceAttacks returns the quick attacks among those that the options name, and all quick
// ones if they name none.
func defenceAttacks(asked []string) []string {
	quick := []string{classify.Logistic{}.Name(), classify.Trees{}.Name(), classify.Threshold{}.Name(), classify.Lookup{}.Name()}
	var both []string
	for _, name := range quick {
		if slices.Contains(asked, name) {
			both = append(both, name)
		}
	}
	if both == nil {
		return quick
	}
	return both
}

// try attacks the outputs of one of several defences.
func try(ctx context.Context, c change, of int, o Options) (Defence, error) {
	if c.name == LabelOnly { // of which a table says all
		o.Attacks = []string{classify.Lookup{}.Name()}
	}
	x, list, err := measured(ctx, c.apply(), o, nil)
	if err != nil {
		return Defence{}, err
	}
	honesty, _ := x.accuracy(x.label, x.Y, random(o.Seed, streamPeople, 1<<17+uint64(of)))
	d := Defence{Name: c.name, Note: c.note, Honesty: *honesty}
	right := make([]float64, x.Len())
	for i, l := range x.label {
		right[i] = one(l == x.Y[i])
	}
	d.right = x.byPerson(right)
	for a, g := range x.guesses {
		if g == nil {
			continue
		}
		f := list[a]
		f.Given.permute(g, o)
		q := stat.Holm([]float64{f.Given.beyond(), f.order().beyond()}) // its own two tests alone
		if f.Given.Adjusted = q[0]; f.order() != nil {
			f.order().Adjusted = q[1]
		}
		d.Left = append(d.Left, DefenceLeft{Attribute: f.Attribute, Numeric: f.Numeric, Excess: f.Excess, Given: f.Given, HighOfAll: f.high((1 - o.Confidence) / float64(of))})
	}
	return d, nil
}
