package measure

import (
	"slices"

	"tattle/internal/protect/release"
	"tattle/internal/report"
)

// worstCandidates are the lengths of lists that limits whatever the data are claimed for, beside that of the run's own.
var worstCandidates = []int{100, 10_000, 1_000_000}

// δ of differential privacy.
const privacyDelta = 1e-5

// worst claims what no adversary exceeds whatever the data, because the norm is clipped.
func (a *account) worst() {
	if a.q.Spec.ClipNorm == 0 {
		return
	}
	if a.q.Data != nil {
		a.Add(report.Claim{ID: "clipped", Kind: report.Measured, Value: report.Exactly(a.q.Clipped, report.Share), N: a.q.Data.Len()})
		a.Find("clipped", "")
		a.findIf(a.q.Clipped == 1, "clipped.all")
	}
	noise := a.q.Experiment.Noise
	w, ok := release.WorstOf(noise, a.q.Spec.ClipNorm, a.q.Queries)
	if !ok {
		a.Find("worst.none", "")
		return
	}
	claim := func(id, subject string, v report.Value, without float64) {
		c := report.Claim{ID: id, Subject: subject, Kind: report.Certified, Value: v}
		if without > 0 {
			c.Beside = []report.Beside{{Name: "without the release", Value: report.Exactly(without, report.Share)}}
		}
		a.Add(c)
	}
	limit := func(subject string, κ float64) {
		claim("worst", subject, report.AtMost(w.Success(κ), report.Share), κ)
	}
	sizes, named := worstCandidates, worstCandidates[1]
	if h := a.held(); h != nil {
		_, named = h.best()
		sizes = slices.Compact(slices.Sorted(slices.Values(append([]int{named}, sizes...))))
		claim("worst.own", "", report.AtMost(w.Success(1/float64(named)), report.Share), 1/float64(named))
	}
	for _, n := range sizes {
		limit(WorstNames(n), 1/float64(n))
	}
	limit("guess a yes-or-no attribute that is even", .5)
	for _, κ := range []float64{.1, .01} {
		limit("succeed at what is guessed right in "+report.Exactly(κ, report.Share).String()+" without the release", κ)
	}
	for _, t := range []float64{.1, .5} {
		claim("worst.exposed", report.Exactly(t, report.Share).String(), report.AtMost(w.Exposed(t), report.Count), 0)
	}
	private := func(parameter string, x float64) { claim("privacy", parameter, report.AtMost(x, report.Number), 0) }
	private("ρ, zero-concentrated", w.ZCDP())
	if _, real := noise.(release.Gaussian); real { // on the lattice it holds up to a factor of probabilities
		private("μ, Gaussian", w.GDP())
		a.Find("worst.real", "")
	}
	private("ε, for δ = 10⁻⁵", w.Epsilon(privacyDelta))
	code := "worst"
	if w.Success(1/float64(named)) > worstVacuous {
		code = "worst.vacuous"
	}
	a.Find(code, WorstNames(named), report.Grouped(named), report.Many(max(1, a.q.Queries), "release"))
}

// worstVacuous is the probability of naming the input from which the limit is called vacuous.
const worstVacuous = .99

// WorstNames is the subject of the claim on naming the input among so many candidates, whatever the data.
func WorstNames(candidates int) string {
	return "name the input among " + report.Grouped(candidates) + " candidates"
}
