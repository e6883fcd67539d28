package audit

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tattle/curious"
)

// scoreWord begins the names of columns of outputs, with the kind of output that it implies.
type scoreWord struct {
	word, family string
	kind         curious.Outputs
}

// scoreWords are known; a word that begins with another comes first. weakScoreWords begin names of
// columns that others may have, too: they are looked for where no name begins with one of scoreWords.
var (
	scoreWords = []scoreWord{
		{"scores", "score", ""}, {"score", "score", ""},
		{"logits", "logit", curious.Raw}, {"logit", "logit", curious.Raw},
		{"probabilities", "prob", curious.Soft}, {"probability", "prob", curious.Soft},
		{"probas", "prob", curious.Soft}, {"proba", "prob", curious.Soft}, {"probs", "prob", curious.Soft}, {"prob", "prob", curious.Soft},
		{"outputs", "output", ""}, {"output", "output", ""},
		{"y_proba", "y_prob", curious.Soft}, {"y_prob", "y_prob", curious.Soft}, {"y_score", "y_score", ""},
		{"p_", "p_", curious.Soft},
	}
	weakScoreWords = []scoreWord{
		{"y_pred", "y_pred", ""}, {"predictions", "pred", ""}, {"prediction", "pred", ""}, {"preds", "pred", ""}, {"pred", "pred", ""}, {"p", "p", ""},
	}
)

// parseScoreName reads names such as score3, prob_cat, p_1 and logit:small caps, and returns the word and
// the class. The word must not be followed by a letter, so "problem" is not such a name; after the word
// p, a number must follow.
func parseScoreName(words []scoreWord, name string) (word scoreWord, class string, ok bool) {
	folded := strings.ToLower(name)
	for _, w := range words {
		rest, found := strings.CutPrefix(folded, w.word)
		if !found || len(folded) != len(name) {
			continue
		}
		letter := rest != "" && rest[0] >= 'a' && rest[0] <= 'z'
		number := rest != "" && strings.Trim(rest, "0123456789") == ""
		if w.word == "p" && !number || w.word != "p_" && letter {
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

// findScores finds the columns of outputs: those that the options name, else those whose
// names are of one family, else, if all labels are named, those that remain.
func (r *roles) findScores(asked []string, labelled bool) error {
	if len(asked) > 0 {
		return r.askedScores(asked)
	}
	families := r.families(scoreWords)
	if families == nil {
		r.guessed = true
		for k := 0; k >= 0 && !r.taken(k); { // columns called 0, 1, 2 and so on, as data frames call those of an array
			if k = slices.Index(r.header, strconv.Itoa(len(r.scores))); k >= 0 && !r.taken(k) {
				r.scores = append(r.scores, k)
			}
		}
		if len(r.scores) > 1 {
			r.classes = indexNames(len(r.scores))
			return nil
		}
		r.scores = nil
		families = r.families(weakScoreWords)
	}
	switch {
	case families == nil && labelled && r.considerRemaining():
		return nil
	case families == nil:
		return fmt.Errorf("has no columns of outputs (score…, logit…, prob…, p0…, pred…, output…): name them with --scores; there are %s", showNames(r.header))
	case len(families) > 1:
		most := slices.MaxFunc(families, func(a, b []string) int { return len(a) - len(b) })
		return fmt.Errorf("has columns of outputs of several kinds (%s): name those of one kind with --scores, such as %s", showNames(slices.Concat(families...)), showNames(most))
	}
	return r.checkClasses()
}

// families takes the columns whose names begin with one of the words, and returns these names by family.
func (r *roles) families(words []scoreWord) (families [][]string) {
	at := map[string]int{}
	for k, h := range r.header {
		w, class, ok := parseScoreName(words, h)
		if !ok || r.taken(k) {
			continue
		}
		if _, known := at[w.family]; !known {
			at[w.family], families = len(families), append(families, nil)
		}
		families[at[w.family]] = append(families[at[w.family]], h)
		r.scores, r.classes, r.kind = append(r.scores, k), append(r.classes, class), w.kind
	}
	return families
}

// askedScores finds columns by name, pattern or prefix.
func (r *roles) askedScores(asked []string) error {
	for _, text := range asked {
		found, stem := r.matching(text)
		if len(found) == 0 {
			return fmt.Errorf("has no column %s of outputs: there are %s", showName(text), showNames(r.header))
		}
		for _, k := range found {
			switch {
			case slices.Contains(r.scores, k):
				return fmt.Errorf("column %s is asked for twice: name it once", showName(r.header[k]))
			case slices.Contains(r.references, k):
				return fmt.Errorf("column %s is outputs of the audited model and of an honest classifier: leave it out of --scores or --reference-scores", showName(r.header[k]))
			case r.taken(k):
				return fmt.Errorf("column %s is both outputs and labels: leave it out of one", showName(r.header[k]))
			}
			w, class, ok := parseScoreName(scoreWords, r.header[k])
			if !ok {
				class = strings.Trim(strings.TrimPrefix(r.header[k], stem), " _-.:")
			}
			if len(r.scores) > 0 && w.kind != r.kind {
				w.kind = ""
			}
			r.scores, r.classes, r.kind = append(r.scores, k), append(r.classes, class), w.kind
		}
	}
	return r.checkClasses()
}

// matching returns the column of a name; else those that match a pattern, or begin with
// the name, that are no labels; and what stands before the pattern's star.
func (r *roles) matching(text string) (found []int, stem string) {
	if k := slices.Index(r.header, text); k >= 0 {
		return []int{k}, ""
	}
	before, after, _ := strings.Cut(text, "*")
	for k, h := range r.header {
		if len(h) >= len(before)+len(after) && strings.HasPrefix(h, before) && strings.HasSuffix(h, after) && !r.taken(k) {
			found = append(found, k)
		}
	}
	return found, before
}

// checkClasses refuses two classes of one name; if some have no name, none has.
func (r *roles) checkClasses() error {
	seen := make(map[string]bool, len(r.classes))
	for i, c := range r.classes {
		if c == "" {
			clear(r.classes)
			return nil
		}
		if seen[c] {
			return fmt.Errorf("two columns of outputs are of the class %s (the second is %s): rename one", showName(c), showName(r.header[r.scores[i]]))
		}
		seen[c] = true
	}
	return nil
}

// candidate is a column that may be of the outputs: no name says which columns are, and the
// options name the target and the sensitive attributes. All that remain are read, and the
// file decides (see choose).
type candidate struct {
	text   bool // a value is neither a number nor missing
	counts bool // all values so far count the rows
	first  float32
	wrong  error // the first value that is no score
}

// considerRemaining makes every column with a name that is no label a candidate.
func (r *roles) considerRemaining() bool {
	for k, h := range r.header {
		if h != "" && !r.taken(k) {
			r.scores = append(r.scores, k)
		}
	}
	r.open = make([]candidate, len(r.scores))
	return len(r.open) > 0
}

// add takes note of the value of a row, which is no score if err is not nil.
func (c *candidate) add(row int, text string, v float32, err error) {
	if err != nil && c.wrong == nil {
		c.wrong = err
	}
	text = strings.TrimSpace(text)
	if _, syntax := strconv.ParseFloat(text, 64); errors.Is(syntax, strconv.ErrSyntax) && !missing(text) {
		c.text = true
	}
	if row == 0 {
		c.first, c.counts = v, v == 0 || v == 1
	}
	c.counts = c.counts && err == nil && v == c.first+float32(row)
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

// choose returns which of the candidates are taken for the outputs, and sets their classes: the
// columns with a common beginning, if they match the classes of the target, else all that
// are numbers, if there are as many as classes. It returns an error that names the
// flag to give if neither is so, or several are. A target of a rule is nil.
func (r *roles) choose(rows int, target *column, classes int) (columns []int, err error) {
	names := pick(r.header, r.scores)
	var numbers []int
	groups, rests := map[string][]int{}, make([]string, len(names))
	var stems, fitting []string
	for j, c := range r.open {
		if c.text || c.counts && rows > 2 {
			continue
		}
		numbers = append(numbers, j)
		var b string
		if b, rests[j] = stem(names[j]); b == "" {
			continue
		}
		if groups[b] = append(groups[b], j); len(groups[b]) == 2 {
			stems = append(stems, b)
		}
	}
	for _, b := range stems {
		if fits(target, classes, pick(rests, groups[b])) {
			fitting = append(fitting, b)
		}
	}
	var of []string
	switch {
	case len(fitting) == 1:
		columns = groups[fitting[0]]
		of = pick(rests, columns)
	case len(fitting) == 0 && len(numbers) > 0 && (len(numbers) == classes || len(numbers) == 1 && classes == 2):
		columns = numbers
		of = pick(names, columns)
		if _, ok := byName(valuesOf(target), of, strings.ToLower); !ok || len(of) == 1 {
			of = make([]string, len(columns))
		}
	default:
		return nil, undecided(names, pick(names, numbers), target, classes, stems, fitting)
	}
	if target == nil {
		of = make([]string, len(columns))
	}
	for _, j := range columns {
		if err := r.open[j].wrong; err != nil {
			return nil, err
		}
	}
	r.scores, r.classes, r.guessed = pick(r.scores, columns), of, true
	return columns, r.checkClasses()
}

func valuesOf(c *column) []string {
	if c == nil {
		return nil
	}
	return c.values
}

// fits reports whether columns of these classes can be the outputs for a target. A
// rule makes the number of classes given, and its classes go by their order.
func fits(target *column, classes int, names []string) bool {
	if target == nil || len(names) != classes {
		return len(names) == classes
	}
	if len(slices.Compact(slices.Sorted(slices.Values(names)))) != len(names) {
		return false
	}
	_, err := classesOf(target, names)
	return err == nil
}

// undecided says which columns there are, and the flag to give.
func undecided(names, numbers []string, target *column, classes int, stems, fitting []string) error {
	what := "the target"
	if target != nil {
		what = showName(target.name)
	}
	if len(numbers) == 0 {
		return fmt.Errorf("has no columns of outputs: no column of numbers remains beside the target and the sensitive attributes; name them with --scores; there are %s", showNames(names))
	}
	const most = 8
	flag := "--scores " + showName(strings.Join(numbers[:min(len(numbers), most)], ","))
	if len(numbers) > most {
		flag += " and so on"
	}
	text := fmt.Sprintf("they are %d, and %s has %s", len(numbers), what, plural(float64(classes), "value"))
	if len(fitting) > 0 {
		text = fmt.Sprintf("those that begin with %s all match the classes of %s", showNames(fitting), what)
		stems = fitting
	}
	if len(stems) > 0 {
		flag = fmt.Sprintf("--scores '%s*'", showName(stems[0]))
	}
	return fmt.Errorf("has no columns called outputs, and it is not clear which of the remaining columns of numbers (%s) are: %s; name one for each class, in their order, also for classes without examples, as in %s", showNames(numbers), text, flag)
}
