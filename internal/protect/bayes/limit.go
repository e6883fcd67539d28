package bayes

import (
	"math"

	"tattle/internal/math/stat"
)

// A Limit is the mean of a bounded variable over draws, with a lower and an upper limit on its
// expectation. Each of the two is wrong with a probability of at most alpha.
type Limit struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// limits returns the limits of x, whose values are in [0, most]; rounding may have changed them
// by the given relative error. The first tenth of the draws estimates the variance; the limits
// come from the other draws. A variable that is always 0 (most is 0) has the limits 0.
func limits(x []float64, most, relative, alpha float64) Limit {
	if most == 0 {
		return Limit{}
	}
	y, mirrored := make([]float64, len(x)), make([]float64, len(x))
	var mean float64
	for i, v := range x {
		mean += v / float64(len(x))
		y[i] = min(max(v/most, 0), 1)
		mirrored[i] = 1 - y[i]
	}
	pilot := (len(y) + 9) / 10
	_, std := stat.MeanStd(y[:pilot])
	low := stat.BoundedMeanLow(y[pilot:], std*std, alpha)
	high := 1 - stat.BoundedMeanLow(mirrored[pilot:], std*std, alpha)
	mean = min(mean, most) // a sum is rounded
	return Limit{Mean: mean, Low: min(low*most, mean) * (1 - relative), High: min(max(high*most, mean)*(1+relative), most)}
}

// Floor returns a floor on the mean-square error of every adversary with the list: half of the
// mean of squares. squares holds, for each draw, the squared distance between Truth and Other in
// the coordinates of interest, at most most.
func (r *Result) Floor(squares []float64, most, alpha float64) Limit {
	x := make([]float64, len(squares))
	for b, s := range squares {
		x[b] = s / 2
	}
	return limits(x, most/2, r.Rounding, alpha)
}

// Identified returns the probability that the best adversary with the list identifies the true
// input with one guess (first), and with ten guesses (ten).
func (r *Result) Identified(alpha float64) (first, ten Limit) {
	top, tens := r.each(func(d Draw) float64 { return d.Top }), r.each(func(d Draw) float64 { return d.Ten })
	return limits(top, 1, r.Rounding, alpha), limits(tens, 1, r.Rounding, alpha)
}

// each returns a number of every draw.
func (r *Result) each(of func(Draw) float64) []float64 {
	x := make([]float64, len(r.Draws))
	for b, d := range r.Draws {
		x[b] = of(d)
	}
	return x
}

// IdentifiedAmong returns the probability of identifying the input with one guess, with each shorter list.
func (r *Result) IdentifiedAmong(alpha float64) (all []Limit) {
	for _, tops := range r.Among {
		all = append(all, limits(tops, 1, r.Rounding, alpha))
	}
	return all
}

// Named returns the probability that the best adversary with the list names the person whose input it is.
func (r *Result) Named(alpha float64) Limit {
	return limits(r.each(func(d Draw) float64 { return d.Person }), 1, r.Rounding, alpha)
}

// Rank returns the expected rank, from 1, of the true input among the candidates in descending
// order of their posterior probabilities.
func (r *Result) Rank(alpha float64) Limit {
	l := limits(r.each(func(d Draw) float64 { return d.Rank - 1 }), float64(r.Candidates-1), 0, alpha)
	return Limit{l.Mean + 1, max(l.Low, 0) + 1, l.High + 1}
}

// Bits returns how many bits the release reveals about whom the true input is of,
// the prior's entropy, log₂G for G people who are equally likely, less E[H(p)]. Relative errors r of the probabilities change an entropy by at most about
// r(log₂N + 2).
func (r *Result) Bits(alpha float64) Limit {
	most, all := math.Log2(float64(r.Candidates)), r.PriorBits // people are no more than that
	l, off := limits(r.each(func(d Draw) float64 { return d.Entropy }), most, 0, alpha), r.Rounding*(most+2)
	return Limit{all - l.Mean, max(all-l.High-off, 0), min(all-l.Low+off, all)}
}

// Guessed returns how often the best adversary with the list guesses attribute k right: from
// the release (alone), and from the release and the target class (given; 0 without targets).
func (r *Result) Guessed(k int, alpha float64) (alone, given Limit) {
	x, y := make([]float64, len(r.Draws)), make([]float64, len(r.Draws))
	for b, in := range r.Attributes[k] {
		x[b], y[b] = in.Best, in.GivenBest
	}
	return limits(x, 1, r.Rounding, alpha), limits(y, 1, r.Rounding, alpha)
}
