package dataset

import (
	"math"
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
// the preprocessing that the set was read with. A table whose columns were encoded has none.
func (s *Set) Rescaled(p Preprocess) []Rescaled {
	if s.Values != nil {
		return s.rescaledValues(p)
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

// rescaledValues is Rescaled of numbers.
func (s *Set) rescaledValues(p Preprocess) []Rescaled {
	if s.Columns != nil && !p.Normalises() {
		return nil // what the encoding changed is not known here
	}
	n := s.size()
	mean, std, err := p.ofValues(n)
	if err != nil || n == 0 || s.Len() == 0 {
		return nil
	}
	stored := make([]float64, len(s.Values))
	largest := 0.
	for i, v := range s.Values {
		stored[i] = float64(v)*std[i%n] + mean[i%n]
		largest = max(largest, math.Abs(stored[i]))
	}
	var others []Rescaled
	add := func(what string, mean, std []float64) {
		q := p
		q.Range, q.Mean, q.Std = nil, mean, std
		m, d, err := q.ofValues(n)
		if err != nil {
			return
		}
		t := *s
		t.Values, t.Columns = make([]float32, len(stored)), nil
		for i, v := range stored {
			t.Values[i] = float32((v - m[i%n]) / d[i%n])
		}
		if !slices.Equal(t.Values, s.Values) {
			others = append(others, Rescaled{what, q, t.finish()})
		}
	}
	add("numbers as they are stored", []float64{0}, []float64{1})
	if largest > 1 && largest <= 255 {
		add("numbers divided by 255", []float64{0}, []float64{255})
	}
	mean, std = columnMoments(stored, n)
	add("each column by its mean and standard deviation", mean, std)
	return others
}

// columnMoments returns mean and standard deviation of each of n columns, rounded to three
// digits: they are to be typed. That of a constant column is 1.
func columnMoments(x []float64, n int) (mean, std []float64) {
	rows := float64(len(x) / n)
	mean, std = make([]float64, n), make([]float64, n)
	for i, v := range x {
		mean[i%n] += v / rows
	}
	for i, v := range x {
		std[i%n] += (v - mean[i%n]) * (v - mean[i%n]) / rows
	}
	for j := range std {
		if mean[j], std[j] = threeDigits(mean[j]), threeDigits(math.Sqrt(std[j])); std[j] == 0 {
			std[j] = 1
		}
	}
	return mean, std
}

func threeDigits(v float64) float64 {
	if v == 0 {
		return 0
	}
	unit := math.Pow(10, math.Floor(math.Log10(math.Abs(v)))-2)
	return math.Round(v/unit) * unit
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
