package audit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tattle/internal/data/sheet"
	"tattle/internal/file"
	"tattle/internal/protect/measure"
	"tattle/internal/reveal/curious"
)

const maxSensitiveValues = 100 // classes of an attribute

// absent are the words for a label that is not known, in small letters.
var absent = []string{"", "na", "n/a", "<na>", "nan", "null", "?"}

// attribute makes the attribute of all examples, of at most a number of classes; those without a value have the
// label −1, or NaN. named are values that are classes even if they mean a missing one elsewhere.
func (w *label) attribute(c *sheet.Labels, most int, named []string) (a Attribute, err error) {
	values := slices.Clone(c.Values) // "" for those that mean a missing value
	for i, v := range values {
		class, err := strconv.Atoi(v)
		switch unknown := slices.Contains(absent, strings.ToLower(v)) && !slices.Contains(named, v); {
		case w.Listed == nil && unknown, w.Listed != nil && class == -1:
			values[i] = ""
		case w.Listed == nil:
		case err != nil || class < 0 || class >= len(w.Listed):
			return a, fmt.Errorf("%s, row %d (from 0): class %s does not exist: it is described with %d classes, from 0", file.Shown(w.name), slices.Index(c.Codes, int32(i)), file.Shown(v), len(w.Listed))
		default:
			values[i] = w.Listed[class]
		}
	}
	a, err = w.Of(w.name, values, most)
	a.Labels, a.Numbers = pick(a.Labels, c.Codes), pick(a.Numbers, c.Codes)
	return a, err
}

// samples reads the columns and makes the sample, and those of the honest classifiers. stated is the kind of outputs
// that the user gives, "" for none.
func (r *roles) samples(stated curious.Outputs) ([]*Sample, error) {
	if stated != "" && r.vectors {
		return nil, fmt.Errorf("outputs %q: vectors are neither scores nor probabilities; do not give the kind of outputs", string(stated))
	}
	var numbers [][]int
	for _, g := range r.outputs {
		numbers = append(numbers, g.columns)
	}
	var at []int
	for _, w := range r.labels() {
		at = append(at, w.at)
	}
	if r.group != nil {
		at = append(at, r.group.at)
	}
	c, err := r.Read(numbers, at)
	if err != nil {
		return nil, err
	}
	if c.Finer {
		r.notes = append(r.notes, "the outputs have more digits than a float32: the attacks did not look at the digits beyond it, where anything can be hidden")
	}
	joined := answers{made: r.made, place: c.Place}
	for i, w := range r.labels() {
		isTarget, most, named := i == 0 && r.target != nil, maxSensitiveValues, []string(nil)
		if isTarget {
			most, named, w.Class = maxColumns, r.outputs[0].classes, !w.Number
		}
		a, err := w.attribute(c.Labels[i], most, named)
		switch {
		case err != nil:
			return nil, err
		case isTarget:
			joined.target, joined.ordered = &a, w.Grouped() || w.Listed != nil
		default:
			joined.sensitive = append(joined.sensitive, a)
		}
	}
	if w := r.group; w != nil {
		w.Class, w.Number = true, false
		a, err := w.attribute(c.Labels[len(at)-1], math.MaxInt, nil)
		if err != nil {
			return nil, err
		}
		switch joined.group = &a; len(a.Values) {
		case 0:
			return nil, &measure.OptionError{Option: "Group", Err: fmt.Errorf("%s has no values: name a column with one for each person", file.Shown(w.name))}
		case 1:
			return nil, &measure.OptionError{Option: "Group", Err: fmt.Errorf("%s has the single value %s: name a column with one for each person", file.Shown(w.name), file.Shown(a.Values[0]))}
		}
	}
	var all []*Sample
	for i, g := range r.outputs {
		a := joined
		a.outputs, a.width, a.classes, a.kind = c.Numbers[i], len(g.classes), g.classes, cmp.Or(stated, g.kind)
		if r.vectors {
			a.kind = Vector
		}
		s, err := a.sample()
		if err != nil && i > 0 {
			err = fmt.Errorf("reference %s: %w", file.Shown(g.name), err)
		}
		if err != nil {
			return nil, err
		}
		s.Name, s.Notes = g.name, slices.Concat(r.notes, s.Notes)
		all = append(all, s)
	}
	return all, nil
}
