package audit

import (
	"cmp"
	"context"
	"slices"

	"tattle/classify"
	"tattle/internal/simd"
)

// How an attack is chosen inside the training part of a fold: all are fitted on a
// few examples, where there are many more the best on these, and those held back
// tell which is better.
const (
	// firstFit is enough to tell attacks that learn something from those that do not.
	firstFit = 2000
	// secondFit is how many times as many there must be for a second look at the best.
	secondFit = 4
	// judgeMost is the most examples held back: they tell accuracies apart to a point.
	judgeMost = 5000
	// finalists is the number of learners, each on its best form, that are fitted again.
	finalists = 3
	// listMost is the most examples of a fold on which attacks that were not chosen are
	// listed: they tell accuracies to a point.
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
	place    [][]int    // [goal][attack], its index in out[goal].attack, −1 where it does not suit
}

// add takes a goal in, with room for its guesses.
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
	h.goals, h.out, h.place = append(h.goals, g), append(h.out, out), append(h.place, place)
}

// split is the training part of a fold, in random order.
type split struct {
	small, large, all []int // what attacks are fitted on, each part of the next
	held              []int // what small and large attacks are compared on
}

// splitTrain holds back a quarter, but judgeMost at most.
func splitTrain(train []int, maxFit int, seed uint64, fold int) split {
	rows := make([]int, len(train))
	for i, j := range random(seed, streamSplit, uint64(fold)).Perm(len(train)) {
		rows[i] = train[j]
	}
	rest := len(rows) - min((len(rows)+3)/4, judgeMost)
	large := min(rest, maxFit)
	return split{
		small: rows[:min(large, firstFit)],
		large: rows[:large],
		all:   rows[:min(len(rows), maxFit)],
		held:  rows[rest:],
	}
}

// trial is one attack, fitted on some goals.
type trial struct {
	attack int
	goals  []int
	score  []float64 // by goal of the trial, on the examples held back: accuracy, or less the mean squared error
	fitted classify.Fitted
	rows   int // it was fitted on
}

// judge guesses the examples test of fold k by attacks fitted on train: all of them by
// the chosen ones, those of list by all.
func (h *hunt) judge(ctx context.Context, k int, train, test, list []int) error {
	sp := splitTrain(train, h.o.MaxFit, h.o.Seed, k)
	trials, err := h.first(ctx, k, sp, list)
	if err != nil {
		return err
	}
	if len(sp.large) >= secondFit*len(sp.small) {
		again := h.top(trials, finalists)
		for i := range again {
			if err := h.run(ctx, k, again[i], sp.large, sp.held, list); err != nil {
				return err
			}
		}
		trials = again
	}
	for _, t := range h.top(trials, 1) {
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

// top returns the trials of the learners that were best for each goal, each on its
// best form, and with those goals alone; of equal ones the first.
func (h *hunt) top(trials []*trial, learners int) []*trial {
	goals := make([][]int, len(h.attacks))
	for g := range h.goals {
		for _, a := range h.ranked(trials, g, learners) {
			goals[a] = append(goals[a], g)
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
	return &trial{attack: t.attack, goals: goals, rows: t.rows, fitted: part{t, goals}}
}

// part is a fitted trial of which some goals are asked.
type part struct {
	whole *trial
	goals []int
}

// Predict is the trial's, of the goals that are asked.
func (p part) Predict(ctx context.Context, dst [][]float32, x []float32) error {
	all := make([][]float32, len(p.whole.goals))
	for i, g := range p.goals {
		all[slices.Index(p.whole.goals, g)] = dst[i]
	}
	return p.whole.fitted.Predict(ctx, all, x)
}

// ranked returns the attacks of the best learners for goal g, the best first.
func (h *hunt) ranked(trials []*trial, g, learners int) []int {
	type entry struct {
		attack int
		score  float64
	}
	var list []entry
	for _, t := range trials {
		if i := slices.Index(t.goals, g); i >= 0 {
			list = append(list, entry{t.attack, t.score[i]})
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
