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

// answers are what a model gave for n examples, with the labels of the same examples.
type answers struct {
	outputs   []float32 // [n, width]
	width     int
	classes   []string           // of each column, or as the model names them; "" if they have no name
	kind      curious.Outputs    // "" if it is not known
	place     func(i int) string // says where an example is
	target    *Attribute         // nil for none
	ordered   bool               // the target's values are in the order of the outputs
	sensitive []Attribute
	group     *Attribute        // nil for none
	made      dataset.Sensitive // of these
}

// sample joins the answers with the labels.
func (a *answers) sample() (*Sample, error) {
	// The outputs are numbers, whatever they mean, until the examples are chosen.
	n, y := len(a.outputs)/a.width, a.target
	s := &Sample{Kind: Vector, Width: a.width, Outputs: a.outputs, Classes: []string{anyClass}, Y: make([]int, n), Sensitive: slices.Clone(a.sensitive), Group: a.group}
	switch {
	case y == nil:
		s.note("no target is audited with the vectors: attacks are compared with how often each value is")
	case y.Numeric():
		s.Target, s.YNumbers = y.Name, y.Numbers
	default:
		got := classed{names: y.Values, of: span(0, len(y.Values))}
		if a.kind != Vector {
			var err error
			if got, err = matchClasses(y, a.classes, a.width, a.ordered); err != nil {
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
	if s.Sensitive, err = a.made.Make(s.Sensitive); err != nil {
		return nil, err
	}
	if s.YNumbers != nil {
		s.cut()
		s.note("%s is numeric: what it says of an attribute is learned from examples with similar numbers", file.Shown(s.Target))
	}
	if a.kind != Vector {
		err = s.settle(a.kind, func(i int) string { return a.place(kept[i]) })
	} else if y != nil && len(s.Classes) < 2 {
		err = fmt.Errorf("%s has a single value: name another target, or none", file.Shown(s.Target))
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
	kept = span(0, s.Len())
	all := append([]Attribute{{Name: s.Target, Labels: s.Y, Numbers: s.YNumbers}}, s.Sensitive...)
	if s.Group != nil {
		all = append(all, *s.Group)
	}
	for _, a := range all {
		n := len(kept)
		kept = slices.DeleteFunc(kept, func(i int) bool {
			return a.Labels != nil && a.Labels[i] < 0 || a.Numbers != nil && math.IsNaN(a.Numbers[i])
		})
		if len(kept) < n {
			s.note("%d of %d examples left out: they have no %s", n-len(kept), n, file.Shown(a.Name))
		}
	}
	if len(kept) == 0 {
		return nil, errors.New("no example has all its labels: fill them in, or name fewer sensitive columns")
	}
	return kept, nil
}
