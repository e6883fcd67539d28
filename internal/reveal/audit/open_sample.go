package audit

import (
	"cmp"
	"fmt"
	"slices"

	"tattle/internal/data/sheet"
	"tattle/internal/reveal/curious"
)

// finerNote says that a code in further digits would not be found.
const finerNote = "the outputs have more digits than a float32: the attacks did not look at the digits beyond it, where anything can be hidden"

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
