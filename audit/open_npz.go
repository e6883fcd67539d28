package audit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"tattle/curious"
	"tattle/npy"
)

// What belongs to another array or to all of the outputs in an .npz: NAME.values are
// the classes of the integers of NAME, NAME.kind says "number" or "class" of it, classes
// are those of the outputs, and NAME.name is what
// NAME is called.
const (
	valuesSuffix = ".values"
	nameSuffix   = ".name"
	kindSuffix   = ".kind"
	classesArray = "classes"
)

type outputArray struct {
	name string
	kind curious.Outputs
}

// outputArrays are what an array of outputs is called, and the kind that this tells.
var outputArrays = []outputArray{
	{"outputs", ""}, {"scores", ""}, {"logits", curious.Raw}, {"probabilities", curious.Soft},
	{"probs", curious.Soft}, {"proba", curious.Soft},
}

// archive is an open .npz of outputs.
type archive struct {
	file   *npy.File
	names  []string // of the arrays that are left
	titles []string // what they are called
	n      int
	room   float64 // bytes that arrays may still take
	src    *source

	stopped func() error // asked before each array
}

// readNPZ reads an archive of arrays.
func readNPZ(ctx context.Context, path string, o OpenOptions) (*source, error) {
	f, err := npy.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	return readArchive(ctx, f, info.Size(), o)
}

// readArchive finds outputs and labels among the arrays of an archive of size bytes.
func readArchive(ctx context.Context, f *npy.File, size int64, o OpenOptions) (*source, error) {
	a := &archive{file: f, names: f.Names(), src: &source{}, stopped: ctx.Err}
	a.room = min(maxArrays, freeBytes+maxPacked*float64(size))
	if len(a.names) == 0 {
		return nil, errors.New("is an archive without arrays: save them with numpy.savez; take a CSV out of an archive, and save a workbook as CSV")
	}
	if len(a.names) > maxArchive {
		return nil, fmt.Errorf("has %d arrays, more than the %d that are taken: leave some out", len(a.names), maxArchive)
	}
	a.src.place = func(i int) string { return fmt.Sprintf("row %d (from 0)", i) }
	if err := a.outputs(o.Scores); err != nil {
		return nil, err
	}
	if err := a.readTitles(); err != nil {
		return nil, err
	}
	y, err := a.target(o)
	if err != nil {
		return nil, err
	}
	return a.src, a.sensitive(o.Sensitive, y)
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
func (a *archive) outputs(asked []string) error {
	name, kind, err := a.outputArray(asked)
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
	for i, v := range a.src.scores {
		if x := float64(v); math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("array %s, row %d, column %d (from 0): the score is %v: outputs must be finite; mend the model or leave the row out", showName(name), i/width, i%width, v)
		}
	}
	a.n, a.src.kind, a.src.classes = shape[0], kind, make([]string, width)
	a.drop(name)
	return a.classes(width)
}

// outputArray finds the array of outputs.
func (a *archive) outputArray(asked []string) (string, curious.Outputs, error) {
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
	if len(asked) == 1 && len(found) == 0 && slices.Contains(a.names, asked[0]) {
		found = asked
	}
	switch len(found) {
	case 1:
		return found[0], kind, nil
	case 0:
		return "", "", fmt.Errorf("has no array of outputs (outputs, scores, logits, probabilities, probs or proba): name it; there are %s", showNames(a.names))
	}
	return "", "", fmt.Errorf("has several arrays of outputs (%s): name one", showNames(found))
}

// drop takes a name off those that are left.
func (a *archive) drop(name string) {
	a.names = slices.DeleteFunc(a.names, func(n string) bool { return n == name })
}

// classes reads the names of the columns of outputs, where there is such an array.
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

// target reads y and returns the name of its array.
func (a *archive) target(o OpenOptions) (string, error) {
	r := &roles{header: a.names, titles: a.titles}
	if err := r.findTarget(o.Target); err != nil {
		return "", err
	}
	name := a.names[r.target]
	c, own, err := a.column(name)
	if err != nil {
		return "", err
	}
	if a.src.classes[0] == "" && len(own.listed) == len(a.src.classes) {
		a.src.classes = own.listed
	}
	c.name = a.titles[r.target]
	a.src.target, a.src.rule = c, r.rule
	return name, nil
}

// readTitles reads NAME.name of every array that is left.
func (a *archive) readTitles() error {
	a.titles = slices.Clone(a.names)
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
		a.titles[i] = strings.TrimSpace(text[0])
	}
	return nil
}

// sensitive reads the columns that are asked for; else all that are left.
func (a *archive) sensitive(asked []string, y string) error {
	r := &roles{header: a.names, titles: a.titles}
	if len(asked) == 0 {
		var err error
		if asked, err = a.usual(y); err != nil {
			return err
		}
	}
	if len(asked) == 0 {
		return fmt.Errorf("has no sensitive array, of %d labels or numbers, beside outputs and %s: there are %s", a.n, showName(y), showNames(a.names))
	}
	if len(asked) > maxAttributes {
		return tooManyAttributes(len(asked))
	}
	for _, text := range asked {
		if err := r.ask(text); err != nil {
			return err
		}
	}
	if err := r.tellApart(); err != nil {
		return err
	}
	for i, k := range r.sensitive {
		c, own, err := a.column(a.names[k])
		if err != nil {
			return err
		}
		w := r.wanted[i]
		if c.name = w.name; w.manner == guessed {
			w.manner, w.listed = own.manner, own.listed
		}
		a.src.columns = append(a.src.columns, attributeColumn{c, w})
	}
	return nil
}

// usual lists the arrays that are columns and neither outputs nor labels, and notes
// the others. It errs where one cannot be read, as Python's objects cannot.
func (a *archive) usual(y string) ([]string, error) {
	var columns, others []string
	for _, name := range a.names {
		if name == y || a.belongs(name) {
			continue
		}
		shape, _, err := a.file.Size(name)
		if err != nil {
			return nil, err
		}
		if a.perExample(shape) {
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
