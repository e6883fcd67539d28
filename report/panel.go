package report

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strings"
)

// A panel's places, as those of the frontier: percents across, so that words
// keep their size on a telephone, and pixels down.
const (
	panelLeft  = 13. // percent
	panelRight = 97.
	panelTop   = 26 // pixels; the title of the axis that goes up stands above
	panelFoot  = 48 // pixels under the axis: its ticks and title
)

// A panel is a figure of linear axes.
type panel struct {
	b      strings.Builder
	height int
	left   float64 // percent
	top    int     // pixels
	x0, x1 float64 // what the axes show
	y0, y1 float64
}

// newPanel begins a figure; label says it to those who do not see it.
func newPanel(height int, label string) *panel {
	p := &panel{height: height, left: panelLeft, top: panelTop, x1: 1, y1: 1}
	fmt.Fprintf(&p.b, `<svg class="fluid" height="%d" role="img" aria-label="%s">`, height, html.EscapeString(label))
	return p
}

func (p *panel) done() template.HTML { return template.HTML(p.b.String() + "</svg>") }

// foot is where the axis lies.
func (p *panel) foot() int { return p.height - panelFoot }

// x is a percent, y a pixel.
func (p *panel) x(v float64) float64 {
	return p.left + (panelRight-p.left)*(v-p.x0)/(p.x1-p.x0)
}

func (p *panel) y(v float64) float64 {
	return float64(p.foot()) - float64(p.foot()-p.top)*(v-p.y0)/(p.y1-p.y0)
}

// axes draws grid, ticks in percent and titles.
func (p *panel) axes(across, up string) {
	for _, v := range rounds(p.y0, p.y1, .001, 6) {
		p.line("grid", p.x0, v, p.x1, v)
		fmt.Fprintf(&p.b, `<text x="%g%%" dx="-6" y="%.1f" text-anchor="end">%.3g %%</text>`, p.left, p.y(v)+4, 100*v)
	}
	for _, v := range rounds(p.x0, p.x1, .001, 5) {
		p.tick(v, fmt.Sprintf("%.3g %%", 100*v))
	}
	p.base(across)
	fmt.Fprintf(&p.b, `<text x="0" y="14">%s</text>`, html.EscapeString(up))
}

// base draws the axis that goes across, and its title.
func (p *panel) base(title string) {
	fmt.Fprintf(&p.b, `<line class="axis" x1="%g%%" x2="%g%%" y1="%d" y2="%d"/>`, p.left, panelRight, p.foot(), p.foot())
	fmt.Fprintf(&p.b, `<text x="55%%" y="%d" text-anchor="middle">%s</text>`, p.height-8, html.EscapeString(title))
}

func (p *panel) tick(v float64, words string) {
	fmt.Fprintf(&p.b, `<line class="axis" x1="%.2f%%" x2="%.2f%%" y1="%d" y2="%d"/>`, p.x(v), p.x(v), p.foot(), p.foot()+5)
	fmt.Fprintf(&p.b, `<text x="%.2f%%" y="%d" text-anchor="middle">%s</text>`, p.x(v), p.foot()+19, words)
}

func (p *panel) line(class string, x0, y0, x1, y1 float64) {
	fmt.Fprintf(&p.b, `<line class="%s" x1="%.2f%%" y1="%.1f" x2="%.2f%%" y2="%.1f"/>`, class, p.x(x0), p.y(y0), p.x(x1), p.y(y1))
}

// words stand at a place, moved by pixels.
func (p *panel) words(class, anchor string, x, y float64, dx, dy int, s string) {
	fmt.Fprintf(&p.b, `<text class="%s" x="%.2f%%" y="%.1f" dx="%d" dy="%d" text-anchor="%s">%s</text>`, class, p.x(x), p.y(y), dx, dy, anchor, html.EscapeString(s))
}

// seam joins points. Percents cannot be had in a polyline, so it stands in a
// picture of its own, which is stretched and its stroke not.
func (p *panel) seam(class string, xs, ys []float64) {
	const fine = 1000
	across, down := panelRight-p.left, p.foot()-p.top // browsers differ in whether a style or an attribute counts
	fmt.Fprintf(&p.b, `<svg aria-hidden="true" x="%g%%" y="%d" width="%g%%" height="%d" style="width:%g%%;height:%dpx" viewBox="0 0 %d %d" preserveAspectRatio="none"><polyline class="seam %s" points="`,
		p.left, p.top, across, down, across, down, fine, fine, class)
	for i := range xs {
		if i > 0 {
			p.b.WriteByte(' ')
		}
		fmt.Fprintf(&p.b, "%.0f,%.0f", fine*(xs[i]-p.x0)/(p.x1-p.x0), fine*(p.y1-ys[i])/(p.y1-p.y0))
	}
	p.b.WriteString(`"/></svg>`)
}

// shapes of points, about their middle.
var shapes = map[string]string{
	"circle":   "M-5,0A5,5 0 1 1 5,0A5,5 0 1 1 -5,0Z",
	"square":   "M-4.6,-4.6H4.6V4.6H-4.6Z",
	"triangle": "M0,-6L5.6,4.4H-5.6Z",
	"inverted": "M0,6L5.6,-4.4H-5.6Z",
	"diamond":  "M0,-6.4L6,0L0,6.4L-6,0Z",
	"cross":    "M-6,-6L6,6M-6,6L6,-6",
	"stroke":   "M0,-9V9",
	"dot":      "M-3.2,0A3.2,3.2 0 1 1 3.2,0A3.2,3.2 0 1 1 -3.2,0Z",
}

// point draws a shape; title is shown by a pointer that rests on it.
func (p *panel) point(shape, class string, x, y float64, title string) {
	fmt.Fprintf(&p.b, `<svg class="tip" x="%.2f%%" y="%.1f" overflow="visible"><path class="point %s" d="%s"><title>%s</title></path></svg>`,
		p.x(x), p.y(y), class, shapes[shape], html.EscapeString(title))
}

// whisker is a vertical interval, cut where the panel ends.
func (p *panel) whisker(class string, x, lo, hi float64) {
	p.line("whisker "+class, x, max(lo, p.y0), x, min(hi, p.y1))
}

// whiskerAcross is a horizontal one.
func (p *panel) whiskerAcross(class string, y, lo, hi float64) {
	p.line("whisker "+class, max(lo, p.x0), y, min(hi, p.x1), y)
}

// span collects the least and the greatest of what a panel is to show.
type span struct{ lo, hi float64 }

func newSpan() span { return span{math.Inf(1), math.Inf(-1)} }

func (s *span) add(values ...float64) {
	for _, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			s.lo, s.hi = min(s.lo, v), max(s.hi, v)
		}
	}
}

// padded leaves air about fractions, and stays among them.
func (s span) padded() (lo, hi float64) {
	if s.lo > s.hi {
		return 0, 1
	}
	air := max(.006, .08*(s.hi-s.lo))
	return max(0, s.lo-air), min(1, s.hi+air)
}
