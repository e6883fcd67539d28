package dataset

import (
	"fmt"
	"math"
	"slices"

	"tattle/internal/engine/nn"
)

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
	n, ok := nn.SizeWithin(shape, min(maxArray, math.MaxInt))
	if !ok {
		return -1
	}
	return n
}

// squeezed is a shape without its sizes of 1.
func squeezed(shape []int) []int {
	return slices.DeleteFunc(slices.Clone(shape), func(d int) bool { return d == 1 })
}
