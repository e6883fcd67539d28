package audit

import (
	"math"

	"tattle/classify"
	"tattle/stat"
)

// compareNumbers holds predictions of a numeric attribute against one baseline's by
// their paired squared errors, in units of variance: the mean of
//
//	((s − baseline)² − (s − prediction)²)/variance
//
// over the examples, with limits and test by Student's t.
func compareNumbers(name string, truth, value, base []float64, variance float64, o Options) Baseline {
	gain, unit := make([]float64, len(truth)), math.Sqrt(variance)
	for i, v := range truth {
		b, g := (v-base[i])/unit, (v-value[i])/unit
		gain[i] = b*b - g*g
	}
	mean, sd := stat.MeanStd(gain)
	df := float64(len(truth) - 1)
	se := sd / math.Sqrt(float64(len(truth)))
	half := se * stat.StudentQuantile(o.Confidence, df)
	return Baseline{
		Name: name, R2: new(rSquared(truth, base)),
		Difference: mean, StandardError: se, Low: mean - half, High: mean + half,
		P: beyond(mean-*o.Margin, se, df),
	}
}

// rSquaredInterval returns the interval of R² at classify.Confidence. R² is 1 less the ratio of the
// mean squared error to the variance; by the delta method the standard error of a ratio A/B of means
// is that of the mean of (aᵢ − bᵢ·A/B)/B, and its limits are Student's.
func rSquaredInterval(truth, value []float64) [2]float64 {
	mean, sd := stat.MeanStd(truth)
	n := float64(len(truth))
	ratio := 1 - rSquared(truth, value)
	part := make([]float64, len(truth))
	for i, s := range truth {
		e, d := (s-value[i])/sd, (s-mean)/sd
		part[i] = e*e - ratio*d*d
	}
	_, spread := stat.MeanStd(part)
	half := spread / math.Sqrt(n) * stat.StudentQuantile((1+classify.Confidence)/2, n-1)
	return [2]float64{1 - ratio - half, 1 - ratio + half}
}

// beyond returns the probability that Student's t exceeds difference/se.
func beyond(difference, se, df float64) float64 {
	switch {
	case se > 0:
		return stat.StudentUpper(difference/se, df)
	case difference > 0:
		return 0
	}
	return 1
}

// numericDraws is how many permutations of numbers are drawn at least: each takes time
// in proportion to the examples.
const numericDraws = 999
