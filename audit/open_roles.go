package audit

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tattle/curious"
	"tattle/dataset"
	"tattle/internal/sheet"
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

// roles says what the columns of a table, or the arrays of an archive, are.
type roles struct {
	header     []string
	titles     []string // of each column, if they differ from the header's; may be nil
	scores     []int    // in the order of the classes
	classes    []string
	kind       curious.Outputs // that the names imply; "" if they do not
	target     int             // −1 for none, of vectors
	rule       *dataset.Rule   // of the target; nil for none
	numeric    bool            // the target is numeric
	sensitive  []wanted
	references []int            // outputs of honest classifiers
	made       sensitiveColumns // of the sensitive columns
	open       []candidate      // the scores are to be chosen among these; nil if they are known
	guessed    bool             // the scores are taken for outputs by names that other columns may have
}

// findRoles determines what the columns are, by the options and by their names.
func findRoles(header []string, o OpenOptions) (*roles, error) {
	r := &roles{header: header, target: -1}
	if o.Target != "" || len(o.Columns) == 0 { // vectors have a target only if one is named
		if err := r.findTarget(o.Target); err != nil {
			return nil, err
		}
	}
	if err := r.findSensitive(o.Sensitive); err != nil {
		return nil, err
	}
	for _, p := range o.references {
		found, _ := r.matching(p)
		r.references = append(r.references, found...)
	}
	if len(o.Columns) > 0 {
		if err := r.askedScores(o.Columns); err != nil {
			return nil, err
		}
		r.kind, r.classes = Vector, make([]string, len(r.scores))
		return r, nil
	}
	if err := r.findScores(o.Scores, r.target >= 0 && !r.numeric && o.Target != "" && len(o.Sensitive) > 0); err != nil {
		return nil, err
	}
	if r.target < 0 || r.numeric {
		r.kind = Vector // classes of y have scores, numbers have not
	}
	return r, nil
}

// bothRoles is the error of an attribute that is both target and sensitive.
func bothRoles(name string) error {
	return &measure.OptionError{Option: "Target", Err: fmt.Errorf("%s is both target and sensitive: name another target, or none", showName(name))}
}

// checkHeader returns an error if a line is not a header: its names must be distinct, and not all numbers.
func checkHeader(header []string, line int) error {
	numbers := 0
	for i, name := range header {
		if _, err := strconv.ParseFloat(name, 64); err == nil {
			numbers++
		}
		if len(name) > maxField {
			return fmt.Errorf("the name of column %d has %d bytes, more than %d: is the first line a header?", i+1, len(name), maxField)
		}
		if strings.ContainsRune(name, 0) {
			return fmt.Errorf("column %d of the header is not text: save the file as CSV in UTF-8", i+1)
		}
	}
	switch {
	case len(header) == 1:
		return fmt.Errorf("has the one column %s: part fields by commas, semicolons or tabs", showName(header[0]))
	case numbers == len(header):
		return errors.New("has no header: write the names of the columns in the first line, such as y,s1,score_0,score_1")
	}
	return sheet.Repeated(header, line)
}

// find returns the column of a name: as it is written, as part of y:NAME or s:NAME, or
// written with other capitals.
func (r *roles) find(name string) (int, error) {
	for _, is := range []func(k int, h string) bool{
		func(_ int, h string) bool { return h == name },
		func(k int, _ string) bool { return r.titles != nil && r.titles[k] == name },
		func(_ int, h string) bool {
			w, ok := parseSensitive(h)
			return ok && w.name == name || targetName(h) == name
		},
		func(_ int, h string) bool { return strings.EqualFold(h, name) },
	} {
		for k, h := range r.header {
			if is(k, h) {
				return k, nil
			}
		}
	}
	return -1, fmt.Errorf("has no column %s: there are %s", showName(name), showNames(r.header))
}

// has reports whether a column or its title is written so.
func (r *roles) has(name string) bool {
	return slices.Contains(r.header, name) || slices.Contains(r.titles, name)
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
func parseSensitive(header string) (wanted, bool) {
	folded := strings.ToLower(header)
	if strings.HasPrefix(folded, sensitivePrefix) {
		return typed(header[len(sensitivePrefix):]), true
	}
	numbered := len(folded) > 1 && folded[0] == 's' && folded[1] >= '0' && folded[1] <= '9'
	return wanted{name: header}, numbered || folded == "s" || folded == "sensitive"
}

// findTarget finds the column of the target.
func (r *roles) findTarget(asked string) error {
	if asked == dataset.NoTarget {
		return nil
	}
	if asked == "" {
		for _, name := range targetNames {
			for k, h := range r.header {
				if strings.EqualFold(h, name) || name == "y" && strings.HasPrefix(h, targetPrefix) {
					r.target = k
					return nil
				}
			}
		}
		return fmt.Errorf("has no column y, target or label: name the column of the true labels with --target; there are %s", showNames(r.header))
	}
	name := asked
	if w := typed(asked); !r.has(asked) && w.manner == asNumber {
		name, r.numeric = w.name, true
	} else if !r.has(asked) {
		rule, err := dataset.ParseRule(asked)
		if err != nil {
			return &measure.OptionError{Option: "Target", Err: fmt.Errorf("target: %w", err)}
		}
		if name = rule.Column(); rule.Grouped() {
			r.rule = &rule
		}
	}
	var err error
	if r.target, err = r.find(name); err != nil {
		return &measure.OptionError{Option: "Target", Err: err}
	}
	return nil
}

// findSensitive finds the columns of the sensitive attributes, those that are asked for or those that
// are called so. Attributes of one name get numbers.
func (r *roles) findSensitive(asked []string) (err error) {
	if r.made, err = splitSensitive(asked, func(name string) bool { _, err := r.find(name); return err == nil }); err != nil {
		return err
	}
	for _, text := range r.made.read {
		w, err := r.askedSensitive(text)
		if err != nil {
			return err
		}
		r.sensitive = append(r.sensitive, w)
	}
	for k, h := range r.header {
		if w, ok := parseSensitive(h); ok && len(asked) == 0 && k != r.target {
			w.at = k
			r.sensitive = append(r.sensitive, w)
		}
	}
	if len(r.sensitive) == 0 {
		return fmt.Errorf("has no sensitive column (s1, s2, … or s:NAME): name one or more with --sensitive; there are %s", showNames(r.header))
	}
	if len(r.sensitive) > maxAttributes {
		return fmt.Errorf("has %d sensitive columns, more than the limit of %d: name those that matter", len(r.sensitive), maxAttributes)
	}
	seen := map[string]bool{}
	for i := range r.sensitive {
		w := &r.sensitive[i]
		name := w.name
		if name == "" {
			return fmt.Errorf("sensitive column %d has no name: write one into the header", i+1)
		}
		for k := 2; seen[w.name]; k++ {
			w.name = fmt.Sprintf("%s-%d", name, k)
		}
		seen[w.name] = true
		if w.at == r.target && r.rule == nil && !w.rule.Grouped() {
			return bothRoles(targetName(r.header[r.target]))
		}
	}
	return nil
}

// askedSensitive reads "NAME", "NAME:number", "NAME:class" or a rule. A text that is the name of a
// column means that column.
func (r *roles) askedSensitive(text string) (w wanted, err error) {
	if w.name = text; !r.has(text) {
		if w = typed(text); w.manner == guessed {
			if w.rule, err = dataset.ParseRule(text); err != nil {
				return w, fmt.Errorf("sensitive: %w", err)
			}
			w.name = w.rule.Column()
		}
	}
	k, err := r.find(w.name)
	if err != nil {
		return w, &measure.OptionError{Option: "Sensitive", Err: err}
	}
	w.at, w.name = k, r.header[k]
	if own, ok := parseSensitive(r.header[k]); ok {
		if w.name = own.name; w.manner == guessed && !w.rule.Grouped() {
			w.manner = own.manner
		}
	}
	if r.titles != nil {
		w.name = r.titles[k]
	}
	return w, nil
}

// taken reports whether a column is target, sensitive or of an honest classifier.
func (r *roles) taken(k int) bool {
	return k == r.target || slices.ContainsFunc(r.sensitive, func(w wanted) bool { return w.at == k }) || slices.Contains(r.references, k)
}

// notes say which columns are taken for the outputs unasked, and which for nothing.
func (r *roles) notes() (notes []string) {
	if r.guessed {
		of, target := "", dataset.NoTarget
		if len(r.classes) > 1 && r.classes[0] != "" && !slices.ContainsFunc(r.classes, isNumber) {
			of = " of the classes " + showNames(r.classes)
		}
		if r.target >= 0 {
			target = showName(r.header[r.target])
		}
		var sensitive []string
		for _, w := range r.sensitive {
			sensitive = append(sensitive, r.header[w.at])
		}
		notes = append(notes, fmt.Sprintf("columns that are taken for the outputs%s: %s; for the target: %s; for what is sensitive: %s",
			of, showNames(pick(r.header, r.scores)), target, showNames(sensitive)))
	}
	isScore := make([]bool, len(r.header))
	for _, k := range r.scores {
		isScore[k] = true
	}
	var unused []string
	for k, h := range r.header {
		if h != "" && !isScore[k] && !r.taken(k) {
			unused = append(unused, h)
		}
	}
	if unused != nil {
		notes = append(notes, "columns that are not used: "+showNames(unused))
	}
	return notes
}
