package bound

import "math"

// count is an estimate of #{i : s_i ≥ σ/t}, with an interval that holds the true
// count in about 19 of 20 cases.
type Count struct {
	Estimate  float64
	Error     float64 // standard error over probes; 0 where the count is exact
	Low, High float64
	Exact     bool
}

const (
	nineteenOfTwenty = 1.96 // standard deviations
	countSlack       = 1e-3 // what rounding may make of no direction at all
)

// count estimates how many singular values are at least s. Those settled are counted
// as they are; of the rest every probe v gives the unbiased estimate vᵀfv, f the
// projector on their singular vectors, whose variance is at most 2 tr f for signs
// drawn at random (M. F. Hutchinson, Communications in Statistics 19, 1990). The
// quadrature knows vᵀfv only between bounds.
//
// Settled vectors are singular but for residuals. Leaving them out moves no singular
// value by more than the root of the sum of their squares (Weyl). And as these lie
// along a single vector, that of the bidiagonalisation's next step, it changes the
// count by one at most, down by a settled value above s and up by one below (E. V.
// Haynsworth, Linear Algebra Appl. 1, 1968). The interval is the narrower of what
// either says, rounding of the products being allowed for in both.
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

// interval is that of the count were no singular value off by more than moved: of all
// r with |x − r| ≤ 1.96·√(2r/N) for some x that the quadrature allows, N probes, and
// whole numbers, as counts are; and those settled.
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

// probe returns what probe i knows.
func (e *Spectrum) probe(i int) probed {
	return newProbed(rowOf(e.alpha, i, len(e.Ritz)), rowOf(e.beta, i, len(e.Ritz)), e.mass[i])
}

// one is 1 where yes.
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

// Extremes of a spectrum.
type Extremes struct {
	Largest, LargestRadius   float64 // a singular value lies within the radius; hardly ever is there a larger one
	Smallest, SmallestRadius float64 // the smallest that could be told apart from rounding and from its neighbours' images; 0 if none could
	Unresolved               bool    // J has smaller singular values, or may have: what lies below Smallest is not known
}

// settledPart is the most of a Ritz value that its radius may be for it to count as
// found.
const settledPart = 1e-3

// Extremes returns the largest and the smallest singular value that were found: those
// whose radius is at most a thousandth of them.
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
	// Only a bidiagonalisation that has come to its end has seen the whole spectrum.
	x.Unresolved = positive < e.Dimension || e.Ritz[positive-1] != x.Smallest
	return x
}
