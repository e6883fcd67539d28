package report

import (
	"cmp"
	"html/template"
	"math"
)

const (
	frontierHeight = 380
	frontierTop    = 32
	hues           = 6   // colours of the page, --h0 … --h5
	dashes         = 4   // line styles of the page, .d0 … .d3
	deepest        = .15 // points that lose more accuracy than this are not drawn
	deepestAsked   = 5   // the same, as a multiple of the allowed drop; the larger one counts
)

// A frontier is a chart of releases: on the horizontal axis what an adversary can do, with less
// to the right; on the vertical axis the accuracy.
type frontier struct {
	title  string // the quantity on the horizontal axis
	better string // what is further right
	label  string // the chart in words
	axis   frontierAxis
	target float64 // least protection that was asked for; NaN: none
	floor  float64 // least accuracy that was asked for; NaN: none
	least  float64 // lowest accuracy that is drawn
	lines  []frontierLine
	keys   []legendKey
	chosen *frontierChoice

	x0, x1, y0, y1 float64
}

// A frontierLine is the releases of one kind, as the noise grows.
type frontierLine struct {
	class  string
	points []frontierPoint
}

// A frontierPoint is a release. about: its title; empty for a place between releases, which has no mark.
type frontierPoint struct {
	x, y  float64
	about string
}

// A frontierChoice is the release that was chosen, with intervals that may be empty.
type frontierChoice struct {
	frontierPoint
	words  string
	across [2]float64
	up     [2]float64
}

// A frontierAxis is a horizontal axis on which protection grows to the right.
type frontierAxis struct {
	less  bool    // of the quantity is more protection
	log   bool    // the axis is logarithmic
	unit  float64 // least distance of ticks on a linear axis
	print func(float64) string
}

// at returns the horizontal coordinate of a value.
func (a frontierAxis) at(v float64) float64 {
	if a.log {
		v = math.Log10(v)
	}
	if a.less {
		return -v
	}
	return v
}

// ticks returns about five round values between two coordinates.
func (a frontierAxis) ticks(x0, x1 float64) []float64 {
	if a.less {
		x0, x1 = -x1, -x0
	}
	if !a.log {
		return rounds(max(0, x0), x1, a.unit, 6)
	}
	mantissas := []float64{1, 2, 5}
	if x1-x0 > 2 {
		mantissas = []float64{1}
	}
	var t []float64
	for e := math.Floor(x0); e <= x1; e++ {
		for _, m := range mantissas {
			if at := e + math.Log10(m); at >= x0 && at <= x1 {
				t = append(t, m*math.Pow(10, e))
			}
		}
	}
	if len(t) < 3 { // of a narrow axis
		return rounds(math.Pow(10, x0), math.Pow(10, x1), math.Pow(10, math.Floor(x0)-2), 5)
	}
	return t
}

// fit computes the ranges of the axes. It returns false if fewer than two points can be drawn.
func (f *frontier) fit() bool {
	x, y, shown := newSpan(), newSpan(), 0
	add := func(p frontierPoint) {
		x.add(f.axis.at(p.x))
		y.add(p.y)
	}
	for _, l := range f.lines {
		for _, p := range l.points {
			if f.shows(p) {
				shown++
				add(p)
			}
		}
	}
	if shown < 2 {
		return false
	}
	if c := f.chosen; c != nil {
		if f.shows(c.frontierPoint) {
			add(c.frontierPoint)
		} else {
			f.chosen = nil
		}
	}
	if f.inside(f.target) {
		x.add(f.axis.at(f.target))
	}
	air := cmp.Or(.05*(x.hi-x.lo), .5)
	f.x0, f.x1 = x.lo-air, x.hi+air
	y.add(f.floor)
	air = max(.005, .06*(y.hi-y.lo))
	f.y0, f.y1 = max(0, y.lo-air), min(1, y.hi+air)
	return true
}

func (f *frontier) inside(v float64) bool {
	a := f.axis.at(v)
	return !math.IsNaN(a) && !math.IsInf(a, 0)
}

func (f *frontier) shows(p frontierPoint) bool { return f.inside(p.x) && p.y >= f.least }

// draw renders the figure.
func (f *frontier) draw() template.HTML {
	p := newPlot(frontierHeight, f.label)
	p.top, p.across = frontierTop, f.axis.at
	p.x0, p.x1, p.y0, p.y1 = f.x0, f.x1, f.y0, f.y1
	p.yAxis("accuracy", rounds(p.y0, p.y1, .001, 7), percentTick)
	p.xAxis(f.better+" →", f.axis.ticks(p.x0, p.x1), f.axis.print)
	f.asked(p)
	for _, l := range f.lines {
		f.line(p, l)
	}
	f.ring(p)
	return p.done()
}

// asked draws what was asked for: the corner that target and least accuracy leave.
func (f *frontier) asked(p *plot) {
	left, bottom := p.left, p.foot
	if !f.inside(f.target) && math.IsNaN(f.floor) {
		return
	}
	if f.inside(f.target) {
		left = max(left, p.x(f.target))
		p.stroke("lead", left, p.top, left, p.foot)
	}
	if !math.IsNaN(f.floor) {
		bottom = p.y(f.floor)
	}
	p.rect("open", left, p.top, p.right-left, max(0, bottom-p.top), "")
}

func (f *frontier) line(p *plot, l frontierLine) {
	class := "front " + l.class
	var last *frontierPoint
	for _, q := range l.points {
		if !f.shows(q) {
			continue
		}
		if last != nil {
			p.line(class, last.x, last.y, q.x, q.y)
		}
		if q.about != "" {
			p.circle(class, p.x(q.x), p.y(q.y), 3, q.about)
		}
		last = &q
	}
}

// ring marks the chosen release.
func (f *frontier) ring(p *plot) {
	c := f.chosen
	if c == nil {
		return
	}
	x, y := p.x(c.x), p.y(c.y)
	anchor := "start"
	if x > 55 { // the words take about two fifths of a telephone
		anchor = "end"
	}
	if c.across[0] < c.across[1] {
		lo, hi := f.axis.at(c.across[0]), f.axis.at(c.across[1])
		at := func(v float64) float64 {
			return p.left + (p.right-p.left)*(min(max(v, p.x0), p.x1)-p.x0)/(p.x1-p.x0)
		}
		p.stroke("whisker ink", at(lo), y, at(hi), y)
	}
	if c.up[0] < c.up[1] {
		p.whisker("ink", c.x, c.up[0], c.up[1])
	}
	p.stroke("lead", x, 19, x, y-8)
	p.circle("ring", x, y, 8, c.about)
	p.text("chosen", anchor, max(x, 20), 14, 0, c.words)
}

// nanTo returns x, or other if x is NaN.
func nanTo(x, other float64) float64 {
	if math.IsNaN(x) {
		return other
	}
	return x
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
