package report

import (
	"fmt"
	"math"
	"slices"
)

const (
	frontierHeight = 380
	frontierTop    = 32
	hues           = 6   // colours of the page, --h0 … --h5
	dashes         = 4   // line styles of the page, .d0 … .d3
	deepest        = .15 // points that lose more accuracy than this are not drawn
	deepestAsked   = 5   // the same, as a multiple of the allowed drop; the larger one counts
)

// A frontier is the chart of a design: on the horizontal axis what an adversary can do, with
// less to the right; on the vertical axis the accuracy.
type frontier struct {
	d            *Design
	title        string
	of           func(DesignPoint) float64 // the quantity on the horizontal axis
	fewer        bool                      // less of the quantity is better
	attack       bool                      // the quantity is an attack's error
	target       float64
	x0, x1       float64
	y0, y1       float64
	keeps        []int
	families     []string
	lines        []designLine
	allowedFloor float64
	least        float64 // lowest accuracy of the points that are drawn
}

// newFrontier chooses the quantity on the horizontal axis: that of the target, otherwise the
// number of directions, which can be compared between different numbers of features. A median
// standard deviation cannot, because it is about the part of an input on which the features
// depend. The result is false if there is nothing to draw.
func newFrontier(d *Design) (*frontier, bool) {
	f := &frontier{d: d, lines: d.lines(), target: math.NaN(), allowedFloor: math.NaN()}
	switch t := d.Target; {
	case t.Within > 0:
		f.directions()
		f.target = float64(t.Directions)
	case t.AttackMSE > 0 && t.MedianStd == 0:
		f.title, f.target, f.attack = "mean square error of the linear attack", t.AttackMSE, true
		f.of = func(p DesignPoint) float64 { return float64(p.AttackMSE) }
	case t.MedianStd == 0 && d.within() > 0:
		f.directions()
	default:
		f.title = "median standard deviation of an unbiased reconstruction"
		f.of = func(p DesignPoint) float64 { return float64(p.MedianStd) }
		if t.MedianStd > 0 {
			f.target = t.MedianStd
		}
	}
	return f, f.fit()
}

// directions makes the number of directions the quantity on the horizontal axis.
func (f *frontier) directions() {
	f.title, f.fewer = fmt.Sprintf("directions resolved to within %s (fewer is better)", number(f.d.within())), true
	f.of = func(p DesignPoint) float64 { return float64(p.Directions) }
}

// fit computes the ranges of the axes. It returns false if fewer than two points can be drawn.
func (f *frontier) fit() bool {
	f.x0, f.x1, f.y0, f.y1 = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	f.least = f.lowest()
	shown := 0
	for _, l := range f.lines {
		f.keeps, f.families = append(f.keeps, l.Keep), append(f.families, l.Family)
		for _, p := range l.Points {
			if !f.shows(p) {
				continue
			}
			shown++
			f.x0, f.x1 = min(f.x0, f.across(f.of(p))), max(f.x1, f.across(f.of(p)))
			f.y0, f.y1 = min(f.y0, float64(p.Accuracy)), max(f.y1, float64(p.Accuracy))
			f.allowed(p)
		}
	}
	if f.inside(f.target) {
		f.x0, f.x1 = min(f.x0, f.across(f.target)), max(f.x1, f.across(f.target))
	}
	f.families = unique(f.families)
	slices.Sort(f.keeps)
	f.keeps = slices.Compact(f.keeps)
	slices.Reverse(f.keeps)
	f.widen()
	return shown >= 2
}

// allowed computes the lowest accuracy that the constraint allows, from one of the points.
func (f *frontier) allowed(p DesignPoint) {
	if f.d.MaxDrop > 0 && !math.IsNaN(float64(p.Drop)) {
		f.allowedFloor = float64(p.Accuracy+p.Drop) - f.d.MaxDrop
	}
}

// widen adds a margin around the points.
func (f *frontier) widen() {
	air := .05 * (f.x1 - f.x0)
	if air == 0 {
		air = .5
	}
	f.x0, f.x1 = f.x0-air, f.x1+air
	if !math.IsNaN(f.allowedFloor) {
		f.y0 = min(f.y0, f.allowedFloor)
	}
	air = max(.005, .06*(f.y1-f.y0))
	f.y0, f.y1 = max(0, f.y0-air), min(1, f.y1+air)
}

// across returns the horizontal coordinate of a value: linear for counts, logarithmic for
// errors.
func (f *frontier) across(v float64) float64 {
	if f.fewer {
		return -v
	}
	return math.Log10(v)
}

func (f *frontier) inside(v float64) bool {
	a := f.across(v)
	return !math.IsNaN(a) && !math.IsInf(a, 0)
}

func (f *frontier) shows(p DesignPoint) bool {
	return f.inside(f.of(p)) && float64(p.Accuracy) >= f.least
}

// lowest returns the lowest accuracy that is drawn. Points below it are in the table only, so
// that the chart has room for those that matter.
func (f *frontier) lowest() float64 {
	top := 0.
	for _, p := range f.d.Frontier {
		top = max(top, nanTo(float64(p.Accuracy), 0))
	}
	low := top - max(deepest, deepestAsked*f.d.MaxDrop)
	if f.d.Best != nil {
		low = min(low, nanTo(float64(f.d.Best.Accuracy), low))
	}
	return low
}

// hidden returns the number of points that are in the table only.
func (f *frontier) hidden() int {
	n := 0
	for _, p := range f.d.Frontier {
		if !f.shows(p) {
			n++
		}
	}
	return n
}

// nanTo returns x, or other if x is NaN.
func nanTo(x, other float64) float64 {
	if math.IsNaN(x) {
		return other
	}
	return x
}

// ticks returns about five round values for the horizontal axis.
func (f *frontier) ticks() []float64 {
	if f.fewer {
		return rounds(max(0, -f.x1), -f.x0, 1, 6)
	}
	var t []float64
	mantissas := []float64{1, 2, 5}
	if f.x1-f.x0 > 2 {
		mantissas = []float64{1}
	}
	for e := math.Floor(f.x0); e <= f.x1; e++ {
		for _, m := range mantissas {
			if a := e + math.Log10(m); a >= f.x0 && a <= f.x1 {
				t = append(t, m*math.Pow(10, e))
			}
		}
	}
	return t
}

// rounds returns at most n numbers from lo to hi: the multiples of a step, which is unit
// times 1, 2 or 5 times a power of ten.
func rounds(lo, hi, unit float64, n int) []float64 {
	step := unit
	for i := 0; (hi-lo)/step > float64(n); i++ {
		step *= []float64{2, 2.5, 2}[i%3]
	}
	var t []float64
	for k := math.Ceil(lo / step); k*step <= hi; k++ {
		t = append(t, k*step)
	}
	return t
}
