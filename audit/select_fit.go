package audit

import (
	"context"
	"fmt"

	"tattle/classify"
)

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
