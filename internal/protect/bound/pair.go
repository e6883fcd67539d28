package bound

import (
	"math"
	"strings"

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

// pairs are the pair floors of one example.
type pairs struct {
	floor   []float64 // [m]
	slack   []float64 // [m], the relative tolerance of each
	square  float64
	squared float64 // the relative tolerance of square
}

// add raises the floors to what a witness proves, where wᵀε is g with an error of at most gerr.
func (v *pairs) add(d Divergence, eps, g []float64, gerr float64) {
	if v.floor == nil {
		v.floor, v.slack = make([]float64, len(g)), make([]float64, len(g))
	}
	slack := d.slack()
	for k, x := range g {
		if f := d.Pair(x, gerr); f > v.floor[k] {
			v.floor[k], v.slack[k] = f, slack
		}
	}
	if s := d.PairMeanSquare(eps); s > v.square {
		v.square, v.squared = s, slack
	}
}

// keep stores the floors of example i.
func (f *PairFloor) keep(i, m int, p *proof) {
	for k, d := range p.ds {
		f.Share[i*len(p.ds)+k] = d.Share
	}
	copy(rowOf(f.Std, i, m), p.pairs.floor)
	f.MeanSquare[i] = p.pairs.square
}

// pairFloors compares the floors of example i, as they are recorded, with those that p
// proves.
func (v *verifier) pairFloors(of *Bounds, index, i, m int, p *proof) {
	prefix, old := strings.TrimPrefix(of.name+"_", "pair_"), &of.Pair
	for k, d := range p.ds {
		v.compare(prefix+"pair_share", index, k, old.Share[i*len(p.ds)+k], d.Share, d.slack())
	}
	for k, f := range p.pairs.floor {
		v.compare(prefix+"pair_floor", index, k, old.Std[i*m+k], f, p.pairs.slack[k])
	}
	v.compare(prefix+"pair_mean_square", index, -1, old.MeanSquare[i], p.pairs.square, p.pairs.squared)
}

// share returns at most the h of PairShare for noise that is not Gaussian and features that differ
// by z, with an error of at most e.
func (c *Certifier) share(z, e []float64) float64 {
	if h := release.PairShare(c.Noise, z, e, c.Queries); h > 0 {
		return h
	}
	return 0
}
