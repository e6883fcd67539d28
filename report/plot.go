package report

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strings"
)

// Where the axes of a plot lie: in percent of its width, and in pixels.
const (
	plotLeft  = 13. // percent
	plotRight = 97. // percent
	plotTop   = 26  // pixels; the title of the vertical axis stands above
	plotFoot  = 48  // pixels under the horizontal axis: its ticks and title
)

// A plot is an inline SVG figure. Its horizontal places are percentages of the column's
// width and its vertical ones pixels, so that text keeps its size on a telephone. Its
// colours come from the page, so that it follows light and dark.
type plot struct {
	b           strings.Builder
	height      float64
	left, right float64 // percent
	top, foot   float64 // pixels, of the upper end of the vertical axis and of the horizontal axis
	x0, x1      float64 // what the axes show, x after across
	y0, y1      float64
	across      func(float64) float64 // transforms what is shown across, as a logarithm does
}

// newPlot begins a figure of linear axes from 0 to 1; label describes it to those who do
// not see it.
func newPlot(height int, label string) *plot {
	p := &plot{height: float64(height), left: plotLeft, right: plotRight, top: plotTop, foot: float64(height - plotFoot), x1: 1, y1: 1,
		across: func(v float64) float64 { return v }}
	fmt.Fprintf(&p.b, `<svg class="fluid" height="%d" role="img" aria-label="%s">`, height, html.EscapeString(label))
	return p
}

func (p *plot) done() template.HTML { return template.HTML(p.b.String() + "</svg>") }

// u and v are the places of values on the axes, 0 to 1.
func (p *plot) u(x float64) float64 { return (p.across(x) - p.x0) / (p.x1 - p.x0) }
func (p *plot) v(y float64) float64 { return (y - p.y0) / (p.y1 - p.y0) }

// x is the place of a value in percent, y in pixels.
func (p *plot) x(v float64) float64 { return p.left + (p.right-p.left)*p.u(v) }
func (p *plot) y(v float64) float64 { return p.foot - (p.foot-p.top)*p.v(v) }

// The elements of a plot have their places in percent across and in pixels down.

// stroke draws a line.
func (p *plot) stroke(class string, x0, y0, x1, y1 float64) {
	fmt.Fprintf(&p.b, `<line class="%s" x1="%.2f%%" y1="%.1f" x2="%.2f%%" y2="%.1f"/>`, class, x0, y0, x1, y1)
}

// rect draws a rectangle; a pointer that rests on it shows the title.
func (p *plot) rect(class string, x, y, width, height float64, title string) {
	fmt.Fprintf(&p.b, `<rect class="%s" x="%.2f%%" y="%.1f" width="%.2f%%" height="%.1f">%s</rect>`, class, x, y, width, height, tooltip(title))
}

func (p *plot) circle(class string, x, y, radius float64, title string) {
	fmt.Fprintf(&p.b, `<circle class="%s" cx="%.2f%%" cy="%.1f" r="%g">%s</circle>`, class, x, y, radius, tooltip(title))
}

// shape draws a path, whose origin is the place.
func (p *plot) shape(class, path string, x, y float64, title string) {
	fmt.Fprintf(&p.b, `<svg class="tip" x="%.2f%%" y="%.1f" overflow="visible"><path class="%s" d="%s">%s</path></svg>`, x, y, class, path, tooltip(title))
}

// text writes s, moved dx pixels to the right.
func (p *plot) text(class, anchor string, x, y float64, dx int, s string) {
	fmt.Fprintf(&p.b, `<text class="%s" x="%.2f%%" y="%.1f" dx="%d" text-anchor="%s">%s</text>`, class, x, y, dx, anchor, html.EscapeString(s))
}

func tooltip(title string) string {
	return when(title != "", "<title>"+html.EscapeString(title)+"</title>")
}

// xAxis draws the horizontal axis with its title and ticks.
func (p *plot) xAxis(title string, ticks []float64, format func(float64) string) {
	for _, v := range ticks {
		p.stroke("axis", p.x(v), p.foot, p.x(v), p.foot+5)
		p.text("", "middle", p.x(v), p.foot+19, 0, format(v))
	}
	p.stroke("axis", p.left, p.foot, p.right, p.foot)
	p.text("", "middle", 55, p.height-8, 0, title)
}

// yAxis draws the vertical axis as grid lines, with its title above.
func (p *plot) yAxis(title string, ticks []float64, format func(float64) string) {
	for _, v := range ticks {
		p.stroke("grid", p.left, p.y(v), p.right, p.y(v))
		p.text("", "end", p.left, p.y(v)+4, -6, format(v))
	}
	p.text("", "start", 0, 14, 0, title)
}

// percentAxes draws both axes, in percent.
func (p *plot) percentAxes(across, up string) {
	p.yAxis(up, p.yTicks(), percentTick)
	p.xAxis(across, rounds(p.x0, p.x1, .001, 5), percentTick)
}

// xTicks are round values of a linear axis.
func (p *plot) xTicks() []float64 { return rounds(p.x0, p.x1, .001, 6) }
func (p *plot) yTicks() []float64 { return rounds(p.y0, p.y1, .001, 6) }

// pointTick prints a value in points; what is zero but for rounding is zero.
func pointTick(v float64) string   { return minus(fmt.Sprintf("%.3g", 100*v+0.)) }
func percentTick(v float64) string { return pointTick(v) + " %" }

// What follows has its places on the axes.

func (p *plot) line(class string, x0, y0, x1, y1 float64) {
	p.stroke(class, p.x(x0), p.y(y0), p.x(x1), p.y(y1))
}

// join draws a polyline or a polygon. SVG takes no percentages there, so it stands in a
// picture of its own, which is stretched and its stroke not.
func (p *plot) join(element, class string, xs, ys []float64) {
	const fine = 1000
	width, height := p.right-p.left, p.foot-p.top // browsers differ in whether a style or an attribute counts
	fmt.Fprintf(&p.b, `<svg aria-hidden="true" x="%g%%" y="%g" width="%g%%" height="%g" style="width:%g%%;height:%gpx" viewBox="0 0 %d %d" preserveAspectRatio="none"><%s class="%s" points="`,
		p.left, p.top, width, height, width, height, fine, fine, element, class)
	for i := range xs {
		if i > 0 {
			p.b.WriteByte(' ')
		}
		fmt.Fprintf(&p.b, "%.0f,%.0f", fine*p.u(xs[i]), fine*(1-p.v(ys[i])))
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

// point draws a shape.
func (p *plot) point(shape, class string, x, y float64, title string) {
	p.shape("point "+class, shapes[shape], p.x(x), p.y(y), title)
}

// whisker is a vertical interval, cut where the plot ends.
func (p *plot) whisker(class string, x, lo, hi float64) {
	p.line("whisker "+class, x, max(lo, p.y0), x, min(hi, p.y1))
}

// whiskerAcross is a horizontal one, at a pixel.
func (p *plot) whiskerAcross(class string, y, lo, hi float64) {
	p.stroke("whisker "+class, p.x(max(lo, p.x0)), y, p.x(min(hi, p.x1)), y)
}

// bars draws a histogram that stands at the pixel foot, the fullest bin as high as high.
func (p *plot) bars(class string, edges []float64, counts []int, foot, high float64, unit string) {
	total, highest := histogramTotals(counts)
	p.stroke("grid", p.left, foot, p.right, foot)
	for k, n := range counts {
		if n == 0 {
			continue
		}
		share := float64(n) / float64(total)
		p.bar(class, edges[k], edges[k+1], foot, max(1, high*share/highest), fmt.Sprintf("%.3g to %.3g %s: %s", edges[k], edges[k+1], unit, percent1(share)))
	}
}

// bar draws one, as wide as its bin but for a gap.
func (p *plot) bar(class string, lo, hi, foot, high float64, title string) {
	p.rect("bar "+class, p.x(lo), foot-high, .9*(p.x(hi)-p.x(lo)), high, title)
}

// span collects the least and the greatest of what a plot is to show.
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
