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

// tamed returns the sample with far numbers of attributes replaced by the nearest fence, where they
// cause most of the variance. Codes for missing values, such as 9999, do so; R² would then depend on
// them alone. It also returns a sentence for each attribute that it changes, and s itself if there is
// none.
func (s *Sample) tamed() (*Sample, []string) {
	var said []string
	t := *s
	for k, a := range s.Sensitive {
		low, high, out := stat.Outliers(a.Numbers, nil)
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
