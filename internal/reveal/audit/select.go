package audit

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"tattle/internal/engine/classify"
	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
	"tattle/internal/reveal/curious"
)

// How attacks are chosen inside the training part of a fold: all are fitted on a few
// examples and, if there are many more, the best again on all; the examples held back show
// which is better. One is chosen by accuracy, for the excess, and one by the proper score
// given y and the answered label (see calibration), for the gain, because all attacks on a
// rare attribute have about the same accuracy.
const (
	// secondFit is how many times as many there must be for a second look at the best.
	secondFit = 4
	// finalists is the number of learners, each on its best form, that are fitted again.
	finalists = 3
	// block is the number of rows guessed at a time.
	block = 8192
)

// hunt is the work on all attributes of a sample. Where a code was planted, attacks are chosen by accuracy alone.
type hunt struct {
	*folded
	seed    uint64
	attacks []attack
	// accuracyAlone leaves out calibrations and what attacks say given y and the answered label.
	accuracyAlone bool
	out           []*guesses // of the attributes that are attacked
	weight        []float64  // of the examples held back in the fold that is judged, unless accuracyAlone: people count once
}

// trial is one attack, fitted on some goals.
type trial struct {
	*attack
	seed   uint64
	goals  []trialGoal
	fitted classify.Fitted
	of     int // targets that it was fitted to
	rows   int // it was fitted on
}

// trialGoal is what a trial came to for a goal.
type trialGoal struct {
	index       int // among the targets that the trial was fitted to
	out         *guesses
	score       float64      // on the examples held back: accuracy, or less the mean squared error
	calibration *calibration // fitted on the examples held back
}

// judge guesses the examples of fold k by attacks that were fitted on the others and chosen there.
func (h *hunt) judge(ctx context.Context, k int, sp *split) error {
	trials, err := h.first(ctx, k, sp)
	if err != nil {
		return err
	}
	if len(sp.large) >= secondFit*len(sp.small) {
		trials = h.top(trials, func(g *guesses) []*attack {
			return append(ranked(trials, g, finalists, trialGoal.accuracy), h.bestGiven(trials, g)...)
		})
		for _, t := range trials {
			if err := h.fit(ctx, t, sp.large, sp.held); err != nil {
				return err
			}
		}
	}
	// Those that are best given y and the label are not fitted again: their calibrations are for what they are.
	for _, t := range h.top(trials, func(g *guesses) []*attack { return h.bestGiven(trials, g) }) {
		if err := h.guess(ctx, t, sp.test, h.keepGiven); err != nil {
			return err
		}
	}
	for _, t := range h.top(trials, func(g *guesses) []*attack { return ranked(trials, g, 1, trialGoal.accuracy) }) {
		if 10*len(sp.all) > 11*t.rows { // those held back are worth a new fit
			if err := h.fit(ctx, t, sp.all, nil); err != nil {
				return err
			}
		}
		if err := h.guess(ctx, t, sp.test, h.keep); err != nil {
			return err
		}
		for _, x := range t.goals {
			x.out.chosen = append(x.out.chosen, t.attackName)
		}
	}
	return nil
}

// first tries every attack on the small part, on all cores.
func (h *hunt) first(ctx context.Context, k int, sp *split) ([]*trial, error) {
	trials := make([]*trial, 0, len(h.attacks))
	for i := range h.attacks {
		t := &trial{attack: &h.attacks[i], seed: random(h.seed, streamFit, uint64(k*len(h.attacks)+i)).Uint64()}
		for _, g := range h.out {
			if t.fits.Suits(g.target) {
				t.goals = append(t.goals, trialGoal{out: g})
			}
		}
		if t.goals != nil {
			trials = append(trials, t)
		}
	}
	return trials, inParallel(len(trials), func(i int) error { return h.fit(ctx, trials[i], sp.small, sp.held) })
}

// accuracy and merit are what trials are ranked by for a goal: how often the guess
// is right, and the proper score given y and the answered label.
func (x trialGoal) accuracy() float64 { return x.score }
func (x trialGoal) merit() float64    { return x.calibration.merit }

// bestGiven returns the attack that is best for an attribute given y and the answered label, unless accuracy alone counts.
func (h *hunt) bestGiven(trials []*trial, g *guesses) []*attack {
	if h.accuracyAlone {
		return nil
	}
	return ranked(trials, g, 1, trialGoal.merit)
}

// top returns the trials of the attacks that best names for each goal, with those goals
// alone.
func (h *hunt) top(trials []*trial, best func(g *guesses) []*attack) []*trial {
	named := map[*guesses][]*attack{}
	for _, g := range h.out {
		named[g] = best(g)
	}
	var next []*trial
	for _, t := range trials {
		only := *t
		only.goals = slices.DeleteFunc(slices.Clone(t.goals), func(x trialGoal) bool { return !slices.Contains(named[x.out], t.attack) })
		if len(only.goals) > 0 {
			next = append(next, &only)
		}
	}
	return next
}

// place returns the index of an attribute among the trial's, −1 if it is not there.
func (t *trial) place(g *guesses) int {
	return slices.IndexFunc(t.goals, func(x trialGoal) bool { return x.out == g })
}

// ranked returns the attacks of the best learners for an attribute by a figure, each on its best
// form, the best first; of equal ones the first.
func ranked(trials []*trial, g *guesses, learners int, by func(x trialGoal) float64) (best []*attack) {
	list := slices.DeleteFunc(slices.Clone(trials), func(t *trial) bool { return t.place(g) < 0 })
	figure := func(t *trial) float64 { return by(t.goals[t.place(g)]) }
	slices.SortStableFunc(list, func(a, b *trial) int { return cmp.Compare(figure(b), figure(a)) })
	for _, t := range list {
		if len(best) < learners && !slices.ContainsFunc(best, func(b *attack) bool { return b.learner == t.learner }) {
			best = append(best, t.attack)
		}
	}
	return best
}

// fit fits a trial on rows from, the first of a split, and scores it on held, unless that is nil.
func (h *hunt) fit(ctx context.Context, t *trial, from, held []int) error {
	targets := make([]classify.Target, len(t.goals))
	t.of = len(targets)
	for i, x := range t.goals {
		t.goals[i].index, t.goals[i].score = i, 0
		if targets[i] = x.out.fit; x.out.at.Numeric() {
			targets[i].Values = targets[i].Values[:len(from)]
		} else {
			targets[i].Labels = targets[i].Labels[:len(from)]
		}
	}
	var err error
	if t.fitted, err = t.fits.Fit(ctx, h.table(t.input, from), targets, t.seed); err != nil {
		return fmt.Errorf("audit: attack %s: %w", t.attack, err)
	}
	if t.rows = len(from); held == nil {
		return nil
	}
	all := make([][]float64, len(t.goals)) // scores of the examples held back
	err = h.guess(ctx, t, held, func(x *trialGoal, i, row int, score []float32) {
		x.score += x.out.merit(row, score)
		if h.accuracyAlone {
			return
		}
		at := len(all[i])
		all[i] = append(all[i], make([]float64, len(score))...)
		x.out.scores(all[i][at:], score)
	})
	for i := range t.goals {
		if x := &t.goals[i]; err == nil && !h.accuracyAlone {
			x.calibration = calibrate(x.out.goal, x.out.known, held, all[i], h.weight)
		}
	}
	return err
}

// guess calls each with the scores of every goal of the trial and every row.
func (h *hunt) guess(ctx context.Context, t *trial, rows []int, each func(x *trialGoal, i, row int, score []float32)) error {
	most := min(block, len(rows))
	room, dst := make([][]float32, len(t.goals)), make([][]float32, t.of)
	for i, g := range t.goals {
		room[i] = make([]float32, most*g.out.target.Width())
	}
	for part := range slices.Chunk(rows, block) {
		for i, g := range t.goals {
			dst[g.index] = room[i][:len(part)*g.out.target.Width()]
		}
		if err := t.fitted.Predict(ctx, dst, h.table(t.input, part)); err != nil {
			return fmt.Errorf("audit: attack %s: %w", t.attack, err)
		}
		for i := range t.goals {
			w := t.goals[i].out.target.Width()
			for j, row := range part {
				each(&t.goals[i], i, row, room[i][j*w:(j+1)*w])
			}
		}
	}
	return nil
}

// formWidth returns how many numbers a row of the form has.
func formWidth(s *Sample, form string) int { return forms[form].width(s.RowWidth(), s.Kind) }

// formMost is the most numbers of a form that is kept for all examples: every fold reads it again. With more examples than
// plantedExamples folds are few, and most examples are read once.
const formMost = 10 << 20

// keepForms makes the forms that attacks read, unless they are too large to keep.
func (x *folded) keepForms(attacks []attack) {
	x.made = map[string]*classify.Table{}
	kept := map[string][]float32{}
	for _, a := range attacks {
		size := x.Len() * formWidth(x.Sample, a.input)
		switch {
		case size > formMost || x.Len() > plantedExamples || kept[a.input] != nil:
		case a.input == formRaw && x.Kind != curious.Soft: // as they are released
			x.made[formRaw] = classify.NewTable(x.Outputs, x.RowWidth())
		default:
			kept[a.input] = make([]float32, size)
		}
	}
	if len(kept) == 0 {
		return
	}
	simd.Parallel(x.Len(), formGrain, func(lo, hi int) { fillForms(kept, x.Sample, lo, span(lo, hi)) })
	for form, all := range kept {
		x.made[form] = classify.NewTable(all, formWidth(x.Sample, form))
	}
}

// formGrain rows are worth a core.
const formGrain = 64

// table returns the form of the outputs of rows.
func (x *folded) table(form string, rows []int) classify.Rows {
	if t := x.made[form]; t != nil {
		return t.Rows(rows)
	}
	d := formWidth(x.Sample, form)
	dst := make([]float32, len(rows)*d)
	fillForms(map[string][]float32{form: dst}, x.Sample, 0, rows)
	return classify.NewTable(dst, d).All()
}

// fillForms writes forms of the outputs of rows, from a row of dst on, [., formWidth].
func fillForms(dst map[string][]float32, s *Sample, first int, rows []int) {
	w := s.RowWidth()
	r := newOutputRow(w, s.Kind)
	for i, row := range rows {
		r.set(s.Outputs[row*w:][:w])
		for form, all := range dst {
			d := formWidth(s, form)
			forms[form].row(all[(first+i)*d:][:d], r)
		}
	}
}

// keep stores a guess of a goal.
func (h *hunt) keep(x *trialGoal, _, row int, score []float32) {
	decide(x.out.goal, x.out.best, x.out.bestValue, row, score)
}

// decide sets the guess of a row, or its value of a numeric attribute, to what scores say.
func decide[T nn.Float](g *goal, guess []int, value []float64, row int, score []T) {
	if g.at.Numeric() {
		value[row] = g.mean + g.spread*float64(score[0])
	} else {
		guess[row] = g.back[nn.Largest(score)]
	}
}

// keepGiven stores what the scores of a goal say given y and the answered label.
func (h *hunt) keepGiven(x *trialGoal, _, row int, score []float32) {
	g, base := x.out, x.out.final.of(row)
	w := len(base)
	own, given := make([]float64, w), g.given[row*w:][:w]
	g.scores(own, score)
	x.calibration.apply(given, base, row, own)
	if h.YNumbers != nil {
		for k, q := range base {
			g.added[row*w+k] = given[k] - q
		}
	}
	if g.at.Numeric() {
		given[0], g.base[row] = g.mean+g.spread*given[0], g.mean+g.spread*base[0]
	} else {
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
	if nn.Largest(score) == g.target.Labels[row] {
		return 1
	}
	return 0
}
