package report

import (
	"fmt"

	"tattle/attack"
	"tattle/bound"
)

// demonstrated says how near the best attack came, beside what is reached without the
// release on the same inputs: empty if neither was measured.
func (r *Report) demonstrated() string {
	best, alone := r.bestAttack(), r.priorAlone("all")
	switch {
	case best == nil && alone == nil:
		return ""
	case best == nil:
		return fmt.Sprintf("Guessing the mean of the training data, without the release, errs by %s, %s. No attack was run to compare with.", r.inLevels(alone.rms()), r.squared(*alone))
	case !best.Gain.closer():
		return fmt.Sprintf("No attack that ran is shown to come closer than guessing the mean of the training data, without the release: that errs by %s, %s by %s, %s. A better attack may come closer.", r.inLevels(alone.rms()), r.bestOf(best), r.inLevels(best.rms()), r.squared(*best))
	}
	s := fmt.Sprintf("Demonstrated: %s errs by %s, %s.", r.bestOf(best), r.inLevels(best.rms()), r.squared(*best))
	if best.Gain == nil || alone == nil {
		s += " It was not compared with guessing without the release."
	} else {
		s += fmt.Sprintf(" Guessing the mean of the training data, without the release, errs by %s on the same inputs; the attack errs by less with %.1f %% confidence over inputs like these.", r.inLevels(alone.rms()), 100*attack.Confidence)
	}
	return s + " Another attack may come closer."
}

// squared says over what the error of a row is a root mean square.
func (r *Report) squared(a Attack) string {
	return fmt.Sprintf("root mean square over all %s%s", r.coordinatesOf(a.Coordinates, a.Examples), r.drawn(a))
}

// bestOf names the best attack among those that ran.
func (r *Report) bestOf(best *Attack) string {
	if n := len(r.EachAttack()); n > 1 {
		return fmt.Sprintf("the best of %d attacks (%s)", n, best.Name)
	}
	return fmt.Sprintf("the only attack that ran (%s)", best.Name)
}

// bestAttack returns the attack with the smallest root mean square error over all coordinates, inputs and draws: the
// first by name of equal ones, as attack.Best. It is nil if none ran.
func (r *Report) bestAttack() *Attack {
	var best *Attack
	for i := range r.Attacks {
		a := &r.Attacks[i]
		if a.Band == bound.AllBand && (best == nil || a.MeanSquare < best.MeanSquare || a.MeanSquare == best.MeanSquare && a.Name < best.Name) {
			best = a
		}
	}
	return best
}
