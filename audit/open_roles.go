package audit

import (
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

// scoreWords begin the names of columns of outputs, with the kind of output that they imply. A word
// that begins with another comes first. Columns of one rank are taken if there is none of a lower
// one: other columns may have such names, too. Of an .npz, the arrays have exactly these names.
var scoreWords = []scoreWord{
	{"scores", "score", "", 0, true}, {"score", "score", "", 0, false},
	{"logits", "logit", curious.Raw, 0, true}, {"logit", "logit", curious.Raw, 0, false},
	{"probabilities", "prob", curious.Soft, 0, true}, {"probability", "prob", curious.Soft, 0, false},
	{"probas", "prob", curious.Soft, 0, false}, {"proba", "prob", curious.Soft, 0, true},
	{"probs", "prob", curious.Soft, 0, true}, {"prob", "prob", curious.Soft, 0, false},
	{"outputs", "output", "", 0, true}, {"output", "output", "", 0, false},
	{"y_proba", "y_prob", curious.Soft, 0, false}, {"y_prob", "y_prob", curious.Soft, 0, false}, {"y_score", "y_score", "", 0, false},
	{"p_", "p_", curious.Soft, 0, false},
	{"", "number", "", 1, false}, // 0, 1, 2 and so on, as data frames call the columns of an array
	{"y_pred", "y_pred", "", 2, false}, {"predictions", "pred", "", 2, false}, {"prediction", "pred", "", 2, false},
	{"preds", "pred", "", 2, false}, {"pred", "pred", "", 2, false}, {"p", "p", "", 2, false},
	{vectorsArray, "vector", Vector, 2, true}, {"embeddings", "vector", Vector, 2, true}, {"embedding", "vector", Vector, 2, true},
	{"emb", "vector", Vector, 2, true}, {"features", "vector", Vector, 2, true},
}

type scoreWord struct {
	word, family string
	kind         curious.Outputs
	rank         int
	array        bool // also the name of an array
}

// outputArray finds the word that is the name of an array of outputs.
func outputArray(name string) (w scoreWord, ok bool) {
	i := slices.IndexFunc(scoreWords, func(w scoreWord) bool { return w.array && strings.EqualFold(w.word, name) })
	if i < 0 {
		return w, false
	}
	return scoreWords[i], true
}

// parseScoreName reads names such as score3, prob_cat, p_1 and logit:small caps, and returns the word and
// the class. The word must not be followed by a letter, so "problem" is not such a name; after the words
// p and "", a number must follow.
func parseScoreName(name string) (word scoreWord, class string, ok bool) {
	folded := strings.ToLower(name)
	for _, w := range scoreWords {
		rest, found := strings.CutPrefix(folded, w.word)
		if !found || len(folded) != len(name) || w.kind == Vector {
			continue
		}
		letter := rest != "" && rest[0] >= 'a' && rest[0] <= 'z'
		number := rest != "" && strings.Trim(rest, "0123456789") == ""
		if (w.word == "p" || w.word == "") && !number || w.word != "p_" && letter {
			continue
		}
		class = name[len(w.word):]
		if own, ok := strings.CutPrefix(class, ":"); ok {
			return w, own, true
		}
		return w, strings.Trim(class, " _-.[]()"), true
	}
	return word, "", false
}

// roles says what the columns of a file are.
type roles struct {
	*columns
	scores     []int    // in the order of the classes
	classes    []string // of each number of the outputs; "" if it has no name
	kind       curious.Outputs
	target     int           // −1 for none, of vectors
	rule       *dataset.Rule // of the target; nil for none
	numeric    bool          // the target is numeric
	sensitive  []wanted
	references []int            // outputs of honest classifiers
	made       sensitiveColumns // of the sensitive columns
	notes      []string
}

func (r *roles) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// findRoles determines what the columns are, by the options and by their names.
func findRoles(c *columns, o OpenOptions) (*roles, error) {
	r := &roles{columns: c, target: -1}
	noTarget := r.findTarget(o.Target)
	if noTarget != nil && (o.Target != "" || len(o.Columns) == 0 && c.noun == "column") {
		return nil, noTarget
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
	if r.kind == Vector && o.Target == "" && (r.target < 0 || r.fields[r.target].title == "") {
		r.target, noTarget = -1, nil
	}
	if noTarget != nil {
		return nil, noTarget
	}
	if r.numeric = r.numeric || r.target >= 0 && r.kind == Vector && r.fields[r.target].manner == asNumber; r.target < 0 || r.numeric {
		r.kind = Vector // classes of y have scores, numbers have not
	}
	if c.noun == "array" && len(o.Sensitive) == 0 {
		r.otherArrays()
	}
	if err := r.checkLabels(); err != nil {
		return nil, err
	}
	r.noteUnused()
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

// has reports whether a column or its title is written so.
func (r *roles) has(name string) bool {
	return slices.ContainsFunc(r.fields, func(f field) bool { return f.name == name || f.title == name })
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
			r.target = slices.IndexFunc(r.fields, func(f field) bool {
				return strings.EqualFold(f.name, name) || name == "y" && strings.HasPrefix(f.name, targetPrefix)
			})
			if r.target >= 0 {
				return nil
			}
		}
		return fmt.Errorf("has no column y, target or label: name the column of the true labels with --target; there are %s", showNames(r.names()))
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

// findSensitive finds the columns of the sensitive attributes, those that are asked for or, in a
// table, those that are called so.
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
	if len(asked) > 0 || r.noun == "array" {
		return nil
	}
	for k, f := range r.fields {
		if w, ok := parseSensitive(f.name); ok && k != r.target {
			w.at = k
			r.sensitive = append(r.sensitive, w)
		}
	}
	if len(r.sensitive) == 0 {
		return fmt.Errorf("has no sensitive column (s1, s2, … or s:NAME): name one or more with --sensitive; there are %s", showNames(r.names()))
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
	own := r.described(k)
	if w.at, w.name = k, own.name; w.manner == guessed && !w.rule.Grouped() {
		w.manner = own.manner
	}
	return w, nil
}

// described returns the attribute of a column as the file describes it.
func (r *roles) described(k int) wanted {
	f := r.fields[k]
	if w, ok := parseSensitive(f.name); ok && f.shape == nil {
		w.at = k
		return w
	}
	w := wanted{at: k, name: f.name, manner: f.manner}
	if f.title != "" {
		w.name = f.title
	}
	return w
}

// otherArrays takes every array with one entry for each example for a sensitive attribute, unless it
// is outputs or target, or is named to be the target.
func (r *roles) otherArrays() {
	for k, f := range r.fields {
		if f.width() == 1 && f.shape[0] == r.examples() && !r.taken(k) && !slices.Contains(r.scores, k) && !slices.Contains(targetNames, strings.ToLower(f.name)) {
			r.sensitive = append(r.sensitive, r.described(k))
		}
	}
}

// examples returns the number of examples of an .npz.
func (r *roles) examples() int { return r.fields[r.scores[0]].shape[0] }

// checkLabels returns an error unless target and sensitive attributes are columns that can be that.
// Attributes of one name get numbers.
func (r *roles) checkLabels() error {
	if n := len(r.sensitive); n == 0 || n > maxAttributes {
		return fmt.Errorf("has %d sensitive %ss with an entry for each example, beside outputs and target: want 1 to %d; there are %s; of one-hot rows that is array.argmax(1)", n, r.noun, maxAttributes, showNames(r.names()))
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
			return bothRoles(targetName(r.fields[r.target].name))
		}
	}
	for _, k := range r.labels() {
		if f := r.fields[k]; f.shape != nil && (f.width() != 1 || f.shape[0] != r.examples()) {
			return fmt.Errorf("array %s has the shape %v: want one label for each of %d examples; of one-hot rows that is %s.argmax(1)", showName(f.name), f.shape, r.examples(), showName(f.name))
		}
	}
	return nil
}

// labels are the columns of the target, if there is one, and of the attributes.
func (r *roles) labels() (list []int) {
	if r.target >= 0 {
		list = append(list, r.target)
	}
	for _, w := range r.sensitive {
		list = append(list, w.at)
	}
	return list
}

// taken reports whether a column is target, sensitive or of an honest classifier.
func (r *roles) taken(k int) bool {
	return slices.Contains(r.labels(), k) || slices.Contains(r.references, k)
}

// findScores finds the columns of outputs: those that the options name, else those whose
// names are of one family, else, if all labels are named, those that remain.
func (r *roles) findScores(o OpenOptions) error {
	asked := o.Scores
	if len(o.Columns) > 0 {
		asked = o.Columns
	}
	var err error
	if len(asked) > 0 {
		err = r.askedScores(asked)
	} else {
		err = r.namedScores(o.Target != "" && len(o.Sensitive) > 0 && r.target >= 0 && !r.numeric)
	}
	if err != nil {
		return err
	}
	if len(o.Columns) > 0 {
		r.kind, r.classes = Vector, make([]string, len(r.scores))
	}
	f := r.fields[r.scores[0]]
	if f.shape == nil {
		return r.checkClasses()
	}
	width := f.width()
	if len(r.scores) > 1 || width < 1 || width > maxColumns || f.shape[0] < 1 {
		return fmt.Errorf("array %s has the shape %v: outputs are one array, with a row for each example and 1 to %d columns", showName(f.name), f.shape, maxColumns)
	}
	if r.classes = make([]string, width); r.columns.classes != nil {
		if r.classes = r.columns.classes; len(r.classes) != width || slices.Contains(r.classes, "") {
			return fmt.Errorf("array %s has %d names for %d columns of outputs: want one for each, all different", classesArray, len(r.classes), width)
		}
	}
	return r.checkClasses()
}

// namedScores finds the columns of outputs by their names.
func (r *roles) namedScores(labelled bool) error {
	for rank := range 3 {
		var families [][]string
		var of []string
		for k, f := range r.fields {
			w, class, ok := parseScoreName(f.name)
			if f.shape != nil {
				w, ok = outputArray(f.name)
				w.family = f.name // an array stands alone
			}
			if !ok || w.rank != rank || r.taken(k) {
				continue
			}
			at := slices.Index(of, w.family)
			if at < 0 {
				at, of, families = len(of), append(of, w.family), append(families, nil)
			}
			families[at] = append(families[at], f.name)
			r.scores, r.classes, r.kind = append(r.scores, k), append(r.classes, class), w.kind
		}
		switch {
		case len(families) > 1:
			most := slices.MaxFunc(families, func(a, b []string) int { return len(a) - len(b) })
			return fmt.Errorf("has %ss of outputs of several kinds (%s): name those of one kind with --scores, such as %s", r.noun, showNames(slices.Concat(families...)), showNames(most))
		case rank == 1 && !slices.Equal(r.classes, indexNames(len(r.classes))):
			r.scores, r.classes = nil, nil
		case len(families) == 1:
			if r.kind == Vector {
				r.note("the array %s is taken for vectors, and not for scores of classes", showName(families[0][0]))
			} else if rank > 0 {
				r.noteTaken()
			}
			return nil
		}
	}
	if labelled {
		return r.remainingScores()
	}
	return fmt.Errorf("has no %s of outputs (score…, logit…, prob…, p0…, pred…, output…): name them with --scores; there are %s", r.noun, showNames(r.names()))
}

// remainingScores takes the columns whose names have a common beginning, as q0, q1 and q2, or the
// array, if they are the only ones that are as many as the classes of the target; else all columns, if
// they are as many.
func (r *roles) remainingScores() error {
	read, err := r.read(nil, []int{r.target})
	if err != nil {
		return err
	}
	target, err := read.labels[0].ruled(r.rule)
	if err != nil {
		return err
	}
	classes := len(sorted(target.known()))
	if r.rule != nil {
		classes = len(target.listed)
	}
	groups := map[string]*roles{}
	var stems, fitting []string
	var all []int
	for k, f := range r.fields {
		if r.taken(k) || f.name == "" || f.shape != nil && f.width() < 2 {
			continue
		}
		all = append(all, k)
		b, rest := stem(f.name)
		rests := []string{rest}
		if f.shape != nil {
			b, rests = f.name, make([]string, f.width())
		}
		if groups[b] == nil {
			groups[b], stems = &roles{}, append(stems, b)
		}
		groups[b].scores, groups[b].classes = append(groups[b].scores, k), append(groups[b].classes, rests...)
	}
	for _, b := range stems {
		g := groups[b]
		_, named := byName(target.values, g.classes, strings.ToLower)
		_, err := classesOf(target, g.classes)
		if len(g.classes) == classes && classes > 1 && (named || b != "" && (err == nil || r.rule != nil)) {
			fitting = append(fitting, b)
		}
	}
	switch {
	case len(fitting) == 1:
		if r.scores, r.classes = groups[fitting[0]].scores, groups[fitting[0]].classes; r.rule != nil {
			clear(r.classes)
		}
	case len(fitting) == 0 && r.noun == "column" && len(all) == classes:
		r.scores, r.classes = all, make([]string, classes)
	default:
		names := pick(r.names(), all)
		flag := strings.Join(names[:min(len(names), 8)], ",")
		for _, b := range append(fitting, stems...) {
			if b != "" && len(groups[b].scores) > 1 {
				flag = "'" + b + "*'"
				break
			}
		}
		return fmt.Errorf("has no %ss called outputs, and it is not clear which of the %d that remain (%s) are: %s has %s, and %d groups of names with a common beginning match them; name one for each class, in their order, also for classes without examples, as in --scores %s", r.noun, len(all), showNames(names), showName(target.name), plural(float64(classes), "value"), len(fitting), showName(flag))
	}
	r.noteTaken()
	return nil
}

// stem returns what a column's name has in common with those of its neighbours, as p_ of p_0
// and out. of out.cat, and the rest; "" if it has no such beginning.
func stem(name string) (beginning, rest string) {
	if b := strings.TrimRight(name, "0123456789"); b != name {
		return b, name[len(b):]
	}
	if i := strings.LastIndexAny(name, "_-.: "); i >= 0 && i+1 < len(name) {
		return name[:i+1], name[i+1:]
	}
	return "", name
}

// askedScores finds columns by name, pattern or prefix.
func (r *roles) askedScores(asked []string) error {
	for _, text := range asked {
		found, stem := r.matching(text)
		if len(found) == 0 {
			return fmt.Errorf("has no %s %s of outputs: there are %s", r.noun, showName(text), showNames(r.names()))
		}
		for _, k := range found {
			name := r.fields[k].name
			if slices.Contains(r.scores, k) || r.taken(k) {
				return fmt.Errorf("column %s has two roles, of outputs, labels and outputs of an honest classifier: name it once", showName(name))
			}
			w, class, ok := parseScoreName(name)
			if !ok {
				class = strings.Trim(strings.TrimPrefix(name, stem), " _-.:")
			}
			if len(r.scores) > 0 && w.kind != r.kind {
				w.kind = ""
			}
			r.scores, r.classes, r.kind = append(r.scores, k), append(r.classes, class), w.kind
		}
	}
	return nil
}

// matching returns the column of that name. If there is none, it returns the columns that match the pattern or
// begin with the text, without labels. Stem is the part of the pattern before its star.
func (r *roles) matching(text string) (found []int, stem string) {
	if k := slices.IndexFunc(r.fields, func(f field) bool { return f.name == text }); k >= 0 {
		return []int{k}, ""
	}
	before, after, _ := strings.Cut(text, "*")
	for k, f := range r.fields {
		if len(f.name) >= len(before)+len(after) && strings.HasPrefix(f.name, before) && strings.HasSuffix(f.name, after) && !r.taken(k) {
			found = append(found, k)
		}
	}
	return found, before
}

// checkClasses refuses two classes of one name; if some have no name, none has.
func (r *roles) checkClasses() error {
	if slices.Contains(r.classes, "") {
		r.classes = make([]string, len(r.classes))
		return nil
	}
	seen := make(map[string]bool, len(r.classes))
	for _, c := range r.classes {
		if seen[c] {
			return fmt.Errorf("two columns of outputs are of the class %s: rename one", showName(c))
		}
		seen[c] = true
	}
	return nil
}

// noteTaken says which columns are taken for the outputs by names that others may have.
func (r *roles) noteTaken() {
	of, target := "", dataset.NoTarget
	if len(r.classes) > 1 && r.classes[0] != "" && !slices.ContainsFunc(r.classes, isNumber) {
		of = " of the classes " + showNames(r.classes)
	}
	names := r.names()
	if r.target >= 0 {
		target = showName(names[r.target])
	}
	var sensitive []string
	for _, w := range r.sensitive {
		sensitive = append(sensitive, names[w.at])
	}
	r.note("%ss that are taken for the outputs%s: %s; for the target: %s; for what is sensitive: %s",
		r.noun, of, showNames(pick(names, r.scores)), target, showNames(sensitive))
}

// free lists the columns that have no role.
func (r *roles) free() (names []string) {
	has := make([]bool, len(r.fields))
	for _, k := range slices.Concat(r.scores, r.labels(), r.references) {
		has[k] = true
	}
	for k, f := range r.fields {
		if f.name != "" && !has[k] {
			names = append(names, f.name)
		}
	}
	return names
}

// noteUnused says which columns are taken for nothing.
func (r *roles) noteUnused() {
	if unused := r.free(); len(unused) > 0 {
		r.note("%ss that are not used: %s", r.noun, showNames(unused))
	}
}
