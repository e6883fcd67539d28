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
	rankIndex        // 0, 1, 2, as data frames call the columns of an array; and vectors
	rankGuess        // they say so, but other columns may have such names
	rankOther        // they say nothing
)

// scoreNames match the names of columns and arrays of outputs, such as score3, prob_cat, p_1 and logit:small caps,
// in small letters: the word and, after anything but a letter, the class, which an array has not.
var scoreNames = []struct {
	name *regexp.Regexp
	kind curious.Outputs
	rank int
}{
	{regexp.MustCompile(`^(scores?|outputs?|y_score)([^a-z].*)?$`), "", rankWord},
	{regexp.MustCompile(`^(logits?)([^a-z].*)?$`), curious.Raw, rankWord},
	{regexp.MustCompile(`^(prob(?:abilit(?:y|ies)|as?|s)?|y_proba?)([^a-z].*)?$`), curious.Soft, rankWord},
	{regexp.MustCompile(`^(p_)(.*)$`), curious.Soft, rankWord},
	{regexp.MustCompile(`^()([0-9]+)$`), "", rankIndex},
	{regexp.MustCompile(`^(vectors|embeddings?|emb|features)()$`), Vector, rankIndex}, // of arrays only
	{regexp.MustCompile(`^(y_pred|pred(?:ictions?|s)?)([^a-z].*)?$`), "", rankGuess},
	{regexp.MustCompile(`^(p)([0-9]+)$`), "", rankGuess},
}

// outputGroup is columns that may be outputs, in the order of the classes, or an array of them.
type outputGroup struct {
	name    string // as it is asked for
	word    string // that says that they are outputs, or else what their names begin with, as q of q0
	rank    int
	kind    curious.Outputs
	columns []int
	classes []string // of each number of the outputs; "" if it has no name
}

// groupOf returns the group that a column belongs to by its name.
func (r *roles) groupOf(k int) *outputGroup {
	f := r.fields[k]
	array, small := f.Shape != nil, strings.ToLower(f.Name)
	g := &outputGroup{word: beginning(f.Name), rank: rankOther, columns: []int{k}, classes: []string{f.Name}}
	if array {
		g.word, g.classes = f.Name, make([]string, max(f.Width(), 0))
	}
	for _, x := range scoreNames {
		m := x.name.FindStringSubmatch(small)
		if m == nil || len(small) != len(f.Name) || array && m[2] != "" || !array && x.kind == Vector {
			continue
		}
		if g.word, g.rank, g.kind = m[1], x.rank, x.kind; !array {
			own, named := strings.CutPrefix(f.Name[len(m[1]):], ":")
			if g.classes[0] = own; !named {
				g.classes[0] = strings.Trim(own, " _-.[]()")
			}
		}
		return g
	}
	return g
}

// findScores finds the columns of the outputs of honest classifiers, and of outputs: those that the options name, else those
// whose names say so, else, if all labels are named, those that are as many as the classes of the target.
func (r *roles) findScores(o OpenOptions) error {
	var references []*outputGroup
	for _, p := range o.References {
		g, err := r.askedScores([]string{p})
		if err != nil {
			return err
		}
		references = append(references, g)
	}
	asked := o.Columns
	if o.Vectors && len(asked) == 0 {
		var err error
		if asked, err = r.inferVectors(len(o.Sensitive) > 0); err != nil {
			return err
		}
	}
	g, err := r.askedScores(asked)
	if err != nil {
		return err
	}
	if o.scored && g.kind == Vector {
		name := file.Shown(r.Names()[g.columns[0]])
		return wrong("Outputs", "give the file as --vectors FILE", "array %s holds vectors, and no scores of classes", name)
	}
	r.outputs, r.vectors = slices.Insert(references, 0, g), o.Vectors || g.kind == Vector
	return nil
}

// inferVectors returns the names of the columns of vectors by their names. If sensitive attributes are named, all others can be.
func (r *roles) inferVectors(named bool) (names []string, err error) {
	free := func(k int) bool { return !r.fields[k].used && (named || !r.saysSensitive(k)) }
	group, err := dataset.VectorColumns(r.Columns, free)
	if err != nil {
		return nil, err
	}
	names = pick(r.Names(), group)
	r.notes = append(r.notes, fmt.Sprintf("%ss that are taken for the vectors: %s", r.Noun, file.ShownNames(names)))
	return names, nil
}

// inferScores finds the columns of outputs by their names.
func (r *roles) inferScores() (g *outputGroup, err error) {
	rest := r.free()
	for rank := range rankOther + 1 {
		var groups []*outputGroup
		for _, k := range rest {
			g := r.groupOf(k)
			i := slices.IndexFunc(groups, func(h *outputGroup) bool { return h.word == g.word })
			switch {
			case g.rank != rank:
			case i < 0:
				groups = append(groups, g)
			default:
				groups[i].columns, groups[i].classes = append(groups[i].columns, k), append(groups[i].classes, g.classes...)
			}
		}
		switch rank {
		case rankIndex:
			groups = slices.DeleteFunc(groups, func(g *outputGroup) bool { return g.kind != Vector && g.classes[0] != "0" })
		case rankOther:
			if groups, err = r.asManyAsClasses(groups, rest); err != nil {
				return nil, err
			}
		}
		if len(groups) == 1 {
			return r.checked(groups[0])
		}
		if len(groups) > 1 {
			return nil, fmt.Errorf("has %ss of outputs of several kinds, such as %s and %s: name those of one kind with --scores", r.Noun, file.Shown(r.Names()[groups[0].columns[0]]), file.Shown(r.Names()[groups[1].columns[0]]))
		}
	}
	return nil, fmt.Errorf("has no %s of outputs (score…, logit…, prob…, p0…, pred…, output…), and --target and --sensitive name no labels with as many other %ss as classes: name one for each class with --scores, also for classes without examples; there are %s", r.Noun, r.Noun, file.ShownNames(r.Names()))
}

// asManyAsClasses returns the groups whose names have a common beginning and that are as many as the classes of the target. If
// there is none, it returns the rest of the columns that are called as the classes. The labels must be named.
func (r *roles) asManyAsClasses(groups []*outputGroup, rest []int) ([]*outputGroup, error) {
	if len(r.sensitive) == 0 || r.target == nil || r.target.Number {
		return nil, nil
	}
	read, err := r.Read(nil, []int{r.target.at})
	if err != nil {
		return nil, err
	}
	y, err := r.target.attribute(read.Labels[0], maxColumns, nil)
	if err != nil {
		return nil, err
	}
	n := len(y.Values)
	if n == 0 { // numbers
		return nil, nil
	}
	groups = slices.DeleteFunc(groups, func(g *outputGroup) bool { return g.word == "" || len(g.classes) != n })
	if of, ok := placesOf(y.Values, pick(r.Names(), rest)); ok && len(groups) == 0 {
		groups = append(groups, &outputGroup{rank: rankOther, columns: pick(rest, of), classes: y.Values})
	}
	return groups, nil
}

// askedScores finds columns: those of a name or, if there is none, those without a role that match a pattern or begin with the
// text. If nothing is asked for, their names decide.
func (r *roles) askedScores(asked []string) (*outputGroup, error) {
	if len(asked) == 0 {
		return r.inferScores()
	}
	all := &outputGroup{name: strings.Join(asked, ",")}
	for _, text := range asked {
		found := false
		for _, k := range r.Like(text) {
			f := r.fields[k]
			if f.used && f.Name != text {
				continue
			}
			if found = true; f.used {
				return nil, fmt.Errorf("column %s has two roles, of outputs, labels and outputs of an honest classifier: name it once", file.Shown(f.Name))
			}
			g := r.groupOf(k)
			all.kind, all.columns, all.classes = g.kind, append(all.columns, k), append(all.classes, g.classes...)
			r.fields[k].used = true
		}
		if !found {
			return nil, fmt.Errorf("has no %s %s of outputs: there are %s", r.Noun, file.Shown(text), file.ShownNames(r.Names()))
		}
	}
	return r.checked(all)
}

// checked returns an error unless the outputs of a group can be those of a classifier, or vectors. If other columns may
// have such names, it notes which they are.
func (r *roles) checked(g *outputGroup) (*outputGroup, error) {
	f := r.fields[g.columns[0]]
	if f.Shape != nil && (len(g.columns) > 1 || f.Width() < 1 || f.Width() > maxColumns || f.Shape[0] < 1) {
		return nil, fmt.Errorf("array %s has the shape %v: outputs are one array, with a row for each example and 1 to %d columns", file.Shown(f.Name), f.Shape, maxColumns)
	}
	if slices.Contains(g.classes, "") {
		clear(g.classes)
	} else if len(slices.Compact(slices.Sorted(slices.Values(g.classes)))) < len(g.classes) {
		return nil, fmt.Errorf("two columns of outputs are of the same class, of %s: rename one", file.ShownNames(g.classes))
	}
	if g.rank != rankWord {
		r.notes = append(r.notes, fmt.Sprintf("%ss that are taken for the outputs: %s", r.Noun, file.ShownNames(pick(r.Names(), g.columns))))
	}
	for _, k := range g.columns {
		r.fields[k].used = true
	}
	return g, nil
}
