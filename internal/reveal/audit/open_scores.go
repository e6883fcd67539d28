package audit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"tattle/internal/data/dataset"
	"tattle/internal/file"
	"tattle/internal/reveal/curious"
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
	word    string // that says that they are outputs, or else what their names begin with, as q of q0
	rank    int
	kind    curious.Outputs
	columns []int
	classes []string // of each number of the outputs; "" if it has no name
}

// groupOf returns the group that a column belongs to by its name.
func (r *roles) groupOf(k int) *outputGroup {
	f := r.fields[k]
	g := &outputGroup{word: f.Name, rank: rankOther, columns: []int{k}, classes: make([]string, max(f.Width(), 0))}
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
			g.word, g.classes = w.word.String(), []string{own}
		}
		return g
	}
	if f.Shape == nil {
		g.word = beginning(f.Name)
		g.classes[0] = f.Name[len(g.word):]
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

// findScores finds the columns of the outputs of honest classifiers, and of outputs: those that the options name, else those
// whose names say so, else, if all labels are named, those that are as many as the classes of the target.
func (r *roles) findScores(o OpenOptions) (err error) {
	for _, p := range r.patterns {
		g, err := r.askedScores([]string{p})
		if err != nil {
			return referenceError(p, err)
		}
		r.references = append(r.references, g)
	}
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
		return nil, fmt.Errorf("array %s has the shape %v: outputs are one array, with a row for each example and 1 to %d columns", file.Shown(f.Name), f.Shape, maxColumns)
	}
	if slices.Contains(g.classes, "") {
		g.classes = make([]string, len(g.classes))
	}
	if g.classes[0] != "" && len(slices.Compact(slices.Sorted(slices.Values(g.classes)))) < len(g.classes) {
		return nil, fmt.Errorf("two columns of outputs are of the same class, of %s: rename one", file.ShownNames(g.classes))
	}
	return g, nil
}

// inferScores finds the columns of outputs by their names. If the labels are named and no other column says that it is
// of outputs, they are those that have a common beginning and are as many as the classes of the target, or all others, if
// these are as many.
func (r *roles) inferScores(labelled bool) (*outputGroup, error) {
	rest, names, y := r.free(), r.names(), Attribute{}
	flag := strings.Join(pick(names, rest[:min(len(rest), 8)]), ",") // that would name them
	for rank := range rankOther + 1 {
		if rank == rankOther && labelled {
			read, err := r.Read(nil, []int{r.target.at})
			if err == nil {
				y, err = r.target.attribute(read.Labels[0], maxColumns, nil)
			}
			if err != nil {
				return nil, err
			}
		}
		var groups []*outputGroup
		for _, k := range rest {
			g := r.groupOf(k)
			if g.rank != rank || rank == rankOther && g.word == "" {
				continue
			}
			if i := slices.IndexFunc(groups, func(h *outputGroup) bool { return h.word == g.word }); i >= 0 {
				groups[i].add(g)
			} else {
				groups = append(groups, g)
			}
		}
		if i := slices.IndexFunc(groups, func(g *outputGroup) bool { return rank == rankOther && len(g.columns) > 1 }); i >= 0 {
			flag = "'" + groups[i].word + "*'"
		}
		fit := slices.DeleteFunc(groups, func(g *outputGroup) bool {
			switch rank {
			case rankIndex:
				return !slices.Equal(g.classes, indexNames(len(g.classes)))
			case rankOther:
				if len(g.classes) < 2 || len(g.classes) != len(y.Values) {
					return true
				}
				_, err := matchColumns(&y, g.classes, len(g.classes), r.listing())
				return err != nil
			}
			return false
		})
		if len(fit) == 1 {
			return r.taken(fit[0])
		}
		if len(fit) > 1 {
			var all []int
			for _, g := range fit {
				all = append(all, g.columns...)
			}
			most := slices.MaxFunc(fit, func(a, b *outputGroup) int { return len(a.columns) - len(b.columns) })
			return nil, fmt.Errorf("has %ss of outputs of several kinds (%s): name those of one kind with --scores, such as %s", r.Noun, file.ShownNames(pick(names, all)), file.ShownNames(pick(names, most.columns)))
		}
	}
	if n := len(y.Values); n > 1 && n == len(rest) && !r.arrays() {
		g := &outputGroup{rank: rankOther, columns: rest, classes: pick(names, rest)}
		if _, err := matchColumns(&y, g.classes, n, r.listing()); err != nil {
			g.classes = make([]string, n)
		}
		return r.taken(g)
	}
	return nil, fmt.Errorf("has no %s of outputs (score…, logit…, prob…, p0…, pred…, output…), nor as many others as classes: name one for each class, in their order, also for classes without examples, as in --scores %s; there are %s", r.Noun, file.Shown(flag), file.ShownNames(names))
}

// taken is a group whose names may be those of other columns, too, with a note.
func (r *roles) taken(g *outputGroup) (*outputGroup, error) {
	if _, err := r.checked(g); err != nil || g.rank == rankWord {
		return g, err
	}
	names := r.names()
	if g.kind == Vector {
		r.note("the array %s is taken for vectors, and not for scores of classes", file.Shown(g.word))
		return g, nil
	}
	target := dataset.NoTarget
	if r.target != nil {
		target = file.Shown(names[r.target.at])
	}
	var sensitive []string
	for _, w := range r.sensitive {
		sensitive = append(sensitive, names[w.at])
	}
	r.note("%ss that are taken for the outputs: %s; for the target: %s; for what is sensitive: %s", r.Noun, file.ShownNames(pick(names, g.columns)), target, file.ShownNames(sensitive))
	return g, nil
}

// askedScores finds columns by name, pattern or prefix.
func (r *roles) askedScores(asked []string) (*outputGroup, error) {
	all, free := &outputGroup{}, r.free()
	for _, text := range asked {
		found, stem := r.matching(text)
		if len(found) == 0 {
			return nil, fmt.Errorf("has no %s %s of outputs: there are %s", r.Noun, file.Shown(text), file.ShownNames(r.names()))
		}
		for _, k := range found {
			name := r.fields[k].Name
			if !slices.Contains(free, k) || slices.Contains(all.columns, k) {
				return nil, fmt.Errorf("column %s has two roles, of outputs, labels and outputs of an honest classifier: name it once", file.Shown(name))
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
