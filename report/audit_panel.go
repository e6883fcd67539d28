package report

import (
	"fmt"
	"html"
)

// Where the words of an audit's rows begin, in percent and in pixels.
const (
	auditLeft = 1.
	auditTop  = 4
)

// wide tells a panel that no axis goes up: its rows have words of their own.
func (p *panel) wide() { p.left, p.top = auditLeft+1, auditTop }

// pointsAxis draws the axis that goes across, in points.
func (p *panel) pointsAxis(title string) {
	for _, v := range rounds(p.x0, p.x1, .001, 6) {
		p.line("grid", v, p.y0, v, p.y1)
		p.tick(v, bareTick(v))
	}
	p.base(title)
}

// bareTick prints a value in points; what is zero but for rounding is zero.
func bareTick(v float64) string { return minus(fmt.Sprintf("%.3g", 100*v+0.)) }

// percentAxis draws it in percent.
func (p *panel) percentAxis(title string) {
	for _, v := range rounds(p.x0, p.x1, .001, 6) {
		p.line("grid", v, p.y0, v, p.y1)
		p.tick(v, bareTick(v)+" %")
	}
	p.base(title)
}

// at writes words at a percent across and a pixel down.
func (p *panel) at(class, anchor string, x float64, y int, s string) {
	fmt.Fprintf(&p.b, `<text class="%s" x="%.2f%%" y="%d" text-anchor="%s">%s</text>`, class, x, y, anchor, html.EscapeString(s))
}

// mark draws a shape at a value across and a pixel down.
func (p *panel) mark(shape, class string, x float64, y int, title string) {
	fmt.Fprintf(&p.b, `<svg class="tip" x="%.2f%%" y="%d" overflow="visible"><path class="point %s" d="%s"><title>%s</title></path></svg>`, p.x(x), y, class, shapes[shape], html.EscapeString(title))
}

// across draws an interval at a pixel down.
func (p *panel) across(class string, y int, lo, hi float64) {
	fmt.Fprintf(&p.b, `<line class="%s" x1="%.2f%%" x2="%.2f%%" y1="%d" y2="%d"/>`, class, p.x(max(lo, p.x0)), p.x(min(hi, p.x1)), y, y)
}
