package audit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tattle/curious"
	"tattle/dataset"
	"tattle/npy"
)

// What belongs to another array or to all of the outputs in an .npz: NAME.values are
// the classes of the integers of NAME, NAME.kind says "number" or "class" of it, classes
// are those of the outputs, and NAME.name is what NAME is called.
const (
	valuesSuffix = ".values"
	nameSuffix   = ".name"
	kindSuffix   = ".kind"
	classesArray = "classes"
)

// vectorsArray is the array of vectors that WriteOutputs writes.
const vectorsArray = "vectors"

// outputArrays are the names by which arrays of outputs are found, in small letters, and the kinds that
// they imply. Arrays of vectors are taken only if there are no others.
var outputArrays = map[string]curious.Outputs{
	"outputs": "", "scores": "", "logits": curious.Raw, "probabilities": curious.Soft, "probs": curious.Soft, "proba": curious.Soft,
	vectorsArray: Vector, "embeddings": Vector, "embedding": Vector, "emb": Vector, "features": Vector,
}

// archive is an open .npz of outputs.
type archive struct {
	file  *npy.File
	names []string // of the arrays that are left
	n     int
	room  float64 // bytes that arrays may still take
	src   *source

	references []string     // arrays that are the outputs of honest classifiers
	stopped    func() error // asked before each array
}

// readArchive finds outputs and labels among the arrays of an archive of size bytes.
func readArchive(ctx context.Context, f *npy.File, size int64, o OpenOptions) (*source, error) {
	a := &archive{file: f, names: f.Names(), src: &source{}, references: o.references, stopped: ctx.Err}
	a.room = min(maxArrays, freeBytes+maxPacked*float64(size))
	if len(a.names) == 0 {
		return nil, errors.New("is an archive without arrays: save them with numpy.savez; take a CSV out of an archive, and save a workbook as CSV")
	}
	if len(a.names) > maxArchive {
		return nil, fmt.Errorf("has %d arrays, more than the limit of %d: leave some out", len(a.names), maxArchive)
	}
	a.src.place = func(i int) string { return fmt.Sprintf("row %d (from 0)", i) }
	if err := a.outputs(o); err != nil {
		return nil, err
	}
	return a.src, a.labels(o)
}

// array reads an array of a bounded size.
func (a *archive) array(name string) (npy.Array, error) {
	if err := a.stopped(); err != nil {
		return npy.Array{}, err
	}
	_, bytes, err := a.file.Size(name)
	if err != nil {
		return npy.Array{}, err
	}
	if a.room -= bytes; a.room < 0 {
		return npy.Array{}, fmt.Errorf("array %s and those before it unpack to more than %d MiB, or %d times the file: leave arrays out, or save them with numpy.savez", showName(name), maxArrays>>20, maxPacked)
	}
	return a.file.Array(name)
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
	a.names = slices.DeleteFunc(a.names, func(n string) bool { return n == name })
	if !slices.Contains(a.names, classesArray) {
		return nil
	}
	names, err := a.texts(classesArray)
	if err != nil {
		return err
	}
	a.names = slices.DeleteFunc(a.names, func(n string) bool { return n == classesArray })
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
	}
	if len(names) != width || slices.Contains(names, "") || len(slices.Compact(slices.Sorted(slices.Values(names)))) != width {
		return fmt.Errorf("array %s has %d names for %d columns of outputs: want one for each, all different", classesArray, len(names), width)
	}
	a.src.classes = names
	return nil
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
		kind := outputArrays[strings.ToLower(asked[0])]
		if kind == Vector {
			kind = "" // the caller says that these are scores, whatever the name suggests
		}
		return asked[0], kind, nil
	}
	var scores, vectors, wide []string
	for _, name := range a.names {
		if slices.Contains(a.references, name) {
			continue
		}
		kind, known := outputArrays[strings.ToLower(name)]
		switch shape, _, err := a.file.Size(name); {
		case kind == Vector:
			vectors = append(vectors, name)
		case known:
			scores = append(scores, name)
		case err == nil && len(shape) == 2 && shape[1] > 1:
			wide = append(wide, name)
		}
	}
	switch {
	case len(scores) == 1:
		return scores[0], outputArrays[strings.ToLower(scores[0])], nil
	case len(scores) > 1:
		return "", "", fmt.Errorf("has several arrays of outputs (%s): name one with --scores", showNames(scores))
	case len(vectors) == 1:
		a.src.note("the array %s is taken for vectors, and not for scores of classes", showName(vectors[0]))
		return vectors[0], Vector, nil
	case len(vectors) > 1:
		return "", "", fmt.Errorf("has several arrays of vectors (%s): name one with --columns", showNames(vectors))
	case len(wide) == 1 && o.Target != "" && len(o.Sensitive) > 0:
		a.src.note("the array %s is taken for the outputs", showName(wide[0]))
		return wide[0], "", nil
	}
	return "", "", fmt.Errorf("has no array of outputs (outputs, scores, logits, probabilities, probs or proba): name it with --scores; there are %s", showNames(a.names))
}

// labels reads the target, and the sensitive attributes that the options name, else all arrays that are
// columns.
func (a *archive) labels(o OpenOptions) error {
	r := &roles{header: a.names, titles: slices.Clone(a.names), target: -1}
	for i, name := range a.names {
		if !slices.Contains(a.names, name+nameSuffix) {
			continue
		}
		text, err := a.texts(name + nameSuffix)
		if err != nil {
			return err
		}
		if len(text) != 1 || text[0] == "" {
			return fmt.Errorf("array %s: want one name", showName(name+nameSuffix))
		}
		r.titles[i] = strings.TrimSpace(text[0])
	}
	if o.Target == dataset.NoTarget {
		a.src.kind = Vector
	}
	if o.Target != "" || a.src.kind != Vector || slices.Contains(a.names, "y"+nameSuffix) { // the file names the target of its vectors
		if err := r.findTarget(o.Target); err != nil {
			return err
		}
	}
	if err := a.target(r); err != nil {
		return err
	}
	asked := o.Sensitive
	if len(asked) == 0 {
		var err error
		if asked, err = a.usual(r.target); err != nil {
			return err
		}
	}
	if len(asked) == 0 {
		return fmt.Errorf("has no sensitive array, of %d labels or numbers, beside outputs and target: there are %s; of one-hot rows that is array.argmax(1)", a.n, showNames(a.names))
	}
	if err := r.findSensitive(asked); err != nil {
		return err
	}
	a.src.made, a.src.wanted = r.made, r.sensitive
	for i, w := range r.sensitive {
		c, err := a.column(a.names[w.at])
		if err != nil {
			return err
		}
		if w.manner == guessed && !w.rule.Grouped() {
			a.src.wanted[i].manner = c.manner
		}
		a.src.columns = append(a.src.columns, c)
	}
	return nil
}

// target reads the array of the target, if there is one.
func (a *archive) target(r *roles) error {
	if r.target < 0 {
		return nil
	}
	c, err := a.column(a.names[r.target])
	if err != nil {
		return err
	}
	if a.src.classes[0] == "" && len(c.listed) == len(a.src.classes) {
		a.src.classes = c.listed
	}
	c.name = r.titles[r.target]
	a.src.target, a.src.rule = c, r.rule
	if a.src.numeric = r.numeric || c.manner == asNumber && a.src.kind == Vector; a.src.numeric {
		a.src.kind = Vector
	}
	return nil
}

// usual lists the arrays that are columns and neither outputs nor labels, and notes
// the others. It returns an error if one cannot be read, as Python's objects cannot.
func (a *archive) usual(target int) ([]string, error) {
	var columns, others []string
	for i, name := range a.names {
		if i == target || a.belongs(name) || slices.Contains(a.references, name) {
			continue
		}
		shape, _, err := a.file.Size(name)
		if err != nil {
			return nil, err
		}
		if either := target < 0 && slices.Contains(targetNames, strings.ToLower(name)); a.perExample(shape) && !either { // it is named to be either
			columns = append(columns, name)
		} else {
			others = append(others, name)
		}
	}
	if len(others) > 0 {
		a.src.note("arrays that are not used: %s", showNames(others))
	}
	return columns, nil
}

// perExample reports whether an array of that shape has one element for each example.
func (a *archive) perExample(shape []int) bool {
	return (len(shape) == 1 || len(shape) == 2 && shape[1] == 1) && shape[0] == a.n
}

// belongs reports whether an array says something of another one.
func (a *archive) belongs(name string) bool {
	for _, suffix := range []string{valuesSuffix, nameSuffix, kindSuffix} {
		if of, ok := strings.CutSuffix(name, suffix); ok && slices.Contains(a.names, of) {
			return true
		}
	}
	return false
}

// column reads a label or number for each example, and what the arrays beside it say
// of it.
func (a *archive) column(name string) (*column, error) {
	shape, _, err := a.file.Size(name)
	switch {
	case err != nil:
		return nil, err
	case len(shape) == 2 && shape[0] == a.n && shape[1] > 1:
		return nil, fmt.Errorf("array %s has %d columns: want one label for each example; of one-hot rows that is %s.argmax(1)", showName(name), shape[1], showName(name))
	case !a.perExample(shape):
		return nil, fmt.Errorf("array %s has the shape %v: want one label for each of %d examples", showName(name), shape, a.n)
	case slices.Contains(a.names, name+valuesSuffix):
		return a.coded(name)
	}
	c := newColumn(name)
	if slices.Contains(a.names, name+kindSuffix) {
		kind, err := a.texts(name + kindSuffix)
		if err != nil {
			return nil, err
		}
		switch strings.Join(kind, " ") {
		case "number":
			c.manner = asNumber
		case "class":
			c.manner = asClass
		default:
			return nil, fmt.Errorf("array %s: want the one text number or class", showName(name+kindSuffix))
		}
	}
	texts, err := a.texts(name)
	if err != nil {
		return nil, err
	}
	return c, a.fill(c, texts)
}

// fill adds the values of an array to a column.
func (a *archive) fill(c *column, texts []string) error {
	for _, t := range texts {
		if err := c.add(t); err != nil {
			return fmt.Errorf("array %w", err)
		}
		if len(c.values) > maxDistinct {
			return fmt.Errorf("array %s has more than %d different labels: round numbers, or leave it out", showName(c.name), maxDistinct)
		}
	}
	return nil
}

// coded reads integers whose classes NAME.values names; −1 is none.
func (a *archive) coded(name string) (*column, error) {
	array, err := a.array(name)
	if err != nil {
		return nil, err
	}
	labels, err := array.Ints()
	if err != nil {
		return nil, fmt.Errorf("array %s: %w", showName(name), err)
	}
	values, err := a.texts(name + valuesSuffix)
	if err != nil {
		return nil, err
	}
	c := newColumn(name)
	if err := a.fill(c, values); err != nil {
		return nil, err
	}
	if len(c.values) != len(values) || slices.Contains(values, "") {
		return nil, fmt.Errorf("array %s has a class twice, or one without a name: rename it", showName(name+valuesSuffix))
	}
	c.listed = slices.Clone(c.values)
	c.values, c.codes = append(c.values, ""), make([]int32, len(labels))
	for i, label := range labels {
		if label < -1 || label >= len(values) {
			return nil, fmt.Errorf("array %s, row %d (from 0): there is no class %d of the %d of %s", showName(name), i, label, len(values), showName(name+valuesSuffix))
		}
		if c.codes[i] = int32(label); label < 0 {
			c.codes[i] = int32(len(values))
		}
	}
	return c, nil
}

// texts reads an array of labels: numbers as the shortest decimal, and bools as 0 and 1.
func (a *archive) texts(name string) ([]string, error) {
	array, err := a.array(name)
	if err != nil {
		return nil, err
	}
	switch x := array.Data.(type) {
	case []string:
		return x, nil
	case []float32:
		return written(x, func(v float32) string { return strconv.FormatFloat(float64(v), 'g', -1, 32) }), nil
	case []float64:
		return written(x, func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }), nil
	case []uint64:
		return written(x, func(v uint64) string { return strconv.FormatUint(v, 10) }), nil
	}
	x, err := array.Ints()
	if err != nil {
		return nil, fmt.Errorf("array %s holds neither text nor numbers", showName(name))
	}
	return written(x, strconv.Itoa), nil
}

func written[T any](x []T, as func(T) string) []string {
	dst := make([]string, len(x))
	for i, v := range x {
		dst[i] = as(v)
	}
	return dst
}
