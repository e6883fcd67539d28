package audit

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"tattle/curious"
)

// source is what a file holds, and what its columns are.
type source struct {
	*roles
	*content
	target  *column // nil if there is none, as vectors may have
	columns []*column
}

const (
	// finerNote says that a code in further digits would not be found.
	finerNote = "the outputs have more digits than a float32: the attacks did not look at the digits beyond it, where anything can be hidden"
	// noTargetNote says what an audit without a target compares with.
	noTargetNote = "no target is audited with the vectors: attacks are compared with how often each value is"
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
	src := &source{roles: r}
	if src.content, err = c.read(r.scores, r.labels()); err != nil {
		return nil, err
	}
	if src.columns = src.content.labels; r.target >= 0 {
		src.target, src.columns = src.columns[0], src.columns[1:]
		src.target.name = targetName(cmp.Or(r.fields[r.target].title, r.fields[r.target].name))
		if src.target, err = src.target.ruled(r.rule); err != nil {
			return nil, err
		}
	}
	if src.finer {
		r.note(finerNote)
	}
	s := &Sample{Kind: r.kind}
	var unknown []bool
	if s.Kind == Vector {
		unknown, err = src.vectors(s)
	} else {
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
		err = s.settle(src.content.scores, len(r.classes), cmp.Or(o.Kind, r.kind), place)
	} else if s.Outputs = src.content.scores; s.YNumbers != nil {
		if s.cut(); len(s.Classes) < 2 {
			return nil, fmt.Errorf("%s has a single number: name another target, or none", showName(s.Target))
		}
		r.note("%s is numeric: what it says of an attribute is learned from examples with similar numbers", showName(s.Target))
	}
	s.Notes = append(r.notes, s.Notes...)
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
	if len(src.target.values) > maxColumns {
		return nil, fmt.Errorf("%s has %d values: want classes", showName(src.target.name), len(src.target.values))
	}
	if src.roles.classes[0] == "" && len(src.target.listed) == len(src.roles.classes) {
		src.roles.classes = src.target.listed
	}
	if src.rule == nil {
		got, err := classesOf(src.target, src.roles.classes)
		if err != nil {
			return nil, err
		}
		return src.take(s, got), nil
	}
	made := src.target.listed
	if want := max(len(src.roles.classes), 2); len(made) != want {
		return nil, fmt.Errorf("the rule of %s makes %d classes of %d columns of outputs: want as many", showName(src.target.name), len(made), want)
	}
	got, ok := byName(src.target.values, src.roles.classes, strings.ToLower)
	if !ok {
		got = inOrder(src.target.values, made)
		got.note = fmt.Sprintf("the columns of outputs are taken for the classes of the rule in their order: %s", showNames(made))
	}
	return src.take(s, got), nil
}

// vectors gives a sample of vectors its target, if it has one: numbers, the classes of a rule, those that
// the file lists, else its values in their order.
func (src *source) vectors(s *Sample) (unknown []bool, err error) {
	s.Width, s.Classes, s.Y = len(src.roles.classes), []string{anyClass}, make([]int, len(src.columns[0].codes))
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
	got := inOrder(c.values, c.listed)
	if c.listed == nil {
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
	n, w := len(s.Y), len(src.roles.classes)
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
		a, unknown, err := c.attribute(src.sensitive[i])
		if err != nil {
			return nil, err
		}
		leaveOut(unknown, a.Name)
		s.Sensitive = append(s.Sensitive, a)
	}
	var kept []int
	for i := range out {
		if !out[i] {
			copy(src.content.scores[len(kept)*w:][:w], src.content.scores[i*w:][:w])
			kept = append(kept, i)
		}
	}
	if len(kept) == 0 {
		return nil, errors.New("no example has all its labels: fill them in, or name fewer sensitive columns")
	}
	if src.content.scores = src.content.scores[:len(kept)*w]; len(kept) < n {
		s.Y, s.YNumbers = pick(s.Y, kept), pick(s.YNumbers, kept)
		for i, a := range s.Sensitive {
			s.Sensitive[i].Labels, s.Sensitive[i].Numbers = pick(a.Labels, kept), pick(a.Numbers, kept)
		}
	}
	s.Sensitive, err = src.made.make(s.Sensitive)
	return func(i int) string { return src.place(kept[i]) }, err
}
