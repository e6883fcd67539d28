package dataset

import (
	"slices"
	"strconv"
	"strings"
)

// A Rescaled set has the same examples, whose values are scaled in another way.
type Rescaled struct {
	What       string     // in words, such as "pixels from 0 to 1"
	Preprocess Preprocess // that scales so
	Set        *Set
}

// Rescaled returns the set with each of the usual ways to scale its values but the one that p
// says: as they are stored, from 0 to 1, from −1 to 1, and by mean and standard deviation. p is
// the preprocessing that the set was read with. Only pictures of bytes have any.
func (s *Set) Rescaled(p Preprocess) []Rescaled {
	if s.Values != nil {
		return nil
	}
	var others []Rescaled
	for _, way := range []struct {
		what             string
		between, by, std []float64
	}{
		{"pixels from 0 to 1", []float64{0, 1}, nil, nil},
		{"pixels as their bytes, 0 to 255", []float64{0, 255}, nil, nil},
		{"pixels from −1 to 1", []float64{-1, 1}, nil, nil},
		{"pixels by ImageNet's mean and standard deviation", nil, []float64{.485, .456, .406}, []float64{.229, .224, .225}},
		{"pixels by MNIST's mean and standard deviation", nil, []float64{.1307}, []float64{.3081}},
	} {
		q := p
		q.Range, q.Mean, q.Std = way.between, way.by, way.std
		if len(way.by) > 1 && len(way.by) != len(s.Mean) || len(way.by) == 1 && len(s.Mean) != 1 {
			continue
		}
		mean, std, err := q.perChannel(len(s.Mean))
		if err != nil || slices.Equal(mean, s.Mean) && slices.Equal(std, s.Std) {
			continue
		}
		t := *s
		t.Mean, t.Std = mean, std
		others = append(others, Rescaled{way.what, q, t.finish()})
	}
	if t, ok := s.reversed(); ok && p.Channels == "" {
		q := p
		q.Channels = ChannelsBGR
		others = append(others, Rescaled{"channels in the order blue, green, red", q, t.finish()})
	}
	return others
}

// reversed returns the set with the channels of its colour pictures in reverse order.
func (s *Set) reversed() (*Set, bool) {
	if len(s.Mean) != 3 || s.ChannelsLast || len(s.Shape) != 3 {
		return nil, false
	}
	t := *s
	t.Pixels = slices.Clone(s.Pixels)
	plane := s.Shape[1] * s.Shape[2]
	for i := 0; i+3*plane <= len(t.Pixels); i += 3 * plane {
		for k := range plane {
			t.Pixels[i+k], t.Pixels[i+2*plane+k] = t.Pixels[i+2*plane+k], t.Pixels[i+k]
		}
	}
	t.Mean, t.Std = slices.Clone(s.Mean), slices.Clone(s.Std)
	slices.Reverse(t.Mean)
	slices.Reverse(t.Std)
	return &t, true
}

// Scaling says in words what the values of pixels were made: "x/255, less 0.1307, divided by
// 0.3081". It is empty for numbers.
func (s *Set) Scaling() string {
	if s.Values != nil || len(s.Mean) == 0 {
		return ""
	}
	words := "x/255"
	if slices.ContainsFunc(s.Mean, func(v float32) bool { return v != 0 }) {
		words += ", less " + float32Text(s.Mean)
	}
	if slices.ContainsFunc(s.Std, func(v float32) bool { return v != 1 }) {
		words += ", divided by " + float32Text(s.Std)
	}
	return words
}

// float32Text lists numbers, once if all are the same.
func float32Text(values []float32) string {
	if !slices.ContainsFunc(values, func(v float32) bool { return v != values[0] }) {
		values = values[:1]
	}
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = strconv.FormatFloat(float64(v), 'g', 4, 32)
	}
	return strings.Join(words, ", ")
}
