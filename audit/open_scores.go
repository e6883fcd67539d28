package audit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"tattle/curious"
	"tattle/dataset"
)

// scoreWords match the names of columns of outputs, such as score3, prob_cat, p_1 and logit:small caps,
// in small letters: the word and, after anything but a letter, the class. Columns of one rank are taken if
// there is none of a lower one, because other columns may have such names, too.
var scoreWords = []scoreWord{
	{regexp.MustCompile(`^scores?([^a-z].*)?$`), "", rankWord},
	{regexp.MustCompile(`^logits?([^a-z].*)?$`), curious.Raw, rankWord},
	{regexp.MustCompile(`^prob(?:abilit(?:y|ies)|as?|s)?([^a-z].*)?$`), curious.Soft, rankWord},
	{regexp.MustCompile(`^outputs?([^a-z].*)?$`), "", rankWord},
	{regexp.MustCompile(`^y_proba?([^a-z].*)?$`), curious.Soft, rankWord},
	{regexp.MustCompile(`^y_score([^a-z].*)?$`), "", rankWord},
	{regexp.MustCompile(`^p_(.*)$`), curious.Soft, rankWord},
	{regexp.MustCompile(`^([0-9]+)$`), "", rankIndex},
	{regexp.MustCompile(`^y_pred([^a-z].*)?$`), "", rankGuess},
	{regexp.MustCompile(`^pred(?:ictions?|s)?([^a-z].*)?$`), "", rankGuess},
	{regexp.MustCompile(`^p([0-9]+)$`), "", rankGuess},
}

type scoreWord struct {
	word *regexp.Regexp
	kind curious.Outputs
	rank int
}

// The names of arrays of outputs and of vectors.
var (
	outputArrays = regexp.MustCompile(`^(scores|logits|probabilities|probas?|probs|outputs)$`)
	vectorArrays = regexp.MustCompile(`^(vectors|embeddings?|emb|features)$`)
)

// parseScoreName returns the word that the name of a column of outputs begins with, nil for none, and the class.
func parseScoreName(name string) (*scoreWord, string) {
	for i := range scoreWords {
		m := scoreWords[i].word.FindStringSubmatchIndex(strings.ToLower(name))
		if m == nil || len(strings.ToLower(name)) != len(name) {
			continue
		}
		class := name[max(m[2], 0):max(m[3], 0)]
		if own, ok := strings.CutPrefix(class, ":"); ok {
			return &scoreWords[i], own
		}
		return &scoreWords[i], strings.Trim(class, " _-.[]()")
	}
	return nil, ""
}

// outputGroup is columns that may be the outputs, or an array of them.
type outputGroup struct {
	common  string // what their names begin with
	rank    int    // a group is looked at if there is none of a lower rank
	kind    curious.Outputs
	scores  []int
	classes []string
}

// findScores finds the columns of outputs: those that the options name, else those whose names say so, else, if
// all labels are named, those that are as many as the classes of the target.
func (r *roles) findScores(o OpenOptions) (err error) {
	g := &outputGroup{}
	switch {
	case len(o.Columns) > 0:
		if g, err = r.askedScores(o.Columns); err == nil {
			g.kind, g.classes = Vector, nil
		}
	case len(o.Scores) > 0:
		g, err = r.askedScores(o.Scores)
	default:
		g, err = r.inferScores(o.Target != "" && len(o.Sensitive) > 0 && r.target != nil && r.target.manner != asNumber)
	}
	if err != nil {
		return err
	}
	f, width := r.fields[g.scores[0]], len(g.scores)
	if f.shape != nil {
		if width = f.width(); len(g.scores) > 1 || width < 1 || width > maxColumns || f.shape[0] < 1 {
			return fmt.Errorf("array %s has the shape %v: outputs are one array, with a row for each example and 1 to %d columns", showName(f.name), f.shape, maxColumns)
		}
		g.classes = nil
	}
	if g.classes == nil || slices.Contains(g.classes, "") {
		g.classes = make([]string, width)
	}
	if g.classes[0] != "" && len(slices.Compact(slices.Sorted(slices.Values(g.classes)))) < len(g.classes) {
		return fmt.Errorf("two columns of outputs are of the same class, of %s: rename one", showNames(g.classes))
	}
	r.scores, r.classes, r.kind = g.scores, g.classes, g.kind
	switch {
	case g.kind == Vector && g.rank > 0:
		r.note("the array %s is taken for vectors, and not for scores of classes", showName(g.common))
	case g.rank > 0:
		r.noteTaken()
	}
	return nil
}

// ranks of groups of columns.
const (
	rankWord  = 0 // their names say that they are outputs
	rankIndex = 1 // they are called 0, 1, 2, as data frames call the columns of an array
	rankGuess = 2 // their names say so, but other columns may have such names
	rankOther = 3 // their names say nothing
)

// groups returns the free columns by the beginnings of their names.
func (r *roles) groups() (list []*outputGroup) {
	for _, k := range r.free() {
		f := r.fields[k]
		g := &outputGroup{rank: rankOther, scores: []int{k}}
		w, class := parseScoreName(f.name)
		switch name := strings.ToLower(f.name); {
		case f.shape != nil && vectorArrays.MatchString(name):
			g.common, g.kind, g.rank = f.name, Vector, rankGuess
		case f.shape != nil && outputArrays.MatchString(name):
			g.common, g.kind, g.rank = f.name, w.kind, rankWord
		case f.shape != nil && f.width() < 2:
			continue
		case f.shape != nil:
			g.common, g.classes = f.name, make([]string, f.width())
		case w != nil:
			g.common, g.kind, g.rank, g.classes = w.word.String(), w.kind, w.rank, []string{class}
		default:
			var rest string
			g.common, rest = stem(f.name)
			g.classes = []string{rest}
		}
		i := slices.IndexFunc(list, func(h *outputGroup) bool { return h.common == g.common && h.rank == g.rank })
		if i < 0 {
			list = append(list, g)
		} else {
			list[i].scores, list[i].classes = append(list[i].scores, k), append(list[i].classes, g.classes...)
		}
	}
	return list
}

// inferScores finds the columns of outputs by their names; if the labels are named, those whose names say
// nothing, too, if they are as many as the classes of the target.
func (r *roles) inferScores(labelled bool) (*outputGroup, error) {
	groups, names, classes := r.groups(), r.names(), 0
	var target Attribute
	for rank := range rankOther + 1 {
		if rank == rankOther && labelled {
			read, err := r.read(nil, []int{r.target.at})
			if err == nil {
				target, err = read.labels[0].attribute(*r.target, maxColumns)
			}
			if err != nil {
				return nil, err
			}
			classes = len(target.Values)
		}
		var fit []*outputGroup
		var all []int
		for _, g := range groups {
			if g.rank == rank && r.fits(g, &target) {
				fit, all = append(fit, g), append(all, g.scores...)
			}
		}
		if len(fit) == 1 {
			return fit[0], nil
		}
		if len(fit) > 1 {
			most := slices.MaxFunc(fit, func(a, b *outputGroup) int { return len(a.scores) - len(b.scores) })
			return nil, fmt.Errorf("has %ss of outputs of several kinds (%s): name those of one kind with --scores, such as %s", r.noun, showNames(pick(names, all)), showNames(pick(names, most.scores)))
		}
	}
	rest := r.free()
	if classes > 1 && len(rest) == classes && r.noun == "column" {
		return &outputGroup{rank: rankOther, scores: rest}, nil
	}
	flag := strings.Join(pick(names, rest[:min(len(rest), 8)]), ",")
	if i := slices.IndexFunc(groups, func(g *outputGroup) bool { return g.rank == rankOther && g.common != "" && len(g.scores) > 1 }); i >= 0 {
		flag = "'" + groups[i].common + "*'"
	}
	return nil, fmt.Errorf("has no %s of outputs (score…, logit…, prob…, p0…, pred…, output…), nor as many others as classes: name one for each class, in their order, also for classes without examples, as in --scores %s; there are %s", r.noun, showName(flag), showNames(names))
}

// fits reports whether a group may be the outputs: columns called by numbers from 0 on, and others for each class of
// the target if they are called by it or alike.
func (r *roles) fits(g *outputGroup, target *Attribute) bool {
	switch g.rank {
	case rankIndex:
		return slices.Equal(g.classes, indexNames(len(g.classes)))
	case rankOther:
		if len(target.Values) < 2 || len(g.classes) != len(target.Values) {
			return false
		}
		_, named := byName(target.Values, g.classes, strings.ToLower)
		_, err := matchColumns(r.target, target, g.classes, false)
		return named || g.common != "" && err == nil
	}
	return true
}

// stem returns what a column's name has in common with those of its neighbours, as p_ of p_0
// and out. of out.cat, and the rest; "" if it has no such beginning.
func stem(name string) (common, rest string) {
	if b := strings.TrimRight(name, "0123456789"); b != name {
		return b, name[len(b):]
	}
	if i := strings.LastIndexAny(name, "_-.: "); i >= 0 && i+1 < len(name) {
		return name[:i+1], name[i+1:]
	}
	return "", name
}

// askedScores finds columns by name, pattern or prefix.
func (r *roles) askedScores(asked []string) (*outputGroup, error) {
	g, free := &outputGroup{}, r.free()
	for _, text := range asked {
		found, stem := r.matching(text)
		if len(found) == 0 {
			return nil, fmt.Errorf("has no %s %s of outputs: there are %s", r.noun, showName(text), showNames(r.names()))
		}
		for _, k := range found {
			name := r.fields[k].name
			if !slices.Contains(free, k) || slices.Contains(g.scores, k) {
				return nil, fmt.Errorf("column %s has two roles, of outputs, labels and outputs of an honest classifier: name it once", showName(name))
			}
			w, class := parseScoreName(name)
			if w == nil {
				w, class = &scoreWord{}, strings.Trim(strings.TrimPrefix(name, stem), " _-.:")
			}
			if len(g.scores) > 0 && w.kind != g.kind {
				w = &scoreWord{}
			}
			g.scores, g.classes, g.kind = append(g.scores, k), append(g.classes, class), w.kind
		}
	}
	return g, nil
}

// matching returns the column of that name. If there is none, it returns the columns that match the pattern or
// begin with the text, without labels. Stem is the part of the pattern before its star.
func (r *roles) matching(text string) (found []int, stem string) {
	if k := slices.Index(r.names(), text); k >= 0 {
		return []int{k}, ""
	}
	before, after, _ := strings.Cut(text, "*")
	for k, f := range r.fields {
		label := slices.ContainsFunc(r.labels(), func(w label) bool { return w.at == k }) || slices.Contains(r.references, k)
		if len(f.name) >= len(before)+len(after) && strings.HasPrefix(f.name, before) && strings.HasSuffix(f.name, after) && !label {
			found = append(found, k)
		}
	}
	return found, before
}

// noteTaken says which columns are taken for the outputs by names that others may have.
func (r *roles) noteTaken() {
	of, target := "", dataset.NoTarget
	if len(r.classes) > 1 && r.classes[0] != "" && !slices.ContainsFunc(r.classes, isNumber) {
		of = " of the classes " + showNames(r.classes)
	}
	names := r.names()
	if r.target != nil {
		target = showName(names[r.target.at])
	}
	var sensitive []string
	for _, w := range r.sensitive {
		sensitive = append(sensitive, names[w.at])
	}
	r.note("%ss that are taken for the outputs%s: %s; for the target: %s; for what is sensitive: %s",
		r.noun, of, showNames(pick(names, r.scores)), target, showNames(sensitive))
}
