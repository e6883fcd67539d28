// Package dataset reads labelled pictures (idx files such as MNIST's, CIFAR-10
// binary records, folders and zips of JPEG and PNG files), tables and NumPy's
// arrays, and draws the generated glyphs and faces. Package catalogue fetches public
// data sets from their homes.
//
// [OpenParts] reads any of them in three parts, with a target and any number of sensitive
// attributes, each made of a column of labels by a [Rule]. [OpenInputs] reads what somebody else's model is
// measured on: pictures become its inputs as a [Preprocess] says, to the bytes that
// Pillow and torchvision make of them.
//
// A [Set] keeps its pixels as bytes and hands them out normalised, each channel
// by its own mean and standard deviation; a table keeps the values themselves.
package dataset

import (
	"fmt"
	"math"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/file"
)

// Split names a part of a data set.
type Split string

// The parts that public data sets come in.
const (
	Train      Split = "train"
	Validation Split = "validation" // of [OpenParts] only: for choosing a model
	Test       Split = "test"
	All        Split = "all" // of [Options] only: the parts together
)

// FormatError says what is wrong with the contents of a file, and how to correct it.
type FormatError struct {
	File   string
	Detail string
}

// Error gives the file's name and the detail in one line.
func (e *FormatError) Error() string {
	return file.Name(e.File) + ": " + e.Detail
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
	YNumbers  []float64   // of a numeric target, whose Y are all 0; nil for classes
	YName     string      // of the target attribute, such as "digit"
	YNames    []string    // of the values of Y
	Sensitive []Attribute // the sensitive attributes; nil if the set has none
	Group     *Attribute  // the person that each example is about; nil if nothing says so
	Mean      []float32   // per channel, of pixels scaled to 0..1; nil for a table
	Std       []float32   // per channel, of pixels scaled to 0..1; nil for a table
	Columns   []Column    // what the inputs of a table can be stored as; nil for pictures, and where it is not known
	Resized   bool        // pictures were resized on the way, or may have been: Pixels are the bytes that this gave
	SHA256    string      // of shape, pixels or values, and labels; see [Set.Sum]
	Source    []string    // the files it was read from
	InPart    []int       // of OpenInputs: the place of each example in its part, from 0
	Rows      []int       // of OpenInputs: the place of each example in its source, from 0
	RowsOf    int         // how many rows the source has

	// ChannelsLast says that Shape and Pixels have height, width and channels, in
	// this order.
	ChannelsLast bool
}

// finish fills in what follows from the other fields.
func (s *Set) finish() *Set {
	s.SHA256 = s.Sum()
	return s
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
func (s *Set) size() int { return nn.Size(s.Shape) }

// Attribute is one label of every example: classes, or numbers alone.
type Attribute struct {
	Name    string    // of the column, or of the rule
	Values  []string  // names of the classes, class 0 first
	Labels  []int     // the class of each example
	Numbers []float64 // of each example, in the place of classes
}

// People returns a number of the person of each example; nil if nothing says whom they are about.
func (s *Set) People() []int {
	if s.Group == nil {
		return nil
	}
	return s.Group.Labels
}

// Attribute returns the sensitive attribute of that name, or nil.
func (s *Set) Attribute(name string) *Attribute {
	if i := slices.IndexFunc(s.Sensitive, func(a Attribute) bool { return a.Name == name }); i >= 0 {
		return &s.Sensitive[i]
	}
	return nil
}

// Answers numbers what some examples have in common in the target attribute and in the attributes
// of those names, which s must have: examples of one number agree in all of them.
func (s *Set) Answers(indices []int, names []string) []int {
	out := make([]int, len(indices))
	for i, j := range indices {
		if s.Y != nil {
			out[i] = s.Y[j]
		}
		for _, name := range names {
			a := s.Attribute(name)
			out[i] = out[i]*len(a.Values) + a.Labels[j]
		}
	}
	return out
}

// subset returns the attribute of some examples; nil of nil.
func (a *Attribute) subset(indices []int) *Attribute {
	if a == nil {
		return nil
	}
	return &Attribute{a.Name, a.Values, Pick(a.Labels, 1, indices), Pick(a.Numbers, 1, indices)}
}

// lacks reports whether an example has no value: its label is −1, or its number NaN.
func (a *Attribute) lacks(i int) bool {
	return a.Labels != nil && a.Labels[i] < 0 || a.Numeric() && math.IsNaN(a.Numbers[i])
}

// Numeric reports whether the attribute consists of numbers.
func (a *Attribute) Numeric() bool { return a.Numbers != nil }
