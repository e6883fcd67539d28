package dataset

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tattle/internal/engine/nn"
	"tattle/internal/npy"
)

// Names of the arrays of an .npz, in the order in which they are looked for.
var (
	exampleArrays = []string{"x", "images", "data", "inputs", "input", "x_test", "test_images", "x_train", "train_images"}
	labelArrays   = []string{"y", "labels", "label", "targets", "target", "y_test", "test_labels", "y_train", "train_labels"}
)

// arrays is an open .npz, or one array.
type arrays struct {
	path  string
	file  *npy.File // nil of a .npy
	shape []int     // of the examples, their number first
	bytes bool      // the examples are of bytes
	row   func(i int) (npy.Array, error)
}

// hold takes the examples from an array that is in memory.
func (a *arrays) hold(x npy.Array, err error) error {
	if err != nil {
		return err
	}
	if len(x.Shape) == 0 {
		return malformed(a.path, "is one number: give an array of examples")
	}
	a.shape = x.Shape
	n := sizeOf(a.shape[1:])
	var bytes []uint8
	if bytes, a.bytes = x.Data.([]uint8); a.bytes {
		a.row = func(i int) (npy.Array, error) { return npy.Array{Data: bytes[i*n:][:n]}, nil }
		return nil
	}
	numbers, err := x.Float32s()
	a.row = func(i int) (npy.Array, error) { return npy.Array{Data: numbers[i*n:][:n]}, nil }
	return err
}

// openArrays reads examples, and labels where there are some.
func openArrays(path string, o Options) (*origin, error) {
	if len(o.Sensitive) > 0 {
		return nil, fmt.Errorf("%s: sensitive attributes need a CSV of labels: arrays have none", path)
	}
	a := &arrays{path: path}
	src := &origin{labels: &labels{source: path}, name: strings.TrimSuffix(strings.TrimSuffix(baseName(path), ".npz"), ".npy")}
	src.close = func() {
		if a.file != nil {
			a.file.Close()
		}
	}
	if err := a.open(src, o); err != nil {
		return src, err
	}
	src.read = func(_ context.Context, rows, _ []int, _ *chosen) (*Set, error) { return a.read(rows, o) }
	if src.count = a.shape[0]; a.bytes {
		src.scaled = "bytes are scaled to 0 … 1"
	}
	return src, nil
}

// open opens the arrays, and checks that there are examples.
func (a *arrays) open(src *origin, o Options) (err error) {
	if !isZip(a.path) {
		err = a.hold(npy.ReadFile(a.path))
	} else if a.file, err = npy.Open(a.path); err == nil {
		err = a.find(src, o)
	}
	switch {
	case err != nil:
		return err
	case a.shape[0] == 0:
		return malformed(a.path, "holds no examples: give an array with some")
	case sizeOf(a.shape[1:]) <= 0:
		return malformed(a.path, "examples of shape %s: want some numbers in each", nn.ShapeString(a.shape[1:]))
	}
	return nil
}

// find finds examples, labels and people by their names.
func (a *arrays) find(src *origin, o Options) error {
	names := a.file.Names()
	y, group := cmp.Or(o.Target, called(names, labelArrays)), o.Group
	if i := slices.IndexFunc(names, SaysGroup); group == "" && i >= 0 {
		group, src.grouped = names[i], names[i]
	}
	if y != "" && y != NoTarget && !slices.Contains(names, y) {
		return a.lacks(y)
	}
	x := called(names, exampleArrays)
	if x == "" {
		labels := y
		if y == NoTarget {
			labels = called(names, labelArrays)
		}
		rest := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == labels || n == group })
		if len(rest) != 1 {
			return malformed(a.path, "has the arrays %s: call that of the examples x, and that of their labels y", strings.Join(names, ", "))
		}
		x = rest[0]
	}
	if rows, err := a.file.Rows(x); err == nil {
		a.shape, a.bytes = rows.Shape(), rows.Type() == "u1"
		a.row = func(i int) (npy.Array, error) { return rows.Read(i, i+1) }
	} else if err := a.hold(a.file.Array(x)); err != nil { // in Fortran order, which is read whole
		return err
	}
	if y != "" && y != NoTarget {
		if strings.Contains(x, "train") != strings.Contains(y, "train") {
			return malformed(a.path, "has the examples %s and the labels %s, which are of other parts: call them x and y", x, y)
		}
		labels, err := a.column(y, "label")
		if err != nil {
			return err
		}
		if _, i := numbered(labels); i >= 0 && i < len(labels.values) {
			return malformed(a.path, "array %s: label %s of example %d: give whole numbers from 0 to %d", y, labels.values[i], i, maxClassNumber)
		}
		labels.name = cmp.Or(o.Target, "label")
		src.columns = append(src.columns, labels)
	}
	if group != "" && group != NoGroup {
		people, err := a.column(group, "person")
		if err != nil {
			return err
		}
		src.columns = append(src.columns, people)
	}
	return nil
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

// lacks is the error of an array that is not there.
func (a *arrays) lacks(name string) error {
	return malformed(a.path, "has no array %q: there are %s", name, strings.Join(a.file.Names(), ", "))
}

// column reads an array of text or whole numbers, one for each example.
func (a *arrays) column(name, what string) (column, error) {
	c := column{name: name}
	if !slices.Contains(a.file.Names(), name) {
		return c, a.lacks(name)
	}
	of, err := a.file.Array(name)
	if err != nil {
		return c, err
	}
	if len(of.Shape) == 2 && of.Shape[1] > 1 && of.Shape[0] == a.shape[0] {
		hint := ""
		if what == "label" {
			hint = fmt.Sprintf("; of one-hot rows that is %s.argmax(1)", name)
		}
		return c, malformed(a.path, "array %s has %d columns: give one %s for each example%s", name, of.Shape[1], what, hint)
	}
	text, is := of.Data.([]string)
	if c.values = text; !is {
		ints, err := of.Ints()
		if err != nil {
			return c, malformed(a.path, "array %s must hold text or whole numbers, one %s for each example: %v", name, what, err)
		}
		for _, v := range ints {
			c.values = append(c.values, strconv.Itoa(v))
		}
	}
	if len(of.Shape) == 0 || len(c.values) != of.Shape[0] || of.Shape[0] != a.shape[0] {
		return c, malformed(a.path, "array %s of shape %s for %s: give one %s for each", name, nn.ShapeString(of.Shape), plural(a.shape[0], "example"), what)
	}
	return c, nil
}

// read reads some rows: pictures where they are bytes, changed as the preprocessing says; where it says nothing of the
// values, bytes are taken to 0 … 1. Numbers are in the model's units, but for a mean and a standard deviation that are given.
func (a *arrays) read(rows []int, o Options) (set *Set, err error) {
	size, p := sizeOf(a.shape[1:]), o.Preprocess
	if uint64(len(rows)) > maxPictures/4/uint64(size) {
		return nil, fmt.Errorf("%s: %d examples of %d numbers take more than %d GB: ask for fewer", a.path, len(rows), size, maxPictures>>30)
	}
	set = &Set{Shape: slices.Clone(a.shape[1:]), Source: []string{a.path}}
	channels, last := 1, false
	switch {
	case a.bytes:
		if channels, set.Shape, last, err = a.picture(o); err != nil {
			return nil, err
		}
		set.Pixels, set.Mean, set.Std = make([]uint8, len(rows)*size), make([]float32, channels), slices.Repeat([]float32{1}, channels)
	case p.resizes() || p.Channels != "":
		return nil, fmt.Errorf("%s: its examples are numbers, not bytes: resize, crop and channels are of pictures; leave them out, or give the pictures as uint8", a.path)
	default:
		set.Values = make([]float32, len(rows)*size)
		if len(set.Shape) == 0 {
			set.Shape = []int{1}
		}
	}
	order := nn.Indices(len(rows)) // in the order of the file
	slices.SortFunc(order, func(i, j int) int { return rows[i] - rows[j] })
	for _, k := range order {
		one, err := a.row(rows[k])
		if err != nil {
			return nil, err
		}
		if a.bytes {
			planes(set.Pixels[k*size:][:size], one.Data.([]uint8), channels, last)
			continue
		}
		v, err := one.Float32s()
		if err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(v, func(x float32) bool { return x-x != 0 }); i >= 0 {
			return nil, malformed(a.path, "example %d has the value %v: want finite numbers", rows[k], v[i])
		}
		copy(set.Values[k*size:], v)
	}
	switch {
	case a.bytes:
		return set, p.reshape(a.path, set)
	case p.Normalises():
		return set, set.standardise(p)
	}
	return set, nil
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

// planes writes a picture as planes of its channels.
func planes(dst, src []uint8, channels int, last bool) {
	if !last {
		copy(dst, src)
		return
	}
	plane := len(src) / channels
	for i, v := range src {
		dst[i%channels*plane+i/channels] = v
	}
}

// picture returns what the dimensions of an array of bytes mean: 1 or 3 channels, the shape with these first, and whether they
// are the last in the array. A list of bytes has the model's shape, if that is a shape of pictures. Where both ends may be the
// channels, the model's layout decides, if that is given or the shapes agree.
func (a *arrays) picture(o Options) (channels int, planes []int, last bool, err error) {
	shape, layout := a.shape[1:], o.Preprocess.Layout
	n := sizeOf(shape)
	switch {
	case len(shape) == 1 && len(o.Shape) == 3 && sizeOf(o.Shape) == n && !o.Preprocess.resizes():
		shape = o.Shape
	case len(shape) < 2:
		return 1, []int{1, 1, n}, false, nil
	case len(shape) == 2:
		return 1, []int{1, shape[0], shape[1]}, false, nil
	case len(shape) > 3:
		return 0, nil, false, malformed(a.path, "examples of shape %s are bytes, and no pictures: give pictures as n × height × width × channels, or numbers as float32", nn.ShapeString(shape))
	}
	if layout == "" && slices.Equal(shape, o.Shape) {
		layout = LayoutCHW
	}
	coloured := func(n int) bool { return n == 1 || n == 3 }
	switch first, last := coloured(shape[0]), coloured(shape[2]); {
	case first && last && layout == "":
		return 0, nil, false, fmt.Errorf("%s: examples of shape %s: which are the channels? say layout=chw or layout=hwc", a.path, nn.ShapeString(shape))
	case first && (!last || layout == LayoutCHW):
		return shape[0], slices.Clone(shape), false, nil
	case last:
		return shape[2], []int{shape[2], shape[0], shape[1]}, true, nil
	}
	return 0, nil, false, malformed(a.path, "examples of shape %s are bytes with neither 1 nor 3 channels: give pictures as n × height × width × channels, or numbers as float32", nn.ShapeString(shape))
}
