package audit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"tattle/internal/data/dataset"
	"tattle/internal/data/sheet"
	"tattle/internal/file"
	"tattle/internal/protect/measure"
)

// Bounds of what is audited.
const (
	maxAttributes = 1000
	maxTargets    = 1000 // classes of y beside vectors
)

// targetNames are what a column of the true y is called, in the order in which they
// are looked for.
var targetNames = []string{"y", "target", "label", "labels", "y_true"}

// The prefixes in a header before the name of the target and of an attribute.
const (
	targetPrefix    = "y:"
	sensitivePrefix = "s:"
)

// field is a column with what its name, or the file, says of it.
type field struct {
	sheet.Field
	label     label // as which it is read
	sensitive bool  // it is called s1, s2_race, s, sensitive or s:NAME
	described bool  // the file describes it
}

// sensitiveName matches the names of columns of sensitive attributes, in small letters.
var sensitiveName = regexp.MustCompile(`^(s|s[0-9].*|sensitive)$`)

// newField reads the name of column k.
func newField(k int, f sheet.Field) field {
	x := field{Field: f, label: label{name: f.Name}}
	small := strings.ToLower(f.Name)
	if strings.HasPrefix(small, sensitivePrefix) {
		x.label, x.sensitive = labelOf(f.Name[len(sensitivePrefix):]), true
	} else if name, ok := strings.CutPrefix(f.Name, targetPrefix); ok && name != "" {
		x.label.name = name
	}
	x.sensitive = x.sensitive || sensitiveName.MatchString(small)
	x.label.at = k
	return x
}

// description says of an array of labels what numbers cannot.
type description struct {
	Array  string   `json:"array"`
	Name   string   `json:"name"`             // of the target or the attribute
	Values []string `json:"values,omitempty"` // the classes of the integers; −1 is none
	Number bool     `json:"number,omitempty"`
}

// descriptionsArray is the array that describes the arrays of labels, as JSON.
const descriptionsArray = "descriptions"

// describe takes over what the file says of its arrays.
func (r *roles) describe() error {
	k := slices.Index(r.Names(), descriptionsArray)
	if k < 0 || !r.arrays() {
		return nil
	}
	var list []description
	c, err := r.Read(nil, []int{k})
	if err == nil {
		err = json.Unmarshal([]byte(strings.Join(c.Labels[0].Values, "")), &list)
	}
	if err != nil {
		return fmt.Errorf("array %s: %w: leave it out, or write the outputs again", descriptionsArray, err)
	}
	r.fields[k].Name = "" // it has no other role
	for _, d := range list {
		for i, v := range d.Values {
			d.Values[i] = strings.TrimSpace(v)
		}
		if slices.Contains(d.Values, "") || len(slices.Compact(slices.Sorted(slices.Values(d.Values)))) < len(d.Values) {
			return fmt.Errorf("%s is described with a class twice, or one without a name: rename it", file.Shown(d.Name))
		}
		for i := range r.fields {
			if f := &r.fields[i]; f.Name == d.Array {
				f.described, f.label.name, f.label.Listed, f.label.Number = true, cmp.Or(d.Name, f.Name), d.Values, d.Number
			}
		}
	}
	return nil
}

// roles says what the columns of a file are.
type roles struct {
	*sheet.Columns
	fields     []field
	outputs    *outputGroup
	references []*outputGroup // outputs of honest classifiers
	patterns   []string       // of these
	target     *label         // nil for none, of vectors
	sensitive  []label
	made       dataset.Sensitive // of the sensitive columns
	notes      []string
}

func (r *roles) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// arrays reports whether the columns are the arrays of an .npz.
func (r *roles) arrays() bool { return r.Noun == "array" }

// findRoles determines what the columns are, by the options and by their names; patterns are of the outputs of
// honest classifiers.
func findRoles(c *sheet.Columns, o OpenOptions, patterns []string) (*roles, error) {
	r := &roles{Columns: c, patterns: patterns}
	for k, f := range c.Fields {
		r.fields = append(r.fields, newField(k, f))
	}
	if err := r.describe(); err != nil {
		return nil, err
	}
	if err := r.findTarget(o.Target); err != nil {
		return nil, err
	}
	lacking := func() error { // what has scores has a target
		if r.target == nil && o.Target == "" {
			return fmt.Errorf("has no column y, target or label: name the column of the true labels with --target; there are %s", file.ShownNames(r.names()))
		}
		return nil
	}
	if len(o.Columns) == 0 && !r.arrays() { // an array may be of vectors, which need none
		if err := lacking(); err != nil {
			return nil, err
		}
	}
	if err := r.findSensitive(o.Sensitive); err != nil {
		return nil, err
	}
	if err := r.findScores(o); err != nil {
		return nil, err
	}
	// Vectors have a target only if one is named: by the options, or by the file as an audit writes it.
	if named := o.Target != "" || r.target != nil && r.fields[r.target.at].described; r.outputs.kind == Vector && !named {
		r.target = nil
	} else if err := lacking(); err != nil {
		return nil, err
	} else if r.target == nil || r.target.Number {
		r.outputs.kind = Vector // classes of y have scores, numbers have not
	}
	if r.arrays() && len(o.Sensitive) == 0 {
		r.otherArrays()
	}
	if err := r.checkLabels(); err != nil {
		return nil, err
	}
	if unused := r.free(); len(unused) > 0 {
		r.note("%ss that are not used: %s", r.Noun, file.ShownNames(pick(r.names(), unused)))
	}
	return r, nil
}

// referenceError says which of the honest classifiers' outputs cannot be read.
func referenceError(pattern string, err error) error {
	return &measure.OptionError{Option: "ReferenceScores", Err: fmt.Errorf("reference %s: %w", file.Shown(pattern), err)}
}

// bothRoles is the error of an attribute that is both target and sensitive.
func bothRoles(name string) error {
	return &measure.OptionError{Option: "Target", Err: fmt.Errorf("%s is both target and sensitive: name another target, or none", file.Shown(name))}
}

// names returns the names of the columns; "" of those that can have no role.
func (r *roles) names() []string {
	names := make([]string, len(r.fields))
	for k, f := range r.fields {
		names[k] = f.Name
	}
	return names
}

// find returns the column of a name: as it is written, as part of y:NAME or s:NAME, or
// written with other capitals.
func (r *roles) find(name string) (int, error) {
	for _, is := range []func(f field) bool{
		func(f field) bool { return f.Name == name },
		func(f field) bool { return f.Name != "" && f.label.name == name },
		func(f field) bool { return strings.EqualFold(f.Name, name) },
	} {
		if k := slices.IndexFunc(r.fields, is); k >= 0 {
			return k, nil
		}
	}
	return -1, fmt.Errorf("has no column %s: there are %s", file.Shown(name), file.ShownNames(r.names()))
}

// asked reads "NAME", "NAME:number", "NAME:class" or a rule, which the option gives. A text that is the
// name of a column means that column.
func (r *roles) asked(option, text string) (w label, err error) {
	written := func(f field) bool { return f.Name == text || f.described && f.label.name == text }
	if w.name = text; !slices.ContainsFunc(r.fields, written) {
		if w.Asked, err = dataset.ParseAsked(text); err != nil {
			return w, &measure.OptionError{Option: option, Err: err}
		}
		w.name = w.Column()
	}
	k, err := r.find(w.name)
	if err != nil {
		return w, &measure.OptionError{Option: option, Err: err}
	}
	own := r.fields[k].label
	if !w.Number && !w.Class && !w.Grouped() {
		w.Number, w.Class = own.Number, own.Class
	}
	w.at, w.name, w.Listed = k, own.name, own.Listed
	return w, nil
}

// findTarget finds the column of the target, if there is one.
func (r *roles) findTarget(asked string) error {
	if asked == dataset.NoTarget {
		return nil
	}
	if asked != "" {
		w, err := r.asked("Target", asked)
		r.target = &w
		return err
	}
	for _, name := range targetNames {
		for _, f := range r.fields {
			if strings.EqualFold(f.Name, name) || name == "y" && strings.HasPrefix(f.Name, targetPrefix) {
				r.target = new(f.label)
				return nil
			}
		}
	}
	return nil
}

// findSensitive finds the columns of the sensitive attributes, those that are asked for or, in a
// table, those that are called so.
func (r *roles) findSensitive(asked []string) (err error) {
	if r.made, err = dataset.ParseSensitive(asked, func(name string) bool { _, err := r.find(name); return err == nil }); err != nil {
		return err
	}
	for _, text := range r.made.Read {
		w, err := r.asked("Sensitive", text)
		if err != nil {
			return err
		}
		r.sensitive = append(r.sensitive, w)
	}
	if len(asked) > 0 || r.arrays() {
		return nil
	}
	for k, f := range r.fields {
		if f.sensitive && !r.isTarget(k) {
			r.sensitive = append(r.sensitive, f.label)
		}
	}
	if len(r.sensitive) == 0 {
		return fmt.Errorf("has no sensitive column (s1, s2, … or s:NAME): name one or more with --sensitive; there are %s", file.ShownNames(r.names()))
	}
	return nil
}

// otherArrays takes every array with one entry for each example for a sensitive attribute, unless it
// has a role or a name of the target.
func (r *roles) otherArrays() {
	for _, k := range r.free() {
		if f := r.fields[k]; f.Width() == 1 && f.Shape[0] == r.examples() && !slices.Contains(targetNames, strings.ToLower(f.Name)) {
			r.sensitive = append(r.sensitive, f.label)
		}
	}
}

// examples returns the number of examples of an .npz.
func (r *roles) examples() int { return r.fields[r.outputs.columns[0]].Shape[0] }

func (r *roles) isTarget(k int) bool { return r.target != nil && r.target.at == k }

// checkLabels returns an error unless target and sensitive attributes are columns that can be that.
// Attributes of one name get numbers.
func (r *roles) checkLabels() error {
	if n := len(r.sensitive); n == 0 || n > maxAttributes {
		return fmt.Errorf("has %d sensitive %ss with an entry for each example, beside outputs and target: want 1 to %d; there are %s; of one-hot rows that is array.argmax(1)", n, r.Noun, maxAttributes, file.ShownNames(r.names()))
	}
	own, seen := map[string]int{}, map[string]bool{}
	for _, w := range r.sensitive {
		own[w.name]++
	}
	for i := range r.sensitive {
		w := &r.sensitive[i]
		name := w.name
		if name == "" {
			return fmt.Errorf("sensitive column %d has no name: write one into the header", i+1)
		}
		for k := 2; seen[w.name] || w.name != name && own[w.name] > 0; k++ {
			w.name = fmt.Sprintf("%s-%d", name, k)
		}
		seen[w.name] = true
		if r.isTarget(w.at) && !r.target.Grouped() && !w.Grouped() {
			return bothRoles(r.target.name)
		}
	}
	for _, w := range r.labels() {
		if f := r.fields[w.at]; f.Shape != nil && (f.Width() != 1 || f.Shape[0] != r.examples()) {
			return fmt.Errorf("array %s has the shape %v: want one label for each of %d examples; of one-hot rows that is %s.argmax(1)", file.Shown(f.Name), f.Shape, r.examples(), file.Shown(f.Name))
		}
	}
	return nil
}

// labels are the target, if there is one, and the attributes.
func (r *roles) labels() []label {
	if r.target == nil {
		return r.sensitive
	}
	return slices.Concat([]label{*r.target}, r.sensitive)
}

// free lists the columns with a name that have no role.
func (r *roles) free() (list []int) {
	has := make([]bool, len(r.fields))
	for _, g := range append(r.references, r.outputs) {
		if g != nil {
			for _, k := range g.columns {
				has[k] = true
			}
		}
	}
	for _, w := range r.labels() {
		has[w.at] = true
	}
	for k, f := range r.fields {
		if f.Name != "" && !has[k] {
			list = append(list, k)
		}
	}
	return list
}
