package audit

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"tattle/curious"
	"tattle/dataset"
	"tattle/internal/sheet"
)

const (
	// finerNote says that a code in further digits would not be found.
	finerNote = "the outputs have more digits than a float32: the attacks did not look at the digits beyond it, where anything can be hidden"
	// noTargetNote says what an audit without a target compares with.
	noTargetNote = "no target is audited with the vectors: attacks are compared with how often each value is"
)

// samples reads the columns and makes the sample, and those of the honest classifiers. stated is the kind of outputs
// that the user gives, "" for none.
func (r *roles) samples(stated curious.Outputs) ([]*Sample, error) {
	if stated != "" && stated != curious.Raw && stated != curious.Soft {
		return nil, fmt.Errorf("outputs %q: want %s or %s", string(stated), curious.Raw, curious.Soft)
	}
	if r.outputs.kind == Vector && stated != "" {
		return nil, fmt.Errorf("outputs %q: vectors are neither scores nor probabilities; do not give the kind of outputs", string(stated))
	}
	groups := append([]*outputGroup{r.outputs}, r.references...)
	var numbers [][]int
	for _, g := range groups {
		numbers = append(numbers, g.columns)
	}
	var at []int
	for _, w := range r.labels() {
		at = append(at, w.at)
	}
	c, err := r.Read(numbers, at)
	if err != nil {
		return nil, err
	}
	if c.Finer {
		r.note(finerNote)
	}
	var labels *sheet.Labels // of the target
	if r.target != nil {
		labels, c.Labels = c.Labels[0], c.Labels[1:]
	}
	var sensitive []Attribute
	for i, w := range r.sensitive {
		a, err := w.attribute(c.Labels[i], maxSensitiveValues, nil)
		if err != nil {
			return nil, err
		}
		sensitive = append(sensitive, a)
	}
	var y *Attribute
	if r.target != nil {
		w, most := *r.target, maxColumns
		w.Class = !w.Number
		if r.outputs.kind == Vector {
			most = maxTargets
		}
		var classes []string
		for _, g := range groups {
			classes = append(classes, g.classes...)
		}
		a, err := w.attribute(labels, most, classes)
		if err != nil {
			return nil, err
		}
		y = &a
	}
	var all []*Sample
	for i, g := range groups {
		a := &answers{outputs: c.Numbers[i], width: len(g.classes), classes: g.classes, kind: g.kind, place: c.Place}
		if a.kind = cmp.Or(stated, a.kind); r.outputs.kind == Vector {
			a.kind = Vector
		}
		s, err := a.of(y, r.listing(), sensitive, &r.made)
		switch {
		case err != nil && i > 0:
			return nil, referenceError(r.patterns[i-1], err)
		case err != nil:
			return nil, err
		}
		s.Notes = slices.Concat(r.notes, s.Notes)
		all = append(all, s)
	}
	return all, nil
}

// listing returns what the order of the target's values means.
func (r *roles) listing() listing {
	switch {
	case r.target == nil:
	case r.target.Grouped():
		return asRuled
	case r.target.Listed != nil:
		return asListed
	}
	return asSorted
}

// answers are what a model gave for n examples.
type answers struct {
	outputs []float32 // [n, width]
	width   int
	classes []string           // of each column, or as the model names them; "" if they have no name
	kind    curious.Outputs    // "" if it is not known
	place   func(i int) string // says where an example is
}

// of makes the sample of the answers and the labels of the same examples. y is nil if there is no target; how says what
// the order of its values means.
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
		s.note("column %s has a single value and explains nothing: it is not used", showName(y.Name))
		s.note(noTargetNote)
	default:
		got := classed{names: y.Values, of: inOrder(y.Values, y.Values)}
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
			return nil, fmt.Errorf("%s has a single number: name another target, or none", showName(s.Target))
		}
		s.note("%s is numeric: what it says of an attribute is learned from examples with similar numbers", showName(s.Target))
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
			s.note("%d of %d examples left out: they have no %s", lacking, len(out), showName(a.Name))
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
