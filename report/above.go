package report

import (
	"fmt"
	"math"
	"strings"

	"tattle/bound"
)

// aboveMark stands beside floors that are above the prior alone.
const aboveMark = "†"

// vacuousToPrior is what such a floor is.
const vacuousToPrior = "vacuous for adversaries who know the prior"

// A blindGuess is the result of an adversary who knows little and does not have the release.
type blindGuess struct {
	guessing string // what it does
	vacuous  string // what a floor above its error is
	rows     []Attack
}

// blind is guessing the mean of the training data, or else the middle of the data's range.
func (r *Report) blind() blindGuess {
	if len(r.PriorAlone) > 0 || len(r.MidRange) == 0 {
		return blindGuess{"guessing the mean of the training data", vacuousToPrior, r.PriorAlone}
	}
	return blindGuess{"guessing the middle of the data's range", "vacuous for adversaries who know the data's range", r.MidRange}
}

// notCompared is said where guessing the mean was not measured.
const notCompared = "not compared with guessing the mean of the training data, which was not measured"

// ComparePrior marks each row of the bounds on unbiased estimators whose median is above
// what guessing the mean of the training data errs by, without the release: at the median
// too, or for whole inputs as a root mean square. Adversaries who know what inputs look like
// are not limited by such a floor. Where that was not measured, a row that is above guessing the
// middle of the data's range is marked. Rows without a figure to compare with stay unmarked
// (nil), and so do floors on pairs of inputs, which bind such adversaries on average over both.
func (r *Report) ComparePrior() {
	for i := range r.Bounds {
		b := &r.Bounds[i]
		b.AbovePrior = nil
		prior := rowOfBand(r.blind().rows, b.Band)
		if prior == nil || b.Pair() {
			continue
		}
		level := prior.Quantile(.5)
		if meanSquare(b.Method) {
			level = prior.RMS()
		}
		b.AbovePrior = compareFloor(b.Quantile(.5), level)
		if len(r.PriorAlone) == 0 && !isAbove(b.AbovePrior) {
			b.AbovePrior = nil // an adversary who knows the mean may err by less than one who knows the range
		}
	}
}

// compareFloor compares a floor with the prior alone: nil if one of them is not known.
func compareFloor(floor, prior float64) *bool {
	if math.IsNaN(floor) || math.IsNaN(prior) {
		return nil
	}
	is := floor > prior
	return &is
}

// isAbove reports whether a floor was compared with the prior alone and is above it.
func isAbove(compared *bool) bool { return compared != nil && *compared }

// aboveWords say what a floor is to adversaries who know the prior: empty if it is below
// what guessing the mean errs by.
func (r *Report) aboveWords(b bound.Summary) string {
	blind := r.blind()
	switch prior := rowOfBand(blind.rows, b.Band); {
	case b.AbovePrior == nil:
		return notCompared
	case *b.AbovePrior && meanSquare(b.Method):
		return fmt.Sprintf("%s: %s errs by %s", blind.vacuous, blind.guessing, r.inLevels(prior.RMS()))
	case *b.AbovePrior:
		return fmt.Sprintf("%s: %s errs by %s at the median", blind.vacuous, blind.guessing, r.inLevels(prior.Quantile(.5)))
	}
	return ""
}

// aboveLegend explains the mark, or says that nothing was compared; empty if no row is
// marked.
func (r *Report) aboveLegend() string {
	floors, marked, compared := r.unbiased(), false, false
	for _, b := range floors {
		compared = compared || b.AbovePrior != nil
		marked = marked || isAbove(b.AbovePrior)
	}
	if len(floors) == 0 {
		return ""
	}
	var said []string
	if blind := r.blind(); marked {
		var by []string
		for _, p := range blind.rows {
			by = append(by, fmt.Sprintf("%s: %s, rms %s", times(p.Band), number(p.Quantile(.5)), number(p.RMS())))
		}
		said = append(said, fmt.Sprintf("%s: %s. The floor's median is above what %s errs by (medians, %s), so it limits unbiased estimators only.",
			aboveMark, blind.vacuous, blind.guessing, strings.Join(by, "; ")))
	}
	if !compared || len(r.PriorAlone) == 0 {
		said = append(said, "No floor was compared with guessing the mean of the training data, which was not measured: any may be "+vacuousToPrior+".")
	}
	return strings.Join(said, " ")
}

// marked appends the mark to a name where the floor is above the prior alone.
func marked(name string, compared *bool) string {
	return name + when(isAbove(compared), " "+aboveMark)
}
