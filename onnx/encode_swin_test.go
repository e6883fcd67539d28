package onnx

import (
	"slices"
	"testing"

	"tattle/internal/must"
	"tattle/nn/zoo"
)

func TestRoundTripSwin(t *testing.T) {
	g := zoo.Swin(zoo.SwinOptions{Classes: 5, Side: 20, Embed: 8, Depths: []int{2, 2}, Heads: []int{2, 4}, Window: 3}, 1)
	sameOutputs(t, g, 2)
	b := must.Get(Encode(g))(t)
	again, err := Encode(g)
	if err != nil || !slices.Equal(b, again) {
		t.Error("a second time other bytes, or", err)
	}
}
