package dataset

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"tattle/npy"
)

// Names of the arrays of an .npz, in the order in which they are looked for.
var (
	exampleArrays = []string{"x", "images", "data", "inputs", "input", "x_test", "test_images", "x_train", "train_images"}
	labelArrays   = []string{"y", "labels", "label", "targets", "target", "y_test", "test_labels", "y_train", "train_labels"}
)

// rowReader reads rows of an array, of which some are wanted.
type rowReader interface {
	Len() int
	Shape() []int
	Read(lo, hi int) (npy.Array, error)
}

// whole is an array that is in memory, of bytes or of float32.
type whole struct{ npy.Array }

func newWhole(path string, a npy.Array) (whole, error) {
	if len(a.Shape) == 0 {
		return whole{}, malformed(path, "is one number: give an array of examples")
	}
	if _, bytes := a.Data.([]uint8); !bytes {
		v, err := a.Float32s()
		if err != nil {
			return whole{}, err
		}
		a.Data = v
	}
	return whole{a}, nil
}

func (w whole) Len() int     { return w.Array.Shape[0] }
func (w whole) Shape() []int { return w.Array.Shape }

func (w whole) Read(lo, hi int) (npy.Array, error) {
	shape := slices.Clone(w.Array.Shape)
	shape[0] = hi - lo
	n, _ := product(1, shape[1:])
	a := npy.Array{Shape: shape}
	switch data := w.Data.(type) {
	case []uint8:
		a.Data = data[lo*n : hi*n]
	case []float32:
		a.Data = data[lo*n : hi*n]
	}
	return a, nil
}

// arrays is an open .npz, or one array.
type arrays struct {
	path   string
	file   *npy.File // nil of a .npy
	x      rowReader
	labels []int
}

// openArrays reads examples, and labels where there are some.
func openArrays(path string, o InputOptions) (*inputs, error) {
	a, err := readArrays(path, o)
	if err != nil {
		return nil, err
	}
	in := &inputs{close: a.close}
	if err := a.check(); err != nil {
		a.close()
		return nil, err
	}
	in.rows = complete(nil, a.x.Len())
	in.note("arrays come in no parts: all of the %s of %s are taken", plural(len(in.rows), "example"), path)
	if a.labels == nil {
		in.note("there are no labels (an array called y, labels or targets): the examples are taken without")
	} else {
		in.target = &Attribute{Name: "label", Values: classNumbers(slices.Max(a.labels) + 1), Labels: a.labels}
	}
	in.read = func(_ context.Context, rows []int) (*Set, error) {
		set, err := a.read(rows, o, in)
		if err != nil {
			return nil, err
		}
		set.Name, set.Source = strings.TrimSuffix(strings.TrimSuffix(baseName(path), ".npz"), ".npy"), []string{path}
		return set, nil
	}
	return in, nil
}

func (a *arrays) close() {
	if a.file != nil {
		a.file.Close()
	}
}

// readArrays opens the arrays.
func readArrays(path string, o InputOptions) (*arrays, error) {
	a := &arrays{path: path}
	if !isZip(path) {
		x, err := npy.ReadFile(path)
		if err != nil {
			return nil, err
		}
		a.x, err = newWhole(path, x)
		return a, err
	}
	file, err := npy.Open(path)
	if err != nil {
		return nil, err
	}
	a.file = file
	if err := a.find(o); err != nil {
		file.Close()
		return nil, err
	}
	return a, nil
}

// find finds examples and labels by their names.
func (a *arrays) find(o InputOptions) error {
	names := a.file.Names()
	y := o.Target
	if y == NoTarget {
		y = ""
	} else if y == "" {
		y = called(names, labelArrays)
	} else if !slices.Contains(names, y) {
		return malformed(a.path, "has no array %q: there are %s", y, strings.Join(names, ", "))
	}
	x := called(names, exampleArrays)
	if x == "" {
		labels := cmp.Or(y, called(names, labelArrays))
		rest := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == labels })
		if len(rest) != 1 {
			return malformed(a.path, "has the arrays %s: call that of the examples x, and that of their labels y", strings.Join(names, ", "))
		}
		x = rest[0]
	}
	if rows, err := a.file.Rows(x); err == nil {
		a.x = rows
	} else { // in Fortran order, which is read whole
		array, err := a.file.Array(x)
		if err != nil {
			return err
		}
		if a.x, err = newWhole(a.path, array); err != nil {
			return err
		}
	}
	if y == "" {
		return nil
	}
	if strings.Contains(x, "train") != strings.Contains(y, "train") {
		return malformed(a.path, "has the examples %s and the labels %s, which are of other parts: call them x and y", x, y)
	}
	return a.readLabels(y)
}

// called returns the name that is one of those wanted, in their order, in any
// spelling of its letters.
func called(names, wanted []string) string {
	for _, want := range wanted {
		for _, name := range names {
			if strings.EqualFold(name, want) {
				return name
			}
		}
	}
	return ""
}

// readLabels reads one label for each example.
func (a *arrays) readLabels(name string) error {
	labels, shape, err := a.file.Ints(name)
	if err != nil {
		return err
	}
	if len(shape) == 2 && shape[1] > 1 && shape[0] == a.x.Len() {
		return malformed(a.path, "labels %s have %d columns: give one label for each example; of one-hot rows that is %s.argmax(1)", name, shape[1], name)
	}
	if len(shape) == 0 || len(labels) != shape[0] || shape[0] != a.x.Len() {
		return malformed(a.path, "labels %s of shape %s for %s: give one label for each", name, times(shape), plural(a.x.Len(), "example"))
	}
	for i, class := range labels {
		if err := checkClassNumber(i, class); err != nil {
			return malformed(a.path, "%v", err)
		}
	}
	a.labels = labels
	return nil
}

// check bounds the array.
func (a *arrays) check() error {
	shape := a.x.Shape()
	if a.x.Len() == 0 {
		return malformed(a.path, "holds no examples: give an array with some")
	}
	if n, ok := product(1, shape[1:]); !ok || n == 0 {
		return malformed(a.path, "examples of shape %s: want some numbers in each", times(shape[1:]))
	}
	return nil
}

// read reads some rows: pictures where they are bytes, and numbers otherwise.
func (a *arrays) read(rows []int, o InputOptions, in *inputs) (*Set, error) {
	size, _ := product(1, a.x.Shape()[1:])
	if uint64(len(rows)) > maxPictures/4/uint64(size) {
		return nil, fmt.Errorf("%s: %d examples of %d numbers take more than %d GB: ask for fewer", a.path, len(rows), size, maxPictures>>30)
	}
	order := complete(nil, len(rows)) // in the order of the file
	slices.SortStableFunc(order, func(i, j int) int { return rows[i] - rows[j] })
	first, err := a.x.Read(rows[order[0]], rows[order[0]]+1)
	if err != nil {
		return nil, err
	}
	if _, bytes := first.Data.([]uint8); bytes {
		return a.readBytes(rows, order, size, o, in)
	}
	return a.readNumbers(rows, order, size, o)
}

// readNumbers reads examples that are in the model's units, but for a mean and a
// standard deviation that are given.
func (a *arrays) readNumbers(rows, order []int, size int, o InputOptions) (*Set, error) {
	p := o.Preprocess
	if p.resizes() || p.Channels != "" {
		return nil, fmt.Errorf("%s: its examples are numbers, not bytes: resize, crop and channels are of pictures; leave them out, or give the pictures as uint8", a.path)
	}
	set := &Set{Shape: slices.Clone(a.x.Shape()[1:]), Values: make([]float32, len(rows)*size)}
	if len(set.Shape) == 0 {
		set.Shape = []int{1}
	}
	err := a.each(rows, order, func(k int, one npy.Array) error {
		v, err := one.Float32s()
		if err != nil {
			return err
		}
		for _, x := range v {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				return malformed(a.path, "example %d has the value %v: want finite numbers", rows[k], x)
			}
		}
		copy(set.Values[k*size:], v)
		return nil
	})
	if err == nil && p.Normalises() {
		err = set.standardise(p)
	}
	if err != nil {
		return nil, err
	}
	return set, nil
}

// each reads the rows in the order of the file.
func (a *arrays) each(rows, order []int, take func(k int, one npy.Array) error) error {
	last, one := -1, npy.Array{}
	for _, k := range order {
		if i := rows[k]; i != last {
			var err error
			if one, err = a.x.Read(i, i+1); err != nil {
				return err
			}
			last = i
		}
		if err := take(k, one); err != nil {
			return err
		}
	}
	return nil
}

// standardise takes values by mean and standard deviation: of each channel, where
// the shape has some, and of each input of a row of numbers.
func (s *Set) standardise(p Preprocess) error {
	channels, stride := s.size(), 1
	if len(s.Shape) > 1 && p.Layout == LayoutHWC {
		channels = s.Shape[len(s.Shape)-1]
	} else if len(s.Shape) > 1 {
		channels, stride = s.Shape[0], s.size()/s.Shape[0]
	}
	mean, std, err := p.ofValues(channels)
	if err != nil {
		return err
	}
	for i, x := range s.Values {
		c := i / stride % channels
		s.Values[i] = float32((float64(x) - mean[c]) / std[c])
	}
	return nil
}
