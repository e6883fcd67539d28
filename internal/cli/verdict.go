package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tattle/bound"
	"tattle/dataset"
	"tattle/report"
)

// warn says what a reader of the figures must know, and the verdict.
func (m *measurement) warn(r *report.Report, res *bound.Result) {
	warn := func(format string, a ...any) { r.Warnings = append(r.Warnings, fmt.Sprintf(format, a...)) }
	if m.adversaries != nil && m.adversaries.leftOut != "" {
		warn("%s", m.adversaries.leftOut)
	}
	if res != nil {
		m.warnBounds(r, res, warn)
	}
	m.warnAttacks(r, warn)
	if m.Data != nil && len(m.Indices) < m.Data.Len() {
		warn("%d of %d examples were examined: floors and attacks are for these, accuracies for all.", len(m.Indices), m.Data.Len())
	}
	if r.Conclude(verdict(r)); r.Outcome == report.Vacuous {
		warn("The bounds are vacuous: for half of the coordinates of the examined inputs, or more, less than one grey level of 255 is certified.")
	}
}

func (m *measurement) warnBounds(r *report.Report, res *bound.Result, warn func(format string, a ...any)) {
	e := res.Experiment
	for _, w := range res.Warnings {
		warn("%s", w)
	}
	if e.Domain.Low == nil {
		warn("Near witnesses may leave the data's range (domain free): their bounds hold only for adversaries who are unbiased outside of it too. With --domain legal they hold for all who are unbiased within the range.")
	}
	if e.Domain.Grid != nil {
		warn("Near witnesses are rounded to stored inputs (domain stored). Most are too small for that, and prove little or nothing.")
	}
	if far := []string{e.Far.Domain.String(), e.Twins.Domain.String()}; slices.Contains(far, bound.DomainLegal) && r.Data.Held() == report.HeldFloat32 && e.Domain.Low == nil {
		warn("How the data are stored is not known, so far witnesses and twins are about real numbers within the data's range. --domain stored makes them float32 numbers.")
	}
	if e.Search.Search == bound.Published {
		warn("The search is the authors' program (one LSQR over a stack of examples, stopped early), which damps the directions that change the features least: algorithm1 and direct give larger bounds.")
	}
	if r.Resolvable != nil && !r.Resolvable.Estimated && r.Resolvable.RankMax < r.Resolvable.Inputs {
		warn("At each of %s the features depend on at most %d of %d directions of the input%s. Attacks with a prior can succeed all the same.", report.Count(len(res.Indices), "example"), r.Resolvable.RankMax, r.Resolvable.Inputs, hidden(r))
	}
}

// hidden says what share of coordinates has a part that the features do not see.
func hidden(r *report.Report) string {
	for _, b := range r.Bounds {
		if b.Method == bound.MethodCramerRao && b.Band == bound.AllBand {
			return fmt.Sprintf(": in real arithmetic, among any real inputs, %s of the coordinates there have a part with no unbiased estimator at all", report.Share(b.UnboundedFraction))
		}
	}
	return ""
}

// warnAttacks says what the attacks do and do not show.
func (m *measurement) warnAttacks(r *report.Report, warn func(format string, a ...any)) {
	about := "The bounds hold for unbiased reconstructions. An adversary who knows what such inputs look like is biased and may come closer"
	if r.Release.NoBounds != "" {
		about = "No bound holds for this release, so none was computed: nothing here limits what an adversary can reconstruct"
	}
	switch best := r.BestAttack(); {
	case best == nil:
		warn("%s; no attack was run here.", about)
	case best.Closer():
		warn("%s. A better attack may come closer than the best one here.", about)
	default:
		warn("%s. No attack that ran is shown to come closer than guessing the mean; a better attack may.", about)
	}
	if learnedFromItself(r) {
		warn("Prior and attacks learned from the same inputs that they are measured on, so they look better than they are.")
	}
}

// learnedFromItself tells whether prior and attacks learned from the data that they are
// measured on.
func learnedFromItself(r *report.Report) bool {
	path, learned := r.Learned.File, r.Learned != report.Arrays{}
	same := path == r.Data.Path && r.Data.Split == string(dataset.Train) && path != glyphsName
	return learned && (same || r.Learned.SHA256 == r.Data.SHA256)
}

// farBeyond is an error in grey levels of which the exact figure says nothing more.
const farBeyond = 100 * 255

// verdict returns what the bounds come to, and a sentence that says it: by the strongest
// of those that every example has, and by the twins for what share of coordinates there
// is no limit at all.
func verdict(r *report.Report) (report.Outcome, string) {
	outcome, about := strength(r)
	said := string(outcome) + ": " + about
	if outcome == report.Bounded || outcome == report.Unbounded {
		best := bestRow(r, true)
		words := r.AboveWords(best)
		switch above := best.AbovePrior; {
		case above != nil && *above:
			said = words + "; for unbiased estimators only: " + about
		case words != "":
			said = string(outcome) + " for unbiased estimators only: " + about + "; " + words
		default:
			said = string(outcome) + " for unbiased estimators only: " + about
		}
	}
	if n, p := r.Model.Features, r.Model.Inputs; n > 0 && n < p && len(r.Bounds) > 0 && r.Release.NoBounds == "" {
		said += fmt.Sprintf("; %s cannot determine %s, so that this says nothing about adversaries with a prior", report.CountGrouped(n, "number"), report.CountGrouped(p, "input"))
	}
	return outcome, said
}

// strength returns the outcome and what it rests on.
func strength(r *report.Report) (outcome report.Outcome, about string) {
	if r.Release.NoBounds != "" {
		return report.Uncertified, "no bound holds for this release"
	}
	best := bestRow(r, true)
	if best.Method == "" {
		return report.Uncertified, "the bounds are estimates"
	}
	half := halfOf(r, best)
	median := best.Quantile(.5)
	who := "any unbiased adversary"
	if among := r.Among(best.Domain); among != "" {
		who = "any adversary who is unbiased among " + among
	}
	switch {
	case r.Vacuous(median):
		return report.Vacuous, "the certified error is under one grey level in half of the " + half + " or more" + twinned(r)
	case math.IsInf(median, 1):
		return report.Unbounded, "the witnesses leave no useful limit, but a million normalised units and more, to the error of " + who + " in half of the " + half
	}
	return report.Bounded, fmt.Sprintf("%s errs by %s in half of the %s%s", who, inLevels(r, median), half, twinned(r))
}

// halfOf names what a row's median is over.
func halfOf(r *report.Report, b bound.Summary) string {
	of := r.CoordinatesOf(b.Coordinates, b.Examples)
	if b.Band == bound.AllBand {
		return of
	}
	return strings.ReplaceAll(b.Band, "x", "×") + " coarsest " + of
}

// inLevels says a lower bound in grey levels where there are any.
func inLevels(r *report.Report, std float64) string {
	switch levels := std * float64(r.Data.GreyLevels); {
	case levels == 0:
		return "at least " + report.AtLeastNumber(std) + " normalised units"
	case levels > farBeyond:
		return fmt.Sprintf("more than %d times the whole range of grey levels", farBeyond/255)
	case levels > 255:
		return "more than the whole range of grey levels"
	default:
		return "at least " + report.AtLeastNumber(levels) + " grey levels"
	}
}

// twinned says for what share of the coordinates of the inputs that were tried twins
// leave no useful limit.
func twinned(r *report.Report) string {
	for _, b := range r.Bounds {
		if b.Method == bound.MethodHCR && b.Search == bound.SearchTwins && b.Band == bound.AllBand && b.Status == bound.StatusCertified && b.UnboundedFraction > 0 {
			return fmt.Sprintf("; for %s of the %s, twins leave no useful limit, among %s", report.Share(b.UnboundedFraction), r.CoordinatesOf(b.Coordinates, b.Examples), r.Among(b.Domain))
		}
	}
	return ""
}

// bestRow returns the certified summary with the largest median by witnesses near the
// inputs, of the low band where there is one. Far ones, whose figures are beyond any
// use, and twins, which only some examples have, stand apart.
func bestRow(r *report.Report, low bool) bound.Summary {
	var best bound.Summary
	for _, b := range r.Bounds {
		single := b.Method == bound.MethodHCR && b.Search != bound.SearchTwins && b.Search != bound.SearchFar
		if b.Status != bound.StatusCertified || !single && b.Method != bound.MethodBarankin || (b.Band != bound.AllBand) != low {
			continue
		}
		if best.Method == "" || b.Quantile(.5) > best.Quantile(.5) {
			best = b
		}
	}
	if best.Method == "" && low {
		return bestRow(r, false)
	}
	return best
}
