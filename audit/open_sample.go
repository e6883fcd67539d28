package audit

import (
	"errors"
	"fmt"

	"tattle/curious"
)

// sample makes the sample of what was read.
func (src *source) sample(o OpenOptions) (*Sample, error) {
	if src.kind == Vector {
		return src.vectors(o)
	}
	if o.Kind != "" && o.Kind != curious.Raw && o.Kind != curious.Soft {
		return nil, fmt.Errorf("outputs %q: want %s or %s", string(o.Kind), curious.Raw, curious.Soft)
	}
	classes, y, unknown, err := src.targets()
	if err != nil {
		return nil, err
	}
	s := &Sample{Target: src.target.name, Classes: classes, Y: y}
	keep, err := src.attributes(s, unknown)
	if err != nil {
		return nil, err
	}
	stated := o.Kind
	if stated == "" {
		stated = src.kind
	}
	if err := s.settle(src.scores, len(src.classes), stated, keep.place); err != nil {
		return nil, err
	}
	s.Notes = append(src.notes, s.Notes...)
	return s, nil
}

// attributes adds the sensitive attributes to a sample, and leaves out the examples that lack one
// or, as unknown says, the target.
func (src *source) attributes(s *Sample, unknown []bool) (*keeper, error) {
	keep := newKeeper(src, len(s.Y))
	keep.leaveOut(unknown, s.Target)
	for i := range src.columns {
		a, unknown, err := src.columns[i].attribute()
		if err != nil {
			return nil, err
		}
		keep.leaveOut(unknown, a.Name)
		s.Sensitive = append(s.Sensitive, a)
	}
	if err := keep.apply(s); err != nil {
		return nil, err
	}
	var err error
	s.Sensitive, err = src.made.make(s.Sensitive)
	return keep, err
}

// vectors makes the sample of vectors, with or without a target.
func (src *source) vectors(o OpenOptions) (*Sample, error) {
	if o.Kind != "" && o.Kind != Vector {
		return nil, fmt.Errorf("outputs %q: vectors are no scores or probabilities; leave the kind of outputs out", string(o.Kind))
	}
	s := &Sample{Kind: Vector, Width: len(src.classes), Classes: []string{anyClass}, Y: make([]int, len(src.scores)/len(src.classes))}
	var unknown []bool
	if src.target != nil && src.numeric {
		c := attributeColumn{src.target, wanted{manner: asNumber}}
		a, none, err := c.attribute()
		if err != nil {
			return nil, err
		}
		s.Target, s.YNumbers, unknown = a.Name, a.Numbers, none
	} else if src.target != nil {
		classes, err := src.valuesOfTarget()
		if err != nil {
			return nil, err
		}
		if len(classes.names) < 2 {
			src.note("column %s has a single value and explains nothing: it is not used", showName(src.target.name))
		} else {
			s.Target, s.Classes, s.Y = src.target.name, classes.names, spread(src.target, classes.of)
			unknown = make([]bool, len(s.Y))
			for i, y := range s.Y {
				unknown[i] = y < 0
			}
		}
	}
	if s.Target == "" {
		src.note(noTargetNote)
	}
	if _, err := src.attributes(s, unknown); err != nil {
		return nil, err
	}
	if s.YNumbers != nil {
		if s.cut(); len(s.Classes) < 2 {
			return nil, fmt.Errorf("%s has a single number: name another target, or none", showName(s.Target))
		}
		src.note("%s is numeric: what it says of an attribute is learned from examples with similar numbers", showName(s.Target))
	}
	s.Outputs, s.Notes = src.scores, src.notes
	return s, nil
}

// valuesOfTarget returns the classes of a target that has no columns of outputs: those of its rule,
// those that the file lists, else its values in their order.
func (src *source) valuesOfTarget() (classed, error) {
	if src.rule != nil {
		a, err := src.rule.Apply(src.target.name, src.target.known())
		return classed{names: a.Values, of: a.Labels}, err
	}
	values := src.target.known()
	names := src.listed
	if names == nil {
		names = sorted(values)
	}
	if most := maxTargets; len(names) > most {
		return classed{}, fmt.Errorf("%s has %d values: want at most %d classes, or a rule that makes some, as \"%s: <0, >=0\"", showName(src.target.name), len(names), most, src.target.name)
	}
	return inOrder(values, names, ""), nil
}

// maxTargets is the largest number of classes of y beside vectors, each of which is a table's row.
const maxTargets = 1000

// settle takes over outputs of width columns, which it may change: it widens single
// ones, reports whether they are soft, and undoes what rounding did to sums.
func (s *Sample) settle(outputs []float32, width int, stated curious.Outputs, place func(i int) string) (err error) {
	if width == 1 {
		if s.Kind, err = kindOfOne(outputs, stated, place); err != nil {
			return err
		}
		format := asScore
		switch soft := s.Kind == curious.Soft; {
		case soft && zeroOne(outputs):
			format = asLabel
		case soft:
			format = asProbability
		}
		s.Notes = append(s.Notes, fmt.Sprintf(format, showName(s.Classes[1])))
		s.Outputs = widen(outputs, s.Kind)
		return nil
	}
	s.Outputs = outputs
	var note string
	if s.Kind, note, err = kindOf(outputs, width, stated, place); note != "" {
		s.Notes = append(s.Notes, note)
	}
	return err
}

// keeper counts examples that have no label and removes them.
type keeper struct {
	src  *source
	out  []bool
	kept []int // nil while all are
}

func newKeeper(src *source, n int) *keeper { return &keeper{src: src, out: make([]bool, n)} }

// leaveOut removes the examples that have no value of a column.
func (k *keeper) leaveOut(unknown []bool, name string) {
	n := 0
	for i, none := range unknown {
		if none {
			n++
			k.out[i] = true
		}
	}
	if n > 0 {
		k.src.note("%d of %d examples left out: they have no %s", n, len(unknown), showName(name))
	}
}

// place says where in the file kept example i is.
func (k *keeper) place(i int) string {
	if k.kept != nil {
		i = k.kept[i]
	}
	return k.src.place(i)
}

// apply removes them from the source's scores and the labels of s.
func (k *keeper) apply(s *Sample) error {
	kept := make([]int, 0, len(k.out))
	for i, out := range k.out {
		if !out {
			kept = append(kept, i)
		}
	}
	if len(kept) == 0 {
		return errors.New("no example has all its labels: fill them in, or name fewer sensitive columns")
	}
	if len(kept) == len(k.out) {
		return nil
	}
	k.kept = kept
	w := len(k.src.classes)
	for to, from := range kept {
		copy(k.src.scores[to*w:][:w], k.src.scores[from*w:][:w])
	}
	k.src.scores = k.src.scores[:len(kept)*w]
	s.Y, s.YNumbers = pick(s.Y, kept), pick(s.YNumbers, kept)
	for i, a := range s.Sensitive {
		s.Sensitive[i].Labels, s.Sensitive[i].Numbers = pick(a.Labels, kept), pick(a.Numbers, kept)
	}
	return nil
}
