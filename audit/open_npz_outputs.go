package audit

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"tattle/curious"
)

// outputArray is a name of an array of outputs that is known, and the kind that it implies.
type outputArray struct {
	name string
	kind curious.Outputs
}

// vectorsArray is the array of vectors that WriteOutputs writes.
const vectorsArray = "vectors"

// outputArrays are the names by which arrays of outputs are found. Arrays of vectors are taken only if
// there are no others.
var outputArrays = []outputArray{
	{"outputs", ""}, {"scores", ""}, {"logits", curious.Raw}, {"probabilities", curious.Soft},
	{"probs", curious.Soft}, {"proba", curious.Soft},
	{vectorsArray, Vector}, {"embeddings", Vector}, {"embedding", Vector}, {"emb", Vector}, {"features", Vector},
}

// outputs reads the outputs and the names of their classes.
func (a *archive) outputs(o OpenOptions) error {
	name, kind, err := a.outputArray(o)
	if err != nil {
		return err
	}
	shape, _, err := a.file.Size(name)
	if err != nil {
		return err
	}
	width := 1
	if len(shape) == 2 {
		width = shape[1]
	}
	if len(shape) < 1 || len(shape) > 2 || shape[0] < 1 || width < 1 || width > maxColumns {
		return fmt.Errorf("array %s has the shape %v: want a row for each example and 1 to %d columns", showName(name), shape, maxColumns)
	}
	array, err := a.array(name)
	if err != nil {
		return err
	}
	if _, text := array.Data.([]string); text {
		return fmt.Errorf("array %s holds text: save the outputs as numbers", showName(name))
	}
	if a.src.scores, err = array.Float32s(); err != nil {
		return fmt.Errorf("array %s: %w: scale the outputs", showName(name), err)
	}
	if wide, ok := array.Data.([]float64); ok && slices.ContainsFunc(wide, finer) {
		a.src.note(finerNote)
	}
	for i, v := range a.src.scores {
		if x := float64(v); math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("array %s, row %d, column %d (from 0): the score is %v: outputs must be finite; correct the model or leave the row out", showName(name), i/width, i%width, v)
		}
	}
	a.n, a.src.kind, a.src.classes = shape[0], kind, make([]string, width)
	a.drop(name)
	return a.classes(width)
}

// outputArray finds the array of outputs or of vectors: the one that is asked for, else the one of a
// known name, else, if all labels are named, the only one with several columns.
func (a *archive) outputArray(o OpenOptions) (string, curious.Outputs, error) {
	asked, vector := o.Scores, len(o.Columns) > 0
	if vector {
		asked = o.Columns
	}
	switch {
	case len(asked) > 1:
		return "", "", errors.New("outputs or vectors of an .npz are one array [n, numbers]: name one")
	case len(asked) == 1 && !slices.Contains(a.names, asked[0]):
		return "", "", fmt.Errorf("has no array %s: there are %s", showName(asked[0]), showNames(a.names))
	case vector:
		return asked[0], Vector, nil
	case len(asked) == 1:
		kind := knownKind(asked[0])
		if kind == Vector {
			kind = "" // the caller says that these are scores, whatever the name suggests
		}
		return asked[0], kind, nil
	}
	found := a.known(false)
	if len(found) == 0 {
		if found, vector = a.known(true), true; len(found) == 1 {
			a.src.note("the array %s is taken for vectors, and not for scores of classes", showName(found[0]))
		}
	}
	if len(found) == 0 && o.Target != "" && len(o.Sensitive) > 0 {
		if found, vector = a.wide(), false; len(found) == 1 {
			a.src.note("the array %s is taken for the outputs", showName(found[0]))
		}
	}
	switch {
	case len(found) == 1:
		return found[0], knownKind(found[0]), nil
	case len(found) == 0:
		return "", "", fmt.Errorf("has no array of outputs (outputs, scores, logits, probabilities, probs or proba): name it with --scores; there are %s", showNames(a.names))
	case vector:
		return "", "", fmt.Errorf("has several arrays of vectors (%s): name one with --columns", showNames(found))
	}
	return "", "", fmt.Errorf("has several arrays of outputs (%s): name one with --scores", showNames(found))
}

// known returns the arrays of known names of vectors, or of other outputs.
func (a *archive) known(vector bool) (found []string) {
	for _, want := range outputArrays {
		for _, name := range a.names {
			if strings.EqualFold(name, want.name) && vector == (want.kind == Vector) && !slices.Contains(a.references, name) {
				found = append(found, name)
			}
		}
	}
	return found
}

// knownKind returns the kind that the name of an array implies, "" if it implies none.
func knownKind(name string) curious.Outputs {
	for _, known := range outputArrays {
		if strings.EqualFold(name, known.name) {
			return known.kind
		}
	}
	return ""
}

// wide returns the arrays with two dimensions and several columns.
func (a *archive) wide() []string {
	var found []string
	for _, name := range a.names {
		if shape, _, err := a.file.Size(name); err == nil && len(shape) == 2 && shape[1] > 1 && !slices.Contains(a.references, name) {
			found = append(found, name)
		}
	}
	return found
}

// classes reads the names of the columns of outputs, if there is such an array.
func (a *archive) classes(width int) error {
	if !slices.Contains(a.names, classesArray) {
		return nil
	}
	names, err := a.texts(classesArray)
	if err != nil {
		return err
	}
	a.drop(classesArray)
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
	}
	if len(names) != width || slices.Contains(names, "") || len(slices.Compact(slices.Sorted(slices.Values(names)))) != width {
		return fmt.Errorf("array %s has %d names for %d columns of outputs: want one for each, all different", classesArray, len(names), width)
	}
	a.src.classes = names
	return nil
}
