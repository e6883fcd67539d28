package report

import (
	"fmt"
	"math"
	"strings"
)

// Where the axes of a plot lie: in percent of its width, and in pixels.
const (
	plotLeft  = 13. // percent
	plotRight = 97. // percent
	plotTop   = 26. // pixels; the title of the vertical axis stands above
	plotFoot  = 48. // pixels under the horizontal axis: its ticks and title
)

// A plot is an inline SVG figure. Its horizontal places are percentages of the column's width and its vertical
// ones pixels, so that text keeps its size on a telephone. Its colours come from the page, so that it follows
// light and dark.
type plot struct {
	b              strings.Builder
	left, top      float64 // percent; pixels
	foot           float64 // pixels, of the horizontal axis
	x0, x1, y0, y1 float64 // what the axes show
}

// newPlot begins a figure; label describes it to those who do not see it.
func newPlot(height float64, label string, x, y span) *plot {
	p := &plot{left: plotLeft, top: plotTop, foot: height - plotFoot}
	p.x0, p.x1, p.y0, p.y1 = x.low, x.high, y.low, y.high
	fmt.Fprintf(&p.b, `<svg class="fluid" height="%.0f" role="img" aria-label="%s">`, height, escape.Replace(printable(label)))
	return p
}

func (p *plot) done() markup { return markup(p.b.String() + "</svg>") }

// x is the place of a value in percent, y in pixels.
func (p *plot) x(v float64) float64 { return p.left + (plotRight-p.left)*(v-p.x0)/(p.x1-p.x0) }
func (p *plot) y(v float64) float64 { return p.foot - (p.foot-p.top)*(v-p.y0)/(p.y1-p.y0) }

// line draws a line; places are in percent across and in pixels down.
func (p *plot) line(class string, x0, y0, x1, y1 float64) {
	fmt.Fprintf(&p.b, `<line class="%s" x1="%.2f%%" y1="%.1f" x2="%.2f%%" y2="%.1f"/>`, class, x0, y0, x1, y1)
}

// text writes s, moved dx pixels to the right.
func (p *plot) text(class, anchor string, x, y float64, dx int, s string) {
	fmt.Fprintf(&p.b, `<text class="%s" x="%.2f%%" y="%.1f" dx="%d" text-anchor="%s">%s</text>`, class, x, y, dx, anchor, escape.Replace(printable(s)))
}

// point draws a shape; a pointer that rests on it shows the title.
func (p *plot) point(shape, class string, x, y float64, title string) {
	fmt.Fprintf(&p.b, `<svg class="tip" x="%.2f%%" y="%.1f" overflow="visible"><path class="point %s" d="%s"><title>%s</title></path></svg>`, x, y, class, shapes[shape], escape.Replace(printable(title)))
}

// path draws a polyline or a polygon through values. SVG takes no percentages there, so it stands in a picture
// of its own, which is stretched and its stroke not.
func (p *plot) path(element, class string, xs, ys []float64) {
	const fine = 1000
	wide, high := plotRight-p.left, p.foot-p.top
	fmt.Fprintf(&p.b, `<svg aria-hidden="true" x="%g%%" y="%g" width="%g%%" height="%g" style="width:%g%%;height:%gpx" viewBox="0 0 %d %d" preserveAspectRatio="none"><%s class="%s" points="`,
		p.left, p.top, wide, high, wide, high, fine, fine, element, class)
	for i := range xs {
		if known(xs[i]) && known(ys[i]) && !math.IsInf(ys[i], 0) {
			fmt.Fprintf(&p.b, " %.0f,%.0f", fine*(xs[i]-p.x0)/(p.x1-p.x0), fine*(1-(ys[i]-p.y0)/(p.y1-p.y0)))
		}
	}
	p.b.WriteString(`"/></svg>`)
}

// xAxis draws the horizontal axis with its title and ticks.
func (p *plot) xAxis(title string, print func(float64) string, height float64) {
	for _, v := range ticks(p.x0, p.x1) {
		p.line("axis", p.x(v), p.foot, p.x(v), p.foot+5)
		p.text("", "middle", p.x(v), p.foot+19, 0, print(v))
	}
	p.line("axis", p.left, p.foot, plotRight, p.foot)
	p.text("", "middle", 55, height-8, 0, title)
}

// yAxis draws the vertical axis as grid lines, with its title above.
func (p *plot) yAxis(title string, u Unit) {
	for _, v := range ticks(p.y0, p.y1) {
		p.line("grid", p.left, p.y(v), plotRight, p.y(v))
		p.text("", "end", p.left, p.y(v)+4, -6, tick(u, v))
	}
	p.text("", "start", 0, 14, 0, title)
}

// tick prints a value of an axis.
func tick(u Unit, v float64) string {
	s := fmt.Sprintf("%.4g", v+0.) // −0 becomes 0
	switch u {
	case Share:
		s = fmt.Sprintf("%.4g %%", 100*v+0.)
	case Points:
		s = fmt.Sprintf("%.4g", 100*v+0.)
	}
	return strings.Replace(s, "-", "−", 1)
}

// ticks are some five round values from low to high.
func ticks(low, high float64) (all []float64) {
	raw := (high - low) / 5
	step := math.Pow10(int(math.Floor(math.Log10(raw))))
	for _, f := range []float64{10, 5, 2} {
		if step*f <= raw*1.5 {
			step *= f
			break
		}
	}
	for k := math.Ceil(low/step - 1e-9); k*step <= high+1e-9*step; k++ {
		all = append(all, k*step)
	}
	return all
}

// shapes of points, about their middle.
var shapes = map[string]string{
	"circle":  "M-5,0A5,5 0 1 1 5,0A5,5 0 1 1 -5,0Z",
	"diamond": "M0,-6.4L6,0L0,6.4L-6,0Z",
	"square":  "M-4.6,-4.6H4.6V4.6H-4.6Z",
	"stroke":  "M0,-9V9",
	"dot":     "M-3.2,0A3.2,3.2 0 1 1 3.2,0A3.2,3.2 0 1 1 -3.2,0Z",
}

// hue is the class of the colour of the k-th mark or curve.
func hue(k int) string { return fmt.Sprintf("h%d", k%6) }

// markKey is a mark for a legend.
func markKey(class, shape string) markup {
	return markup(fmt.Sprintf(`<svg class="shape" viewBox="-8 -10 16 20" aria-hidden="true"><path class="point %s" d="%s"/></svg>`, class, shapes[shape]))
}

// lineKey is a line for a legend.
func lineKey(class string) markup {
	return markup(fmt.Sprintf(`<svg class="%s" viewBox="0 0 34 14" aria-hidden="true"><line class="%s" x1="0" y1="7" x2="34" y2="7"/></svg>`, class, class))
}

// A span is the least and the greatest of what a plot is to show.
type span struct{ low, high float64 }

func newSpan() span { return span{math.Inf(1), math.Inf(-1)} }

func (s *span) add(values ...float64) {
	for _, v := range values {
		if known(v) && !math.IsInf(v, 0) {
			s.low, s.high = min(s.low, v), max(s.high, v)
		}
	}
}

// padded leaves air; a span without values is 0 to 1.
func (s span) padded() span {
	if s.low > s.high {
		return span{0, 1}
	}
	air := .06 * (s.high - s.low)
	if air == 0 {
		air = max(.01, .1*math.Abs(s.low))
	}
	if s.low >= 0 && s.low < .5*s.high { // errors and shares begin at none
		return span{0, s.high + air}
	}
	return span{s.low - air, s.high + air}
}
