package audit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"tattle/internal/data/dataset"
	"tattle/internal/data/sheet"
	"tattle/internal/file"
	"tattle/internal/protect/measure"
)

// targetNames are what a column of the true y is called, in the order in which they
// are looked for.
var targetNames = []string{"y", "target", "label", "labels", "y_true"}

// The prefixes in a header before the name of the target and of an attribute.
const (
	targetPrefix    = "y:"
	sensitivePrefix = "s:"
)

// aboutSuffix follows, in an .npz that an audit writes, the name of an array of labels: that of the array with the name of
// the target or the attribute and the classes of the integers. If there are none, the labels are numbers.
const aboutSuffix = "_about"

// sensitiveName matches the names of columns of sensitive attributes, in small letters.
var sensitiveName = regexp.MustCompile(`^(s|s[0-9].*|s:.*|sensitive)$`)

// label is a target or a sensitive attribute as the options, the header or the file describe it.
type label struct {
	dataset.Asked
	at   int    // its column
	name string // of the column, then of the attribute
}

// field is a column with what its name, or the file, says of it.
type field struct {
	sheet.Field
	label label // as which it is read
	used  bool  // it has a role
}

// describe reads the names of the columns, and what the file says of its arrays.
func (r *roles) describe() error {
	for k, f := range r.Fields {
		x := field{Field: f, label: label{at: k, name: f.Name}}
		if prefix := strings.ToLower(f.Name[:min(len(f.Name), 2)]); len(f.Name) > 2 && (prefix == targetPrefix || prefix == sensitivePrefix) {
			x.label.name, x.label.Number = strings.CutSuffix(f.Name[2:], dataset.NumberSuffix)
		}
		r.fields = append(r.fields, x)
	}
	for at, f := range r.fields {
		name, is := strings.CutSuffix(f.Name, aboutSuffix)
		if !is || !r.arrays() || !slices.Contains(r.Names(), name) {
			continue
		}
		c, err := r.Read(nil, []int{at})
		if err != nil {
			return err
		}
		w := &r.fields[slices.Index(r.Names(), name)].label
		switch about := pick(c.Labels[0].Values, c.Labels[0].Codes); len(about) {
		case 0:
		case 1:
			w.name, w.Number = about[0], true
		default:
			w.name, w.Listed = about[0], about[1:]
		}
		r.fields[at].used = true
	}
	return nil
}

// roles says what the columns of a file are.
type roles struct {
	*sheet.Columns
	fields    []field
	outputs   []*outputGroup // those that are audited, then those of honest classifiers
	target    *label         // nil for none, of vectors
	sensitive []label
	group     *label            // nil for none
	made      dataset.Sensitive // of the sensitive columns
	vectors   bool              // the outputs are not scores of classes
	notes     []string
}

// arrays reports whether the columns are the arrays of an .npz.
func (r *roles) arrays() bool { return r.Noun == "array" }

// findRoles determines what the columns are, first by the options, then by their names.
func findRoles(c *sheet.Columns, o OpenOptions) (r *roles, err error) {
	r = &roles{Columns: c}
	if err := r.describe(); err != nil {
		return nil, err
	}
	if o.Target != "" && o.Target != dataset.NoTarget {
		if r.target, err = r.asked("Target", o.Target); err != nil {
			return nil, err
		}
	}
	if r.made, err = dataset.ParseSensitive(o.Sensitive, func(name string) bool { _, err := r.find(name); return err == nil }); err != nil {
		return nil, err
	}
	for _, text := range r.made.Read {
		w, err := r.asked("Sensitive", text)
		if err != nil {
			return nil, err
		}
		r.sensitive = append(r.sensitive, *w)
	}
	if o.Target == "" {
		r.findTarget()
	}
	if err := r.findGroup(o.Group); err != nil {
		return nil, err
	}
	switch err := r.findScores(o); {
	case r.target == nil && o.Target == "" && !o.Vectors && (err == nil && !r.vectors || err != nil && !r.arrays()):
		return nil, fmt.Errorf("has no column y, target or label: name the column of the true labels with --target; there are %s", file.ShownNames(r.Names()))
	case err != nil:
		return nil, err
	case r.target == nil || r.target.Number:
		r.vectors = true // classes of y have scores, numbers have not
	case r.vectors && o.Target == "" && r.target.Listed == nil:
		r.fields[r.target.at].used, r.target = false, nil // vectors have a target only if it is named, here or in the file
	}
	if len(o.Sensitive) == 0 {
		r.findSensitive()
	}
	if err := r.checkLabels(); err != nil {
		return nil, err
	}
	if unused := r.free(); len(unused) > 0 {
		names := pick(r.Names(), unused)
		r.notes = append(r.notes, fmt.Sprintf("%ss that are not used: %s", r.Noun, file.ShownNames(names)))
		if i := slices.IndexFunc(names, dataset.SaysGroup); i >= 0 && r.group == nil && o.Group == "" {
			r.notes = append(r.notes, fmt.Sprintf("every row counts as another person; if %s says whom a row is about, give --group %[1]s", file.Shown(names[i])))
		}
	}
	return r, nil
}

// bothRoles is the error of an attribute that is both target and sensitive.
func bothRoles(name string) error {
	return &measure.OptionError{Option: "Target", Err: fmt.Errorf("%s is both target and sensitive: name another target, or none", file.Shown(name))}
}

// find returns the column of a name: as it is written, or with other capitals, also as part of y:NAME or s:NAME.
func (r *roles) find(name string) (int, error) {
	k := slices.Index(r.Names(), name)
	if k < 0 {
		k = slices.IndexFunc(r.fields, func(f field) bool {
			return f.Name != "" && (strings.EqualFold(f.label.name, name) || strings.EqualFold(f.Name, name))
		})
	}
	if k >= 0 {
		return k, nil
	}
	return k, fmt.Errorf("has no column %s: there are %s", file.Shown(name), file.ShownNames(r.Names()))
}

// asked reads "NAME", "NAME:number", "NAME:class" or a rule, which the option gives. A text that is the
// name of a column means that column.
func (r *roles) asked(option, text string) (*label, error) {
	asked := dataset.Asked{}
	k, err := r.find(text)
	if err != nil {
		if asked, err = dataset.ParseAsked(text); err == nil {
			k, err = r.find(asked.Column)
		}
		if err != nil {
			return nil, &measure.OptionError{Option: option, Err: err}
		}
	}
	w := r.fields[k].label
	r.fields[k].used = true
	if asked.Number || asked.Class || asked.Grouped() {
		asked.Listed = w.Listed
		w.Asked = asked
	}
	return &w, nil
}

// findTarget finds the column of the target by its name.
func (r *roles) findTarget() {
	for _, name := range targetNames {
		k := slices.IndexFunc(r.fields, func(f field) bool {
			return strings.EqualFold(f.Name, name) || name == "y" && strings.HasPrefix(f.Name, targetPrefix)
		})
		if k >= 0 {
			r.target, r.fields[k].used = &r.fields[k].label, true
			return
		}
	}
}

// findGroup finds the column that identifies people: the one that is asked for or, of an .npz, an array that has such a
// name.
func (r *roles) findGroup(asked string) error {
	switch {
	case asked == dataset.NoGroup:
		return nil
	case asked != "":
		w, err := r.asked("Group", asked)
		r.group = w
		return err
	case !r.arrays():
		return nil
	}
	for _, k := range r.free() {
		if f := &r.fields[k]; dataset.SaysGroup(f.Name) {
			r.group, f.used = &f.label, true
			r.notes = append(r.notes, fmt.Sprintf("array %s says which person each example is about (--group none: every example is another person)", file.Shown(f.Name)))
			return nil
		}
	}
	return nil
}

// findSensitive takes for sensitive attributes, of what has no role, the columns that are called so, or every array with one
// entry for each example, unless it has a name of the target.
func (r *roles) findSensitive() {
	for _, k := range r.free() {
		f := &r.fields[k]
		if r.arrays() && f.Width() == 1 && f.Shape[0] == r.examples() && !slices.Contains(targetNames, strings.ToLower(f.Name)) || r.saysSensitive(k) {
			r.sensitive, f.used = append(r.sensitive, f.label), true
		}
	}
}

// saysSensitive reports whether a column of a CSV is called as a sensitive attribute.
func (r *roles) saysSensitive(k int) bool {
	return !r.arrays() && sensitiveName.MatchString(strings.ToLower(r.fields[k].Name))
}

// examples returns the number of examples of an .npz.
func (r *roles) examples() int { return r.fields[r.outputs[0].columns[0]].Shape[0] }

// checkLabels returns an error unless target and sensitive attributes are columns that can be that.
// Attributes of one name get numbers.
func (r *roles) checkLabels() error {
	if len(r.sensitive) == 0 {
		return fmt.Errorf("has no sensitive %s, such as s1, s2 or s:NAME: name one with --sensitive; there are %s; of one-hot rows take array.argmax(1)", r.Noun, file.ShownNames(r.Names()))
	}
	seen := map[string]bool{}
	for i := range r.sensitive {
		w := &r.sensitive[i]
		for k, name := 2, w.name; seen[w.name]; k++ {
			w.name = fmt.Sprintf("%s-%d", name, k)
		}
		seen[w.name] = true
		if r.target != nil && r.target.at == w.at && !r.target.Grouped() && !w.Grouped() {
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

// labels are the target, if there is one, the attributes, and the group, if there is one.
func (r *roles) labels() []label {
	all := slices.Clone(r.sensitive)
	if r.target != nil {
		all = slices.Insert(all, 0, *r.target)
	}
	if r.group != nil {
		all = append(all, *r.group)
	}
	return all
}

// free lists the columns with a name that have no role.
func (r *roles) free() (list []int) {
	for k, f := range r.fields {
		if f.Name != "" && !f.used {
			list = append(list, k)
		}
	}
	return list
}
