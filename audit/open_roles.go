package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tattle/curious"
	"tattle/dataset"
	"tattle/measure"
)

// targetNames are what a column of the true y is called, in the order in which they
// are looked for.
var targetNames = []string{"y", "target", "label", "labels", "y_true"}

// The prefixes in a header before the name of the target and of an attribute.
const (
	targetPrefix    = "y:"
	sensitivePrefix = "s:"
)

// manner is how a column becomes an attribute.
type manner int

const (
	guessed  manner = iota // numbers if there are more than maxValues, classes otherwise
	asNumber               // NAME:number
	asClass                // NAME:class
)

// label is a target or a sensitive attribute as the options or the header describe it.
type label struct {
	at     int    // its column
	name   string // of the column, then of the attribute
	manner manner
	rule   dataset.Rule // with classes, or none
}

// typed reads NAME, NAME:number or NAME:class.
func typed(text string) label {
	text = strings.TrimSpace(text)
	if name, ok := strings.CutSuffix(text, dataset.NumberSuffix); ok {
		return label{name: strings.TrimSpace(name), manner: asNumber}
	}
	if name, ok := strings.CutSuffix(text, ":class"); ok {
		return label{name: strings.TrimSpace(name), manner: asClass}
	}
	return label{name: text}
}

// roles says what the columns of a file are.
type roles struct {
	*columns
	scores     []int    // in the order of the classes
	classes    []string // of each number of the outputs; "" if it has no name
	kind       curious.Outputs
	target     *label // nil for none, of vectors
	sensitive  []label
	references []int            // outputs of honest classifiers
	made       sensitiveColumns // of the sensitive columns
	notes      []string
}

func (r *roles) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// findRoles determines what the columns are, by the options and by their names.
func findRoles(c *columns, o OpenOptions) (*roles, error) {
	r := &roles{columns: c}
	if err := r.findTarget(o.Target); err != nil {
		return nil, err
	}
	noTarget := r.target == nil && o.Target == ""
	missing := fmt.Errorf("has no column y, target or label: name the column of the true labels with --target; there are %s", showNames(r.names()))
	if noTarget && len(o.Columns) == 0 && c.noun == "column" { // an array may be of vectors, which need none
		return nil, missing
	}
	if err := r.findSensitive(o.Sensitive); err != nil {
		return nil, err
	}
	for _, p := range o.references {
		found, _ := r.matching(p)
		r.references = append(r.references, found...)
	}
	if err := r.findScores(o); err != nil {
		return nil, err
	}
	// Vectors have a target only if one is named: by the options, or by the file as an audit writes it.
	switch named := o.Target != "" || r.target != nil && r.fields[r.target.at].title != ""; {
	case r.kind == Vector && !named:
		r.target = nil
	case noTarget:
		return nil, missing
	case r.target == nil || r.target.manner == asNumber:
		r.kind = Vector // classes of y have scores, numbers have not
	}
	if c.noun == "array" && len(o.Sensitive) == 0 {
		r.otherArrays()
	}
	if err := r.checkLabels(); err != nil {
		return nil, err
	}
	if unused := r.free(); len(unused) > 0 {
		r.note("%ss that are not used: %s", r.noun, showNames(pick(r.names(), unused)))
	}
	return r, nil
}

// bothRoles is the error of an attribute that is both target and sensitive.
func bothRoles(name string) error {
	return &measure.OptionError{Option: "Target", Err: fmt.Errorf("%s is both target and sensitive: name another target, or none", showName(name))}
}

// find returns the column of a name: as it is written, as part of y:NAME or s:NAME, or
// written with other capitals.
func (r *roles) find(name string) (int, error) {
	for _, is := range []func(f field) bool{
		func(f field) bool { return f.name == name },
		func(f field) bool { return f.title == name },
		func(f field) bool {
			w, ok := parseSensitive(f.name)
			return ok && w.name == name || targetName(f.name) == name
		},
		func(f field) bool { return strings.EqualFold(f.name, name) },
	} {
		if k := slices.IndexFunc(r.fields, is); k >= 0 {
			return k, nil
		}
	}
	return -1, fmt.Errorf("has no column %s: there are %s", showName(name), showNames(r.names()))
}

// asked reads "NAME", "NAME:number", "NAME:class" or a rule, which the option gives. A text that is the
// name of a column means that column.
func (r *roles) asked(option, text string) (w label, err error) {
	written := func(f field) bool { return f.name == text || f.title == text }
	if w.name = text; !slices.ContainsFunc(r.fields, written) {
		if w = typed(text); w.manner == guessed {
			if w.rule, err = dataset.ParseRule(text); err != nil {
				return w, &measure.OptionError{Option: option, Err: err}
			}
			w.name = w.rule.Column()
		}
	}
	if w.at, err = r.find(w.name); err != nil {
		return w, &measure.OptionError{Option: option, Err: err}
	}
	own := r.described(w.at)
	if w.name = own.name; w.manner == guessed && !w.rule.Grouped() {
		w.manner = own.manner
	}
	return w, nil
}

// described returns the label of a column as the file describes it.
func (r *roles) described(k int) label {
	f := r.fields[k]
	if w, ok := parseSensitive(f.name); ok && f.shape == nil {
		w.at = k
		return w
	}
	return label{at: k, name: cmp.Or(f.title, targetName(f.name)), manner: f.manner}
}

// targetName returns NAME of y:NAME, and other names as they are.
func targetName(header string) string {
	if name, ok := strings.CutPrefix(header, targetPrefix); ok && name != "" {
		return name
	}
	return header
}

// parseSensitive reads the name of a sensitive column in a header: s1, s2_race, s, sensitive,
// s:NAME, s:NAME:number or s:NAME:class.
func parseSensitive(header string) (label, bool) {
	folded := strings.ToLower(header)
	if strings.HasPrefix(folded, sensitivePrefix) {
		return typed(header[len(sensitivePrefix):]), true
	}
	numbered := len(folded) > 1 && folded[0] == 's' && folded[1] >= '0' && folded[1] <= '9'
	return label{name: header}, numbered || folded == "s" || folded == "sensitive"
}

// findTarget finds the column of the target, if there is one.
func (r *roles) findTarget(asked string) error {
	switch asked {
	case dataset.NoTarget:
		return nil
	case "":
		for _, name := range targetNames {
			k := slices.IndexFunc(r.fields, func(f field) bool {
				return strings.EqualFold(f.name, name) || name == "y" && strings.HasPrefix(f.name, targetPrefix)
			})
			if k >= 0 {
				r.target = new(r.described(k))
				return nil
			}
		}
		return nil
	}
	w, err := r.asked("Target", asked)
	r.target = &w
	return err
}

// findSensitive finds the columns of the sensitive attributes, those that are asked for or, in a
// table, those that are called so.
func (r *roles) findSensitive(asked []string) (err error) {
	if r.made, err = splitSensitive(asked, func(name string) bool { _, err := r.find(name); return err == nil }); err != nil {
		return err
	}
	for _, text := range r.made.read {
		w, err := r.asked("Sensitive", text)
		if err != nil {
			return err
		}
		r.sensitive = append(r.sensitive, w)
	}
	if len(asked) > 0 || r.noun == "array" {
		return nil
	}
	for k, f := range r.fields {
		if _, ok := parseSensitive(f.name); ok && !r.isTarget(k) {
			r.sensitive = append(r.sensitive, r.described(k))
		}
	}
	if len(r.sensitive) == 0 {
		return fmt.Errorf("has no sensitive column (s1, s2, … or s:NAME): name one or more with --sensitive; there are %s", showNames(r.names()))
	}
	return nil
}

// otherArrays takes every array with one entry for each example for a sensitive attribute, unless it
// has a role or a name of the target.
func (r *roles) otherArrays() {
	for _, k := range r.free() {
		if f := r.fields[k]; f.width() == 1 && f.shape[0] == r.examples() && !slices.Contains(targetNames, strings.ToLower(f.name)) {
			r.sensitive = append(r.sensitive, r.described(k))
		}
	}
}

// examples returns the number of examples of an .npz.
func (r *roles) examples() int { return r.fields[r.scores[0]].shape[0] }

func (r *roles) isTarget(k int) bool { return r.target != nil && r.target.at == k }

// checkLabels returns an error unless target and sensitive attributes are columns that can be that.
// Attributes of one name get numbers.
func (r *roles) checkLabels() error {
	if n := len(r.sensitive); n == 0 || n > maxAttributes {
		return fmt.Errorf("has %d sensitive %ss with an entry for each example, beside outputs and target: want 1 to %d; there are %s; of one-hot rows that is array.argmax(1)", n, r.noun, maxAttributes, showNames(r.names()))
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
		if r.isTarget(w.at) && !r.target.rule.Grouped() && !w.rule.Grouped() {
			return bothRoles(r.target.name)
		}
	}
	for _, w := range r.labels() {
		if f := r.fields[w.at]; f.shape != nil && (f.width() != 1 || f.shape[0] != r.examples()) {
			return fmt.Errorf("array %s has the shape %v: want one label for each of %d examples; of one-hot rows that is %s.argmax(1)", showName(f.name), f.shape, r.examples(), showName(f.name))
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
	for _, k := range slices.Concat(r.scores, r.references) {
		has[k] = true
	}
	for _, w := range r.labels() {
		has[w.at] = true
	}
	for k, f := range r.fields {
		if f.name != "" && !has[k] {
			list = append(list, k)
		}
	}
	return list
}
