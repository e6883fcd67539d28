package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
)

// drawCloseness draws a row for each band: errors as shares of the error without the release, so
// that every band can be read on one axis. The figures themselves stand under the name.
func drawCloseness(rows []closeness, unit string) template.HTML {
	end := 1.
	var values []string
	for _, c := range rows {
		for _, e := range []errorBeside{c.anybody, c.holder, c.attack.errorBeside} {
			end = max(end, nanTo(e.share(), 0))
		}
		values = append(values, c.band+": "+c.words())
	}
	const row = 54
	p := newPlot(plotTop+row*len(rows)+plotFoot, "Errors by level of detail in "+unit+". "+strings.Join(values, ". ")+".")
	p.left, p.x1 = 1, 1.05*end
	for i, c := range rows {
		y := float64(plotTop + row*i)
		p.text("head", "start", p.left, y-4, 0, c.band)
		p.text("soft", "start", p.left, y+12, 0, c.words())
		y += 12
		p.stroke("prior", p.x(1), y+9, p.x(1), y+27)
		p.stroke("axis", p.left, y+7, p.left, y+25)
		if v := c.anybody.share(); v > 0 && !c.anybody.none() {
			p.rect("floor certified", p.left, y+8, p.x(v)-p.left, 16, "")
		}
		if v := c.holder.share(); v > 0 && !c.holder.none() {
			p.stroke("end certified", p.x(v), y+7, p.x(v), y+25)
		}
		if v := c.attack.share(); !math.IsNaN(v) {
			p.shape("tip demonstrated", "M11,-1 L0,6 L11,13 Z", p.x(v), y+10, "")
		}
	}
	p.xAxis("error, as a share of the error without the release", p.xTicks(), percentTick)
	return p.done()
}

// share is the error as a share of the one without the release; NaN if one is not known.
func (e errorBeside) share() float64 {
	if !(e.prior > 0) {
		return math.NaN()
	}
	return e.value / e.prior
}

// floorsPrior returns the prior alone on the inputs of the floor without a list, or with the
// list if there is no other.
func (c closeness) floorsPrior() float64 {
	if math.IsNaN(c.anybody.prior) {
		return c.holder.prior
	}
	return c.anybody.prior
}

// words are the figures of a row, each beside the error without the release on the same inputs.
func (c closeness) words() string {
	var said []string
	switch {
	case math.IsNaN(c.anybody.value):
	case c.anybody.none():
		said = append(said, "floor none")
	default:
		said = append(said, "floor "+c.anybody.beside(c.anybody.floor()))
	}
	if !math.IsNaN(c.attack.value) {
		said = append(said, "attack "+c.attack.beside(c.attack.printed()))
	} else if v := c.floorsPrior(); !math.IsNaN(v) {
		said = append(said, "without the release "+number(v))
	}
	return strings.Join(said, " · ")
}

// closenessNote says how to read the figures of a row.
func (r *Report) closenessNote() string {
	return when(r.bestAttack() != nil, fmt.Sprintf("Behind “of”: the error of guessing the mean, without the release, for the same inputs. %s", r.attackInputs()))
}

// closenessKeys say what the marks mean, those that there are.
func closenessKeys(rows []closeness) []legendKey {
	mark := func(s string) template.HTML {
		return template.HTML(`<svg viewBox="0 0 34 14" aria-hidden="true">` + s + `</svg>`)
	}
	var keys []legendKey
	add := func(of func(closeness) float64, s, name string) {
		if slices.ContainsFunc(rows, func(c closeness) bool { return of(c) > 0 }) {
			keys = append(keys, legendKey{mark(s), name})
		}
	}
	add(func(c closeness) float64 { return c.anybody.shown() }, `<rect class="floor certified" x="0" y="1" width="32" height="12"/>`, "floor for every adversary without a list")
	add(func(c closeness) float64 { return c.holder.shown() }, `<line class="end certified" x1="17" y1="0" x2="17" y2="14"/>`, "floor with the list")
	add(func(c closeness) float64 { return c.attack.value }, `<path class="tip demonstrated" d="M24,0 L12,7 L24,14 Z"/>`, "best attack that ran")
	add(closeness.floorsPrior, `<line class="prior" x1="17" y1="0" x2="17" y2="14"/>`, "without the release: guessing the mean")
	return keys
}

// shown is a floor that is drawn, else 0.
func (e errorBeside) shown() float64 {
	if e.none() {
		return 0
	}
	return e.value
}
