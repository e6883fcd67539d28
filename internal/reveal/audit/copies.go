package audit

import (
	"cmp"
	"iter"
	"math"
	"slices"

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

// prepared returns the record as it is audited, and says what was changed: far numbers are
// tamed, and copies of an example count once.
func (r *Record) prepared() (*Record, []string) {
	p := *r
	s, said := r.Sample.tamed()
	rows := s.firsts()
	left := s.Len() - len(rows)
	if p.Sample = s; left == 0 {
		return &p, said
	}
	p.Sample = s.Subset(rows)
	p.Sample.Notes = slices.Clone(s.Notes)
	p.Sample.note("%s of %s left out: exact copies of others, with equal outputs and labels, which count once", report.Many(left, "row"), report.Grouped(s.Len()))
	if !p.Unpaired {
		p.References = slices.Clone(p.References)
		for i, ref := range p.References {
			p.References[i] = ref.Subset(rows)
		}
	}
	return &p, said
}
