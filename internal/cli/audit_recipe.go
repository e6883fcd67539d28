package cli

import (
	"fmt"
	"slices"
	"strings"

	"tattle/audit"
	"tattle/curious"
	"tattle/curious/training"
	"tattle/nn"
	"tattle/onnx"
)

// compareRecipe returns how it is known that the references have the recipe of the audited
// model: as --same-recipe states, or by the record of the model's own run beside it. If the
// recipes differ the note says how. shortened reports that the references learned from less
// than all examples and epochs.
func (c *auditCmd) compareRecipe(d *audited, shortened bool) (recipe audit.Recipe, note string, err error) {
	if c.SameRecipe {
		return audit.RecipeStated, "", nil
	}
	own := c.ownResult()
	if own == nil || d.model == nil || d.training == nil {
		return audit.RecipeUnknown, "", nil // the report's reasons say so
	}
	other, err := c.otherRecipe(d, own)
	if err != nil {
		return audit.RecipeUnknown, "", err
	}
	if shortened {
		other = append(other, "examples and epochs, to bound the time")
	}
	if len(other) == 0 {
		return audit.RecipeCompared, "", nil
	}
	return audit.RecipeUnknown, fmt.Sprintf("The references are of another recipe than the record of the model's own run: %s.", strings.Join(other, "; ")), nil
}

// recipeSettings are the settings of a training that are part of its recipe: not its seed,
// and not what an attack adds to the honest loss.
var recipeSettings = []string{"outputs", "epochs", "batch", "learning rate", "target", "widths"}

// otherRecipe lists in what the references' recipe differs from the record of the audited
// model's run.
func (c *auditCmd) otherRecipe(d *audited, own *training.Result) ([]string, error) {
	widths, err := parseWidths("reference-widths", c.widths(d))
	if err != nil {
		return nil, err
	}
	reference := training.Seed{Options: curious.Options{Attack: curious.Standard, Outputs: d.Sample.Kind, Epochs: c.preparation(d).ReferenceEpochs()}, Widths: widths}.Settings(d.training)
	var other []string
	for _, key := range recipeSettings {
		if is, was := reference[key], own.Settings[key]; is != was {
			other = append(other, fmt.Sprintf("%s %q, the model has %q", key, is, was))
		}
	}
	if own.Data != d.training.Sum() {
		other = append(other, "other data, or another division of them")
	}
	net, err := c.net(d)
	if err != nil {
		return nil, err
	}
	if net == nil {
		net = curious.DefaultNet(d.training.Train.Shape)
	}
	g := net(len(d.training.Train.YNames), 0)
	if d.Sample.Kind == curious.Soft {
		g = curious.Release(g, curious.Soft)
	}
	same, err := sameStructure(g, d.model.Graph)
	if err == nil && !same {
		other = append(other, "another architecture")
	}
	return other, err
}

// sameStructure tells whether a net, written to a file and read again, has the operators
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
