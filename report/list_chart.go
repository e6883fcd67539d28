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
		for _, v := range []float64{c.anybody, c.holder, c.attack, c.prior} {
			if !math.IsNaN(v) {
				end = max(end, v)
			}
		}
		values = append(values, fmt.Sprintf("%s: floor without a list %s, floor with the list %s, best attack %s, prior alone %s", c.band, floorCell(c.anybody, c.prior), floorCell(c.holder, c.prior), number(c.attack), number(c.prior)))
	}
	if end == 0 {
		return ""
	}
	const row = 34
	p := newPlot(plotTop+row*len(rows)+plotFoot, "Errors by band in "+unit+". "+strings.Join(values, ". ")+".")
	p.left, p.x1 = 22, 1.05*end
	for i, c := range rows {
		y := float64(plotTop + row*i)
		p.text("head", "end", p.left, y+17, -8, c.band)
		p.stroke("grid", p.left, y+row-3, p.right, y+row-3)
		if c.anybody > 0 {
			p.rect("floor certified", p.left, y+5, p.x(c.anybody)-p.left, 16, "")
		}
		if c.holder > 0 {
			p.stroke("end certified", p.x(c.holder), y+2, p.x(c.holder), y+24)
		}
		if !math.IsNaN(c.attack) {
			p.shape("tip demonstrated", "M11,-1 L0,6 L11,13 Z", p.x(c.attack), y+7, "")
		}
		if !math.IsNaN(c.prior) {
			p.stroke("prior", p.x(c.prior), y, p.x(c.prior), y+26)
		}
	}
	p.xAxis("error, "+unit, p.xTicks(), number)
	return p.done()
}

func closenessKeys() []legendKey {
	mark := func(s string) template.HTML {
		return template.HTML(`<svg viewBox="0 0 34 14" aria-hidden="true">` + s + `</svg>`)
	}
	return []legendKey{
		{mark(`<rect class="floor certified" x="0" y="1" width="32" height="12"/>`), "floor for adversaries without a list"},
		{mark(`<line class="end certified" x1="17" y1="0" x2="17" y2="14"/>`), "floor for adversaries with the list"},
		{mark(`<path class="tip demonstrated" d="M24,0 L12,7 L24,14 Z"/>`), "best attack that ran"},
		{mark(`<line class="prior" x1="17" y1="0" x2="17" y2="14"/>`), "prior alone: guessing the mean, without the release"},
	}
}
