package audit

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"tattle/curious"
)

// outputArray is a possible name of an array of outputs, and the kind that it implies.
type outputArray struct {
	name string
	kind curious.Outputs
}

// vectorsArray is the array of vectors that WriteOutputs writes, and vectorArrays are other names
// of such arrays.
const vectorsArray = "vectors"

var vectorArrays = []string{vectorsArray, "embeddings", "embedding", "emb", "features"}

// outputArrays are all that are known.
var outputArrays = []outputArray{
	{"outputs", ""}, {"scores", ""}, {"logits", curious.Raw}, {"probabilities", curious.Soft},
	{"probs", curious.Soft}, {"proba", curious.Soft},
}

// outputs reads the outputs and the names of their classes.
func (a *archive) outputs(o OpenOptions) error {
	name, kind, err := a.vectorArray(o)
	if name == "" && err == nil {
		name, kind, err = a.outputArray(o.Scores, o.Target != "" && len(o.Sensitive) > 0)
	}
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

// vectorArray finds the array of vectors: the one that is asked for, else one of a known name if
// there are no outputs; "" if there is none.
func (a *archive) vectorArray(o OpenOptions) (string, curious.Outputs, error) {
	has := func(name string) bool {
		return slices.ContainsFunc(a.names, func(n string) bool { return strings.EqualFold(n, name) })
	}
	switch {
	case len(o.Columns) > 1:
		return "", "", errors.New("vectors of an .npz are one array [n, numbers]: name one")
	case len(o.Columns) == 1 && !slices.Contains(a.names, o.Columns[0]):
		return "", "", fmt.Errorf("has no array %s: there are %s", showName(o.Columns[0]), showNames(a.names))
	case len(o.Columns) == 1:
		return o.Columns[0], Vector, nil
	case len(o.Scores) > 0 || slices.ContainsFunc(outputArrays, func(x outputArray) bool { return has(x.name) }):
		return "", "", nil
	}
	var found []string
	for _, name := range a.names {
		if slices.ContainsFunc(vectorArrays, func(x string) bool { return strings.EqualFold(x, name) }) {
			found = append(found, name)
		}
	}
	if len(found) > 1 {
		return "", "", fmt.Errorf("has several arrays of vectors (%s): name one with --columns", showNames(found))
	}
	if len(found) == 0 {
		return "", "", nil
	}
	a.src.note("the array %s is taken for vectors, and not for scores of classes", showName(found[0]))
	return found[0], Vector, nil
}

// outputArray finds the array of outputs: the one that is asked for, else one of a known name,
// else, if all labels are named, the only one with several columns.
func (a *archive) outputArray(asked []string, labelled bool) (string, curious.Outputs, error) {
	if len(asked) > 1 {
		return "", "", errors.New("outputs of an .npz are one array [n, classes]: name one")
	}
	var found []string
	var kind curious.Outputs
	for _, want := range outputArrays {
		for _, name := range a.names {
			if len(asked) == 0 && strings.EqualFold(name, want.name) || len(asked) == 1 && name == asked[0] && strings.EqualFold(name, want.name) {
				found, kind = append(found, name), want.kind
			}
		}
	}
	if len(asked) == 0 && len(found) == 0 && labelled {
		if found = a.wide(); len(found) == 1 {
			a.src.note("the array %s is taken for the outputs", showName(found[0]))
		}
	}
	if len(asked) == 1 && len(found) == 0 && slices.Contains(a.names, asked[0]) {
		found = asked
	}
	switch len(found) {
	case 1:
		return found[0], kind, nil
	case 0:
		return "", "", fmt.Errorf("has no array of outputs (outputs, scores, logits, probabilities, probs or proba): name it with --scores; there are %s", showNames(a.names))
	}
	return "", "", fmt.Errorf("has several arrays of outputs (%s): name one with --scores", showNames(found))
}

// wide returns the arrays with two dimensions and several columns.
func (a *archive) wide() []string {
	var found []string
	for _, name := range a.names {
		if shape, _, err := a.file.Size(name); err == nil && len(shape) == 2 && shape[1] > 1 {
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
