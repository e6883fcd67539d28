package cli

import (
	"math"
	"slices"
	"strings"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/must"
	"tattle/internal/protect/measure"
	"tattle/internal/protect/release"
)

// Outputs of another number than the classes, which answer them no better than a guess, are vectors; as many outputs are scores.
func TestUseOf(t *testing.T) {
	defer func(n int) { leastFit = n }(leastFit)
	leastFit = measure.LeastFit
	const n = 60
	set := &dataset.Set{Shape: []int{3}, Values: slices.Repeat([]float32{0, 0, 1}, n), Y: make([]int, n), YNames: []string{"a", "b"}}
	for i := range n / 2 {
		set.Y[i] = 1
	}
	m := &measure.Model{Graph: zoo.Vectors(3)}
	var said strings.Builder
	e := &env{stderr: &said}
	use := must.Get(e.useOf(t.Context(), m, measure.Inputs{}, set, true))(t)
	if use == nil || use.Task != release.DefaultUse || !strings.Contains(said.String(), "the 3 outputs are taken for vectors, not for scores of the 2 classes") {
		t.Errorf("use %+v, said %q", use, said.String())
	}
	set.YNames = append(set.YNames, "c")
	if use, err := e.useOf(t.Context(), m, measure.Inputs{}, set, true); use != nil || err == nil {
		t.Errorf("of as many outputs as classes: use %+v, error %v", use, err)
	}
	leastFit = math.MaxInt
	if use := must.Get(e.useOf(t.Context(), m, measure.Inputs{}, set, true))(t); use != nil {
		t.Errorf("of few examples: use %+v", use)
	}
}
