package audit

import (
	"context"
	"fmt"
	"slices"

	"tattle/classify"
	"tattle/internal/simd"
	"tattle/stat"
)

const (
	// defenceExamples is the largest number of examples on which defences are tried.
	// The standard error of an excess is then below a point, and for each defence every
	// attack is fitted again.
	defenceExamples = 5000
	// defenceFolds is the number of folds when attacks are fitted to a defence. Each further
	// fold costs one more fit of every attack, for every defence.
	defenceFolds = 3
)

// NoDefence and LabelOnly are the names of the first and the last defence that is tried.
const (
	NoDefence = "none"
	LabelOnly = "label only"
)

// defend tries defences, which change what is released. Each has the honesty that it keeps, and the excess that attacks still reach when they are
// fitted to what it releases. The attacks are logistic regression, trees, neighbours and the
// threshold, or those among them that the options name. It returns the same errors as Run.
func defend(ctx context.Context, s *Sample, o Options) ([]Defence, error) {
	o = o.withDefaults()
	o.Folds, o.Attacks = defenceFolds, defenceAttacks(o.Attacks)
	if err := checkAll(s, o); err != nil {
		return nil, err
	}
	rows := defenceRows(s.Len(), o.Seed)
	return tryAll(ctx, changes(s.Subset(rows), o.Seed), o)
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
		list[i].HonestyLost = list[0].Honesty.Value - list[i].Honesty.Value
	}
	return list, nil
}

// defenceAttacks returns the quick attacks among those that the options name, and all quick
// ones if they name none.
func defenceAttacks(asked []string) []string {
	quick := []string{classify.Logistic{}.Name(), classify.Trees{}.Name(), classify.Neighbours{}.Name(), classify.Threshold{}.Name(), classify.Lookup{}.Name()}
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

// defenceRows draws the examples that defences are tried on, in their order.
func defenceRows(n int, seed uint64) []int {
	rows := random(seed, streamDefence, 0).Perm(n)
	rows = rows[:min(n, defenceExamples)]
	slices.Sort(rows)
	return rows
}

// try attacks the outputs of one of several defences.
func try(ctx context.Context, c change, of int, o Options) (Defence, error) {
	s := c.apply()
	d := Defence{Name: c.name, Note: c.note, Honesty: classify.Accuracy(s.hard(), s.Y)}
	for i, l := range s.hard() {
		d.right = append(d.right, l == s.Y[i])
	}
	all, err := crossFit(ctx, s, o, attackName{}, nil)
	if err != nil {
		return d, err
	}
	for a, g := range all {
		if g == nil {
			continue
		}
		f := &Finding{Attribute: s.Sensitive[a].Name, Numeric: s.Sensitive[a].Numeric(), Examples: s.Len(), Given: given(s, a, g, o)}
		f.describe(&s.Sensitive[a])
		f.compare(s, a, g, o)
		q := stat.Holm([]float64{f.Given.beyond(), f.order().beyond()}) // its own two tests alone
		if f.Given.Adjusted = q[0]; f.order() != nil {
			f.order().Adjusted = q[1]
		}
		d.Left = append(d.Left, DefenceLeft{Attribute: f.Attribute, Curiosity: f.Curiosity, R2: f.R2, Excess: f.Excess, Given: f.Given, HighOfAll: f.high((1 - o.Confidence) / float64(of)), Attack: mostChosen(f.Chosen)})
	}
	return d, nil
}

// mostChosen returns the name of the attack chosen in most folds, the first of equals.
func mostChosen(chosen []string) string {
	most := func(name string) (n int) {
		for _, c := range chosen {
			if c == name {
				n++
			}
		}
		return n
	}
	return slices.MaxFunc(chosen, func(a, b string) int { return most(a) - most(b) })
}
