package report

import (
	"fmt"
	"math"
	"slices"

	"tattle/measure"
)

// searchPlausible names pairs of two real inputs, of which the second is as plausible as the
// first, and searchMade those whose second input is constructed.
const (
	searchPlausible = "plausible"
	searchMade      = "plausible, constructed"
)

// plausible returns the plausible pair of an example that was found by that search, nil if
// there is none.
func (r *Report) plausible(search string, index int) *measure.PlausiblePair {
	if r.Lists == nil {
		return nil
	}
	pairs := r.Lists.Plausible
	if search == searchMade {
		pairs = r.Lists.Made
	}
	for i, p := range pairs {
		if p.Index == index && p.Candidate >= 0 {
			return &pairs[i]
		}
	}
	return nil
}

// addPlausible shows the inputs that are as plausible as an example: the candidate and the
// constructed one, if they were found and are there.
func (r *Report) addPlausible(o original) error {
	for _, search := range []string{searchPlausible, searchMade} {
		x := r.plausible(search, o.index)
		if x == nil || x.Input == nil {
			continue
		}
		kind := fmt.Sprintf("as plausible: candidate %d", x.Candidate)
		if search == searchMade {
			kind = fmt.Sprintf("as plausible, constructed: nearest to candidate %d", x.Candidate)
		}
		nan := Number(math.NaN())
		if err := r.addPair(o, widen(x.Input), x.Share, Pair{Search: search, Kind: kind, ZNorm: nan, Allowance: nan, Guessed: nan}); err != nil {
			return err
		}
	}
	return nil
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

// madeSentence says what constructed partners prove.
func (r *Report) madeSentence() string {
	if r.Lists == nil || len(r.Lists.Made) == 0 {
		return ""
	}
	first := "the first input"
	if n := len(r.Lists.Made); n > 1 {
		first = fmt.Sprintf("the first %d inputs", n)
	}
	s := "For " + first + " a partner was also constructed: three candidates were moved by gradient steps, as far as both measures allow, to values that the data can hold and where the noise hides them from the input. Other starts were not tried."
	floors, said := r.floorsOf(r.Lists.Made)
	if floors == nil {
		return s + " None was found with a larger floor than the candidates prove."
	}
	return s + fmt.Sprintf(" For %d of them the floor is larger than with a candidate: at least %s A constructed partner is no real input: an adversary with a stricter measure of plausibility may dismiss it.", len(floors), said)
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
