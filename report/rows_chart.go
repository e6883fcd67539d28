package report

import (
	"html/template"
	"math"
)

// A rowChart has a row for each thing: its words above, its marks below, on one axis for all rows.
type rowChart struct {
	label string // the chart in words
	axis  string // title of the axis
	tick  func(float64) string
	lines []rowLine // in every row
	rows  []chartRow
}

// A rowLine is a vertical line at a value.
type rowLine struct {
	class string
	at    float64
}

// A chartRow is a value with limits, and further marks. Those that are NaN are not drawn.
type chartRow struct {
	words, title string
	hue          string // of the marks
	hollow       bool
	lo, at, hi   float64
	beside       []rowMark
}

// A rowMark is a further mark of a row.
type rowMark struct {
	shape, class string
	at           float64
	title        string
}

// Places in a rowChart, in pixels from a row's top.
const (
	rowHigh  = 38
	rowWords = 13 // foot of the words
	rowMarks = 25 // middle of the marks
)

// draw renders the chart; it is empty without rows.
func (c rowChart) draw() template.HTML {
	if len(c.rows) == 0 {
		return ""
	}
	x := newSpan()
	for _, l := range c.lines {
		x.add(l.at)
	}
	for _, r := range c.rows {
		x.add(r.lo, r.at, r.hi)
		for _, m := range r.beside {
			x.add(m.at)
		}
	}
	p := newPlot(rowHigh*len(c.rows)+plotFoot, c.label)
	air := max(.004, .07*(x.hi-x.lo))
	p.left, p.top, p.x0, p.x1 = 2, 0, x.lo-air, x.hi+air
	p.xAxis(c.axis, p.xTicks(), c.tick)
	for i, r := range c.rows {
		top := float64(rowHigh * i)
		rule := func(class string, v float64) {
			p.stroke(class, p.x(v), top+rowWords+3, p.x(v), top+rowHigh-1)
		}
		for _, v := range p.xTicks() {
			rule("grid", v)
		}
		for _, l := range c.lines {
			if !math.IsNaN(l.at) {
				rule(l.class, l.at)
			}
		}
		p.text("name "+r.hue, "start", 1, top+rowWords, 0, r.words)
		for _, m := range r.beside {
			if !math.IsNaN(m.at) {
				p.shape("point "+m.class, shapes[m.shape], p.x(m.at), top+rowMarks, m.title)
			}
		}
		fill := " filled"
		if r.hollow {
			fill = " hollow"
		}
		p.whiskerAcross("thick "+r.hue, top+rowMarks, r.lo, r.hi)
		p.shape("point "+r.hue+fill, shapes["circle"], p.x(r.at), top+rowMarks, r.title)
	}
	return p.done()
}
