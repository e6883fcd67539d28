package audit

import (
	"fmt"
	"slices"
	"strings"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/onnx"
	"tattle/internal/reveal/curious"
	"tattle/internal/reveal/curious/training"
)

// recipe returns how it is known that the references have the recipe of the audited model:
// because the request says so, or by the record of the model's own run beside it. If the
// recipes differ the note says how. shortened reports that the references learned from less
// than all examples and epochs.
func (q *Request) recipe(s *Subject, shortened bool) (recipe Recipe, note string, err error) {
	if q.SameRecipe {
		return RecipeStated, "", nil
	}
	own := q.ownResult()
	if own == nil || s.Model == nil || s.Training == nil {
		return RecipeUnknown, "", nil // the report's reasons say so
	}
	other, err := q.otherRecipe(s, own)
	if err != nil {
		return RecipeUnknown, "", err
	}
	if shortened {
		other = append(other, "examples and epochs, to bound the time")
	}
	if len(other) == 0 {
		return RecipeCompared, "", nil
	}
	return RecipeUnknown, fmt.Sprintf("The references are of another recipe than the record of the model's own run: %s.", strings.Join(other, "; ")), nil
}

// recipeSettings are the settings of a training that are part of its recipe: not its seed,
// and not what an attack adds to the honest loss.
var recipeSettings = []string{"outputs", "epochs", "batch", "learning rate", "target", "widths"}

// otherRecipe lists in what the references' recipe differs from the record of the audited
// model's run.
func (q *Request) otherRecipe(s *Subject, own *training.Result) ([]string, error) {
	seed := training.Seed{Options: curious.Options{Attack: curious.Standard, Outputs: s.Sample.Kind, Epochs: s.Epochs}, Widths: q.widths()}
	reference := seed.Settings(s.Training)
	var other []string
	for _, key := range recipeSettings {
		if is, was := reference[key], own.Settings[key]; is != was {
			other = append(other, fmt.Sprintf("%s %q, the model has %q", key, is, was))
		}
	}
	if own.Learned != s.Training.Learned() {
		other = append(other, "other data, or another division of them")
	}
	net, err := q.net(s)
	if err != nil {
		return nil, err
	}
	if net == nil {
		net = curious.DefaultNet(s.Training.Train.Shape)
	}
	g := net(len(s.Training.Train.YNames), 0)
	if s.Sample.Kind == curious.Soft {
		g = curious.Release(g, curious.Soft)
	}
	same, err := sameStructure(g, s.Model.Graph)
	if err == nil && !same {
		other = append(other, "another architecture")
	}
	return other, err
}

// sameStructure reports whether a net, written to a file and read again, has the operators
// and the shapes of another that was read.
func sameStructure(built, read *nn.Graph) (bool, error) {
	data, err := onnx.Encode(built)
	if err != nil {
		return false, err
	}
	again, err := onnx.Decode("reference.onnx", data)
	if err != nil {
		return false, err
	}
	a, err := structure(again)
	if err != nil {
		return false, err
	}
	b, err := structure(read)
	return slices.Equal(a, b), err
}

// structure lists the operators of a net with the shapes of their outputs and parameters.
func structure(g *nn.Graph) ([]string, error) {
	shapes, err := g.Shapes()
	if err != nil {
		return nil, err
	}
	var list []string
	for _, n := range g.Nodes {
		list = append(list, fmt.Sprintf("%T %v", n.Op, shapes[n.Output]))
	}
	for _, p := range g.Params() {
		list = append(list, fmt.Sprint(p.Shape))
	}
	return list, nil
}
