package report

import (
	"fmt"
	"math"
	"slices"
)

const (
	frontierHeight = 380
	frontierTop    = 32
	hues           = 6   // of the page's --h0 … --h5
	dashes         = 4   // of the page's .d0 … .d3
	deepest        = .15 // the drop in accuracy below which nobody chooses a point
	deepestAsked   = 5   // the same in units of the drop that was allowed
)

// A frontier is a design's figure: what an adversary can do across, less to the right;
// accuracy up.
type frontier struct {
	d            *Design
	title        string
	of           func(DesignPoint) float64
	fewer        bool // less of the quantity is better
	attack       bool // it is an attack's error
	target       float64
	x0, x1       float64
	y0, y1       float64
	keeps        []int
	families     []string
	lines        []designLine
	allowedFloor float64
	least        float64 // accuracy of points that are shown
}

// newFrontier chooses the quantity across: what the target is about, else
// directions, which compare across numbers of features. A median standard
// deviation does not: it is about the part of an input that the features see.
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

// directions puts their number across.
func (f *frontier) directions() {
	f.title, f.fewer = fmt.Sprintf("directions resolved to within %s (fewer is better)", number(f.d.within())), true
	f.of = func(p DesignPoint) float64 { return float64(p.Directions) }
}

// fit finds the axes. It is false where fewer than two points can be shown.
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

// allowed derives the lowest accuracy that the constraint allows.
func (f *frontier) allowed(p DesignPoint) {
	if f.d.MaxDrop > 0 && !math.IsNaN(float64(p.Drop)) {
		f.allowedFloor = float64(p.Accuracy+p.Drop) - f.d.MaxDrop
	}
}

// widen leaves air about the points.
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

// across is linear in counts and logarithmic in errors.
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

// lowest is the accuracy under which points are left to the table, so that the
// figure has room for those that count.
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

// hidden counts the points that only the table has.
func (f *frontier) hidden() int {
	n := 0
	for _, p := range f.d.Frontier {
		if !f.shows(p) {
			n++
		}
	}
	return n
}

func nanTo(x, other float64) float64 {
	if math.IsNaN(x) {
		return other
	}
	return x
}

// ticks stand at about five round values.
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

// rounds are at most n multiples of 1, 2 or 5 times a power of ten, unit or
// more, from lo to hi.
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
