package audit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

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

// archive is an open .npz of outputs.
type archive struct {
	file   *npy.File
	names  []string // of the arrays that are left
	titles []string // what they are called
	n      int
	room   float64 // bytes that arrays may still take
	src    *source

	references []string     // arrays that are the outputs of honest classifiers
	stopped    func() error // asked before each array
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

// drop removes a name from those that are left.
func (a *archive) drop(name string) {
	a.names = slices.DeleteFunc(a.names, func(n string) bool { return n == name })
}

// target reads y and returns the name of its array.
func (a *archive) target(o OpenOptions) (string, error) {
	r := &roles{header: a.names, titles: a.titles, target: -1}
	if o.Target == dataset.NoTarget {
		a.src.kind = Vector
	}
	if asked := o.Target; asked != "" || a.src.kind != Vector || slices.Contains(a.names, "y"+nameSuffix) { // the file names the target of its vectors
		if err := r.findTarget(asked); err != nil {
			return "", err
		}
	}
	if r.target < 0 {
		return "", nil
	}
	name := a.names[r.target]
	c, own, err := a.column(name)
	if err != nil {
		return "", err
	}
	a.src.listed = own.listed
	if a.src.classes[0] == "" && len(own.listed) == len(a.src.classes) {
		a.src.classes = own.listed
	}
	c.name = a.titles[r.target]
	a.src.target, a.src.rule = c, r.rule
	if a.src.numeric = r.numeric || own.manner == asNumber && a.src.kind == Vector; a.src.numeric {
		a.src.kind = Vector
	}
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

// sensitive reads the columns that the options name, else all that are left.
func (a *archive) sensitive(asked []string, y string) error {
	r := &roles{header: a.names, titles: a.titles, target: -1}
	if len(asked) == 0 {
		var err error
		if asked, err = a.usual(y); err != nil {
			return err
		}
	}
	if len(asked) == 0 {
		return fmt.Errorf("has no sensitive array, of %d labels or numbers, beside outputs and target: there are %s; of one-hot rows that is array.argmax(1)", a.n, showNames(a.names))
	}
	if err := r.findSensitive(asked); err != nil {
		return err
	}
	if r.target = slices.Index(a.names, y); r.target >= 0 {
		r.targetName, r.rule = a.src.target.name, a.src.rule
		if err := r.distinct(); err != nil {
			return err
		}
	}
	a.src.made = r.made
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
// the others. It returns an error if one cannot be read, as Python's objects cannot.
func (a *archive) usual(y string) ([]string, error) {
	var columns, others []string
	for _, name := range a.names {
		if name == y || a.belongs(name) || slices.Contains(a.references, name) {
			continue
		}
		if y == "" && slices.Contains(targetNames, strings.ToLower(name)) { // it is named to be either
			others = append(others, name)
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
