package audit

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tattle/curious"
	"tattle/dataset"
)

// source is what a file holds: the scores of n examples, and columns of labels.
type source struct {
	scores  []float32 // [n, len(classes)]
	classes []string  // of the scores' columns; "" if it has no name
	kind    curious.Outputs
	target  *column       // nil if there is none, as vectors may have
	rule    *dataset.Rule // of the target; nil if none is given
	numeric bool          // the target is numeric
	columns []*column     // of sensitive attributes
	wanted  []wanted      // what each of them becomes
	made    sensitiveColumns
	place   func(i int) string // of example i, for errors
	notes   []string
}

func (src *source) note(format string, args ...any) {
	src.notes = append(src.notes, fmt.Sprintf(format, args...))
}

// sample makes the sample of what was read.
func (src *source) sample(o OpenOptions) (*Sample, error) {
	s := &Sample{Kind: src.kind}
	var unknown []bool
	var err error
	switch {
	case src.kind == Vector && o.Kind != "" && o.Kind != Vector:
		return nil, fmt.Errorf("outputs %q: vectors are no scores or probabilities; leave the kind of outputs out", string(o.Kind))
	case src.kind == Vector:
		unknown, err = src.vectors(s)
	case o.Kind != "" && o.Kind != curious.Raw && o.Kind != curious.Soft:
		return nil, fmt.Errorf("outputs %q: want %s or %s", string(o.Kind), curious.Raw, curious.Soft)
	case len(src.target.values) > maxColumns:
		return nil, fmt.Errorf("%s has %d values: want classes", showName(src.target.name), len(src.target.values))
	default:
		unknown, err = src.scored(s)
	}
	if err != nil {
		return nil, err
	}
	place, err := src.attributes(s, unknown)
	if err != nil {
		return nil, err
	}
	if s.Kind != Vector {
		err = s.settle(src.scores, len(src.classes), cmp.Or(o.Kind, src.kind), place)
	} else if s.Outputs = src.scores; s.YNumbers != nil {
		if s.cut(); len(s.Classes) < 2 {
			return nil, fmt.Errorf("%s has a single number: name another target, or none", showName(s.Target))
		}
		src.note("%s is numeric: what it says of an attribute is learned from examples with similar numbers", showName(s.Target))
	}
	s.Notes = append(src.notes, s.Notes...)
	return s, err
}

// take gives a sample its target, and returns which examples have none.
func (src *source) take(s *Sample, got classed) (unknown []bool) {
	if got.note != "" {
		src.note("%s", got.note)
	}
	s.Target, s.Classes, s.Y = src.target.name, got.names, spread(src.target, got.of)
	for _, y := range s.Y {
		unknown = append(unknown, y < 0)
	}
	return unknown
}

// scored finds the classes of the target among those of the scores, after its rule is applied.
func (src *source) scored(s *Sample) (unknown []bool, err error) {
	if src.rule == nil {
		got, err := classesOf(src.target, src.classes)
		if err != nil {
			return nil, err
		}
		return src.take(s, got), nil
	}
	a, err := src.rule.Apply(src.target.name, src.target.known())
	if err != nil {
		return nil, err
	}
	if want := max(len(src.classes), 2); len(a.Values) != want {
		return nil, fmt.Errorf("the rule of %s makes %d classes of %d columns of outputs: want as many", showName(src.target.name), len(a.Values), want)
	}
	got := classed{names: a.Values, of: a.Labels}
	if named, ok := byName(a.Values, src.classes, strings.ToLower); ok && src.classes[0] != "" && len(src.classes) > 1 {
		got.names, got.of = named.names, slices.Clone(a.Labels)
		for i, label := range a.Labels {
			if label >= 0 {
				got.of[i] = named.of[label]
			}
		}
	} else {
		got.note = fmt.Sprintf("the columns of outputs are taken for the classes of the rule in their order: %s", showNames(a.Values))
	}
	return src.take(s, got), nil
}

// vectors gives a sample of vectors its target, if it has one: numbers, the classes of a rule, those that
// the file lists, else its values in their order.
func (src *source) vectors(s *Sample) (unknown []bool, err error) {
	s.Width, s.Classes, s.Y = len(src.classes), []string{anyClass}, make([]int, len(src.scores)/len(src.classes))
	c := src.target
	switch {
	case c == nil:
		src.note(noTargetNote)
		return nil, nil
	case src.numeric:
		a, unknown, err := c.attribute(wanted{name: c.name, manner: asNumber})
		s.Target, s.YNumbers = a.Name, a.Numbers
		return unknown, err
	}
	got := inOrder(c.known(), c.listed)
	if src.rule != nil {
		a, err := src.rule.Apply(c.name, c.known())
		if err != nil {
			return nil, err
		}
		got = classed{names: a.Values, of: a.Labels}
	} else if c.listed == nil {
		got = inOrder(c.known(), sorted(c.known()))
	}
	switch n := len(got.names); {
	case n > maxTargets:
		return nil, fmt.Errorf("%s has %d values: want at most %d classes, or a rule that makes some, as \"%s: <0, >=0\"", showName(c.name), n, maxTargets, c.name)
	case n < 2:
		src.note("column %s has a single value and explains nothing: it is not used", showName(c.name))
		src.note(noTargetNote)
		return nil, nil
	}
	return src.take(s, got), nil
}

// attributes adds the sensitive attributes to a sample, and leaves out the examples that lack one
// or, as unknown says, the target. It returns what says where in the file an example is.
func (src *source) attributes(s *Sample, unknown []bool) (place func(i int) string, err error) {
	n, w := len(s.Y), len(src.classes)
	out := make([]bool, n)
	leaveOut := func(unknown []bool, name string) {
		lacking := 0
		for i, none := range unknown {
			if none {
				lacking++
				out[i] = true
			}
		}
		if lacking > 0 {
			src.note("%d of %d examples left out: they have no %s", lacking, n, showName(name))
		}
	}
	leaveOut(unknown, s.Target)
	for i, c := range src.columns {
		a, unknown, err := c.attribute(src.wanted[i])
		if err != nil {
			return nil, err
		}
		leaveOut(unknown, a.Name)
		s.Sensitive = append(s.Sensitive, a)
	}
	var kept []int
	for i := range out {
		if !out[i] {
			copy(src.scores[len(kept)*w:][:w], src.scores[i*w:][:w])
			kept = append(kept, i)
		}
	}
	if len(kept) == 0 {
		return nil, errors.New("no example has all its labels: fill them in, or name fewer sensitive columns")
	}
	if src.scores = src.scores[:len(kept)*w]; len(kept) < n {
		s.Y, s.YNumbers = pick(s.Y, kept), pick(s.YNumbers, kept)
		for i, a := range s.Sensitive {
			s.Sensitive[i].Labels, s.Sensitive[i].Numbers = pick(a.Labels, kept), pick(a.Numbers, kept)
		}
	}
	s.Sensitive, err = src.made.make(s.Sensitive)
	return func(i int) string { return src.place(kept[i]) }, err
}
