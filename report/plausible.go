package report

import (
	"fmt"
	"math"
	"slices"

	"tattle/measure"
)

// searchPlausible names pairs of two real inputs, of which the second is as plausible as the
// first.
const searchPlausible = "plausible"

// plausible returns the plausible pair of an example, nil if none was found.
func (r *Report) plausible(index int) *measure.PlausiblePair {
	if r.Lists == nil {
		return nil
	}
	for i, p := range r.Lists.Plausible {
		if p.Index == index && p.Candidate >= 0 {
			return &r.Lists.Plausible[i]
		}
	}
	return nil
}

// addPlausible shows the candidate that is as plausible as an example, if one was found and
// is there.
func (r *Report) addPlausible(o original) error {
	x := r.plausible(o.index)
	if x == nil || x.Input == nil {
		return nil
	}
	nan := Number(math.NaN())
	return r.addPair(o, widen(x.Input), x.Share, Pair{Search: searchPlausible, Kind: fmt.Sprintf("as plausible: candidate %d", x.Candidate), ZNorm: nan, Allowance: nan, Guessed: nan, Median: nan})
}

// plausibleSentence says what pairs of real inputs prove where the second is as plausible as
// the first.
func (r *Report) plausibleSentence() string {
	if r.Lists == nil || len(r.Lists.Plausible) == 0 {
		return ""
	}
	var floors []float64
	status := ""
	for _, p := range r.Lists.Plausible {
		status = p.Status
		if p.Candidate >= 0 {
			floors = append(floors, r.inUnit(p.MeanSquare))
		}
	}
	n := len(r.Lists.Plausible)
	if len(floors) == 0 {
		return fmt.Sprintf("No plausible pair was found: of the %s that were tried, none has a candidate that is at most as surprising and that the noise hides.", Count(n, "input"))
	}
	slices.Sort(floors)
	s := sentenceOf(status)
	s = s[:len(s)-1] + fmt.Sprintf(": %d of the %s that were tried have a plausible partner, a candidate of the list that is at most as surprising by two measures: its distance from the nearest other candidate, and its distance from the candidates' mean under their covariance (the score)."+
		" Averaged over such a pair, no adversary errs by less than %s %s (median over these inputs; largest %s).", len(floors), Count(n, "input"), AtLeastNumber(floors[(len(floors)-1)/2]), r.unit(), AtLeastNumber(floors[len(floors)-1]))
	if r.Vacuous(floors[(len(floors)-1)/2] / r.toUnit(1)) {
		s += " The median is vacuous: at this noise, an adversary who knows what inputs look like can tell such pairs apart."
	}
	if len(floors) < n {
		s += " For the others none was found."
	}
	return s
}
