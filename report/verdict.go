package report

import (
	"fmt"
	"math"
	"slices"

	"tattle/bound"
	"tattle/dataset"
	"tattle/measure"
)

// concludeRelease adds what a reader of the figures of a release must know, and the
// outcome. res is nil if no bound holds. The data have so many examples, of which
// r.Data.Examples were examined; 0 stands for an unknown number.
func (r *Report) concludeRelease(res *bound.Result, examples int) {
	if res != nil {
		r.warnBounds(res)
	}
	r.warnAttacks()
	if n := r.Data.Examples; n < examples {
		r.warn("%d of %d examples were examined: reconstructions and bounds for unbiased estimators are for these, accuracies for all.", n, examples)
	}
	if r.Outcome = r.boundOutcome(); r.Outcome == Vacuous {
		r.warn("The bounds are vacuous: for half of the coordinates of the examined inputs, or more, less than one grey level of 255 is certified.")
	}
	if r.mostlyIdentified() {
		r.Outcome = Named
	}
}

// warn adds a warning.
func (r *Report) warn(format string, a ...any) {
	r.Warnings = append(r.Warnings, fmt.Sprintf(format, a...))
}

// warnFit warns of a model that is right no more often than the guess of the commonest class.
func (r *Report) warnFit(data *dataset.Set) {
	if data == nil || data.Y == nil || r.Utility.Examples == 0 {
		return
	}
	f, counts := measure.Fit{Examples: data.Len(), Right: int(math.Round(float64(r.Utility.CleanAccuracy) * float64(data.Len())))}, map[int]int{}
	for _, y := range data.Y {
		counts[y]++
		f.Commonest = max(f.Commonest, counts[y])
	}
	if w := f.Warning("Without noise the model"); w != "" {
		r.Warnings = append(r.Warnings, w)
	}
}

// Noted adds notes on how a run came about to the warnings, as sentences.
func (r *Report) Noted(notes []string) {
	for _, s := range notes {
		r.Warnings = append(r.Warnings, sentenceOf(s))
	}
}

// warnBounds says what the bounds do and do not hold for.
func (r *Report) warnBounds(res *bound.Result) {
	e := res.Experiment
	for _, w := range res.Warnings {
		r.warn("%s", w)
	}
	if e.Domain.Low == nil {
		r.warn("Bounds by near witnesses are for adversaries who are unbiased for all real inputs, also outside the range of the data (domain free). With --domain legal they are for all who are unbiased within it.")
	}
	if e.Domain.Grid != nil {
		r.warn("Near witnesses are rounded to stored inputs (domain stored). Most are too small for that, and prove little or nothing.")
	}
	if far := []string{e.Far.Domain.String(), e.Twins.Domain.String()}; slices.Contains(far, bound.DomainLegal) && r.Data.Held() == heldFloat32 && e.Domain.Low == nil {
		r.warn("How the data are stored is not known, so far witnesses and twins are about real numbers within the data's range. --domain stored makes them float32 numbers.")
	}
	if e.Search.Search == bound.Published {
		r.warn("The search is the authors' program (one LSQR over a stack of examples, stopped early), which damps the directions that change the features least: algorithm1 and direct give larger bounds.")
	}
	if r.Resolvable != nil && r.Resolvable.RankMax < r.Resolvable.Inputs {
		r.warn("Estimated: near each of %s, the features change along at most %d of %d directions of the input. Changes below 1e-8 of the largest are taken for rounding%s. Attacks with prior knowledge can succeed nevertheless.", Count(len(res.Indices), "example"), r.Resolvable.RankMax, r.Resolvable.Inputs, hidden(r))
	}
}

// hidden says what share of coordinates has a part on which the features are estimated not to depend.
func hidden(r *Report) string {
	for _, b := range r.Bounds {
		if b.Method == bound.MethodCramerRao && b.Band == bound.AllBand {
			return fmt.Sprintf(". By this estimate, %s of the coordinates have a part that no unbiased estimator recovers (in real arithmetic, among any real inputs)", Share(b.UnboundedFraction))
		}
	}
	return ""
}

// warnAttacks says what the attacks do and do not show.
func (r *Report) warnAttacks() {
	about := "The bounds hold for unbiased reconstructions. An adversary who knows what such inputs look like is biased and may come closer"
	if r.Release.NoBounds != "" {
		limits := "nothing here limits"
		if r.listed() {
			limits = "only the limits from lists of inputs limit"
		}
		about = "No " + r.boundWord() + " holds for this release, so none was computed: " + limits + " what an adversary can reconstruct"
	}
	switch best := r.bestAttack(); {
	case best == nil:
		r.warn("%s; no attack was run here.", about)
	case best.Gain.Closer():
		r.warn("%s. A better attack may come closer than the best one here.", about)
	case r.closerHere(best):
		r.warn("%s. The best attack here comes closer than guessing the mean on the inputs of this run, which are too few, or too different, to show it for others; a better attack may come closer.", about)
	default:
		r.warn("%s. No attack that ran is shown to come closer than guessing the mean; a better attack may.", about)
	}
	if learnedFromItself(r) {
		r.warn("Prior and attacks learned from the same inputs that they are measured on, so they look better than they are.")
	}
}

// learnedFromItself reports whether prior and attacks learned from the data that they are
// measured on.
func learnedFromItself(r *Report) bool {
	path, learned := r.Learned.File, r.Learned != Arrays{} && len(r.PriorAlone)+len(r.Attacks) > 0
	same := path == r.Data.Path && r.Data.Split == string(dataset.Train) && path != dataset.KindGlyphs
	return learned && (same || r.Learned.SHA256 == r.Data.SHA256)
}

// boundOutcome is what the certified bounds for unbiased estimators come to: by the strongest of those that
// every example has.
func (r *Report) boundOutcome() Outcome {
	best := bestRow(r, true)
	switch median := best.Quantile(.5); {
	case r.Release.NoBounds != "" || best.Method == "":
		return Uncertified
	case r.Vacuous(median):
		return Vacuous
	case math.IsInf(median, 1):
		return Unbounded
	}
	return Bounded
}

// bestRow returns the certified summary with the largest median by witnesses near the
// inputs, of the low band where there is one. Far ones, whose figures are beyond any
// use, and twins, which only some examples have, stand apart.
func bestRow(r *Report, low bool) bound.Summary {
	best := largestMedian(r.Bounds, func(b bound.Summary) bool {
		near := b.Method == bound.MethodHCR && kindOf(b).search == "" || b.Method == bound.MethodBarankin
		return near && b.Status == bound.StatusCertified && (b.Band != bound.AllBand) == low
	})
	switch {
	case best != nil:
		return *best
	case low:
		return bestRow(r, false)
	}
	return bound.Summary{}
}
