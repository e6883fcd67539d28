package audit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tattle/internal/math/stat"
)

const (
	// fence is how many interquartile ranges beyond the quartiles a number may lie: Tukey's
	// "far out". Of normal numbers two in a million lie beyond.
	fence = 3
	// hiddenShare of the squared distances from the median, held by numbers beyond the fences, hides
	// what the outputs reveal about all others.
	hiddenShare = .5
)

// tamed returns the sample with far numbers of attributes replaced by the nearest fence, where they
// cause most of the variance. Codes for missing values, such as 9999, do so; R² would then depend on
// them alone. It also returns a sentence for each attribute that it changes, and s itself if there is
// none.
func (s *Sample) tamed() (*Sample, []string) {
	var said []string
	t := *s
	for k, a := range s.Sensitive {
		low, high, out := outliers(a.Numbers)
		if len(out) == 0 {
			continue
		}
		if said == nil {
			t.Sensitive = slices.Clone(s.Sensitive)
		}
		x := slices.Clone(a.Numbers)
		for i, v := range x {
			x[i] = min(max(v, low), high)
		}
		t.Sensitive[k].Numbers = x
		said = append(said, fmt.Sprintf("%s: %d of %d numbers, such as %s, are far from the others and cause most of the variance. This would hide what the outputs reveal about the other examples, so the audit used %s for far numbers below and %s for those above. What the outputs reveal about these few examples alone may not be found. If the numbers are codes for missing values, leave these rows out.",
			a.Name, len(out), len(x), strings.Join(examplesOf(out), ", "), inSix(low), inSix(high)))
	}
	if said == nil {
		return s, nil
	}
	return &t, said
}

// outliers returns Tukey's fences, and the numbers beyond them if these hold more than hiddenShare
// of the squared distances from the median.
func outliers(x []float64) (low, high float64, out []float64) {
	if len(x) == 0 {
		return 0, 0, nil
	}
	q := stat.Quantiles(x, .25, .5, .75)
	if width := q[2] - q[0]; width > 0 {
		low, high = q[0]-fence*width, q[2]+fence*width
	} else {
		return 0, 0, nil // at least half of the numbers are equal: nothing says what is far
	}
	scale := 0. // so that squares do not overflow
	for _, v := range x {
		scale = max(scale, math.Abs(v-q[1]))
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

// examplesOf returns the first few different numbers, the farthest from zero first.
func examplesOf(out []float64) (words []string) {
	far := func(a, b float64) int { return cmp.Or(cmp.Compare(math.Abs(b), math.Abs(a)), cmp.Compare(a, b)) }
	different := slices.Compact(slices.SortedFunc(slices.Values(out), far))
	for _, v := range different[:min(3, len(different))] {
		words = append(words, inSix(v))
	}
	return words
}

func inSix(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
