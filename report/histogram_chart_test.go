package report

import (
	"math"
	"testing"
)

// TestUnboundedMedian wants a histogram to be drawn alike before and after report.json, where an
// unbounded median is null.
func TestUnboundedMedian(t *testing.T) {
	h := Histogram{Edges: []float64{0, 1}, Counts: []int{0, 5}, Median: Number(math.Inf(1))}
	back := h
	back.Median = Number(math.NaN())
	if h.draw() != back.draw() {
		t.Errorf("%q and %q", h.alternative(), back.alternative())
	}
}
