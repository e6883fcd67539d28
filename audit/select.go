package audit

import (
	"cmp"
	"context"
	"fmt"
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
	// block is the number of rows guessed at a time.
	block = 8192
)

// hunt is the work on all attributes of a sample.
type hunt struct {
	s        *Sample
	o        Options
	reader   attackName // of a planted code; none if all attacks run
	attacks  []attackName
	learners map[string]classify.Learner
	out      []*guesses // by goal
	twin     []int      // [example], the first example that it is a copy of
	fit      []*joint   // by goal, learned on the examples of the fold that are not held back
	final    []*joint   // by goal, learned on all training examples of the fold
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
	attack int
	goals  []trialGoal
	fitted classify.Fitted
	rows   int // it was fitted on
}

// trialGoal is what a trial came to for a goal.
type trialGoal struct {
	goal        int
	score       float64      // on the examples held back: accuracy, or less the mean squared error
	calibration *calibration // fitted on the examples held back
}

// judge guesses the examples test of fold k by attacks fitted on train and chosen there.
func (h *hunt) judge(ctx context.Context, k int, train, test []int) error {
	sp := splitTrain(train, h.twin, h.o.MaxFit, h.o.Seed, k)
	h.fit, h.final = make([]*joint, len(h.out)), make([]*joint, len(h.out))
	for i, g := range h.out {
		h.fit[i], h.final[i] = newJoint(h.s, g.goal, g.label, sp.rest), newJoint(h.s, g.goal, g.label, train)
	}
	trials, err := h.first(ctx, k, sp)
	if err != nil {
		return err
	}
	if len(sp.large) >= secondFit*len(sp.small) {
		trials = h.top(trials, func(g int) []int {
			return append(h.ranked(trials, g, finalists, trialGoal.accuracy), h.ranked(trials, g, 1, trialGoal.merit)...)
		})
		for _, t := range trials {
			if err := h.run(ctx, k, t, sp.large, sp.held); err != nil {
				return err
			}
		}
	}
	// Those that are best given y and the label are not fitted again: their calibrations are for what they are.
	for _, t := range h.top(trials, func(g int) []int { return h.ranked(trials, g, 1, trialGoal.merit) }) {
		if err := h.guess(ctx, t, test, h.keepGiven); err != nil {
			return err
		}
		for _, x := range t.goals {
			h.out[x.goal].scored = append(h.out[x.goal].scored, h.attacks[t.attack])
		}
	}
	for _, t := range h.top(trials, func(g int) []int { return h.ranked(trials, g, 1, trialGoal.accuracy) }) {
		if 10*len(sp.all) > 11*t.rows { // those held back are worth a new fit
			if err := h.run(ctx, k, t, sp.all, nil); err != nil {
				return err
			}
		}
		if err := h.guess(ctx, t, test, h.keep); err != nil {
			return err
		}
		for _, x := range t.goals {
			h.out[x.goal].chosen = append(h.out[x.goal].chosen, h.attacks[t.attack])
		}
	}
	return nil
}

// first tries every attack on the small part, on all cores.
func (h *hunt) first(ctx context.Context, k int, sp split) ([]*trial, error) {
	trials := make([]*trial, 0, len(h.attacks))
	for a, name := range h.attacks {
		t := &trial{attack: a}
		for g := range h.out {
			if h.learners[name.learner].Suits(h.out[g].target) {
				t.goals = append(t.goals, trialGoal{goal: g})
			}
		}
		if t.goals != nil {
			trials = append(trials, t)
		}
	}
	errs := make([]error, len(trials))
	simd.Parallel(len(trials), 1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			errs[i] = h.run(ctx, k, trials[i], sp.small, sp.held)
		}
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return trials, nil
}

// accuracy and merit are what trials are ranked by for a goal: how often the guess
// is right, and the proper score given y and the answered label.
func (x trialGoal) accuracy() float64 { return x.score }
func (x trialGoal) merit() float64    { return x.calibration.merit }

// top returns the trials of the attacks that best names for each goal, with those goals
// alone.
func (h *hunt) top(trials []*trial, best func(g int) []int) []*trial {
	named := make([][]int, len(h.out)) // by goal, attacks
	for g := range named {
		named[g] = best(g)
	}
	var next []*trial
	for _, t := range trials {
		only := &trial{attack: t.attack, rows: t.rows, fitted: t.fitted}
		for _, x := range t.goals {
			if slices.Contains(named[x.goal], t.attack) {
				only.goals = append(only.goals, x)
			}
		}
		if len(only.goals) < len(t.goals) {
			only.fitted = part{t, only.goals}
		}
		if only.goals != nil {
			next = append(next, only)
		}
	}
	return next
}

// part is a fitted trial for some of its goals.
type part struct {
	whole *trial
	goals []trialGoal
}

// Predict is the trial's, for these goals.
func (p part) Predict(ctx context.Context, dst [][]float32, x []float32) error {
	all := make([][]float32, len(p.whole.goals))
	for i, g := range p.goals {
		all[p.whole.place(g.goal)] = dst[i]
	}
	return p.whole.fitted.Predict(ctx, all, x)
}

// place returns the index of a goal among the trial's, −1 if it is not there.
func (t *trial) place(goal int) int {
	return slices.IndexFunc(t.goals, func(x trialGoal) bool { return x.goal == goal })
}

// ranked returns the attacks of the best learners for goal g by a figure, each on its best
// form, the best first; of equal ones the first.
func (h *hunt) ranked(trials []*trial, g, learners int, by func(x trialGoal) float64) []int {
	type entry struct {
		attack int
		score  float64
	}
	var list []entry
	for _, t := range trials {
		if i := t.place(g); i >= 0 {
			list = append(list, entry{t.attack, by(t.goals[i])})
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

// run fits a trial on rows fit, and scores it on held, unless that is nil.
func (h *hunt) run(ctx context.Context, k int, t *trial, fit, held []int) error {
	name := h.attacks[t.attack]
	targets := make([]classify.Target, len(t.goals))
	for i, x := range t.goals {
		all := h.out[x.goal].target
		targets[i] = classify.Target{Labels: pick(all.Labels, fit), Classes: all.Classes, Values: pick(all.Values, fit)}
	}
	learner, form := h.fitting(name)
	d := formWidth(h.s, form)
	x := make([]float32, len(fit)*d)
	fillForm(x, h.s, form, fit)
	seed := random(h.o.Seed, streamFit, uint64(k*len(h.attacks)+t.attack)).Uint64()
	var err error
	if t.fitted, err = learner.Fit(ctx, x, d, targets, seed); err != nil {
		return fmt.Errorf("audit: attack %s: %w", name, err)
	}
	if t.rows = len(fit); held == nil {
		return nil
	}
	all := make([][]float64, len(t.goals)) // scores of the examples held back
	for i := range t.goals {
		t.goals[i].score = 0
	}
	err = h.guess(ctx, t, held, func(t *trial, i, row int, score []float32) {
		g := h.out[t.goals[i].goal]
		t.goals[i].score += g.merit(row, score)
		at := len(all[i])
		all[i] = append(all[i], make([]float64, len(score))...)
		g.scores(all[i][at:], score)
	})
	for i := range t.goals {
		if g := t.goals[i].goal; err == nil {
			t.goals[i].calibration = calibrate(h.out[g].goal, h.fit[g], held, all[i])
		}
	}
	return err
}

// guess calls each with the scores of every goal of the trial and every row.
func (h *hunt) guess(ctx context.Context, t *trial, rows []int, each func(t *trial, i, row int, score []float32)) error {
	_, form := h.fitting(h.attacks[t.attack])
	d, most := formWidth(h.s, form), min(block, len(rows))
	x := make([]float32, most*d)
	room := make([][]float32, len(t.goals))
	for i, g := range t.goals {
		room[i] = make([]float32, most*h.out[g.goal].target.Width())
	}
	dst := make([][]float32, len(room))
	for lo := 0; lo < len(rows); lo += block {
		part := rows[lo:min(lo+block, len(rows))]
		fillForm(x[:len(part)*d], h.s, form, part)
		for i, g := range t.goals {
			dst[i] = room[i][:len(part)*h.out[g.goal].target.Width()]
		}
		if err := t.fitted.Predict(ctx, dst, x[:len(part)*d]); err != nil {
			return fmt.Errorf("audit: attack %s: %w", h.attacks[t.attack], err)
		}
		for i, g := range t.goals {
			w := h.out[g.goal].target.Width()
			for j, row := range part {
				each(t, i, row, dst[i][j*w:(j+1)*w])
			}
		}
	}
	return nil
}

// keep stores a guess of the trial's goal i.
func (h *hunt) keep(t *trial, i, row int, score []float32) {
	if g := h.out[t.goals[i].goal]; g.target.Labels != nil {
		g.best[row] = classify.Best(score)
	} else {
		g.bestValue[row] = float64(score[0])
	}
}

// keepGiven stores what the scores of the trial's goal i say given y and the answered label.
func (h *hunt) keepGiven(t *trial, i, row int, score []float32) {
	x := t.goals[i]
	g, base := h.out[x.goal], h.final[x.goal].of(row)
	w := len(base)
	own, given := make([]float64, w), g.given[row*w:][:w]
	g.scores(own, score)
	x.calibration.apply(given, base, row, own)
	if h.s.YNumbers != nil {
		for k, q := range base {
			g.added[row*w+k] = given[k] - q
		}
	}
	g.base[row] = base[0]
	if g.target.Labels != nil {
		g.base[row] = base[g.target.Labels[row]]
	}
}

// scores overwrites dst with the scores of an attack as calibrations take them:
// log-probabilities of the classes, or the number.
func (g *goal) scores(dst []float64, score []float32) {
	if g.target.Labels == nil {
		dst[0] = float64(score[0])
		return
	}
	logScores(dst, score)
}

// merit returns what a guess of row is worth: 1 if it is right, or minus the
// squared error.
func (g *goal) merit(row int, score []float32) float64 {
	if g.target.Labels == nil {
		e := float64(score[0]) - g.target.Values[row]
		return -e * e
	}
	if classify.Best(score) == g.target.Labels[row] {
		return 1
	}
	return 0
}
