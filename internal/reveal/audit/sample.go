package audit

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"tattle/internal/data/dataset"
	"tattle/internal/math/stat"
	"tattle/internal/report"
	"tattle/internal/reveal/curious"
)

// Sample is what an audit is given: the outputs of a classifier on n examples, and
// the labels of the same examples.
type Sample struct {
	Name      string
	Outputs   []float32       // [n, len(Classes)], or [n, Width] of vectors
	Kind      curious.Outputs // Raw, Soft or Vector
	Width     int             // of a row of vectors; otherwise 0
	Y         []int           // true y, 0 … len(Classes)−1
	YNumbers  []float64       // of vectors whose target is numeric, which Y and Classes then cut into classes; otherwise nil
	Target    string          // name of y
	Classes   []string        // names of the classes of y, one for each column of Outputs; of vectors without a target a single one
	Sensitive []Attribute
	Group     *Attribute // the person that each example is about; nil: every example is another person
	Notes     []string   // what reading it changed or left out
}

// Vector is the kind of outputs that are not scores of classes, such as an embedding or the
// features inside a net. Vectors have no answered label, and may have no target.
const Vector curious.Outputs = "vector"

// anyClass is the one class of y of a sample without a target.
const anyClass = "any"

// Attribute is a sensitive attribute of all examples: Labels of the classes that
// Values names, or Numbers alone if it is numeric.
type Attribute = dataset.Attribute

// Len returns the number of examples.
func (s *Sample) Len() int { return len(s.Y) }

// RowWidth returns how many numbers a row of outputs has.
func (s *Sample) RowWidth() int {
	if s.Kind == Vector {
		return s.Width
	}
	return len(s.Classes)
}

// targeted reports whether the sample has a target.
func (s *Sample) targeted() bool { return len(s.Classes) > 1 }

// Subset returns the sample of the given examples, in their order; names are
// shared with s.
func (s *Sample) Subset(rows []int) *Sample {
	t := *s
	w := s.RowWidth()
	t.Outputs = make([]float32, 0, len(rows)*w)
	for _, i := range rows {
		t.Outputs = append(t.Outputs, s.Outputs[i*w:(i+1)*w]...)
	}
	t.Y, t.YNumbers = pick(s.Y, rows), pick(s.YNumbers, rows)
	t.Sensitive = make([]Attribute, len(s.Sensitive))
	for i, a := range s.Sensitive {
		a.Labels, a.Numbers = pick(a.Labels, rows), pick(a.Numbers, rows)
		t.Sensitive[i] = a
	}
	if s.Group != nil {
		g := *s.Group
		g.Labels = pick(g.Labels, rows)
		t.Group = &g
	}
	return &t
}

// people numbers the people of the examples, in their order, and returns how many there are.
func (s *Sample) people() (person []int, n int) {
	if s.Group == nil {
		return span(0, s.Len()), s.Len()
	}
	return stat.Numbered(s.Group.Labels)
}

// counted names what tests count.
func (s *Sample) counted() string {
	if s.Group == nil {
		return "examples"
	}
	return "people"
}

// some returns the sample of at most n of the examples, drawn at random, in their order. People are drawn whole.
func (s *Sample) some(n int, r *rand.Rand) *Sample {
	if s.Group == nil {
		return s.Subset(drawRows(s.Len(), n, r))
	}
	of := byLabel(s.people())
	var rows []int
	for _, p := range r.Perm(len(of)) {
		if len(rows)+len(of[p]) <= n {
			rows = append(rows, of[p]...)
		}
	}
	slices.Sort(rows)
	return s.Subset(rows)
}

// byLabel returns the examples of each label, of which there are n.
func byLabel(labels []int, n int) [][]int {
	of := make([][]int, n)
	for i, l := range labels {
		of[l] = append(of[l], i)
	}
	return of
}

// drawRows draws most of n examples and returns them in ascending order. If n is not larger than most, it returns all.
func drawRows(n, most int, r *rand.Rand) []int {
	rows := r.Perm(n)[:min(n, most)]
	slices.Sort(rows)
	return rows
}

// span returns lo … hi−1.
func span(lo, hi int) []int {
	rows := make([]int, hi-lo)
	for i := range rows {
		rows[i] = lo + i
	}
	return rows
}

// find returns the first of a list that is so, nil if none is.
func find[T any](list []T, is func(x *T) bool) *T {
	for i := range list {
		if is(&list[i]) {
			return &list[i]
		}
	}
	return nil
}

// pick returns the entries of x at rows, nil if x is nil.
func pick[T any, I int | int32](x []T, rows []I) []T {
	if x == nil {
		return nil
	}
	dst := make([]T, len(rows))
	for i, r := range rows {
		dst[i] = x[r]
	}
	return dst
}

// Sum returns the SHA-256 of all that an audit depends on, in hexadecimal: the
// outputs, what they are, the labels and the attributes with their names.
func (s *Sample) Sum() string {
	set := dataset.Set{Shape: []int{s.RowWidth()}, Values: s.Outputs, Y: s.Y, YNumbers: s.YNumbers, Sensitive: s.Sensitive}
	names := []string{string(s.Kind), s.Target}
	for _, a := range s.Sensitive {
		names = append(names, a.Name, fmt.Sprint(a.Numeric(), a.Values))
	}
	if s.Group != nil {
		person, _ := s.people()
		set.Group, names = &Attribute{Labels: person}, append(names, s.Group.Name)
	}
	return report.Digest(fmt.Appendf(nil, "%s %q %q", set.Sum(), s.Classes, names))
}
