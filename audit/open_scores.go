package audit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"tattle/curious"
	"tattle/dataset"
)

// ranks of names of outputs: those of one rank are looked at if there is none of a lower one.
const (
	rankWord  = iota // they say that they are outputs
	rankIndex        // 0, 1, 2, as data frames call the columns of an array
	rankGuess        // they say so, but other columns may have such names
	rankOther        // they say nothing
)

// scoreWords match the names of columns of outputs, such as score3, prob_cat, p_1 and logit:small caps,
// in small letters: the word and, after anything but a letter, the class.
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

// outputGroup is columns that may be outputs, in the order of the classes, or an array of them.
type outputGroup struct {
	common  string // what their names begin with, as p_ of p_0 and out. of out.cat
	rank    int
	kind    curious.Outputs
	columns []int
	classes []string // of each number of the outputs; "" if it has no name
}

// groupOf returns the group that a column belongs to by its name.
func (r *roles) groupOf(k int) *outputGroup {
	f := r.fields[k]
	g := &outputGroup{common: f.Name, rank: rankOther, columns: []int{k}, classes: make([]string, max(f.Width(), 0))}
	small := strings.ToLower(f.Name)
	if f.Shape != nil && vectorArrays.MatchString(small) {
		g.kind, g.rank = Vector, rankGuess
	}
	for _, w := range scoreWords {
		m := w.word.FindStringSubmatchIndex(small)
		if m == nil || len(small) != len(f.Name) || f.Shape != nil && !outputArrays.MatchString(small) {
			continue
		}
		g.kind, g.rank = w.kind, w.rank
		if class := f.Name[max(m[2], 0):max(m[3], 0)]; f.Shape == nil {
			own, named := strings.CutPrefix(class, ":")
			if !named {
				own = strings.Trim(class, " _-.[]()")
			}
			g.common, g.classes = w.word.String(), []string{own}
		}
		return g
	}
	if f.Shape == nil {
		g.common, g.classes[0] = stem(f.Name)
	}
	return g
}

// add appends the columns of h, of the same kind or of none.
func (g *outputGroup) add(h *outputGroup) {
	if g.columns != nil && g.kind != h.kind {
		h.kind = ""
	}
	g.kind, g.columns, g.classes = h.kind, append(g.columns, h.columns...), append(g.classes, h.classes...)
}

// findScores finds the columns of outputs: those that the options name, else those whose names say so, else, if
// all labels are named, those that are as many as the classes of the target.
func (r *roles) findScores(o OpenOptions) (err error) {
	switch {
	case len(o.Columns) > 0:
		if r.outputs, err = r.askedScores(o.Columns); err == nil {
			r.outputs.kind, r.outputs.classes = Vector, make([]string, len(r.outputs.classes))
		}
	case len(o.Scores) > 0:
		r.outputs, err = r.askedScores(o.Scores)
	default:
		r.outputs, err = r.inferScores(o.Target != "" && len(o.Sensitive) > 0 && r.target != nil && !r.target.Number)
	}
	return err
}

// checked returns an error unless the outputs of a group can be those of a classifier, or vectors.
func (r *roles) checked(g *outputGroup) (*outputGroup, error) {
	f := r.fields[g.columns[0]]
	if f.Shape != nil && (len(g.columns) > 1 || f.Width() < 1 || f.Width() > maxColumns || f.Shape[0] < 1) {
		return nil, fmt.Errorf("array %s has the shape %v: outputs are one array, with a row for each example and 1 to %d columns", showName(f.Name), f.Shape, maxColumns)
	}
	if slices.Contains(g.classes, "") {
		g.classes = make([]string, len(g.classes))
	}
	if g.classes[0] != "" && len(slices.Compact(slices.Sorted(slices.Values(g.classes)))) < len(g.classes) {
		return nil, fmt.Errorf("two columns of outputs are of the same class, of %s: rename one", showNames(g.classes))
	}
	return g, nil
}

// inferScores finds the columns of outputs by their names; if the labels are named, those whose names say
// nothing, too, if they are as many as the classes of the target.
func (r *roles) inferScores(labelled bool) (*outputGroup, error) {
	var groups []*outputGroup
	for _, k := range r.free() {
		g := r.groupOf(k)
		if r.arrays() && g.rank == rankOther && len(g.classes) < 2 {
			continue
		}
		i := slices.IndexFunc(groups, func(h *outputGroup) bool { return h.common == g.common && h.rank == g.rank })
		if i < 0 {
			groups = append(groups, g)
		} else {
			groups[i].add(g)
		}
	}
	names, target := r.names(), Attribute{}
	for rank := range rankOther + 1 {
		if rank == rankOther && labelled {
			read, err := r.Read(nil, []int{r.target.at})
			if err == nil {
				target, err = r.target.attribute(read.Labels[0], maxColumns, nil)
			}
			if err != nil {
				return nil, err
			}
		}
		var fit []*outputGroup
		var all []int
		for _, g := range groups {
			if g.rank == rank && r.fits(g, &target) {
				fit, all = append(fit, g), append(all, g.columns...)
			}
		}
		if len(fit) > 1 {
			most := slices.MaxFunc(fit, func(a, b *outputGroup) int { return len(a.columns) - len(b.columns) })
			return nil, fmt.Errorf("has %ss of outputs of several kinds (%s): name those of one kind with --scores, such as %s", r.Noun, showNames(pick(names, all)), showNames(pick(names, most.columns)))
		}
		if len(fit) == 1 {
			return r.taken(fit[0])
		}
	}
	rest := r.free()
	if classes := len(target.Values); classes > 1 && len(rest) == classes && !r.arrays() {
		return r.taken(&outputGroup{rank: rankOther, columns: rest, classes: make([]string, classes)})
	}
	flag := strings.Join(pick(names, rest[:min(len(rest), 8)]), ",")
	if i := slices.IndexFunc(groups, func(g *outputGroup) bool { return g.rank == rankOther && g.common != "" && len(g.columns) > 1 }); i >= 0 {
		flag = "'" + groups[i].common + "*'"
	}
	return nil, fmt.Errorf("has no %s of outputs (score…, logit…, prob…, p0…, pred…, output…), nor as many others as classes: name one for each class, in their order, also for classes without examples, as in --scores %s; there are %s", r.Noun, showName(flag), showNames(names))
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
		_, err := matchColumns(target, g.classes, len(g.classes), r.listing())
		return named || g.common != "" && err == nil
	}
	return true
}

// taken is a group whose names may be those of other columns, too, with a note.
func (r *roles) taken(g *outputGroup) (*outputGroup, error) {
	if _, err := r.checked(g); err != nil || g.rank == rankWord {
		return g, err
	}
	names := r.names()
	if g.kind == Vector {
		r.note("the array %s is taken for vectors, and not for scores of classes", showName(g.common))
		return g, nil
	}
	of, target := "", dataset.NoTarget
	if len(g.classes) > 1 && g.classes[0] != "" && !slices.ContainsFunc(g.classes, isNumber) {
		of = " of the classes " + showNames(g.classes)
	}
	if r.target != nil {
		target = showName(names[r.target.at])
	}
	var sensitive []string
	for _, w := range r.sensitive {
		sensitive = append(sensitive, names[w.at])
	}
	r.note("%ss that are taken for the outputs%s: %s; for the target: %s; for what is sensitive: %s",
		r.Noun, of, showNames(pick(names, g.columns)), target, showNames(sensitive))
	return g, nil
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
	all, free := &outputGroup{}, r.free()
	for _, text := range asked {
		found, stem := r.matching(text)
		if len(found) == 0 {
			return nil, fmt.Errorf("has no %s %s of outputs: there are %s", r.Noun, showName(text), showNames(r.names()))
		}
		for _, k := range found {
			name := r.fields[k].Name
			if !slices.Contains(free, k) || slices.Contains(all.columns, k) {
				return nil, fmt.Errorf("column %s has two roles, of outputs, labels and outputs of an honest classifier: name it once", showName(name))
			}
			g := r.groupOf(k)
			if g.rank == rankOther && !r.arrays() {
				g.classes[0] = strings.Trim(strings.TrimPrefix(name, stem), " _-.:")
			}
			all.add(g)
		}
	}
	return r.checked(all)
}

// matching returns the column of that name. If there is none, it returns the columns that match the pattern or
// begin with the text, without labels. Stem is the part of the pattern before its star.
func (r *roles) matching(text string) (found []int, stem string) {
	if k := slices.Index(r.names(), text); k >= 0 {
		return []int{k}, ""
	}
	before, after, _ := strings.Cut(text, "*")
	for _, k := range r.free() {
		name := r.fields[k].Name
		if len(name) >= len(before)+len(after) && strings.HasPrefix(name, before) && strings.HasSuffix(name, after) {
			found = append(found, k)
		}
	}
	return found, before
}
