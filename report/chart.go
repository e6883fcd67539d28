package report

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"
	"strings"
)

// A plot is an inline SVG that takes its colours from the page, so that it
// follows light and dark, and scales with the column it stands in. Its numbers
// are repeated in a table beside it for those who do not see it.
type plot struct {
	b             strings.Builder
	width, height float64
	left, right   float64 // margins
	top, bottom   float64
}

func newPlot(label string) *plot {
	c := &plot{width: 640, height: 260, left: 52, right: 12, top: 12, bottom: 40}
	fmt.Fprintf(&c.b, `<svg viewBox="0 0 %g %g" role="img" aria-label="%s">`, c.width, c.height, html.EscapeString(label))
	return c
}

func (c *plot) done() template.HTML { return template.HTML(c.b.String() + "</svg>") }

// x and y map the unit square onto the plotting area, y upward.
func (c *plot) x(u float64) float64 { return c.left + u*(c.width-c.left-c.right) }
func (c *plot) y(v float64) float64 { return c.height - c.bottom - v*(c.height-c.top-c.bottom) }

func (c *plot) text(x, y float64, anchor, s string) {
	fmt.Fprintf(&c.b, `<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`, x, y, anchor, html.EscapeString(s))
}

func (c *plot) line(class string, u0, v0, u1, v1 float64) {
	fmt.Fprintf(&c.b, `<line class="%s" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, class, c.x(u0), c.y(v0), c.x(u1), c.y(v1))
}

func (c *plot) axes(xTitle, yTitle string) {
	c.line("axis", 0, 0, 1, 0)
	c.line("axis", 0, 0, 0, 1)
	c.text(c.x(.5), c.height-6, "middle", xTitle)
	fmt.Fprintf(&c.b, `<text x="14" y="%.1f" text-anchor="middle" transform="rotate(-90 14 %.1f)">%s</text>`,
		c.y(.5), c.y(.5), html.EscapeString(yTitle))
}

// draw renders the histogram: a bar a bin, the overflow hatched at the end, the
// median as a line.
func (h Histogram) draw() template.HTML {
	c := newPlot(fmt.Sprintf("Histogram: %s. Fullest bin at %.3g, median %.3g.", h.Title, float64(h.Peak), float64(h.Median)))
	n := len(h.Counts)
	if n == 0 || len(h.Edges) != n {
		return c.done()
	}
	top := 1
	for _, k := range h.Counts {
		top = max(top, k)
	}
	c.axes(h.Axis, "values")
	for i, k := range h.Counts {
		class, label := "bar", ""
		if i == n-1 {
			class, label = "bar over", fmt.Sprintf("%.3g and above, unbounded included: %d", h.Edges[i], k)
		} else {
			label = fmt.Sprintf("%.3g to %.3g: %d", h.Edges[i], h.Edges[i+1], k)
		}
		u0, u1 := float64(i)/float64(n), float64(i+1)/float64(n)
		v := float64(k) / float64(top)
		fmt.Fprintf(&c.b, `<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f"><title>%s</title></rect>`,
			class, c.x(u0)+.5, c.y(v), c.x(u1)-c.x(u0)-1, c.y(0)-c.y(v), html.EscapeString(label))
	}
	for i := 0; i < n; i += max(1, n/8) {
		c.text(c.x(float64(i)/float64(n)), c.y(0)+16, "middle", fmt.Sprintf("%.2g", h.Edges[i]))
	}
	c.text(c.x(0)-6, c.y(1)+4, "end", short(float64(top)))
	if m := float64(h.Median); m >= h.Edges[0] && m < h.Edges[n-1] {
		u := (m - h.Edges[0]) / (h.Edges[n-1] - h.Edges[0]) * float64(n-1) / float64(n)
		c.line("mark", u, 0, u, 1)
		c.text(c.x(u)+4, c.y(1)+8, "start", fmt.Sprintf("median %.3g", m))
	}
	return c.done()
}

// draw renders σ/sᵢ on a logarithmic axis: the band holds 90 % of the examples,
// the dashed lines are the thresholds of the table beside it.
func (s Spectrum) draw(thresholds []float64) template.HTML {
	c := newPlot("How well each direction can be resolved, best first; logarithmic scale")
	n := len(s.Median)
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, x := range slices.Concat(s.Low, s.High) {
		if v := float64(x); v > 0 && !math.IsInf(v, 0) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	if n == 0 || !(lo < hi) {
		return c.done()
	}
	l0, l1 := math.Floor(math.Log10(lo)), math.Ceil(math.Log10(hi))
	top := math.Pow(10, l1)
	v := func(x float64) float64 {
		if !(x <= top) { // unbounded, or null in the file
			x = top
		}
		return (math.Log10(x) - l0) / (l1 - l0)
	}
	u := func(i int) float64 { return (float64(i) + .5) / float64(n) }
	c.axes("direction, best resolved first", "standard deviation")
	for e := l0; e <= l1; e++ {
		c.text(c.x(0)-6, c.y(v(math.Pow(10, e)))+4, "end", fmt.Sprintf("%.3g", math.Pow(10, e)))
		c.line("grid", 0, v(math.Pow(10, e)), 1, v(math.Pow(10, e)))
	}
	for i := 0; i < n; i += max(1, n/8) {
		c.text(c.x(u(i)), c.y(0)+16, "middle", fmt.Sprint(i+1))
	}
	for _, t := range thresholds {
		if t > lo && t < hi {
			c.line("threshold", 0, v(t), 1, v(t))
		}
	}
	c.b.WriteString(`<polygon class="band" points="`)
	for i := range n {
		fmt.Fprintf(&c.b, "%.1f,%.1f ", c.x(u(i)), c.y(v(float64(s.Low[i]))))
	}
	for i := n - 1; i >= 0; i-- {
		fmt.Fprintf(&c.b, "%.1f,%.1f ", c.x(u(i)), c.y(v(float64(s.High[i]))))
	}
	c.b.WriteString(`"/><polyline class="curve" points="`)
	for i := range n {
		fmt.Fprintf(&c.b, "%.1f,%.1f ", c.x(u(i)), c.y(v(float64(s.Median[i]))))
	}
	c.b.WriteString(`"/>`)
	return c.done()
}

// short prints a count the way an axis can hold it: 12k, 3.4M.
func short(x float64) string {
	switch {
	case x >= 1e6:
		return fmt.Sprintf("%.3gM", x/1e6)
	case x >= 1e4:
		return fmt.Sprintf("%.3gk", x/1e3)
	}
	return fmt.Sprintf("%g", x)
}
