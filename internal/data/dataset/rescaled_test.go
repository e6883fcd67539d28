package dataset

import (
	"slices"
	"testing"
)

// The channels of colour pictures are tried in the opposite order, each with its own mean.
func TestRescaledReversed(t *testing.T) {
	s := (&Set{Shape: []int{3, 1, 2}, Pixels: []uint8{0, 0, 51, 51, 255, 255}, Mean: []float32{0, .1, .2}, Std: []float32{1, 1, 1}}).finish()
	others := s.Rescaled(Preprocess{})
	last := others[len(others)-1]
	x := make([]float32, 6)
	last.Set.Examples(x, []int{0})
	if last.Preprocess.Channels != ChannelsBGR || !slices.Equal(x, []float32{.8, .8, .1, .1, 0, 0}) {
		t.Errorf("%+v: %v", last.Preprocess, x)
	}
	if s.Pixels[0] != 0 {
		t.Error("the set itself was changed")
	}
}
