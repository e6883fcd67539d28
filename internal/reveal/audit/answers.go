package audit

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"tattle/internal/data/dataset"
	"tattle/internal/file"
	"tattle/internal/reveal/curious"
)

// noTargetNote says what an audit without a target compares with.
const noTargetNote = "no target is audited with the vectors: attacks are compared with how often each value is"

// answers are what a model gave for n examples.
type answers struct {
	outputs []float32 // [n, width]
	width   int
	classes []string           // of each column, or as the model names them; "" if they have no name
	kind    curious.Outputs    // "" if it is not known
	place   func(i int) string // says where an example is
}

// of makes the sample: it joins the answers with the labels of the same examples. If there is no target, y is nil.
// how says what the order of the target's values means.
func (a *answers) of(y *Attribute, how listing, sensitive []Attribute, made *dataset.Sensitive) (*Sample, error) {
	// The outputs are numbers, whatever they mean, until the examples are chosen.
	n := len(a.outputs) / a.width
	s := &Sample{Kind: Vector, Width: a.width, Outputs: a.outputs, Classes: []string{anyClass}, Y: make([]int, n), Sensitive: slices.Clone(sensitive)}
	switch {
	case y == nil:
		s.note(noTargetNote)
	case y.Numeric():
		s.Target, s.YNumbers = y.Name, y.Numbers
	case a.kind == Vector && len(y.Values) < 2:
		s.note("column %s has a single value and explains nothing: it is not used", file.Shown(y.Name))
		s.note(noTargetNote)
	default:
		got := classed{names: y.Values, of: span(0, len(y.Values))}
		if a.kind != Vector {
			var err error
			if got, err = matchColumns(y, a.classes, a.width, how); err != nil {
				return nil, err
			}
		}
		if got.note != "" {
			s.note("%s", got.note)
		}
		s.Target, s.Classes = y.Name, slices.Clone(got.names)
		for i, l := range y.Labels {
			if s.Y[i] = l; l >= 0 {
				s.Y[i] = got.of[l]
			}
		}
	}
	kept, err := s.known()
	if err != nil {
		return nil, err
	}
	if len(kept) < n {
		s = s.Subset(kept)
	}
	if s.Sensitive, err = made.Make(s.Sensitive); err != nil {
		return nil, err
	}
	switch {
	case a.kind != Vector:
		err = s.settle(s.Outputs, s.Width, a.kind, func(i int) string { return a.place(kept[i]) })
		s.Width = 0
	case s.YNumbers != nil:
		if s.cut(); len(s.Classes) < 2 {
			return nil, fmt.Errorf("%s has a single number: name another target, or none", file.Shown(s.Target))
		}
		s.note("%s is numeric: what it says of an attribute is learned from examples with similar numbers", file.Shown(s.Target))
	}
	if err != nil {
		return nil, err
	}
	return s, s.writable()
}

func (s *Sample) note(format string, a ...any) {
	s.Notes = append(s.Notes, fmt.Sprintf(format, a...))
}

// known lists the examples that have the target and all attributes, and notes how many lack which.
func (s *Sample) known() (kept []int, err error) {
	out := make([]bool, s.Len())
	for _, a := range append([]Attribute{{Name: s.Target, Labels: s.Y, Numbers: s.YNumbers}}, s.Sensitive...) {
		lacking := 0
		for i := range out {
			if a.Labels != nil && a.Labels[i] < 0 || a.Numbers != nil && math.IsNaN(a.Numbers[i]) {
				lacking++
				out[i] = true
			}
		}
		if lacking > 0 {
			s.note("%d of %d examples left out: they have no %s", lacking, len(out), file.Shown(a.Name))
		}
	}
	for i, lacks := range out {
		if !lacks {
			kept = append(kept, i)
		}
	}
	if len(kept) == 0 {
		return nil, errors.New("no example has all its labels: fill them in, or name fewer sensitive columns")
	}
	return kept, nil
}
