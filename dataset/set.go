// Package dataset reads labelled pictures (idx files such as MNIST's, CIFAR-10
// binary records), draws the generated glyphs, and fetches public data sets
// from their homes.
//
// A [Set] keeps its pixels as bytes and hands them out normalised, each channel
// by its own mean and standard deviation.
package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
)

// Split names a part of a data set.
type Split string

// The parts that public data sets come in.
const (
	Train Split = "train"
	Test  Split = "test"
)

func (s Split) check() error {
	if s != Train && s != Test {
		return fmt.Errorf("split %q: want %q or %q", string(s), Train, Test)
	}
	return nil
}

// FormatError says what is wrong with the contents of a file, and the mend.
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

// Set is a list of labelled pictures of one shape.
type Set struct {
	Name   string
	Shape  []int     // of one picture: channels, height, width
	Pixels []uint8   // [n, channels, height, width]
	Y      []int     // the target attribute of each picture
	YNames []string  // of the values of Y
	S      []int     // the sensitive attribute; nil where the set has none
	SNames []string  // of the values of S
	Mean   []float32 // per channel, of pixels scaled to 0..1
	Std    []float32 // per channel, of pixels scaled to 0..1
	SHA256 string    // of shape, pixels and labels; see [Set.Sum]
	Source []string  // the files it was read from

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

// Len returns the number of pictures.
func (s *Set) Len() int { return len(s.Y) }

// Label returns the target attribute of picture i.
func (s *Set) Label(i int) int { return s.Y[i] }

// plane returns the number of pixels of one channel.
func (s *Set) plane() int { return s.Shape[1] * s.Shape[2] }

// Examples writes the normalised pictures of the given indices to x, which is
// [len(indices), channels, height, width]. It panics where x has another length.
func (s *Set) Examples(x []float32, indices []int) {
	plane := s.plane()
	p := s.Shape[0] * plane
	if len(x) != len(indices)*p {
		panic(fmt.Sprintf("dataset: %d values for %d pictures of %d", len(x), len(indices), p))
	}
	for c := range s.Shape[0] {
		value := s.levels(c)
		for k, i := range indices {
			src := s.Pixels[i*p+c*plane:][:plane]
			dst := x[k*p+c*plane:][:plane]
			for j, v := range src {
				dst[j] = value[v]
			}
		}
	}
}

// Range returns each channel's least and greatest normalised value, those of
// the bytes 0 and 255: the legal domain of an input.
func (s *Set) Range() (lo, hi []float32) {
	for c := range s.Shape[0] {
		value := s.levels(c)
		lo, hi = append(lo, value[0]), append(hi, value[255])
	}
	return lo, hi
}

// Normalize takes a value of channel c from 0..1 to the model's units.
func (s *Set) Normalize(x float64, c int) float64 {
	return (x - float64(s.Mean[c])) / float64(s.Std[c])
}

// Denormalize takes a value of channel c from the model's units to 0..1. It
// does not clip.
func (s *Set) Denormalize(x float64, c int) float64 {
	return float64(x*float64(s.Std[c])) + float64(s.Mean[c])
}

// Subset returns the pictures of the given indices, in that order, as a set of
// its own.
func (s *Set) Subset(indices []int) *Set {
	p := s.Shape[0] * s.plane()
	sub := *s
	sub.Pixels = make([]uint8, 0, len(indices)*p)
	sub.Y, sub.S = make([]int, 0, len(indices)), nil
	for _, i := range indices {
		sub.Pixels = append(sub.Pixels, s.Pixels[i*p:][:p]...)
		sub.Y = append(sub.Y, s.Y[i])
		if s.S != nil {
			sub.S = append(sub.S, s.S[i])
		}
	}
	sub.Shape, sub.Source = slices.Clone(s.Shape), slices.Clone(s.Source)
	return sub.finish()
}

// Sum returns the SHA-256, in hexadecimal, of what a measurement depends on:
// the number of pictures and their shape, pixels, Y and S (integers as 64 bits,
// little-endian; S only where there is one).
func (s *Set) Sum() string {
	h := sha256.New()
	head := append([]int{len(s.Y)}, s.Shape...)
	for _, ints := range [][]int{head, s.Y, s.S} {
		b := make([]byte, 0, 8*len(ints))
		for _, v := range ints {
			b = binary.LittleEndian.AppendUint64(b, uint64(v))
		}
		h.Write(b)
	}
	h.Write(s.Pixels)
	return hex.EncodeToString(h.Sum(nil))
}
