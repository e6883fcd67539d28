package stat

import (
	"math"

	"tattle/internal/math/simd"
)

// certain is the probability, over all draws of a test, below which draws that reach what was seen are ruled out.
const certain = 1e-6

// dealtRows are scores, [rows, classes], whose columns have mean 0 in each stratum, and what is dealt out among them.
type dealtRows struct {
	score   []float64
	classes int
	counts  []int // [strata, classes]
	ends    []int // of the strata
}

// below reports whether the sum of the scores, had the classes been dealt out at random, reaches t with a probability whose
// logarithm is at most level. If it reports false, that proves nothing.
//
// With the score of the last class as the origin, the sum is that of X_c over the other m classes c: X_c adds up
// v_j = score(j, c) − score(j, last) of rows that are drawn for c without replacement, independently in each stratum.
// For any λ > 0, by Markov's and Hölder's inequalities,
//
//	log P(Σ X_c ≥ t) ≤ −λt + (1/m)·Σ_c Σ_strata K(mλ), K(l) = log E exp(l·X_c).
//
// Of k rows drawn from n, K(l) is at most each of
//
//	k·log(mean_j exp(l·v_j)) and (n−k)·log(mean_j exp(−l·v_j))
//
// (W. Hoeffding, J. Amer. Statist. Assoc. 58, 1963, theorem 4; the second draws the rows that are left, whose sum is −X_c), and of
//
//	Σ_j log(1 − p + p·exp(l·v_j)) − log P(B = k), p = k/n,
//
// because drawing k rows is drawing each with probability p, given that they are B = k, where B is binomial.
func (d dealtRows) below(t, level float64) bool {
	m, variance := float64(d.classes-1), 0.
	d.each(func(n, k int, v []float64) {
		p := float64(k) / float64(n)
		variance += m * p * (1 - p) * simd.Dot(v, v)
	})
	if !(t > 0 && -t*t/(2*variance) <= level) { // what normal sums would need
		return false
	}
	for scale := 1.; scale > .2; scale *= .7 { // less where the tail is heavier than a normal one's
		rate := scale * t / variance
		log := -rate * t
		d.each(func(n, k int, v []float64) { log += logMoment(n, k, v, m*rate) / m })
		if log <= level {
			return true
		}
	}
	return false
}

// each calls f with the rows of a stratum, how many of them are of a class, and v, for each class but the last.
func (d dealtRows) each(f func(n, k int, v []float64)) {
	var v []float64
	start := 0
	for s, end := range d.ends {
		for c := range d.classes - 1 {
			if k := d.counts[s*d.classes+c]; k > 0 {
				v = v[:0]
				for i := start; i < end; i++ {
					v = append(v, d.score[i*d.classes+c]-d.score[(i+1)*d.classes-1])
				}
				f(end-start, k, v)
			}
		}
		start = end
	}
}

// logMoment returns the least of the three limits on log E exp(l·X) of the sum X of k of the n numbers v.
func logMoment(n, k int, v []float64, l float64) float64 {
	p := float64(k) / float64(n)
	up, down, apart := 0., 0., 0.
	for _, x := range v {
		e := math.Exp(l * x)
		up, down = up+e, down+1/e
		apart += math.Log1p(p * (e - 1))
	}
	return min(float64(k)*math.Log(up/float64(n)), float64(n-k)*math.Log(down/float64(n)), apart-logBinomial(n, k, p))
}

// logBinomial returns the logarithm of the probability of k among n, each with probability p.
func logBinomial(n, k int, p float64) float64 {
	gamma := func(x int) float64 { g, _ := math.Lgamma(float64(x) + 1); return g }
	return gamma(n) - gamma(k) - gamma(n-k) + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p)
}
