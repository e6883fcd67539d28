package audit

import (
	"cmp"
	"context"
	"slices"

	"tattle/classify"
	"tattle/internal/simd"
)

// How attacks are chosen inside the training part of a fold: all are fitted on a few
// examples and, if there are many more, the best again on all; the examples held back show
// which is better. One is chosen by accuracy, for the excess, and one by the proper score
// given y and the answered label (see calibration), for the gain, because all attacks on a
// rare attribute have about the same accuracy.
const (
	// firstFit is enough to distinguish attacks that learn something from those that do not.
	firstFit = 2000
	// secondFit is how many times as many there must be for a second look at the best.
	secondFit = 4
	// judgeMost is the most examples held back: accuracies on them differ by a point.
	judgeMost = 5000
	// finalists is the number of learners, each on its best form, that are fitted again.
	finalists = 3
	// listMost is the largest number of examples of a fold on which attacks that were not
	// chosen are listed: enough for accuracies to a point.
	listMost = 4000
	// block is the number of rows guessed at a time.
	block = 8192
)

// hunt is the work on all attributes of a sample.
type hunt struct {
	s        *Sample
	o        Options
	attacks  []attackName
	learners map[string]classify.Learner
	goals    []*goal
	out      []*guesses // by goal
	twin     []int      // [example], the first example that it is a copy of
	place    [][]int    // [goal][attack], its index in out[goal].attack, −1 if it does not suit
	label    []int      // [example], the answered label
	fit      []*joint   // by goal, learned on the examples of the fold that are not held back
	final    []*joint   // by goal, learned on all training examples of the fold
}

// add adds a goal, with room for its guesses.
func (h *hunt) add(g *goal, folds int) {
	n := h.s.Len()
	out := &guesses{}
	place := make([]int, len(h.attacks))
	for i, a := range h.attacks {
		if place[i] = -1; !h.learners[a.learner].Suits(g.target) {
			continue
		}
		place[i] = len(out.attack)
		out.attack = append(out.attack, a)
		out.fitted = append(out.fitted, make([]int, folds))
		if g.target.Labels != nil {
			out.guess = append(out.guess, make([]int, n))
		} else {
			out.value = append(out.value, make([]float64, n))
		}
	}
	if g.target.Labels != nil {
		out.best = make([]int, n)
	} else {
		out.bestValue = make([]float64, n)
	}
	out.own, out.given, out.base = make([]float64, n*g.target.Width()), make([]float64, n*g.target.Width()), make([]float64, n)
	if out.added = out.given; h.s.YNumbers != nil {
		out.added = make([]float64, len(out.given))
	}
	h.goals, h.out, h.place = append(h.goals, g), append(h.out, out), append(h.place, place)
}

// split is the training part of a fold, in random order.
type split struct {
	small, large, all []int // what attacks are fitted on, each part of the next
	held              []int // what small and large attacks are compared on
	rest              []int // all that is not held
}

// splitTrain holds back a quarter, but judgeMost at most. Copies of a row stay together, up to
// which the sizes hold: an attack that recognises rows would seem better than it is.
func splitTrain(train, twin []int, maxFit int, seed uint64, fold int) split {
	copies := make(map[int][]int, len(train))
	var firsts []int
	for _, i := range train {
		if copies[twin[i]] == nil {
			firsts = append(firsts, twin[i])
		}
		copies[twin[i]] = append(copies[twin[i]], i)
	}
	rows := make([]int, 0, len(train))
	for _, j := range random(seed, streamSplit, uint64(fold)).Perm(len(firsts)) {
		rows = append(rows, copies[firsts[j]]...)
	}
	rest := between(rows, twin, len(rows)-min((len(rows)+3)/4, judgeMost))
	large := min(rest, maxFit)
	return split{
		small: rows[:min(large, firstFit)],
		large: rows[:large],
		all:   rows[:min(len(rows), maxFit)],
		held:  rows[rest:],
		rest:  rows[:rest],
	}
}

// between returns the place next to at where rows can be divided without dividing the copies of
// a row, which lie together; at itself if all rows are copies of one.
func between(rows, twin []int, at int) int {
	low, high := at, at
	for low > 0 && twin[rows[low-1]] == twin[rows[at]] {
		low--
	}
	for high < len(rows) && twin[rows[high]] == twin[rows[at]] {
		high++
	}
	switch {
	case low == at || low == 0 && high == len(rows):
		return at
	case low == 0 || high < len(rows) && high-at < at-low:
		return high
	}
	return low
}

// trial is one attack, fitted on some goals.
type trial struct {
	attack       int
	goals        []int
	score        []float64      // by goal of the trial, on the examples held back: accuracy, or less the mean squared error
	calibrations []*calibration // by goal of the trial, fitted on the examples held back
	fitted       classify.Fitted
	rows         int // it was fitted on
}

// judge guesses the examples test of fold k by attacks fitted on train: all of them by
// the chosen ones, those of list by all.
func (h *hunt) judge(ctx context.Context, k int, train, test, list []int) error {
	sp := splitTrain(train, h.twin, h.o.MaxFit, h.o.Seed, k)
	h.fit, h.final = make([]*joint, len(h.goals)), make([]*joint, len(h.goals))
	for g, goal := range h.goals {
		h.fit[g], h.final[g] = newJoint(h.s, goal, h.label, sp.rest), newJoint(h.s, goal, h.label, train)
	}
	trials, err := h.first(ctx, k, sp, list)
	if err != nil {
		return err
	}
	if len(sp.large) >= secondFit*len(sp.small) {
		again := h.top(trials, func(g int) []int {
			return append(h.ranked(trials, g, finalists, (*trial).accuracy), h.ranked(trials, g, 1, (*trial).merit)...)
		})
		for i := range again {
			if err := h.run(ctx, k, again[i], sp.large, sp.held, list); err != nil {
				return err
			}
		}
		trials = again
	}
	if err := h.judgeGiven(ctx, k, trials, test); err != nil {
		return err
	}
	for _, t := range h.top(trials, func(g int) []int { return h.ranked(trials, g, 1, (*trial).accuracy) }) {
		if 10*len(sp.all) > 11*t.rows { // those held back are worth a new fit
			if err := h.run(ctx, k, t, sp.all, nil, nil); err != nil {
				return err
			}
		}
		if err := h.guess(ctx, t, test, func(i, row int, score []float32) { h.keep(t, i, row, score) }); err != nil {
			return err
		}
		h.choose(t, k)
	}
	return nil
}

// judgeGiven scores the examples test of fold k, given y and the answered label, by the
// attacks that were best at that on the examples held back. They are not fitted again:
// their calibrations are for what they are.
func (h *hunt) judgeGiven(ctx context.Context, k int, trials []*trial, test []int) error {
	for _, t := range h.top(trials, func(g int) []int { return h.ranked(trials, g, 1, (*trial).merit) }) {
		if err := h.guess(ctx, t, test, func(i, row int, score []float32) { h.keepGiven(t, i, row, score) }); err != nil {
			return err
		}
		for _, g := range t.goals {
			h.out[g].scored = append(h.out[g].scored, h.place[g][t.attack])
		}
	}
	return nil
}

// choose notes that the trial is the one whose guesses count in fold k.
func (h *hunt) choose(t *trial, k int) {
	for _, g := range t.goals {
		at := h.place[g][t.attack]
		h.out[g].chosen = append(h.out[g].chosen, at)
		h.out[g].fitted[at][k] = t.rows
	}
}

// first tries every attack on the small part, on all cores.
func (h *hunt) first(ctx context.Context, k int, sp split, list []int) ([]*trial, error) {
	trials := make([]*trial, 0, len(h.attacks))
	for a := range h.attacks {
		t := &trial{attack: a}
		for g := range h.goals {
			if h.place[g][a] >= 0 {
				t.goals = append(t.goals, g)
			}
		}
		if t.goals != nil {
			trials = append(trials, t)
		}
	}
	errs := make([]error, len(trials))
	simd.Parallel(len(trials), 1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			errs[i] = h.run(ctx, k, trials[i], sp.small, sp.held, list)
		}
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return trials, nil
}

// accuracy and merit are what trials are ranked by for their goal i: how often the guess
// is right, and the proper score given y and the answered label.
func (t *trial) accuracy(i int) float64 { return t.score[i] }
func (t *trial) merit(i int) float64    { return t.calibrations[i].merit }

// top returns the trials of the attacks that best names for each goal, with those goals
// alone.
func (h *hunt) top(trials []*trial, best func(g int) []int) []*trial {
	goals := make([][]int, len(h.attacks))
	for g := range h.goals {
		for _, a := range best(g) {
			if !slices.Contains(goals[a], g) {
				goals[a] = append(goals[a], g)
			}
		}
	}
	var next []*trial
	for _, t := range trials {
		if kept := goals[t.attack]; kept != nil {
			next = append(next, t.only(kept))
		}
	}
	return next
}

// only returns the trial with some of its goals.
func (t *trial) only(goals []int) *trial {
	if len(goals) == len(t.goals) {
		return t
	}
	only := &trial{attack: t.attack, goals: goals, rows: t.rows, fitted: part{t, goals}}
	for _, g := range goals {
		i := slices.Index(t.goals, g)
		only.score, only.calibrations = append(only.score, t.score[i]), append(only.calibrations, t.calibrations[i])
	}
	return only
}

// part is a fitted trial for some of its goals.
type part struct {
	whole *trial
	goals []int
}

// Predict is the trial's, for these goals.
func (p part) Predict(ctx context.Context, dst [][]float32, x []float32) error {
	all := make([][]float32, len(p.whole.goals))
	for i, g := range p.goals {
		all[slices.Index(p.whole.goals, g)] = dst[i]
	}
	return p.whole.fitted.Predict(ctx, all, x)
}

// ranked returns the attacks of the best learners for goal g by a figure, each on its best
// form, the best first; of equal ones the first.
func (h *hunt) ranked(trials []*trial, g, learners int, by func(t *trial, i int) float64) []int {
	type entry struct {
		attack int
		score  float64
	}
	var list []entry
	for _, t := range trials {
		if i := slices.Index(t.goals, g); i >= 0 {
			list = append(list, entry{t.attack, by(t, i)})
		}
	}
	slices.SortStableFunc(list, func(a, b entry) int { return cmp.Compare(b.score, a.score) })
	var best []int
	seen := map[string]bool{}
	for _, e := range list {
		if name := h.attacks[e.attack].learner; !seen[name] && len(best) < learners {
			seen[name] = true
			best = append(best, e.attack)
		}
	}
	return best
}
