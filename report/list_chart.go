package report

import (
	"fmt"
	"html/template"
	"math"
	"strings"
)

// drawCloseness draws a row for each band. The linear axis ends just beyond the largest value.
func drawCloseness(rows []closeness, unit string) template.HTML {
	end := 0.
	var values []string
	for _, c := range rows {
		for _, e := range []errorBeside{c.anybody, c.holder, c.attack} {
			for _, v := range []float64{e.value, e.prior} {
				if !math.IsNaN(v) {
					end = max(end, v)
				}
			}
		}
		values = append(values, fmt.Sprintf("%s: floor without a list %s, floor with the list %s, best attack %s", c.band, c.anybody.beside(c.anybody.floor()), c.holder.beside(c.holder.floor()), c.attack.beside(number(c.attack.value))))
	}
	if end == 0 {
		return ""
	}
	const row = 34
	p := newPlot(plotTop+row*len(rows)+plotFoot, "Errors by band in "+unit+". "+strings.Join(values, ". ")+". The figure after of: the error of guessing the mean of the same inputs.")
	p.left, p.x1 = 22, 1.05*end
	for i, c := range rows {
		y := float64(plotTop + row*i)
		p.text("head", "end", p.left, y+17, -8, c.band)
		p.stroke("grid", p.left, y+row-3, p.right, y+row-3)
		if c.anybody.value > 0 {
			p.rect("floor certified", p.left, y+5, p.x(c.anybody.value)-p.left, 16, "")
		}
		if c.holder.value > 0 {
			p.stroke("end certified", p.x(c.holder.value), y+2, p.x(c.holder.value), y+24)
		}
		if !math.IsNaN(c.attack.value) {
			p.shape("tip demonstrated", "M11,-1 L0,6 L11,13 Z", p.x(c.attack.value), y+7, "")
		}
		if v := c.floorsPrior(); !math.IsNaN(v) {
			p.stroke("prior", p.x(v), y, p.x(v), y+26)
		}
		if v := c.attack.prior; !math.IsNaN(v) {
			p.stroke("prior", p.x(v), y+9, p.x(v), y+17)
		}
	}
	p.xAxis("error, "+unit, p.xTicks(), number)
	return p.done()
}

// floorsPrior returns the prior alone on the inputs of the floor without a list, or with the
// list if there is no other.
func (c closeness) floorsPrior() float64 {
	if math.IsNaN(c.anybody.prior) {
		return c.holder.prior
	}
	return c.anybody.prior
}

func closenessKeys() []legendKey {
	mark := func(s string) template.HTML {
		return template.HTML(`<svg viewBox="0 0 34 14" aria-hidden="true">` + s + `</svg>`)
	}
	return []legendKey{
		{mark(`<rect class="floor certified" x="0" y="1" width="32" height="12"/>`), "floor for adversaries without a list"},
		{mark(`<line class="end certified" x1="17" y1="0" x2="17" y2="14"/>`), "floor for adversaries with the list"},
		{mark(`<path class="tip demonstrated" d="M24,0 L12,7 L24,14 Z"/>`), "best attack that ran"},
		{mark(`<line class="prior" x1="17" y1="0" x2="17" y2="14"/>`), "prior alone: guessing the mean of the same inputs, without the release; short: of the attacked inputs"},
	}
}
