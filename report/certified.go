package report

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"tattle/bound"
)

// boundWord names the bounds of a report: those for unbiased estimators if there are limits on
// every adversary beside them.
func (r *Report) boundWord() string {
	if r.listed() {
		return "bound for unbiased estimators"
	}
	return "bound"
}

// certified says what is proved: by witnesses near the input, then what far ones
// and twins add.
func (r *Report) certified() string {
	if r.Release.NoBounds != "" {
		s := "No " + r.boundWord() + " holds for this release: " + strings.TrimSuffix(r.Release.NoBounds, ".") + "."
		if len(r.Attacks) == 0 {
			s += " No attack was run either: the report does not say how close one would come."
		}
		return s
	}
	all := cmp.Or(r.strongest(""), r.strongest(bound.SearchFar))
	if all == nil {
		if r.Release.Noise.Estimated {
			return "No " + r.boundWord() + " is certified: the divergence of this noise between two inputs is itself an estimate, and so are these bounds."
		}
		if r.Experiment != nil && r.Experiment.Rounding == bound.RoundingMeasured {
			return "No " + r.boundWord() + " is certified: the rounding of this net's features is measured, not proved, so these bounds are estimates."
		}
		return "No " + r.boundWord() + " is certified: no witness gave one."
	}
	if math.IsInf(all.Quantile(.5), 1) {
		return fmt.Sprintf("No %s of use: for half of the %s the witnesses change the features by rounding alone. So the release does not determine these, which limits no adversary who knows what inputs look like.", r.boundWord(), r.coordinatesOf(all.Coordinates, all.Examples))
	}
	who := "an unbiased estimator"
	if among := r.Among(all.Domain); among != "" {
		who = "an estimator that is unbiased among " + among
	}
	s := fmt.Sprintf("Certified: %s %s in half of the %s.", who, r.errs(all), r.coordinatesOf(all.Coordinates, all.Examples))
	switch {
	case all.AbovePrior == nil:
		s += " This floor is " + notCompared + "."
	case *all.AbovePrior:
		s += " This floor is " + r.aboveWords(*all) + "."
	}
	return s + r.twins() + " An adversary with prior knowledge of the inputs is biased and may err by less."
}

// errs says what the median of a row means for an adversary.
func (r *Report) errs(b *bound.Summary) string {
	m := b.Quantile(.5)
	switch {
	case m == 0:
		return "may not err at all: the witnesses prove nothing (a vacuous bound of 0)"
	case r.Vacuous(m):
		return "errs by " + r.atLeast(m) + ", which is vacuous"
	}
	return "errs by " + r.atLeast(m)
}

// twins says for how many coordinates another input is known whose features are the
// same but for rounding and what their runtime errs by.
func (r *Report) twins() string {
	b := r.strongest(bound.SearchTwins)
	if b == nil || b.UnboundedFraction == 0 {
		return ""
	}
	share := "all"
	if b.UnboundedFraction < 1 {
		share = Share(b.UnboundedFraction) + " of the"
	}
	same := "the same features in real arithmetic"
	if x := r.Experiment; x != nil && x.Runtime.Error > 0 {
		same = "the same features up to rounding and the runtime's error"
	}
	return fmt.Sprintf(" For %s %s, another input has %s: unbiased estimators cannot resolve them%s.", share, r.coordinatesOf(b.Coordinates, b.Examples), same, r.among(b.Domain))
}

// strongest returns the certified row per coordinate of all bands with the largest median, among
// those by one search for witnesses: "" is one near the input. What far ones and twins prove of some
// inputs, they do not prove of all. It is nil if there is none.
func (r *Report) strongest(search string) *bound.Summary {
	return largestMedian(r.Bounds, func(b bound.Summary) bool {
		return b.Status == bound.StatusCertified && !b.Pair() && !meanSquare(b.Method) && b.Band == bound.AllBand && kindOf(b).search == search
	})
}

// informative reports whether certified states a bound that says something: none that is vacuous, for who
// knows what inputs look like too, or unbounded through rounding alone.
func (r *Report) informative() bool {
	all := cmp.Or(r.strongest(""), r.strongest(bound.SearchFar))
	if all == nil {
		return true
	}
	m := all.Quantile(.5)
	return !math.IsInf(m, 1) && !r.Vacuous(m) && !isAbove(all.AbovePrior)
}

// largestMedian returns the row with the largest median of those that are meant, nil if there is none.
// One that is unbounded through rounding alone is taken only where there is no other.
func largestMedian(rows []bound.Summary, meant func(bound.Summary) bool) *bound.Summary {
	var best *bound.Summary
	for i, b := range rows {
		if !meant(b) {
			continue
		}
		m := b.Quantile(.5)
		if best == nil || !math.IsInf(m, 1) && (math.IsInf(best.Quantile(.5), 1) || m > best.Quantile(.5)) {
			best = &rows[i]
		}
	}
	return best
}

// Vacuous reports whether a bound says nothing: a reconstruction within a grey
// level of the original is the original.
func (r *Report) Vacuous(std float64) bool {
	g := float64(r.Data.GreyLevels)
	return std == 0 || g > 0 && std*g < 1
}
