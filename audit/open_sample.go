package audit

import (
	"errors"
	"fmt"
	"math"

	"tattle/curious"
)

const (
	// finerNote says that a code in further digits would not be found.
	finerNote = "the outputs have more digits than a float32: the attacks did not look at the digits beyond it, where anything can be hidden"
	// noTargetNote says what an audit without a target compares with.
	noTargetNote = "no target is audited with the vectors: attacks are compared with how often each value is"

	maxSensitiveValues = 100 // classes of an attribute
)

// sample reads the columns and makes the sample.
func (c *columns) sample(o OpenOptions) (*Sample, error) {
	if o.Kind != "" && o.Kind != curious.Raw && o.Kind != curious.Soft {
		return nil, fmt.Errorf("outputs %q: want %s or %s", string(o.Kind), curious.Raw, curious.Soft)
	}
	r, err := findRoles(c, o)
	if err != nil {
		return nil, err
	}
	if r.kind == Vector && o.Kind != "" {
		return nil, fmt.Errorf("outputs %q: vectors are neither scores nor probabilities; do not give the kind of outputs", string(o.Kind))
	}
	labels, at := r.labels(), []int(nil)
	for _, w := range labels {
		at = append(at, w.at)
	}
	read, err := c.read(r.scores, at)
	if err != nil {
		return nil, err
	}
	if read.finer {
		r.note(finerNote)
	}
	// The outputs are numbers, whatever they mean, until the examples are chosen.
	s := &Sample{Kind: Vector, Width: len(r.classes), Outputs: read.scores, Classes: []string{anyClass}, Y: make([]int, len(read.labels[0].codes))}
	if r.target == nil {
		r.note(noTargetNote)
	} else if err := r.takeTarget(s, read.labels[0]); err != nil {
		return nil, err
	}
	for i, w := range r.sensitive {
		a, err := read.labels[len(labels)-len(r.sensitive)+i].attribute(w, maxSensitiveValues)
		if err != nil {
			return nil, err
		}
		s.Sensitive = append(s.Sensitive, a)
	}
	kept, err := r.known(s)
	if err != nil {
		return nil, err
	}
	if len(kept) < s.Len() {
		s = s.Subset(kept)
	}
	if s.Sensitive, err = r.made.make(s.Sensitive); err != nil {
		return nil, err
	}
	switch {
	case r.kind != Vector:
		kind := r.kind
		if o.Kind != "" {
			kind = o.Kind
		}
		err = s.settle(s.Outputs, s.Width, kind, func(i int) string { return read.place(kept[i]) })
		s.Width = 0
	case s.YNumbers != nil:
		if s.cut(); len(s.Classes) < 2 {
			return nil, fmt.Errorf("%s has a single number: name another target, or none", showName(s.Target))
		}
		r.note("%s is numeric: what it says of an attribute is learned from examples with similar numbers", showName(s.Target))
	}
	s.Notes = append(r.notes, s.Notes...)
	return s, err
}

// takeTarget gives a sample its target: the classes of scores, or numbers or classes of vectors.
func (r *roles) takeTarget(s *Sample, c *column) error {
	most := maxColumns
	c.named = r.classes
	w := *r.target
	if w.manner != asNumber {
		w.manner = asClass
	}
	if r.kind == Vector {
		most = maxTargets
	}
	y, err := c.attribute(w, most)
	if err != nil {
		return err
	}
	if y.Numeric() {
		s.Target, s.YNumbers = y.Name, y.Numbers
		return nil
	}
	got := classed{names: y.Values, of: inOrder(y.Values, y.Values)}
	if r.kind != Vector {
		if got, err = matchColumns(&w, &y, r.classes, c.listed != nil && !w.rule.Grouped()); err != nil {
			return err
		}
	} else if len(y.Values) < 2 {
		r.note("column %s has a single value and explains nothing: it is not used", showName(y.Name))
		r.note(noTargetNote)
		return nil
	}
	if got.note != "" {
		r.note("%s", got.note)
	}
	s.Target, s.Classes = y.Name, got.names
	for i, l := range y.Labels {
		if s.Y[i] = l; l >= 0 {
			s.Y[i] = got.of[l]
		}
	}
	return nil
}

// known lists the examples that have the target and all attributes, and notes how many lack which.
func (r *roles) known(s *Sample) (kept []int, err error) {
	n := s.Len()
	out := make([]bool, n)
	for _, a := range append([]Attribute{{Name: s.Target, Labels: s.Y, Numbers: s.YNumbers}}, s.Sensitive...) {
		lacking := 0
		for i := range out {
			if a.Labels != nil && a.Labels[i] < 0 || a.Numbers != nil && math.IsNaN(a.Numbers[i]) {
				lacking++
				out[i] = true
			}
		}
		if lacking > 0 {
			r.note("%d of %d examples left out: they have no %s", lacking, n, showName(a.Name))
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
