// Package dataset reads labelled pictures (idx files such as MNIST's, CIFAR-10
// binary records, folders and zips of JPEG and PNG files), tables and NumPy's
// arrays, draws the generated glyphs and faces, and fetches public data sets from
// their homes.
//
// [Open] reads one part of a set as it is. [OpenParts] reads any of them in three
// parts, with a target and any number of sensitive attributes, each made of a
// column of labels by a [Rule]. [OpenInputs] reads what somebody else's model is
// measured on: pictures become its inputs as a [Preprocess] says, to the bytes that
// Pillow and torchvision make of them.
//
// A [Set] keeps its pixels as bytes and hands them out normalised, each channel
// by its own mean and standard deviation; a table keeps the values themselves.
package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Split names a part of a data set.
type Split string

// The parts that public data sets come in.
const (
	Train      Split = "train"
	Validation Split = "validation" // of [OpenParts] only: for choosing a model
	Test       Split = "test"
)

func (s Split) check() error {
	if s != Train && s != Test {
		return fmt.Errorf("split %q: want %q or %q", string(s), Train, Test)
	}
	return nil
}

// FormatError says what is wrong with the contents of a file, and how to correct it.
type FormatError struct {
	File   string
	Detail string
}

// Error gives the file's name and the detail in one line.
func (e *FormatError) Error() string {
	name := e.File
	if quoted := strconv.Quote(name); len(quoted) != len(name)+2 {
		name = quoted // it would not print as part of a line
	}
	return name + ": " + e.Detail
}

func malformed(file, format string, args ...any) error {
	return &FormatError{File: file, Detail: fmt.Sprintf(format, args...)}
}

// Set is a list of labelled examples of one shape: pictures, which have Pixels,
// or the rows of a table, which have Values.
type Set struct {
	Name      string
	Shape     []int       // of one picture: channels, height, width (or as the model has it); of a row: its inputs
	Pixels    []uint8     // [n, channels, height, width]; nil for a table
	Values    []float32   // [n, inputs] of a table, in the model's units; nil for pictures
	Y         []int       // the target attribute of each example; nil if it is not known
	YName     string      // of the target attribute, such as "digit"
	YNames    []string    // of the values of Y
	Sensitive []Attribute // the sensitive attributes; nil if the set has none
	Mean      []float32   // per channel, of pixels scaled to 0..1; nil for a table
	Std       []float32   // per channel, of pixels scaled to 0..1; nil for a table
	Columns   []Column    // what the inputs of a table can be stored as; nil for pictures, and where it is not known
	Resized   bool        // pictures were resized on the way, or may have been: Pixels are the bytes that this gave
	SHA256    string      // of shape, pixels or values, and labels; see [Set.Sum]
	Source    []string    // the files it was read from

	// ChannelsLast says that Shape and Pixels have height, width and channels, in
	// this order.
	ChannelsLast bool

	table []levels // of Mean and Std, made by finish
}

// levels holds the normalised value of each of a channel's 256 byte values.
type levels struct {
	mean, std float32
	value     [256]float32
}

// newLevels computes (v/255 − mean)/std in float32, rounding after each step as
// PyTorch's ToTensor and Normalize do, so that both give the same inputs.
func newLevels(mean, std float32) levels {
	l := levels{mean: mean, std: std}
	for v := range l.value {
		x := float32(v) / 255
		x -= mean
		l.value[v] = x / std
	}
	return l
}

// finish fills in what follows from the other fields.
func (s *Set) finish() *Set {
	s.table = nil
	for c := range s.Mean {
		s.table = append(s.table, newLevels(s.Mean[c], s.Std[c]))
	}
	s.SHA256 = s.Sum()
	return s
}

// levels returns the table of channel c, and makes one where Mean or Std have
// been set since.
func (s *Set) levels(c int) *[256]float32 {
	if c < len(s.table) && s.table[c].mean == s.Mean[c] && s.table[c].std == s.Std[c] {
		return &s.table[c].value
	}
	l := newLevels(s.Mean[c], s.Std[c])
	return &l.value
}

// Labelled reports whether the target attribute of the examples is known. If it is
// not, Y is nil, and the set can neither be trained on nor give an accuracy.
func (s *Set) Labelled() bool { return s.Y != nil || s.Len() == 0 }

// Len returns the number of examples.
func (s *Set) Len() int {
	if s.Y != nil || len(s.Pixels)+len(s.Values) == 0 {
		return len(s.Y)
	}
	return (len(s.Pixels) + len(s.Values)) / s.size()
}

// Label returns the target attribute of example i, −1 if it is not known.
func (s *Set) Label(i int) int {
	if s.Y == nil {
		return -1
	}
	return s.Y[i]
}

// channels returns the number of channels of a picture.
func (s *Set) channels() int { return len(s.Mean) }

// plane returns the number of pixels of one channel.
func (s *Set) plane() int { return s.size() / s.channels() }

// size returns the number of values of one example.
func (s *Set) size() int {
	n := 1
	for _, d := range s.Shape {
		n *= d
	}
	return n
}

// Examples writes the examples of the given indices to x, which is [len(indices),
// channels, height, width] for pictures, normalised, and [len(indices), inputs]
// for a table. It panics if x has another length.
func (s *Set) Examples(x []float32, indices []int) {
	p := s.size()
	if len(x) != len(indices)*p {
		panic(fmt.Sprintf("dataset: %d values for %d examples of %d", len(x), len(indices), p))
	}
	if s.Values != nil {
		for k, i := range indices {
			copy(x[k*p:][:p], s.Values[i*p:])
		}
		return
	}
	s.pictures(x, indices)
}

// pictures writes normalised pictures to x.
func (s *Set) pictures(x []float32, indices []int) {
	plane, p := s.plane(), s.size()
	for c := range s.channels() {
		value := s.levels(c)
		if s.ChannelsLast {
			s.interleaved(x, indices, c, value)
			continue
		}
		for k, i := range indices {
			src := s.Pixels[i*p+c*plane:][:plane]
			dst := x[k*p+c*plane:][:plane]
			for j, v := range src {
				dst[j] = value[v]
			}
		}
	}
}

// interleaved writes one channel of pictures whose channels come last.
func (s *Set) interleaved(x []float32, indices []int, c int, value *[256]float32) {
	p, channels := s.size(), s.channels()
	for k, i := range indices {
		src, dst := s.Pixels[i*p:][:p], x[k*p:][:p]
		for j := c; j < p; j += channels {
			dst[j] = value[src[j]]
		}
	}
}

// Range returns the legal domain of an input, in as many numbers as the inputs
// divide into stretches of one domain, all of the same length: of pictures each
// channel's least and greatest normalised value, those of the bytes 0 and 255
// (where channels come last and differ, each input's); of a table each input's
// least and greatest value among the rows there are, and of other arrays, whose
// shape has more than one dimension, the least and greatest of all.
func (s *Set) Range() (lo, hi []float32) {
	if s.Values != nil {
		return s.extremes()
	}
	for c := range s.channels() {
		value := s.levels(c)
		lo, hi = append(lo, value[0]), append(hi, value[255])
	}
	switch {
	case !s.ChannelsLast || s.channels() == 1:
		return lo, hi
	case constant(lo) && constant(hi):
		return lo[:1], hi[:1]
	}
	return slices.Repeat(lo, s.plane()), slices.Repeat(hi, s.plane())
}

// constant reports whether all numbers are the same.
func constant(x []float32) bool { return slices.Min(x) == slices.Max(x) }

// extremes returns each input's least and greatest value, or those of all.
func (s *Set) extremes() (lo, hi []float32) {
	if len(s.Shape) > 1 && len(s.Values) > 0 {
		return []float32{slices.Min(s.Values)}, []float32{slices.Max(s.Values)}
	}
	d := s.size()
	lo, hi = make([]float32, d), make([]float32, d)
	for i, v := range s.Values {
		c := i % d
		if i < d {
			lo[c], hi[c] = v, v
		}
		lo[c], hi[c] = min(lo[c], v), max(hi[c], v)
	}
	return lo, hi
}

// Denormalize converts a value of channel c from the model's units to 0..1, without
// clipping. A table's values stay as they are.
func (s *Set) Denormalize(x float64, c int) float64 {
	if s.Values != nil {
		return x
	}
	return float64(x*float64(s.Std[c])) + float64(s.Mean[c])
}

// Subset returns the examples of the given indices, in that order, as a set of
// its own.
func (s *Set) Subset(indices []int) *Set {
	p := s.size()
	sub := *s
	sub.Pixels, sub.Values = pick(s.Pixels, p, indices), pick(s.Values, p, indices)
	sub.Y = pick(s.Y, 1, indices)
	sub.Sensitive = nil
	for _, a := range s.Sensitive {
		a.Labels, a.Numbers = pick(a.Labels, 1, indices), pick(a.Numbers, 1, indices)
		sub.Sensitive = append(sub.Sensitive, a)
	}
	sub.Shape, sub.Source = slices.Clone(s.Shape), slices.Clone(s.Source)
	return sub.finish()
}

// pick returns the rows of the given indices, each of n values; nil of nil.
func pick[T any](rows []T, n int, indices []int) []T {
	if rows == nil {
		return nil
	}
	out := make([]T, 0, n*len(indices))
	for _, i := range indices {
		out = append(out, rows[i*n:][:n]...)
	}
	return out
}

// Sum returns the SHA-256, in hexadecimal, of what a measurement depends on:
// the number of examples and their shape, Y and every sensitive attribute in
// order (integers and numbers as 64 bits, little-endian), and the pixels; of a table, whose
// hash begins with the word "values", the values as float32, little-endian.
func (s *Set) Sum() string {
	h := sha256.New()
	if s.Values != nil {
		h.Write([]byte("values"))
	}
	ints := [][]int{append([]int{s.Len()}, s.Shape...), s.Y}
	for _, a := range s.Sensitive {
		ints = append(ints, a.Labels, a.bits())
	}
	for _, list := range ints {
		b := make([]byte, 0, 8*len(list))
		for _, v := range list {
			b = binary.LittleEndian.AppendUint64(b, uint64(v))
		}
		h.Write(b)
	}
	h.Write(s.Pixels)
	b := make([]byte, 0, 4*len(s.Values))
	for _, v := range s.Values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil))
}

// Join returns the examples of sets of one reading, one set after the other, as a set
// of its own; of a single set, that set. What the sets share (shape, names, Mean and
// Std) is taken from the first.
func Join(sets ...*Set) *Set {
	if len(sets) == 1 {
		return sets[0]
	}
	all := *sets[0]
	all.Pixels, all.Values, all.Y = slices.Clone(all.Pixels), slices.Clone(all.Values), slices.Clone(all.Y)
	all.Sensitive = slices.Clone(all.Sensitive)
	for i := range all.Sensitive {
		a := &all.Sensitive[i]
		a.Labels, a.Numbers = slices.Clone(a.Labels), slices.Clone(a.Numbers)
	}
	for _, s := range sets[1:] {
		all.Pixels, all.Values, all.Y = append(all.Pixels, s.Pixels...), append(all.Values, s.Values...), append(all.Y, s.Y...)
		for i := range all.Sensitive {
			a, b := &all.Sensitive[i], &s.Sensitive[i]
			a.Labels, a.Numbers = append(a.Labels, b.Labels...), append(a.Numbers, b.Numbers...)
		}
	}
	return all.finish()
}

// Attribute is one label of every example: classes, or numbers alone.
type Attribute struct {
	Name    string    // of the column, or of the rule
	Values  []string  // names of the classes, class 0 first
	Labels  []int     // the class of each example
	Numbers []float64 // of each example, in the place of classes
}

// Numeric reports whether the attribute consists of numbers.
func (a *Attribute) Numeric() bool { return a.Numbers != nil }

// bits returns the bits of the numbers, for a hash.
func (a *Attribute) bits() []int {
	list := make([]int, len(a.Numbers))
	for i, v := range a.Numbers {
		list[i] = int(math.Float64bits(v))
	}
	return list
}
