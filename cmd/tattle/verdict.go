package main

import (
	"fmt"
	"math"
	"strings"

	"tattle/bound"
	"tattle/dataset"
	"tattle/report"
)

// warn says what a reader of the figures must know, and the verdict.
func (m *measurement) warn(r *report.Report, res *bound.Result) {
	warn := func(format string, a ...any) { r.Warnings = append(r.Warnings, fmt.Sprintf(format, a...)) }
	if m.rungs != nil && m.rungs.leftOut != "" {
		warn("%s", m.rungs.leftOut)
	}
	if res != nil {
		m.warnBounds(r, res, warn)
	}
	m.warnAttacks(r, warn)
	if m.data != nil && len(m.indices) < m.data.Len() {
		warn("%d of %d examples were examined: the figures are about these.", len(m.indices), m.data.Len())
	}
	if r.Verdict = verdict(r); strings.HasPrefix(r.Verdict, vacuous) {
		warn("The bounds are vacuous: an error of one grey level of 255 is more than is certified of half of the coordinates.")
	}
}

func (m *measurement) warnBounds(r *report.Report, res *bound.Result, warn func(format string, a ...any)) {
	e := res.Experiment
	for _, w := range res.Warnings {
		warn("%s", w)
	}
	if e.Domain.Low == nil {
		warn("Near witnesses may leave the data's range (domain free): their bounds are for adversaries who are unbiased there too. --domain legal asks less of them.")
	}
	if e.Domain.Grid != nil {
		warn("Near witnesses are rounded to stored inputs (domain stored), which most are too small for: those prove nothing.")
	}
	if x := r.Experiment; x.FarDomain == bound.DomainLegal && x.Held == report.HeldFloat32 && e.Domain.Low == nil {
		warn("How the data are stored is not known, so far witnesses and twins are about real numbers within the data's range. --domain stored makes them float32 numbers.")
	}
	if e.Search.Search == bound.Published {
		warn("The search is the authors' program (one LSQR over a stack of examples, stopped early), which damps what the features see least: algorithm1 and direct give larger bounds.")
	}
	if r.Resolvable != nil && !r.Resolvable.Estimated && r.Resolvable.RankMax < r.Resolvable.Inputs {
		warn("The features see at most %d of %d directions of an input, so in real arithmetic, among any real inputs, most coordinates have no unbiased estimator at all. That holds exactly where attacks with a prior succeed; it is no promise of safety.", r.Resolvable.RankMax, r.Resolvable.Inputs)
	}
}

// warnAttacks says what the attacks do and do not show.
func (m *measurement) warnAttacks(r *report.Report, warn func(format string, a ...any)) {
	about := "The bounds hold for unbiased reconstructions. An adversary who knows what such inputs look like is biased and may come closer"
	if r.Release.NoBounds != "" {
		about = "No bound holds for this release, so none was computed: nothing here limits what an adversary can reconstruct"
	}
	if len(r.Attacks) > 0 {
		warn("%s: what the attacks reached is demonstrated, and a better attack may reach more.", about)
	} else {
		warn("%s; no attack was run here.", about)
	}
	if learnedFromItself(r) {
		warn("Prior and attacks learned from the very inputs that they are measured on: they look better than they are.")
	}
}

// learnedFromItself tells whether prior and attacks learned from the data that they are
// measured on.
func learnedFromItself(r *report.Report) bool {
	path, learned := r.Settings[trainingSetting]
	same := path == r.Data.Path && r.Data.Split == string(dataset.Train) && path != glyphsName
	return learned && (same || r.Settings[trainingHashSetting] == r.Data.SHA256)
}

// farBeyond is an error in grey levels of which the exact figure says nothing more.
const farBeyond = 100 * 255

// vacuous begins the verdict on bounds that say nothing.
const vacuous = "vacuous"

// verdict sums up in a line what the bounds come to: by the strongest of those that
// every example has, and by the twins for what share of coordinates there is no
// limit at all.
func verdict(r *report.Report) string {
	said := strength(r)
	if n, p := r.Model.Features, r.Model.Inputs; n > 0 && n < p && len(r.Bounds) > 0 && r.Release.NoBounds == "" {
		said += fmt.Sprintf("; %s cannot determine %s, so that this says nothing about adversaries with a prior", report.CountGrouped(n, "number"), report.CountGrouped(p, "input"))
	}
	return said
}

// strength is the verdict but for how many numbers there are.
func strength(r *report.Report) string {
	if r.Release.NoBounds != "" {
		return "nothing is certified: no bound holds for this release"
	}
	best := bestRow(r, true)
	if best.Method == "" {
		return "nothing is certified: the bounds are estimates"
	}
	typical := "typical coordinate"
	if best.Band != allBand {
		typical = "typical coarse coordinate"
	}
	median := best.Quantile(.5)
	switch {
	case r.Vacuous(median):
		return vacuous + ": the certified error of the " + typical + " is under one grey level" + twinned(r)
	case math.IsInf(median, 1):
		return "unbounded: the witnesses leave no useful limit, but a million normalised units and more, to the error of the " + typical + " for any unbiased adversary"
	}
	levels := median * float64(r.Data.GreyLevels)
	if levels == 0 {
		return fmt.Sprintf("bounded: the %s errs by at least %.3g normalised units for any unbiased adversary%s", typical, median, twinned(r))
	}
	if levels > farBeyond {
		return fmt.Sprintf("bounded: the %s errs by more than %d times the whole range of grey levels for any unbiased adversary%s", typical, farBeyond/255, twinned(r))
	}
	return fmt.Sprintf("bounded: the %s errs by at least %.3g grey levels for any unbiased adversary%s", typical, levels, twinned(r))
}

// twinned says for what share of coordinates twins leave no useful limit.
func twinned(r *report.Report) string {
	for _, b := range r.Bounds {
		if b.Method == bound.MethodHCR && b.Search == bound.SearchTwins && b.Band == allBand && b.Status == bound.StatusCertified && b.UnboundedFraction > 0 {
			return fmt.Sprintf("; for %.3g %% of all coordinates, twins leave no useful limit, among %s", 100*b.UnboundedFraction, r.Among(b.Domain))
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
		if b.Status != bound.StatusCertified || !single && b.Method != bound.MethodBarankin || (b.Band != allBand) != low {
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
