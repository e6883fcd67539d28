package bound

import (
	"math"

	"tattle/internal/protect/release"
)

// PairOptions configures the search for witnesses of pair floors: inputs whose features
// the noise hides, as far from θ as possible. Near witnesses, far ones and twins prove such
// floors as well. Its zero value disables the search.
type PairOptions struct {
	Witnesses int    `json:"witnesses"`        // per example for the whole input, at most MostPairs; 0 for none at all
	Groups    int    `json:"groups,omitempty"` // further ones, each for a group of coordinates, at most MostPairGroups; 0 for none
	Domain    Domain `json:"domain"`           // where θ+ε stays; on a grid, the box is searched and the result rounded
}

// groups is the number of groups of m coordinates.
func (o PairOptions) groups(m int) int { return min(o.Groups, m) }

// A PairFloor is what the witnesses of one kind prove of every adversary, biased or not: on average
// over an input θ and another one θ+ε, its mean-square error of wᵀθ is at least (wᵀε)²·h, and
// ‖ε‖²·h over all coordinates of the input (release.PairShare).
type PairFloor struct {
	Share      []float64 // [examples, witnesses]: h of each, at most ¼
	Std        []float64 // [examples, m]: lower bounds on root mean square errors, the largest |wᵀε|√h
	MeanSquare []float64 // [examples]: on the mean-square error per input, the largest ‖ε‖²h/p
}

// Pair returns a lower bound on the root mean square of the errors of wᵀθ that any estimator makes
// at θ and at θ+ε, given the computed g = wᵀε and a bound gerr on its error, by which |g| is
// reduced.
func (d Divergence) Pair(g, gerr float64) float64 {
	g = (math.Abs(g) - gerr) * (1 - 2*ulp)
	if !(g > 0 && g <= math.MaxFloat64) {
		return 0
	}
	return atLeast(g * math.Sqrt(d.Share) * (1 - 4*ulp))
}

// PairMeanSquare returns a lower bound on the mean-square error per input that any
// estimator of the whole input makes, on average over θ and θ+ε. The sum of squares errs
// by at most pu/(1−pu).
func (d Divergence) PairMeanSquare(eps []float64) float64 {
	s, p := square(eps), float64(len(eps))
	if !(s >= 0x1p-960 && s <= math.MaxFloat64) {
		return 0
	}
	return atLeast(s / p * d.Share * (1 - (p+16)*ulp))
}

// slack returns the largest relative difference of a floor on another processor. With q = −ln 4h, a
// small relative change of ‖z‖ changes h by less than 4q times as much.
func (d Divergence) slack() float64 {
	q := -math.Log(4 * d.Share)
	if !(q > 0) {
		return certificateTolerance
	}
	return min(certificateTolerance+4*q*(certificateTolerance+2*d.Rounding/(d.ZNorm+d.Allowance)), mostTolerance)
}

// share returns at most the h of PairShare for noise that is not Gaussian and features that differ
// by z, with an error of at most e.
func (c *Certifier) share(z, e []float64) float64 {
	if h := release.PairShare(c.Noise, z, e, c.Queries); h > 0 {
		return h
	}
	return 0
}
