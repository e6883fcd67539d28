package paper

import (
	"slices"
	"strings"

	"tattle/internal/reveal/curious"
	"tattle/internal/reveal/curious/training"
)

// A Training is one classifier to train, for each seed anew, and its attacks.
type Training struct {
	Key  string       // names it, and its folder
	Kind curious.Kind // Standard, Regularized or Parameterized
	// Outputs has what the attacks see: one entry, but for a standard net, whose raw
	// and soft outputs are attacked afterwards (overlearning).
	Outputs   []curious.Outputs
	Beta      curious.Beta
	Target    string   // a rule of package dataset, or the name of a column
	Sensitive []string // likewise; one, but for a standard net, where none is possible
	Widths    [5]int   // of F's layers; zero means Table 12's
	Student   bool     // a teacher of 80 % of the training part, then its student of the rest
}

// add puts a training among those of the experiment, or adds its outputs and attributes to
// the one that is there, and returns its key.
func (x *Experiment) add(t Training) string {
	have := x.Training(t.Key)
	if have == nil {
		x.Trainings = append(x.Trainings, t)
		return t.Key
	}
	have.Outputs = union(have.Outputs, t.Outputs...)
	have.Sensitive = union(have.Sensitive, t.Sensitive...)
	return t.Key
}

// Training returns the training of a key, nil for none.
func (x *Experiment) Training(key string) *Training {
	i := slices.IndexFunc(x.Trainings, func(t Training) bool { return t.Key == key })
	if i < 0 {
		return nil
	}
	return &x.Trainings[i]
}

// Sensitive returns the sensitive attributes of all trainings on a target, each once.
func (x *Experiment) Sensitive(target string) []string {
	var all []string
	for _, t := range x.Trainings {
		if t.Target == target {
			all = union(all, t.Sensitive...)
		}
	}
	return all
}

// training is what a line's figures come from. Its key identifies it within its experiment.
func (l Line) training() Training {
	t := Training{
		Kind: l.Kind, Outputs: []curious.Outputs{l.Outputs}, Beta: l.Beta,
		Target: l.Target, Widths: l.Widths, Student: l.Role != "",
	}
	if l.Sensitive != "" {
		t.Sensitive = []string{l.Sensitive}
	}
	beta := ""
	if t.Beta.X > 0 {
		beta = "x" + multiplier(t.Beta.X)
	}
	key := []string{t.Target}
	if t.Kind == curious.Overlearning {
		t.Kind = curious.Standard
		key = append(key, string(t.Kind))
	} else {
		key = append(key, l.Sensitive, string(t.Kind), string(l.Outputs))
		beta += "y" + multiplier(t.Beta.Y) + "s" + multiplier(t.Beta.S)
	}
	if beta != "" {
		key = append(key, beta)
	}
	if t.Widths != [5]int{} {
		key = append(key, strings.ReplaceAll(layers(t.Widths), "-", "."))
	}
	if t.Student {
		key = append(key, "distilled")
	}
	t.Key = strings.Join(key, "-")
	return t
}

// request is the training on the data of a source, with a seed that is not set.
func (x *Experiment) request(t Training, src *training.Source, epochs int) training.Seed {
	s := training.Seed{
		Options: curious.Options{Attack: t.Kind, Outputs: t.Outputs[0], Beta: t.Beta, Epochs: epochs},
		Widths:  t.Widths, Source: src, Further: t.Outputs[1:], Student: t.Student, Prune: x.Pruned,
	}
	for _, name := range t.Sensitive {
		s.Options.Attributes = append(s.Options.Attributes, slices.Index(src.Sensitive, name))
	}
	if t.Kind == curious.Standard && len(t.Sensitive) > 0 {
		s.Options.Attack = curious.Overlearning
	}
	return s
}

// series names a measure of the training in a picture, shortly: the plane says the attributes.
func (t Training) series(measure string) string {
	words := []string{string(t.Kind), string(t.Outputs[0]), "β " + t.Beta.String()}
	if t.Kind == curious.Standard {
		words = []string{string(curious.Overlearning), measure, "β " + t.Beta.String()}
	}
	if t.Widths != [5]int{} {
		words = append(words, layers(t.Widths))
	}
	switch {
	case measure == training.StudentMeasure:
		words = append(words, measure)
	case t.Student:
		words = append(words, "teacher")
	}
	return strings.Join(words, ", ")
}

// measures names the measures of the training in order.
func (t Training) measures() []string {
	var names []string
	for _, o := range t.Outputs {
		names = append(names, string(o))
	}
	if t.Student {
		names = append(names, training.StudentMeasure)
	}
	return names
}
