package stat

import "math"

const (
	// fence is how many interquartile ranges beyond the quartiles a number may lie: Tukey's
	// "far out". Of normal numbers two in a million lie beyond.
	fence = 3
	// hiddenShare of the squared distances from the median, held by numbers beyond the fences, hides all others.
	hiddenShare = .5
)

// Outliers returns Tukey's fences, and the numbers of x beyond them, if these hold more than half of the squared
// distances from the median. It returns none of fewer, nor where half of the numbers are equal: nothing says then what is far. It
// overwrites room, or a longer one.
func Outliers(x, room []float64) (low, high float64, out []float64) {
	if len(x) == 0 {
		return 0, 0, nil
	}
	q := quantiles(append(room[:0], x...), .25, .5, .75)
	width := q[2] - q[0]
	if !(width > 0) {
		return 0, 0, nil
	}
	low, high = q[0]-fence*width, q[2]+fence*width
	scale := 0. // so that squares do not overflow
	for _, v := range x {
		if far := math.Abs(v - q[1]); far > scale {
			scale = far
		}
	}
	all, beyond := 0., 0.
	for _, v := range x {
		d := (v - q[1]) / scale
		all += d * d
		if v < low || v > high {
			beyond += d * d
			out = append(out, v)
		}
	}
	if beyond <= hiddenShare*all {
		return 0, 0, nil
	}
	return low, high, out
}
