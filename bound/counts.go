package bound

import "math"

// Count is an estimate of #{i : s_i ≥ σ/t}, with an interval that contains the true count in
// about 19 of 20 cases.
type Count struct {
	Estimate  float64
	Error     float64 // standard error over probes; 0 if the count is exact
	Low, High float64
	Exact     bool
}

const (
	nineteenOfTwenty = 1.96 // standard deviations
	countSlack       = 1e-3 // rounding may count so much of a direction where there is none
)

// count estimates how many singular values are at least s. Settled values are counted one by
// one. For the others, each probe v gives the unbiased estimate vᵀfv, where f projects on the
// singular vectors of the values that are at least s. Its variance is at most 2 tr f if v has
// random signs (M. F. Hutchinson, Communications in Statistics 19, 1990). The quadrature gives
// a lower and an upper bound on vᵀfv.
//
// Settled vectors are singular vectors up to a residual. Two arguments bound the effect of
// projecting them out:
//   - No singular value moves by more than the root of the sum of the squared residuals (Weyl).
//   - The residuals lie along a single vector, that of the next step of the bidiagonalisation.
//     So the count changes by at most one: down because of a settled value above s, up because
//     of one below (E. V. Haynsworth, Linear Algebra Appl. 1, 1968).
//
// The interval is the narrower one of the two. Both allow for rounding of the products.
func (e *Spectrum) count(s float64) Count {
	most := float64(e.Dimension)
	if !(s > 0) || e.probes == 0 {
		return Count{most, 0, 0, most, false}
	}
	x, settled := make([]float64, e.probes), 0
	for i := range x {
		low, high := e.probe(i).from(s * s)
		x[i] = (low + high) / 2
	}
	for _, v := range e.Ritz[:e.Taken] {
		settled += one(v >= s)
	}
	mean, se := meanAndError(x)
	rounding := lanczosRounding * e.Ritz[0]
	moved := max(rounding, length(e.Radius[:e.Taken]))
	low, high := e.interval(s, rounding)
	far, wide := e.interval(s, moved)
	low, high = max(far, low-float64(one(settled > 0))), min(wide, high+float64(one(settled < e.Taken)))
	return Count{Estimate: min(float64(settled)+mean, most), Error: se, Low: min(max(low, 0), most), High: min(high, most)}
}

// interval returns the interval of the count if no singular value is off by more than moved:
// the settled values, and all whole numbers r with |x − r| ≤ 1.96·√(2r/N) for an x within the
// bounds of the quadrature, where N is the number of probes.
func (e *Spectrum) interval(s, moved float64) (low, high float64) {
	settled, least := 0, 0
	for _, v := range e.Ritz[:e.Taken] {
		least += one(v-moved >= s)
		settled += one(v+moved >= s)
	}
	for i := range e.probes {
		l, _ := e.probe(i).from((s + moved) * (s + moved))
		low += l / float64(e.probes)
		_, h := e.probe(i).from(max(0, s-moved) * max(0, s-moved))
		high += h / float64(e.probes)
	}
	z := nineteenOfTwenty * nineteenOfTwenty / float64(e.probes)
	slack := countSlack + float64(e.Dimension)*lanczosRounding
	low = float64(least) + math.Ceil(max(0, low+z-math.Sqrt(z*z+2*low*z)-slack))
	if s <= moved {
		return low, float64(e.Dimension)
	}
	return low, float64(settled) + math.Floor(high+z+math.Sqrt(z*z+2*high*z)+slack)
}

// probe returns the quadrature of probe i.
func (e *Spectrum) probe(i int) probed {
	return newProbed(rowOf(e.alpha, i, len(e.Ritz)), rowOf(e.beta, i, len(e.Ritz)), e.mass[i])
}

// one returns 1 if yes is true, otherwise 0.
func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// meanAndError returns the mean and its standard error.
func meanAndError(x []float64) (mean, se float64) {
	n := float64(len(x))
	for _, v := range x {
		mean += v / n
	}
	if len(x) < 2 {
		return mean, math.Inf(1)
	}
	for _, v := range x {
		se += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(se / (n - 1) / n)
}

// Extremes are the largest and the smallest singular value that were found.
type Extremes struct {
	Largest, LargestRadius   float64 // a singular value lies within the radius; a larger one is very unlikely
	Smallest, SmallestRadius float64 // the smallest that is distinguishable from rounding and from duplicates of its neighbours; 0 if there is none
	Unresolved               bool    // J has, or may have, smaller singular values than Smallest
}

// settledPart is the largest ratio of the radius of a Ritz value to the value at which the
// value is settled, that is, found.
const settledPart = 1e-3

// Extremes returns the largest and the smallest singular value that were found. A value is
// found if its radius is at most a thousandth of it.
func (e *Spectrum) Extremes() Extremes {
	x := Extremes{Unresolved: e.Dimension > 0}
	if len(e.Ritz) == 0 || e.Ritz[0] == 0 {
		return x
	}
	x.Largest, x.LargestRadius = e.Ritz[0], e.Radius[0]
	for i, v := range e.Ritz {
		if v > 0 && e.Radius[i] <= settledPart*v {
			x.Smallest, x.SmallestRadius = v, e.Radius[i]
		}
	}
	positive := 0
	for _, v := range e.Ritz {
		if v > 0 {
			positive++
		}
	}
	// The whole spectrum is known only if the bidiagonalisation has come to its end.
	x.Unresolved = positive < e.Dimension || e.Ritz[positive-1] != x.Smallest
	return x
}
