package audit

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"tattle/curious"
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
	r.notes = slices.Clip(r.notes) // what follows are notes of each sample
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
	var y *sheet.Labels
	if r.target != nil {
		y, c.Labels = c.Labels[0], c.Labels[1:]
	}
	var sensitive []Attribute
	for i, w := range r.sensitive {
		a, err := w.attribute(c.Labels[i], maxSensitiveValues, nil)
		if err != nil {
			return nil, err
		}
		sensitive = append(sensitive, a)
	}
	var all []*Sample
	for i, g := range groups {
		if g.kind == "" {
			g.kind = stated
		}
		one := *r // with notes of its own
		s, err := one.sample(g, c.Numbers[i], y, sensitive, c.Place)
		switch {
		case err != nil && i > 0:
			return nil, referenceError(r.patterns[i-1], err)
		case err != nil:
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// sample joins outputs to the labels of the examples; place says where an example is.
func (r *roles) sample(g *outputGroup, outputs []float32, y *sheet.Labels, sensitive []Attribute, place func(i int) string) (*Sample, error) {
	// The outputs are numbers, whatever they mean, until the examples are chosen.
	s := &Sample{Kind: Vector, Width: len(g.classes), Outputs: outputs, Classes: []string{anyClass}, Sensitive: slices.Clone(sensitive)}
	s.Y = make([]int, len(outputs)/s.Width)
	if y == nil {
		r.note(noTargetNote)
	} else if err := r.takeTarget(s, g, y); err != nil {
		return nil, err
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
	case g.kind != Vector:
		err = s.settle(s.Outputs, s.Width, g.kind, func(i int) string { return place(kept[i]) })
		s.Width = 0
	case s.YNumbers != nil:
		if s.cut(); len(s.Classes) < 2 {
			return nil, fmt.Errorf("%s has a single number: name another target, or none", showName(s.Target))
		}
		r.note("%s is numeric: what it says of an attribute is learned from examples with similar numbers", showName(s.Target))
	}
	if s.Notes = append(r.notes, s.Notes...); err != nil {
		return nil, err
	}
	return s, s.writable()
}

// takeTarget gives a sample its target: the classes of scores, or numbers or classes of vectors.
func (r *roles) takeTarget(s *Sample, g *outputGroup, c *sheet.Labels) error {
	most, w := maxColumns, *r.target
	if w.manner != asNumber {
		w.manner = asClass
	}
	if g.kind == Vector {
		most = maxTargets
	}
	y, err := w.attribute(c, most, g.classes)
	if err != nil {
		return err
	}
	if y.Numeric() {
		s.Target, s.YNumbers = y.Name, y.Numbers
		return nil
	}
	got := classed{names: y.Values, of: inOrder(y.Values, y.Values)}
	if g.kind != Vector {
		if got, err = matchColumns(&w, &y, g.classes, w.listed != nil && !w.rule.Grouped()); err != nil {
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
			r.note("%d of %d examples left out: they have no %s", lacking, len(out), showName(a.Name))
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
