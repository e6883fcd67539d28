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

// plausible returns the plausible pair of an example, nil if there is none.
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

// addPlausible shows the candidate that is as plausible as an example, if it was found and is
// there.
func (r *Report) addPlausible(o original) error {
	x := r.plausible(o.index)
	if x == nil || x.Input == nil {
		return nil
	}
	nan := Number(math.NaN())
	return r.addPair(o, widen(x.Input), x.Share, Pair{Search: searchPlausible, Kind: fmt.Sprintf("as plausible: candidate %d", x.Candidate), ZNorm: nan, Allowance: nan, Guessed: nan})
}

// floorsOf returns the floors of the pairs that were found, in ascending order, and says how large
// they are; a median that is vacuous is called that.
func (r *Report) floorsOf(pairs []measure.PlausiblePair) (floors []float64, said string) {
	for _, p := range pairs {
		if p.Candidate >= 0 {
			floors = append(floors, r.inUnit(p.MeanSquare))
		}
	}
	if len(floors) == 0 {
		return nil, ""
	}
	slices.Sort(floors)
	median := floors[(len(floors)-1)/2]
	said = fmt.Sprintf("%s %s (median over these inputs; largest %s).", atLeastNumber(median), r.unit(), atLeastNumber(floors[len(floors)-1]))
	if r.Vacuous(median / r.toUnit(1)) {
		said += " The median is vacuous: at this noise, an adversary who knows what inputs look like can tell such pairs apart."
	}
	return floors, said
}

// plausibleSentence says what pairs of real inputs prove where the second is as plausible as
// the first.
func (r *Report) plausibleSentence() string {
	if r.Lists == nil || len(r.Lists.Plausible) == 0 {
		return ""
	}
	tried := Count(len(r.Lists.Plausible), "input")
	floors, said := r.floorsOf(r.Lists.Plausible)
	if floors == nil {
		return fmt.Sprintf("No plausible pair was found: of the %s that were tried, none has a candidate that is at most as surprising and that the noise hides.", tried)
	}
	s := fmt.Sprintf("%s: %d of the %s that were tried have a plausible partner, a candidate of the list that is at most as surprising by two measures: its distance from the nearest other candidate, and its distance from the candidates' mean under their covariance (the score)."+
		" Averaged over such a pair, no adversary errs by less than %s", capital(r.Lists.Plausible[0].Status), len(floors), tried, said)
	if len(floors) < len(r.Lists.Plausible) {
		s += " For the others none was found."
	}
	return s
}
