package audit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// findScores finds the columns of outputs: those that the options name, else those whose
// names are of one family, else, if all labels are named, those that remain.
func (r *roles) findScores(asked []string, labelled bool) error {
	if len(asked) > 0 {
		return r.askedScores(asked)
	}
	families := r.named(parseScoreName)
	if len(families) == 0 {
		if r.findNumbered() {
			return nil
		}
		families = r.named(parseWeakScoreName)
		r.guessed = true
	}
	switch {
	case len(families) == 0 && labelled && r.considerRemaining():
		return nil
	case len(families) == 0:
		return fmt.Errorf("has no columns of outputs (score…, logit…, prob…, p0…, pred…, output…): name them with --scores; there are %s", showNames(r.header))
	case len(families) > 1:
		most := slices.MaxFunc(families, func(a, b []string) int { return len(a) - len(b) })
		return fmt.Errorf("has columns of outputs of several kinds (%s): name those of one kind with --scores, such as %s", showNames(slices.Concat(families...)), showNames(most))
	}
	return r.checkClasses()
}

// named takes the columns whose names are those of outputs, and returns these names by family.
func (r *roles) named(parse func(string) (scoreName, bool)) (families [][]string) {
	at := map[string]int{}
	for k, h := range r.header {
		name, ok := parse(h)
		if !ok || r.taken(k) {
			continue
		}
		if _, known := at[name.family]; !known {
			at[name.family], families = len(families), append(families, nil)
		}
		families[at[name.family]] = append(families[at[name.family]], h)
		r.scores, r.classes, r.kind = append(r.scores, k), append(r.classes, name.class), name.kind
	}
	return families
}

// findNumbered finds columns called 0, 1, 2 and so on, as data frames call those of an
// array, for the outputs.
func (r *roles) findNumbered() bool {
	for {
		k := slices.Index(r.header, strconv.Itoa(len(r.scores)))
		if k < 0 || r.taken(k) {
			break
		}
		r.scores = append(r.scores, k)
	}
	if len(r.scores) < 2 {
		r.scores = nil
		return false
	}
	r.classes = indexNames(len(r.scores))
	r.guessed = true
	return true
}

// findColumns finds the columns of vectors.
func (r *roles) findColumns(asked []string) error {
	if err := r.askedScores(asked); err != nil {
		return err
	}
	r.kind, r.classes = Vector, make([]string, len(r.scores))
	return nil
}

// askedScores finds columns by name, pattern or prefix.
func (r *roles) askedScores(asked []string) error {
	seen := map[int]bool{}
	for _, text := range asked {
		found, stem := r.matching(text)
		if len(found) == 0 {
			return fmt.Errorf("has no column %s of outputs: there are %s", showName(text), showNames(r.header))
		}
		for _, k := range found {
			if seen[k] {
				return fmt.Errorf("column %s is asked for twice: name it once", showName(r.header[k]))
			}
			if slices.Contains(r.references, k) {
				return fmt.Errorf("column %s is outputs of the audited model and of an honest classifier: leave it out of --scores or --reference-scores", showName(r.header[k]))
			}
			if r.taken(k) {
				return fmt.Errorf("column %s is both outputs and labels: leave it out of one", showName(r.header[k]))
			}
			seen[k] = true
			name, ok := parseScoreName(r.header[k])
			if !ok {
				name.class = strings.Trim(strings.TrimPrefix(r.header[k], stem), " _-.:")
			}
			if len(r.scores) > 0 && name.kind != r.kind {
				name.kind = ""
			}
			r.scores, r.classes, r.kind = append(r.scores, k), append(r.classes, name.class), name.kind
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
