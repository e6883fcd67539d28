package report

import (
	"math"
	"testing"
)

// What limits a leak from above is written no smaller than it is.
func TestAbove(t *testing.T) {
	for _, c := range []struct{ x, step, want float64 }{
		{.03141, .001, .032}, {.031, .001, .031}, {.0251, .0001, .0251}, {-.00649, .001, -.006}, {0, .0001, 0},
	} {
		if got := above(c.x, c.step); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("above(%v, %v) = %v, not %v", c.x, c.step, got, c.want)
		}
	}
	if x := .02123456; seen(&x) != "2.13" {
		t.Errorf("seen(%v) = %s", x, seen(&x))
	}
}
