package stat

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// areaInterval returns the longer of two intervals at either end, as NewROC says.
func areaInterval(area, deviation float64, positives, negatives int, confidence float64) Interval {
	pairs := min(positives, negatives)
	if pairs < 2 {
		return Interval{0, 1}
	}
	in := logitInterval(area, deviation, confidence)
	if deviation == 0 {
		in = pairsInterval(area, pairs, confidence)
	}
	z := distuv.UnitNormal.Quantile((1 + confidence) / 2)
	m, n := float64(positives), float64(negatives)
	return Interval{min(in.Low, scoreEnd(area, 0, z, m, n)), max(in.High, scoreEnd(area, 1, z, m, n))}
}

// logitInterval takes area ± z·deviation on the logit scale, whose derivative is
// 1/(area·(1 − area)).
func logitInterval(area, deviation, confidence float64) Interval {
	logit := math.Log(area / (1 - area))
	half := distuv.UnitNormal.Quantile((1+confidence)/2) * deviation / (area * (1 - area))
	return Interval{1 / (1 + math.Exp(half-logit)), 1 / (1 + math.Exp(-half-logit))}
}

// pairsInterval is that of an area of 0, 1 or, where all scores are equal, 1/2. pairs is
// how many pairs can be formed of which no two share an example: that all of them are
// in order has probability area^pairs, and that all are tied the pairs-th power of a
// tie's, less than which leaves the area free.
func pairsInterval(area float64, pairs int, confidence float64) Interval {
	same := math.Pow((1-confidence)/2, 1/float64(pairs)) // the least probability of what all pairs show
	switch area {
	case 1:
		return Interval{same, 1}
	case 0:
		return Interval{0, 1 - same}
	}
	return Interval{same / 2, 1 - same/2}
}

// scoreEnd bisects between the area that was seen and end, 0 or 1, for the area θ that
// is z of its own standard deviations away.
func scoreEnd(area, end, z, m, n float64) float64 {
	inside, _ := bisect(area, end, 60, func(t float64) bool {
		v := max(exponentialVariance(t, m, n), exponentialVariance(t, n, m))
		return (area-t)*(area-t) <= z*z*v
	})
	return inside
}

// exponentialVariance is that of an area whose expectation is θ, for exponential scores
// of m positives and n negatives (J. A. Hanley and B. J. McNeil, Radiology 143, 1982),
//
//	(θ(1−θ) + (m−1)·(θ/(2−θ) − θ²) + (n−1)·(2θ²/(1+θ) − θ²)) / mn,
//
// where θ/(2−θ) is the probability that two positives exceed one negative and
// 2θ²/(1+θ) that one positive exceeds two negatives. With m and n exchanged it is that
// of the scores' negatives.
func exponentialVariance(theta, m, n float64) float64 {
	t := theta
	return (t*(1-t) + (m-1)*(t/(2-t)-t*t) + (n-1)*(2*t*t/(1+t)-t*t)) / (m * n)
}
