package main

import (
	"fmt"
	"math"
	"strings"

	"tattle/bound"
	"tattle/report"
)

// warn says what a reader of the figures must know, and the verdict.
func (m *measurement) warn(r *report.Report, res *bound.Result) {
	warn := func(format string, a ...any) { r.Warnings = append(r.Warnings, fmt.Sprintf(format, a...)) }
	e := res.Experiment
	for _, w := range res.Warnings {
		warn("%s", w)
	}
	warn("The bounds hold for unbiased reconstructions. An adversary who knows what such inputs look like is biased and may come closer; no attack was run here.")
	if e.Domain.Low == nil {
		warn("Witnesses may leave the data's range (domain free): the bounds are for adversaries who are unbiased there too. --domain legal asks less of them.")
	}
	if e.Search.Search == bound.Published {
		warn("The search is the authors' program (one LSQR over a stack of examples, stopped early), which damps what the features see least: algorithm1 and direct give larger bounds.")
	}
	if len(res.Indices) < m.data.Len() {
		warn("%d of %d examples were examined: the figures are about these.", len(res.Indices), m.data.Len())
	}
	if r.Resolvable != nil && r.Resolvable.RankMax < r.Resolvable.Inputs {
		warn("The features see at most %d of %d directions of an input, so most coordinates have no unbiased estimator at all. That holds exactly where attacks with a prior succeed; it is no promise of safety.", r.Resolvable.RankMax, r.Resolvable.Inputs)
	}
	if r.Verdict = verdict(r); strings.HasPrefix(r.Verdict, vacuous) {
		warn("The bounds are vacuous: an error of one grey level of 255 is more than is certified of half of the coordinates.")
	}
}

// vacuous begins the verdict on bounds that say nothing.
const vacuous = "vacuous"

// verdict sums up in a line what the bounds come to.
func verdict(r *report.Report) string {
	best := bestRow(r, true)
	typical := "typical coordinate"
	if best.Band != "all" {
		typical = "typical coarse coordinate"
	}
	median := best.Quantile(.5)
	switch {
	case r.Vacuous(median):
		return vacuous + ": the certified error of the " + typical + " is under one grey level"
	case math.IsInf(median, 1):
		return "unbounded: the witnesses leave no finite limit to the error of the " + typical + " for any unbiased adversary"
	}
	return fmt.Sprintf("bounded: the %s errs by at least %.3g grey levels for any unbiased adversary", typical, median*float64(r.Data.GreyLevels))
}

// bestRow returns the certified summary with the largest median, of the low band
// where there is one.
func bestRow(r *report.Report, low bool) bound.Summary {
	var best bound.Summary
	for _, b := range r.Bounds {
		if b.Status != bound.StatusCertified || b.Method != bound.MethodHCR || (b.Band != "all") != low {
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
