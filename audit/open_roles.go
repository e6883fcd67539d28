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

// roles says what the columns of a table are.
type roles struct {
	header     []string
	titles     []string // of each column, if they differ from the header's; may be nil
	scores     []int    // in the order of the classes
	classes    []string
	kind       curious.Outputs // that the names imply; "" if they do not
	target     int             // −1 for none, of vectors
	targetName string
	rule       *dataset.Rule // of the target; nil for none
	numeric    bool          // the target is numeric
	sensitive  []int
	references []int            // outputs of honest classifiers
	made       sensitiveColumns // of the sensitive columns
	wanted     []wanted         // of each of sensitive
	open       *candidates      // the scores are to be chosen among these; nil if they are known
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
	if err := r.distinct(); err != nil {
		return nil, err
	}
	for _, p := range o.references {
		found, _ := r.matching(p)
		r.references = append(r.references, found...)
	}
	if len(o.Columns) > 0 {
		return r, r.findColumns(o.Columns)
	}
	if err := r.findScores(o.Scores, r.target >= 0 && !r.numeric && o.Target != "" && len(o.Sensitive) > 0); err != nil {
		return nil, err
	}
	if r.target < 0 || r.numeric {
		r.kind = Vector // classes of y have scores, numbers have not
	}
	return r, nil
}

// distinct refuses a sensitive attribute that is the target.
func (r *roles) distinct() error {
	for i, k := range r.sensitive {
		if k == r.target && r.rule == nil && !r.wanted[i].rule.Grouped() {
			return bothRoles(r.targetName)
		}
	}
	return nil
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
	if numbers == len(header) {
		return errors.New("has no header: write the names of the columns in the first line, such as y,s1,score_0,score_1")
	}
	return sheet.Repeated(header, line)
}

// find returns the column of a name: as it is written, as part of y:NAME or s:NAME, or
// written with other capitals.
func (r *roles) find(name string) (int, error) {
	if k := slices.Index(r.header, name); k >= 0 {
		return k, nil
	}
	if k := slices.Index(r.titles, name); k >= 0 {
		return k, nil
	}
	for k, h := range r.header {
		if w, ok := parseSensitive(h); ok && w.name == name || targetName(h) == name {
			return k, nil
		}
	}
	for k, h := range r.header {
		if strings.EqualFold(h, name) {
			return k, nil
		}
	}
	return 0, fmt.Errorf("has no column %s: there are %s", showName(name), showNames(r.header))
}

// finds reports whether there is a column of a name.
func (r *roles) finds(name string) bool {
	_, err := r.find(name)
	return err == nil
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

// findTarget finds the column of the target.
func (r *roles) findTarget(asked string) error {
	var err error
	switch {
	case asked == dataset.NoTarget:
		return nil
	case asked == "":
		r.target, err = r.usualTarget()
	case r.has(asked):
		r.target, err = r.find(asked)
	case typed(asked).manner == asNumber:
		r.numeric = true
		r.target, err = r.find(typed(asked).name)
	default:
		var rule dataset.Rule
		if rule, err = dataset.ParseRule(asked); err != nil {
			return fmt.Errorf("target: %w", err)
		}
		if rule.Grouped() {
			r.rule = &rule
		}
		r.target, err = r.find(rule.Column())
	}
	switch {
	case err != nil && asked != "":
		return &measure.OptionError{Option: "Target", Err: err}
	case err != nil:
		return err
	}
	r.targetName = targetName(r.header[r.target])
	return nil
}

// usualTarget finds the target by its name.
func (r *roles) usualTarget() (int, error) {
	for _, name := range targetNames {
		for k, h := range r.header {
			if strings.EqualFold(h, name) || name == "y" && strings.HasPrefix(h, targetPrefix) {
				return k, nil
			}
		}
	}
	return 0, fmt.Errorf("has no column y, target or label: name the column of the true labels with --target; there are %s", showNames(r.header))
}

func (r *roles) findSensitive(asked []string) (err error) {
	if r.made, err = splitSensitive(asked, r.finds); err != nil {
		return err
	}
	for _, text := range r.made.read {
		if err := r.ask(text); err != nil {
			return err
		}
	}
	for k, h := range r.header {
		if w, ok := parseSensitive(h); ok && len(asked) == 0 && k != r.target {
			r.sensitive, r.wanted = append(r.sensitive, k), append(r.wanted, w)
		}
	}
	if len(r.sensitive) == 0 {
		return fmt.Errorf("has no sensitive column (s1, s2, … or s:NAME): name one or more with --sensitive; there are %s", showNames(r.header))
	}
	if len(r.sensitive) > maxAttributes {
		return fmt.Errorf("has %d sensitive columns, more than the limit of %d: name those that matter", len(r.sensitive), maxAttributes)
	}
	return r.tellApart()
}

// ask adds a sensitive attribute that the options name.
func (r *roles) ask(text string) error {
	w, err := parseWanted(text, r.has)
	if err != nil {
		return fmt.Errorf("sensitive: %w", err)
	}
	k, err := r.find(w.name)
	if err != nil {
		return &measure.OptionError{Option: "Sensitive", Err: err}
	}
	own, ok := parseSensitive(r.header[k])
	if ok && w.manner == guessed {
		w = own
	}
	switch w.name = r.header[k]; {
	case r.titles != nil:
		w.name = r.titles[k]
	case ok:
		w.name = own.name
	}
	r.sensitive, r.wanted = append(r.sensitive, k), append(r.wanted, w)
	return nil
}

// tellApart gives attributes of one name numbers, and refuses those without a name.
func (r *roles) tellApart() error {
	seen := map[string]bool{}
	for i := range r.wanted {
		name := r.wanted[i].name
		if name == "" {
			return fmt.Errorf("sensitive column %d has no name: write one into the header", i+1)
		}
		for k := 2; seen[r.wanted[i].name]; k++ {
			r.wanted[i].name = fmt.Sprintf("%s-%d", name, k)
		}
		seen[r.wanted[i].name] = true
	}
	return nil
}

// taken reports whether a column is target, sensitive or of an honest classifier.
func (r *roles) taken(k int) bool {
	return k == r.target || slices.Contains(r.sensitive, k) || slices.Contains(r.references, k)
}

// targets lists the column of the target, if there is one.
func (r *roles) targets() []int {
	if r.target < 0 {
		return nil
	}
	return []int{r.target}
}

// unused lists the columns that are nothing.
func (r *roles) unused() []string {
	used := make([]bool, len(r.header))
	for _, k := range slices.Concat(r.scores, r.sensitive, r.references, r.targets()) {
		used[k] = true
	}
	var list []string
	for k, h := range r.header {
		if !used[k] && h != "" {
			list = append(list, h)
		}
	}
	return list
}

// taking says what the columns are taken for.
func (r *roles) taking() string {
	of := ""
	if len(r.classes) > 1 && r.classes[0] != "" && !slices.ContainsFunc(r.classes, isNumber) {
		of = " of the classes " + showNames(r.classes)
	}
	target := dataset.NoTarget
	if r.target >= 0 {
		target = showName(r.header[r.target])
	}
	return fmt.Sprintf("columns that are taken for the outputs%s: %s; for the target: %s; for what is sensitive: %s",
		of, showNames(pick(r.header, r.scores)), target, showNames(pick(r.header, r.sensitive)))
}
