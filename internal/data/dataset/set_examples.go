package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tattle/internal/engine/nn"
)

// levels returns the normalised value of each of the 256 bytes in channel c: (v/255 − mean)/std in float32, rounding after
// each step as PyTorch's ToTensor and Normalize do, so that both give the same inputs.
func (s *Set) levels(c int) (l [256]float32) {
	mean, std := s.Mean[c], s.Std[c]
	for v := range l {
		x := float32(v) / 255
		x -= mean
		l[v] = x / std
	}
	return l
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
	plane := s.plane()
	pixel, channel := s.strides()
	for c := range s.channels() {
		value := s.levels(c)
		first, end := c*channel, c*channel+(plane-1)*pixel+1
		for k, i := range indices {
			src, dst := s.Pixels[i*p:][first:end], x[k*p:][first:end]
			for j := 0; j < len(src) && j < len(dst); j += pixel {
				dst[j] = value[src[j]]
			}
		}
	}
}

// strides returns how far apart neighbouring pixels of one channel are, and the channels of one pixel.
func (s *Set) strides() (pixel, channel int) {
	if s.ChannelsLast {
		return s.channels(), 1
	}
	return 1, s.plane()
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

// Mirrored returns the pictures with left and right exchanged. It returns an error for rows of a table.
func (s *Set) Mirrored() (*Set, error) {
	if s.Pixels == nil || len(s.Shape) != 3 {
		return nil, fmt.Errorf("examples of shape %s are not pictures and cannot be mirrored: give the other views in a file", nn.ShapeString(s.Shape))
	}
	t, width, step := *s, s.Shape[2], 1
	if s.ChannelsLast {
		width, step = s.Shape[1], s.Shape[2]
	}
	t.Pixels = make([]uint8, len(s.Pixels))
	for row := 0; row < len(s.Pixels); row += width * step {
		for x := range width {
			copy(t.Pixels[row+x*step:][:step], s.Pixels[row+(width-1-x)*step:][:step])
		}
	}
	return t.finish(), nil
}

// Subset returns the examples of the given indices, in that order, as a set of
// its own.
func (s *Set) Subset(indices []int) *Set {
	p := s.size()
	sub := *s
	sub.Pixels, sub.Values = Pick(s.Pixels, p, indices), Pick(s.Values, p, indices)
	sub.Y, sub.YNumbers = Pick(s.Y, 1, indices), Pick(s.YNumbers, 1, indices)
	sub.Sensitive = nil
	for _, a := range s.Sensitive {
		sub.Sensitive = append(sub.Sensitive, *a.subset(indices))
	}
	sub.Group, sub.Rows = s.Group.subset(indices), Pick(s.Rows, 1, indices)
	sub.Shape, sub.Source = slices.Clone(s.Shape), slices.Clone(s.Source)
	return sub.finish()
}

// Pick returns the rows of the given indices, each of n values; nil of nil.
func Pick[T any](rows []T, n int, indices []int) []T {
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
	ints := func(list []int) {
		b := make([]byte, 0, 8*len(list))
		for _, v := range list {
			b = binary.LittleEndian.AppendUint64(b, uint64(v))
		}
		h.Write(b)
	}
	numbers := func(list any) { _ = binary.Write(h, binary.LittleEndian, list) } // a hash takes everything
	ints(append([]int{s.Len()}, s.Shape...))
	ints(s.Y)
	for _, a := range s.Sensitive {
		ints(a.Labels)
		numbers(a.Numbers)
	}
	numbers(s.YNumbers)
	ints(s.People())
	h.Write(s.Pixels)
	numbers(s.Values)
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
	all.Pixels = joined(sets, func(s *Set) []uint8 { return s.Pixels })
	all.Values = joined(sets, func(s *Set) []float32 { return s.Values })
	all.Y = joined(sets, func(s *Set) []int { return s.Y })
	all.YNumbers = joined(sets, func(s *Set) []float64 { return s.YNumbers })
	all.Sensitive = slices.Clone(all.Sensitive)
	for i := range all.Sensitive {
		all.Sensitive[i].Labels = joined(sets, func(s *Set) []int { return s.Sensitive[i].Labels })
		all.Sensitive[i].Numbers = joined(sets, func(s *Set) []float64 { return s.Sensitive[i].Numbers })
	}
	if all.Group != nil {
		all.Group = &Attribute{Name: all.Group.Name, Values: all.Group.Values, Labels: joined(sets, (*Set).People)}
	}
	return all.finish()
}

// joined returns what each set has, one after the other.
func joined[T any](sets []*Set, of func(s *Set) []T) []T {
	var lists [][]T
	for _, s := range sets {
		lists = append(lists, of(s))
	}
	return slices.Concat(lists...)
}

// TrainedOn is the key of a model's metadata under which it records what it was trained on: the
// least hashes of its training inputs, whatever their labels, separated by blanks. As the hashes
// are random, the share of them that other examples have estimates the share of the training
// inputs that these have.
const TrainedOn = "tattle.trained_on"

const (
	recorded  = 256 // hashes of a record: of 1,000 examples out of 60,000, four are expected to be found
	hashBytes = 6   // of a recorded hash, so that another input is found with a probability below 1e-12
)

// RecordTraining returns metadata with the training set added to what it records already.
func RecordTraining(metadata map[string]string, train *Set) map[string]string {
	m := maps.Clone(metadata)
	if m == nil {
		m = map[string]string{}
	}
	all := append(strings.Fields(m[TrainedOn]), train.inputHashes()...)
	slices.Sort(all)
	all = slices.Compact(all)
	m[TrainedOn] = strings.Join(all[:min(len(all), recorded)], " ")
	return m
}

// FoundIn returns how many of the training inputs that metadata records are in s, and how many it
// records.
func (s *Set) FoundIn(metadata map[string]string) (found, of int) {
	recorded := strings.Fields(metadata[TrainedOn])
	if len(recorded) == 0 {
		return 0, 0
	}
	has := map[string]bool{}
	for _, h := range s.inputHashes() {
		has[h] = true
	}
	for _, h := range recorded {
		if has[h] {
			found++
		}
	}
	return found, len(recorded)
}

// inputHashes returns a hash of every example's input.
func (s *Set) inputHashes() []string {
	n := s.size()
	list := make([]string, s.Len())
	bytes := make([]byte, 4*n)
	for i := range list {
		b := bytes
		if s.Values == nil {
			b = s.Pixels[i*n:][:n]
		} else {
			binary.Encode(b, binary.LittleEndian, s.Values[i*n:][:n])
		}
		sum := sha256.Sum256(b)
		list[i] = hex.EncodeToString(sum[:hashBytes])
	}
	return list
}
