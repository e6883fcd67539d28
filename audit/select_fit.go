package audit

import (
	"context"
	"fmt"

	"tattle/classify"
)

// run fits a trial on rows fit, scores it on held, unless that is nil, and lists its
// guesses of list.
func (h *hunt) run(ctx context.Context, k int, t *trial, fit, held, list []int) error {
	name := h.attacks[t.attack]
	targets := make([]classify.Target, len(t.goals))
	for i, g := range t.goals {
		all := h.goals[g].target
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
	t.rows = len(fit)
	if held != nil {
		if err := h.compare(ctx, t, held); err != nil {
			return err
		}
	}
	for _, g := range t.goals {
		h.out[g].fitted[h.place[g][t.attack]][k] = len(fit) // a second fit replaces the first
	}
	return h.guess(ctx, t, list, func(i, row int, score []float32) { h.keep(t, i, row, score) })
}

// guess calls each with the scores of every goal of the trial and every row.
func (h *hunt) guess(ctx context.Context, t *trial, rows []int, each func(i, row int, score []float32)) error {
	_, form := h.fitting(h.attacks[t.attack])
	d, most := formWidth(h.s, form), min(block, len(rows))
	x := make([]float32, most*d)
	room := make([][]float32, len(t.goals))
	for i, g := range t.goals {
		room[i] = make([]float32, most*h.goals[g].target.Width())
	}
	dst := make([][]float32, len(room))
	for lo := 0; lo < len(rows); lo += block {
		part := rows[lo:min(lo+block, len(rows))]
		fillForm(x[:len(part)*d], h.s, form, part)
		for i, g := range t.goals {
			dst[i] = room[i][:len(part)*h.goals[g].target.Width()]
		}
		if err := t.fitted.Predict(ctx, dst, x[:len(part)*d]); err != nil {
			return fmt.Errorf("audit: attack %s: %w", h.attacks[t.attack], err)
		}
		for i, g := range t.goals {
			w := h.goals[g].target.Width()
			for j, row := range part {
				each(i, row, dst[i][j*w:(j+1)*w])
			}
		}
	}
	return nil
}

// keep stores a guess of the trial's goal i.
func (h *hunt) keep(t *trial, i, row int, score []float32) {
	g := t.goals[i]
	at := h.place[g][t.attack]
	if h.goals[g].target.Labels != nil {
		h.out[g].guess[at][row] = classify.Best(score)
	} else {
		h.out[g].value[at][row] = float64(score[0])
	}
}

// keepGiven stores the scores of the trial's goal i, and what they say given y and the
// answered label.
func (h *hunt) keepGiven(t *trial, i, row int, score []float32) {
	g := t.goals[i]
	goal, out, base := h.goals[g], h.out[g], h.final[g].of(row)
	w := len(base)
	own := out.own[row*w:][:w]
	goal.scores(own, score)
	t.calibrations[i].apply(out.given[row*w:][:w], base, row, own)
	if h.s.YNumbers != nil {
		for k, q := range base {
			out.added[row*w+k] = out.given[row*w+k] - q
		}
	}
	out.base[row] = base[0]
	if goal.target.Labels != nil {
		out.base[row] = base[goal.target.Labels[row]]
	}
}

// compare measures the trial on the examples held back, and fits its calibrations on them.
func (h *hunt) compare(ctx context.Context, t *trial, held []int) error {
	all := make([][]float64, len(t.goals))
	t.score = make([]float64, len(t.goals))
	err := h.guess(ctx, t, held, func(i, row int, score []float32) {
		t.score[i] += h.goals[t.goals[i]].merit(row, score)
		at := len(all[i])
		all[i] = append(all[i], make([]float64, len(score))...)
		h.goals[t.goals[i]].scores(all[i][at:], score)
	})
	if err != nil {
		return err
	}
	t.calibrations = make([]*calibration, len(t.goals))
	for i, g := range t.goals {
		t.calibrations[i] = calibrate(h.goals[g], h.fit[g], held, all[i])
	}
	return nil
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
