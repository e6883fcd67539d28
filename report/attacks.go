package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"tattle/attack"
	"tattle/bound"
	"tattle/measure"
)

// StatusDemonstrated marks what an attack that ran has reached.
const StatusDemonstrated = attack.StatusDemonstrated

// Attack is the error of one attack in one band.
type Attack = attack.Row

// over states the number of inputs and draws of a row.
func (r *Report) over(a Attack) string {
	return Count(a.Examples, "input") + r.drawn(a)
}

// drawn says how often the noise was drawn for each input of a row.
func (r *Report) drawn(a Attack) string {
	return when(!r.Release.none(), fmt.Sprintf(" with %s of the noise each", Count(a.Draws, "draw")))
}

// row is the attack in words.
func (r *Report) attackRow(name string, a Attack) []string {
	closer, recognised := "", "–"
	switch {
	case a.Gain == nil:
	case a.Gain.Closer():
		closer = "yes"
	case r.closerHere(&a):
		closer = "on these inputs"
	default:
		closer = "not shown"
	}
	if a.Recognised != nil {
		recognised = fmt.Sprintf("%.0f %%", 100**a.Recognised)
	}
	return []string{name, times(a.Band), number(r.inUnit(a.MeanSquare)), closer, recognised}
}

// attackRows are the attacks and the prior alone, band by band.
func (r *Report) attackRows() [][]string {
	var rows [][]string
	for _, band := range r.attackBands() {
		for _, a := range r.Attacks {
			if a.Band == band {
				rows = append(rows, r.attackRow(a.Name, a))
			}
		}
		if a := r.priorAlone(band); a != nil {
			rows = append(rows, r.attackRow("without the release", *a))
		}
	}
	return rows
}

func (r *Report) attackBands() []string {
	var bands []string
	for _, a := range append(r.Attacks[:len(r.Attacks):len(r.Attacks)], r.PriorAlone...) {
		bands = append(bands, a.Band)
	}
	return unique(bands)
}

// priorAlone is the row of guessing the mean in a band, nil if it was not measured.
func (r *Report) priorAlone(band string) *Attack { return rowOfBand(r.PriorAlone, band) }

// rowOfBand is the first row of a band, nil if there is none.
func rowOfBand(rows []Attack, band string) *Attack {
	for i := range rows {
		if rows[i].Band == band {
			return &rows[i]
		}
	}
	return nil
}

// sentenceOf is words with a capital letter and a full stop.
func sentenceOf(s string) string {
	if s == "" {
		return s
	}
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + strings.TrimSuffix(s[size:], ".") + "."
}

// abouts say of each attack, once, what it knew.
func (r *Report) abouts() []Setting {
	var said []Setting
	for _, a := range r.EachAttack() {
		said = append(said, Setting{a.Name, sentenceOf(a.About)})
	}
	return said
}

// EachAttack returns the first row of each attack.
func (r *Report) EachAttack() (all []Attack) {
	for _, a := range r.Attacks {
		if !slices.ContainsFunc(all, func(b Attack) bool { return a.Name == b.Name }) {
			all = append(all, a)
		}
	}
	return all
}

// AddAttacks adds the rows of the attacks and of the prior alone.
func (r *Report) AddAttacks(a *measure.Attacks, c bound.Coordinates, band int) {
	for _, x := range a.Results {
		r.Attacks = append(r.Attacks, attackRows(a, x, c, band)...)
	}
	if a.PriorAlone != nil {
		r.PriorAlone = attackRows(a, a.PriorAlone, c, band)
		r.ComparePrior()
	}
}

// attackRows are the report's rows of one attack, or those of the prior alone.
func attackRows(a *measure.Attacks, x *attack.Result, c bound.Coordinates, band int) []Attack {
	rows := x.Summaries(c, band)
	for i := range rows {
		rows[i].Gain = a.Gain(x, rows[i].Keep)
	}
	return rows
}

// demonstrated says how near the best attack came, beside what is reached without the
// release on the same inputs: empty if neither was measured.
func (r *Report) demonstrated() string {
	best, alone := r.bestAttack(), r.priorAlone("all")
	switch {
	case best == nil && alone == nil:
		return ""
	case best == nil:
		return fmt.Sprintf("Guessing the mean of the training data, without the release, errs by %s, %s. No attack was run to compare with.", r.inLevels(alone.RMS()), r.squared(*alone))
	case r.closerHere(best):
		return fmt.Sprintf("Demonstrated, for the inputs of this run alone: %s errs by %s, %s, and guessing the mean of the training data, without the release, by %s. These inputs do not show that it errs by less for others. Another attack may come closer.", r.bestOf(best), r.inLevels(best.RMS()), r.squared(*best), r.inLevels(alone.RMS()))
	case !best.Gain.Closer():
		return fmt.Sprintf("No attack that ran is shown to come closer than guessing the mean of the training data, without the release: that errs by %s, %s by %s, %s. A better attack may come closer.", r.inLevels(alone.RMS()), r.bestOf(best), r.inLevels(best.RMS()), r.squared(*best))
	}
	s := fmt.Sprintf("Demonstrated: %s errs by %s, %s.", r.bestOf(best), r.inLevels(best.RMS()), r.squared(*best))
	if best.Gain == nil || alone == nil {
		s += " It was not compared with guessing without the release."
	} else {
		s += fmt.Sprintf(" Guessing the mean of the training data, without the release, errs by %s on the same inputs; the attack errs by less with %.1f %% confidence over inputs like these.", r.inLevels(alone.RMS()), 100*attack.Confidence)
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
