package audit

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"tattle/internal/math/stat"
	"tattle/internal/report"
)

const (
	// copiesMost is the largest group of equal rows that counts as copies of an example. Larger groups arise
	// when outputs saturate, unless all of their labels agree, too, as in a class that was filled up with copies.
	copiesMost = 10
	// copiesDistinct is the share of distinct rows from which equal ones count as copies: outputs that are
	// rounded have fewer.
	copiesDistinct = 1. / 3
	// copiesRows is the number of distinct rows, each repeated and always with the same labels, from which on they
	// count as copies: fewer may be a code for the labels.
	copiesRows = 50
)

// compareRows orders examples by the bits of their outputs.
func (s *Sample) compareRows(a, b int32) int {
	w := s.RowWidth()
	x, y := s.Outputs[int(a)*w:][:w], s.Outputs[int(b)*w:][:w]
	for j, v := range x {
		if c := cmp.Compare(math.Float32bits(v), math.Float32bits(y[j])); c != 0 {
			return c
		}
	}
	return 0
}

// compareLabels orders examples by the target and all attributes.
func (s *Sample) compareLabels(a, b int32) int {
	c := cmp.Compare(s.Y[a], s.Y[b])
	for k := range s.Sensitive {
		if at := &s.Sensitive[k]; c == 0 && at.Numeric() {
			c = cmp.Compare(math.Float64bits(at.Numbers[a]), math.Float64bits(at.Numbers[b]))
		} else if c == 0 {
			c = cmp.Compare(at.Labels[a], at.Labels[b])
		}
	}
	return c
}

// equalRows yields the examples with equal outputs: those with equal labels together, and otherwise in the order of the sample.
func (s *Sample) equalRows() iter.Seq[[]int32] {
	order := make([]int32, s.Len())
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		c := s.compareRows(a, b)
		if c == 0 {
			c = s.compareLabels(a, b)
		}
		return cmp.Or(c, cmp.Compare(a, b))
	})
	return equal(order, s.compareRows)
}

// equal yields the parts of a sorted list whose entries compare as equal.
func equal(list []int32, compare func(a, b int32) int) iter.Seq[[]int32] {
	return func(yield func([]int32) bool) {
		for lo := 0; lo < len(list); {
			hi := lo + 1
			for hi < len(list) && compare(list[lo], list[hi]) == 0 {
				hi++
			}
			if !yield(list[lo:hi]) {
				return
			}
			lo = hi
		}
	}
}

// firsts lists the examples that are not copies of earlier ones: outputs and labels are equal, and the group of equal
// rows is none that honest outputs have. Copies of an example are one observation. Where people are known, all
// examples count, each as its share of a person.
func (s *Sample) firsts() []int {
	if s.Group != nil {
		return span(0, s.Len())
	}
	alike := func(rows []int32) bool { return s.compareLabels(rows[0], rows[len(rows)-1]) == 0 }
	groups, distinct, all := s.equalRows(), 0, true
	for rows := range groups {
		distinct++
		all = all && len(rows) > 1 && alike(rows)
	}
	few := float64(distinct) < copiesDistinct*float64(s.Len())
	all = all && distinct >= copiesRows
	left := make([]bool, s.Len())
	for rows := range groups {
		if all || !few && (len(rows) <= copiesMost || alike(rows)) {
			for copies := range equal(rows, s.compareLabels) {
				for _, i := range copies[1:] {
					left[i] = true
				}
			}
		}
	}
	return slices.DeleteFunc(span(0, s.Len()), func(i int) bool { return left[i] })
}

// prepared returns the sample as it is audited, with the options for it, and says what was changed: far numbers are
// tamed, and copies of an example count once.
func (s *Sample) prepared(o Options) (*Sample, Options, []string) {
	s, said := s.tamed()
	rows := s.firsts()
	left := s.Len() - len(rows)
	if left == 0 {
		return s, o, said
	}
	t := s.Subset(rows)
	t.Notes = slices.Clone(t.Notes)
	t.note("%s of %s left out: exact copies of others, with equal outputs and labels, which count once", report.Many(left, "row"), report.Grouped(s.Len()))
	if !o.Unpaired {
		o.References = slices.Clone(o.References)
		for i, ref := range o.References {
			o.References[i] = ref.Subset(rows)
		}
	}
	return t, o, said
}

// tamed returns the sample with far numbers of attributes replaced by the nearest fence, where they
// cause most of the variance. Codes for missing values, such as 9999, do so; R² would then depend on
// them alone. It also returns a sentence for each attribute that it changes, and s itself if there is
// none.
func (s *Sample) tamed() (*Sample, []string) {
	var said []string
	t := *s
	for k, a := range s.Sensitive {
		low, high, out := stat.Outliers(a.Numbers)
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
