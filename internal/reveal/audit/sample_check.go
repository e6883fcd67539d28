package audit

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"tattle/internal/reveal/curious"
	"tattle/internal/reveal/curious/training"
)

// check returns an error if the sample or a reference is wrong.
func (r *Record) check() error {
	if len(r.References) == 1 {
		return fmt.Errorf("audit: one reference has no spread to compare with: give 2 or more")
	}
	for i, ref := range r.References {
		if err := ref.Check(); err != nil {
			return fmt.Errorf("reference %d: %w", i+1, err)
		}
		if err := r.Sample.fits(ref, r.Unpaired); err != nil {
			return fmt.Errorf("audit: reference %d: %w", i+1, err)
		}
	}
	return r.Sample.Check()
}

// fits returns an error if a reference cannot be compared with s.
func (s *Sample) fits(ref *Sample, unpaired bool) error {
	if len(ref.Classes) != len(s.Classes) || ref.RowWidth() != s.RowWidth() || ref.Kind != s.Kind || len(ref.Sensitive) != len(s.Sensitive) {
		return fmt.Errorf("%d %s outputs and %d attributes, where %s has %d %s and %d: they must be alike",
			len(ref.Classes), ref.Kind, len(ref.Sensitive), s.Name, len(s.Classes), s.Kind, len(s.Sensitive))
	}
	for i := range s.Sensitive {
		a, b := &s.Sensitive[i], &ref.Sensitive[i]
		if a.Name != b.Name || a.Numeric() != b.Numeric() {
			return fmt.Errorf("attribute %d is %q, where %s has %q", i+1, b.Name, s.Name, a.Name)
		}
		if !unpaired && !(slices.Equal(a.Labels, b.Labels) && slices.Equal(a.Numbers, b.Numbers)) {
			return fmt.Errorf("attribute %q differs: references are on the same examples in the same order, unless they are unpaired", a.Name)
		}
	}
	if !unpaired && !slices.Equal(s.Y, ref.Y) {
		return fmt.Errorf("%s differs: references are on the same examples in the same order, unless they are unpaired", s.Target)
	}
	return nil
}

// Limits that Check accepts.
const (
	// sumTolerance is what probabilities written with three digits add up to.
	sumTolerance = 1e-3
	// negativeTolerance is rounding below a probability of 0.
	negativeTolerance = 1e-6
	// largestNumber keeps the squares of numeric attributes finite.
	largestNumber = 1e100
)

// Check says what keeps s, all of whose lists are as long as there are examples, from being audited, if anything
// does, and the fix. Rows are counted from 1.
func (s *Sample) Check() error {
	w := s.RowWidth()
	switch {
	case s.Kind != Vector && w < 2:
		return fmt.Errorf("audit: %s: %d columns of outputs: a classifier has one for each of 2 classes or more", s.Name, w)
	case len(s.Sensitive) == 0:
		return fmt.Errorf("audit: %s: no sensitive attribute: name at least one", s.Name)
	}
	slack := sumSlack(s.Outputs, w)
	for i, y := range s.Y {
		if y < 0 || y >= len(s.Classes) {
			return fmt.Errorf("audit: %s: row %d: %s %d is none of %d classes", s.Name, i+1, s.Target, y, len(s.Classes))
		}
		if err := s.checkRow(s.Outputs[i*w : (i+1)*w]); err != nil {
			return fmt.Errorf("audit: %s: row %d: %w", s.Name, i+1, err)
		}
		if total, ok := distribution(s.Outputs[i*w:(i+1)*w], slack); s.Kind == curious.Soft && !ok {
			return fmt.Errorf("audit: %s: row %d: probabilities add up to %.6g, not 1: if these are scores, say that outputs are %q", s.Name, i+1, total, curious.Raw)
		}
	}
	for _, a := range s.Sensitive {
		if err := checkAttribute(a); err != nil {
			return fmt.Errorf("audit: %s: attribute %q: %w", s.Name, a.Name, err)
		}
	}
	if s.Group == nil {
		return nil
	}
	if _, people := s.people(); people < 2 {
		return fmt.Errorf("audit: %s: all rows are of one %s: give data of more people", s.Name, s.Group.Name)
	}
	return nil
}

func (s *Sample) checkRow(o []float32) error {
	for j, v := range o {
		p := float64(v)
		switch {
		case math.IsNaN(p) || math.IsInf(p, 0):
			return fmt.Errorf("output %d is %v: leave the row out or repair the model", j+1, p)
		case s.Kind == curious.Soft && p < -negativeTolerance:
			return fmt.Errorf("probability %d is %v: if these are scores, say that outputs are %q", j+1, p, curious.Raw)
		}
	}
	return nil
}

// checkAttribute says what is wrong with an attribute.
func checkAttribute(a Attribute) error {
	for i, l := range a.Labels {
		if l < 0 || l >= len(a.Values) {
			return fmt.Errorf("row %d: class %d of %d", i+1, l, len(a.Values))
		}
	}
	for i, v := range a.Numbers {
		if !(math.Abs(v) <= largestNumber) {
			return fmt.Errorf("row %d: %v is not a number within ±%g: leave the row out or rescale", i+1, v, float64(largestNumber))
		}
	}
	return nil
}

// varied reports whether any attribute of s has two values or more: without one there is
// nothing to audit.
func (s *Sample) varied() bool {
	return slices.ContainsFunc(s.Sensitive, func(a Attribute) bool { return a.Numeric() || varies(a.Labels) })
}

// varies reports whether some of the values differ.
func varies[T comparable](x []T) bool {
	return slices.ContainsFunc(x, func(v T) bool { return v != x[0] })
}

// distribution reports whether a row is one whose sum differs from 1 by slack at most, and its sum.
func distribution(row []float32, slack float64) (sum float64, ok bool) {
	ok = true
	for _, v := range row {
		sum += float64(v)
		ok = ok && float64(v) >= -negativeTolerance && float64(v) <= 1+sumTolerance
	}
	return sum, ok && math.Abs(sum-1) <= slack
}

// zeroOne reports whether every output is 0 or 1.
func zeroOne(outputs []float32) bool {
	return !slices.ContainsFunc(outputs, func(v float32) bool { return v != 0 && v != 1 })
}

// coincides returns the name of an attribute whose classes are those of the target, example by
// example; "" if there is none.
func (s *Sample) coincides() string {
	for _, a := range s.Sensitive {
		if s.targeted() && varies(s.Y) && !a.Numeric() && training.SameClasses(s.Y, a.Labels) {
			return a.Name
		}
	}
	return ""
}

// A numeric y is cut into classes of about numberRows examples, mostCuts at most, where examples are
// compared with one another.
const (
	numberRows = 50
	mostCuts   = 100
)

// cut gives a sample with a numeric target its classes of y: quantiles, without empty ones.
func (s *Sample) cut() {
	sorted := slices.Sorted(slices.Values(s.YNumbers))
	n := len(sorted)
	parts := min(max(n/numberRows, 2), mostCuts)
	var from []float64 // the least y of each class
	for k := range parts {
		if v := sorted[k*n/parts]; len(from) == 0 || v > from[len(from)-1] {
			from = append(from, v)
		}
	}
	s.Classes, s.Y = make([]string, len(from)), make([]int, n)
	for k, v := range from {
		s.Classes[k] = fmt.Sprintf("from %.6g", v)
	}
	for i, v := range s.YNumbers {
		s.Y[i] = sort.Search(len(from), func(k int) bool { return from[k] > v }) - 1
	}
}
