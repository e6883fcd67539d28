package dataset

import (
	"cmp"
	"context"
	"fmt"
	"math"
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
	path   string
	file   *npy.File                            // nil of a .npy
	shape  []int                                // of the examples, their number first
	row    func(i int) (a npy.Array, err error) // reads one of them: bytes, or numbers
	labels []int
	group  *column // who each example is about; nil if nothing says so
}

// hold takes the examples from an array that is in memory.
func (a *arrays) hold(x npy.Array) error {
	if len(x.Shape) == 0 {
		return malformed(a.path, "is one number: give an array of examples")
	}
	a.shape = x.Shape
	n := sizeOf(a.shape[1:])
	if bytes, ok := x.Data.([]uint8); ok {
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
	if err := a.open(o); err != nil {
		a.close()
		return nil, err
	}
	l := &labels{source: path, count: a.shape[0]}
	src := &origin{labels: l, name: strings.TrimSuffix(strings.TrimSuffix(baseName(path), ".npz"), ".npy"), close: a.close}
	if a.labels != nil {
		src.target = cmp.Or(o.Target, "label")
		l.columns = []column{{name: src.target, values: make([]string, len(a.labels))}}
		for i, class := range a.labels {
			l.columns[0].values[i] = strconv.Itoa(class)
		}
	}
	if a.group != nil {
		if l.columns = append(l.columns, *a.group); o.Group == "" {
			src.grouped = a.group.name
		}
	}
	src.read = func(_ context.Context, rows, _ []int, _ *chosen) (*Set, error) {
		set, err := a.read(rows, o)
		if err == nil && set.Values == nil {
			src.scaled = "bytes are scaled to 0 … 1"
		}
		if err == nil {
			set.Source = []string{path}
		}
		return set, err
	}
	return src, nil
}

func (a *arrays) close() {
	if a.file != nil {
		a.file.Close()
	}
}

// open opens the arrays, and checks that there are examples.
func (a *arrays) open(o Options) (err error) {
	if isZip(a.path) {
		if a.file, err = npy.Open(a.path); err == nil {
			err = a.find(o)
		}
	} else {
		var x npy.Array
		if x, err = npy.ReadFile(a.path); err == nil {
			err = a.hold(x)
		}
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

// find finds examples and labels by their names.
func (a *arrays) find(o Options) error {
	names := a.file.Names()
	y := o.Target
	if y == NoTarget {
		y = ""
	} else if y == "" {
		y = called(names, labelArrays)
	} else if !slices.Contains(names, y) {
		return malformed(a.path, "has no array %q: there are %s", y, strings.Join(names, ", "))
	}
	group := o.Group
	if i := slices.IndexFunc(names, SaysGroup); group == "" && i >= 0 {
		group = names[i]
	}
	x := called(names, exampleArrays)
	if x == "" {
		labels := cmp.Or(y, called(names, labelArrays))
		rest := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == labels || n == group })
		if len(rest) != 1 {
			return malformed(a.path, "has the arrays %s: call that of the examples x, and that of their labels y", strings.Join(names, ", "))
		}
		x = rest[0]
	}
	if rows, err := a.file.Rows(x); err == nil {
		a.shape, a.row = rows.Shape(), func(i int) (npy.Array, error) { return rows.Read(i, i+1) }
	} else { // in Fortran order, which is read whole
		array, err := a.file.Array(x)
		if err == nil {
			err = a.hold(array)
		}
		if err != nil {
			return err
		}
	}
	if group != "" && group != NoGroup {
		if err := a.readGroup(group); err != nil {
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
	if len(shape) == 2 && shape[1] > 1 && shape[0] == a.shape[0] {
		return malformed(a.path, "labels %s have %d columns: give one label for each example; of one-hot rows that is %s.argmax(1)", name, shape[1], name)
	}
	if len(shape) == 0 || len(labels) != shape[0] || shape[0] != a.shape[0] {
		return malformed(a.path, "labels %s of shape %s for %s: give one label for each", name, nn.ShapeString(shape), plural(a.shape[0], "example"))
	}
	for i, class := range labels {
		if err := checkClassNumber(i, class); err != nil {
			return malformed(a.path, "%v", err)
		}
	}
	a.labels = labels
	return nil
}

// readGroup reads who each example is about.
func (a *arrays) readGroup(name string) error {
	if !slices.Contains(a.file.Names(), name) {
		return malformed(a.path, "has no array %q: there are %s", name, strings.Join(a.file.Names(), ", "))
	}
	of, err := a.file.Array(name)
	if err != nil {
		return err
	}
	c := &column{name: name}
	if text, is := of.Data.([]string); is {
		c.values = text
	} else {
		ints, err := of.Ints()
		if err != nil {
			return malformed(a.path, "array %s identifies people: it must hold text or whole numbers", name)
		}
		for _, v := range ints {
			c.values = append(c.values, strconv.Itoa(v))
		}
	}
	if len(of.Shape) != 1 || len(c.values) != a.shape[0] {
		return malformed(a.path, "array %s of shape %s for %s: give one person for each", name, nn.ShapeString(of.Shape), plural(a.shape[0], "example"))
	}
	a.group = c
	return nil
}

// read reads some rows: pictures where they are bytes, and numbers otherwise.
func (a *arrays) read(rows []int, o Options) (*Set, error) {
	size := sizeOf(a.shape[1:])
	if uint64(len(rows)) > maxPictures/4/uint64(size) {
		return nil, fmt.Errorf("%s: %d examples of %d numbers take more than %d GB: ask for fewer", a.path, len(rows), size, maxPictures>>30)
	}
	order := nn.Indices(len(rows)) // in the order of the file
	slices.SortStableFunc(order, func(i, j int) int { return rows[i] - rows[j] })
	first, err := a.row(rows[order[0]])
	if err != nil {
		return nil, err
	}
	if _, bytes := first.Data.([]uint8); bytes {
		return a.readBytes(rows, order, size, o)
	}
	return a.readNumbers(rows, order, size, o)
}

// readNumbers reads examples that are in the model's units, but for a mean and a
// standard deviation that are given.
func (a *arrays) readNumbers(rows, order []int, size int, o Options) (*Set, error) {
	p := o.Preprocess
	if p.resizes() || p.Channels != "" {
		return nil, fmt.Errorf("%s: its examples are numbers, not bytes: resize, crop and channels are of pictures; leave them out, or give the pictures as uint8", a.path)
	}
	set := &Set{Shape: slices.Clone(a.shape[1:]), Values: make([]float32, len(rows)*size)}
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
			if one, err = a.row(i); err != nil {
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

// readBytes reads pictures, and changes them as the preprocessing says; where it
// says nothing of the values, bytes are taken to 0 … 1.
func (a *arrays) readBytes(rows, order []int, size int, o Options) (*Set, error) {
	channels, height, width, last, err := a.picture(o)
	if err != nil {
		return nil, err
	}
	set := &Set{Shape: []int{channels, height, width}, Pixels: make([]uint8, len(rows)*size)}
	set.Mean, set.Std = slices.Repeat([]float32{0}, channels), slices.Repeat([]float32{1}, channels)
	err = a.each(rows, order, func(k int, one npy.Array) error {
		planes(set.Pixels[k*size:][:size], one.Data.([]uint8), channels, last)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return set, o.Preprocess.reshape(a.path, set)
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

// picture returns the meaning of the dimensions of an array of bytes: channels are 1 or 3. A list of bytes has the model's
// shape, if that is a shape of pictures. Where both ends may be the channels, the model's layout decides, if that is given or
// the shapes agree.
func (a *arrays) picture(o Options) (channels, height, width int, last bool, err error) {
	shape, layout := a.shape[1:], o.Preprocess.Layout
	switch n := sizeOf(shape); {
	case len(shape) == 1 && len(o.Shape) == 3 && sizeOf(o.Shape) == n && !o.Preprocess.resizes():
		shape = o.Shape
	case len(shape) < 2:
		return 1, 1, n, false, nil
	case len(shape) == 2:
		return 1, shape[0], shape[1], false, nil
	case len(shape) > 3:
		return 0, 0, 0, false, malformed(a.path, "examples of shape %s are bytes, and no pictures: give pictures as n × height × width × channels, or numbers as float32", nn.ShapeString(shape))
	}
	if layout == "" && slices.Equal(shape, o.Shape) {
		layout = LayoutCHW
	}
	coloured := func(n int) bool { return n == 1 || n == 3 }
	switch first, last := coloured(shape[0]), coloured(shape[2]); {
	case first && last && layout == "":
		return 0, 0, 0, false, fmt.Errorf("%s: examples of shape %s: which are the channels? say layout=chw or layout=hwc", a.path, nn.ShapeString(shape))
	case first && (!last || layout == LayoutCHW):
		return shape[0], shape[1], shape[2], false, nil
	case last:
		return shape[2], shape[0], shape[1], true, nil
	}
	return 0, 0, 0, false, malformed(a.path, "examples of shape %s are bytes with neither 1 nor 3 channels: give pictures as n × height × width × channels, or numbers as float32", nn.ShapeString(shape))
}
