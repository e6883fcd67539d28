package dataset

import (
	"fmt"
	"image"
	"slices"
	"strconv"
	"strings"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
)

// reshape changes the pictures of a set, [n, channels, height, width], as the
// preprocessing says.
func (p Preprocess) reshape(source string, s *Set) error {
	if p.Resize == nil && p.Crop == nil && p.Layout != LayoutHWC && p.channelsOf(len(s.Mean)) == len(s.Mean) && p.Channels != ChannelsBGR {
		return p.normalise(source, s, len(s.Mean))
	}
	if len(s.Shape) != 3 {
		return fmt.Errorf("%s: examples of shape %s are not pictures, so they cannot be resized: leave resize and crop out", source, nn.ShapeString(s.Shape))
	}
	channels, height, width := s.Shape[0], s.Shape[1], s.Shape[2]
	z := p.newShaping(image.Point{width, height}, channels)
	n, from := s.Len(), s.size()
	if err := z.check(image.Point{width, height}); err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	if uint64(n) > maxPictures/uint64(z.bytes()) {
		return tooMany(source, n, z)
	}
	pixels := make([]uint8, n*z.bytes())
	simd.Parallel(n, 1, func(lo, hi int) {
		z := z.another()
		for i := lo; i < hi; i++ {
			z.gather(s.Pixels[i*from:][:from], channels, height, width)
			z.finish(pixels[i*z.bytes():][:z.bytes()])
		}
	})
	s.Pixels, s.Shape, s.ChannelsLast = pixels, z.shapeOf(), p.Layout == LayoutHWC
	s.Resized = p.Resize != nil
	return p.normalise(source, s, z.channels)
}

func tooMany(source string, n int, z *shaping) error {
	return fmt.Errorf("%s: %d pictures of %d × %d pixels take more than %d GB: ask for a smaller size or fewer pictures", source, n, z.size.X, z.size.Y, maxPictures>>30)
}

// normalise sets what the values of n channels become: what is asked for, or what
// the set has, in the order of the channels.
func (p Preprocess) normalise(source string, s *Set, n int) error {
	if p.Normalises() {
		mean, std, err := p.perChannel(n)
		if err != nil {
			return fmt.Errorf("%s: %w", source, err)
		}
		s.Mean, s.Std = mean, std
		return nil
	}
	s.Mean, s.Std = arranged(s.Mean, n, p.Channels), arranged(s.Std, n, p.Channels)
	return nil
}

// arranged gives n channels the numbers of others: repeated, in the opposite order
// for blue first, and their mean for one channel of several.
func arranged(values []float32, n int, channels string) []float32 {
	switch {
	case len(values) == 1:
		return slices.Repeat(values, n)
	case n == 1:
		sum := 0.
		for _, v := range values {
			sum += float64(v)
		}
		return []float32{float32(sum / float64(len(values)))}
	}
	values = slices.Clone(values)
	if channels == ChannelsBGR {
		slices.Reverse(values)
	}
	return values
}

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
	if t := *s; p.Channels == "" && len(s.Mean) == 3 && !s.ChannelsLast && len(s.Shape) == 3 {
		q := p
		q.Channels = ChannelsBGR
		if (Preprocess{Channels: ChannelsBGR}).reshape("", &t) == nil {
			others = append(others, Rescaled{"channels in the order blue, green, red", q, t.finish()})
		}
	}
	return others
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

// fit gives the examples the shape of the model's input where that is another view of
// the same values: one of the two shapes has a single dimension, or they differ only
// in dimensions of size 1.
func (s *Set) fit(path string, o Options) error {
	want := o.Shape
	if up := o.Preprocess.Upsample; want != nil && up != nil && !slices.Equal(want, s.Shape) {
		want = belowUpsample(want, up, s, o.Preprocess.Layout)
	}
	switch {
	case want == nil || slices.Equal(want, s.Shape):
		return nil
	case sizeOf(want) == s.size() && (len(want) == 1 || len(s.Shape) == 1 || slices.Equal(squeezed(want), squeezed(s.Shape))):
		s.Shape = slices.Clone(want)
		return nil
	}
	return fmt.Errorf("%s: examples of shape %s, and the model takes %s: %s", path, nn.ShapeString(s.Shape), nn.ShapeString(want), s.advice(want))
}

// belowUpsample is the shape of what the model enlarges to its own input.
func belowUpsample(want, up []int, s *Set, layout string) []int {
	if len(want) != 3 || len(s.Shape) != 3 {
		return want
	}
	own := slices.Clone(want)
	at := 1 // of height
	if layout == LayoutHWC {
		at = 0
	}
	if want[at] == up[0] && want[at+1] == up[1] {
		own[at], own[at+1] = s.Shape[at], s.Shape[at+1]
	}
	return own
}

// advice says how to give the examples another shape.
func (s *Set) advice(want []int) string {
	if s.Values != nil || len(want) != 3 || len(s.Shape) != 3 {
		return "give data of the model's own shape"
	}
	layout, channels, height, width := LayoutCHW, want[0], want[1], want[2]
	if colours := func(n int) bool { return n == 1 || n == 3 }; colours(want[2]) && !colours(want[0]) {
		layout, channels, height, width = LayoutHWC, want[2], want[0], want[1]
	}
	switch channels {
	case 1:
		return fmt.Sprintf("preprocess with resize=%d,%d layout=%s channels=grey", height, width, layout)
	case 3:
		return fmt.Sprintf("preprocess with resize=%d,%d layout=%s channels=rgb", height, width, layout)
	}
	return fmt.Sprintf("pictures have 1 or 3 channels, and not %d", channels)
}

// sizeOf returns the number of values of a shape, −1 if they are more than an array may have.
func sizeOf(shape []int) int {
	n, ok := nn.SizeWithin(shape, maxArray)
	if !ok {
		return -1
	}
	return n
}

// squeezed is a shape without its sizes of 1.
func squeezed(shape []int) []int {
	return slices.DeleteFunc(slices.Clone(shape), func(d int) bool { return d == 1 })
}
