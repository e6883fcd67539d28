package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
)

// Subset returns the examples of the given indices, in that order, as a set of
// its own.
func (s *Set) Subset(indices []int) *Set {
	p := s.size()
	sub := *s
	sub.Pixels, sub.Values = pick(s.Pixels, p, indices), pick(s.Values, p, indices)
	sub.Y, sub.YNumbers = pick(s.Y, 1, indices), pick(s.YNumbers, 1, indices)
	sub.Sensitive = nil
	for _, a := range s.Sensitive {
		sub.Sensitive = append(sub.Sensitive, *a.subset(indices))
	}
	sub.Group, sub.Rows = s.Group.subset(indices), pick(s.Rows, 1, indices)
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
	ints = append(ints, (&Attribute{Numbers: s.YNumbers}).bits())
	if s.Group != nil {
		ints = append(ints, s.Group.Labels)
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
