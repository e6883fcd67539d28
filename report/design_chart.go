package report

import (
	"fmt"
	"math"
	"slices"
)

// newFrontier returns the chart of a design. It chooses the quantity on the horizontal axis: that
// of the target, otherwise the strength of the noise: few directions are resolved within a limit on the
// cost alone, often none. The result is false if there is nothing to draw.
func newFrontier(d *Design) (*frontier, bool) {
	f := &frontier{target: math.NaN(), floor: math.NaN(), least: d.lowest(), axis: frontierAxis{log: true, print: number}, better: "harder for unbiased estimators only"}
	var of func(DesignPoint) float64
	switch t := d.Target; {
	case t.Within > 0:
		f.title, f.target = fmt.Sprintf("directions resolved to within %s (fewer is better)", number(t.Within)), float64(t.Directions)
		f.axis = frontierAxis{less: true, unit: 1, print: number}
		of = func(p DesignPoint) float64 { return float64(p.Directions) }
	case t.AttackMSE > 0 && t.MedianStd == 0:
		f.title, f.target, f.better = "mean square error of the linear attack", t.AttackMSE, "harder for the linear attack"
		of = func(p DesignPoint) float64 { return float64(p.AttackMSE) }
	case d.costOnly():
		f.title, f.better = "the standard deviation of the noise, σ", "more noise"
		of = func(p DesignPoint) float64 { return p.Sigma }
	default:
		f.title = "median standard deviation of an unbiased reconstruction"
		of = func(p DesignPoint) float64 { return float64(p.MedianStd) }
		if t.MedianStd > 0 {
			f.target = t.MedianStd
		}
	}
	f.label = "Accuracy against " + f.title + ". " + d.sentence("the inputs that were tried")
	d.draw(f, of)
	return f, f.fit()
}

// draw adds the lines, the choice and the legend.
func (d *Design) draw(f *frontier, of func(DesignPoint) float64) {
	at := func(p DesignPoint) frontierPoint { return frontierPoint{of(p), float64(p.Accuracy), p.brief()} }
	lines := d.drawn()
	var keeps []int // as the lines have them, most numbers first
	var families []string
	for _, l := range lines {
		keeps, families = append(keeps, l.Keep), append(families, l.Family)
	}
	keeps, families = slices.Compact(keeps), unique(families)
	for _, l := range lines {
		line := frontierLine{class: fmt.Sprintf("h%d d%d", slices.Index(keeps, l.Keep)%hues, slices.Index(families, l.Family)%dashes)}
		for _, p := range l.Points {
			line.points = append(line.points, at(p))
			if d.MaxDrop > 0 && !math.IsNaN(float64(p.Drop)) && f.shows(at(p)) {
				f.floor = float64(p.Accuracy+p.Drop) - d.MaxDrop
			}
		}
		f.lines = append(f.lines, line)
	}
	if d.Best != nil {
		word := "chosen"
		if !d.Met {
			word = "nearest"
		}
		f.chosen = &frontierChoice{frontierPoint: at(*d.Best), words: word + ": " + d.Best.short()}
	}
	for i, k := range keeps {
		f.keys = append(f.keys, legendKey{strokeKey(fmt.Sprintf("h%d d0", i%hues)), Count(k, "number")})
	}
	if len(families) > 1 {
		for i, name := range families {
			f.keys = append(f.keys, legendKey{strokeKey(fmt.Sprintf("ink d%d", i%dashes)), familyName(name) + " noise"})
		}
	}
	if f.inside(f.target) || !math.IsNaN(f.floor) {
		f.keys = append(f.keys, legendKey{strokeKey("asked"), "asked for"})
	}
}

// drawn are the lines of the chart: that of the answer, and those that meet the target at the least cost.
func (d *Design) drawn() []designLine {
	lines := d.lines()
	rank := func(l designLine) (answer, meets bool, drop float64) {
		p := d.beside(l.Points)
		return d.Best != nil && p.same(*d.Best), p.Meets, nanTo(float64(p.Drop), 1)
	}
	best := slices.Clone(lines)
	slices.SortStableFunc(best, func(a, b designLine) int {
		answerA, meetsA, dropA := rank(a)
		answerB, meetsB, dropB := rank(b)
		if answerA != answerB || meetsA != meetsB {
			return map[bool]int{true: -1, false: 1}[answerA || !answerB && meetsA]
		}
		return compareFloat(dropA, dropB)
	})
	best = best[:min(len(best), mostLines)]
	return slices.DeleteFunc(lines, func(l designLine) bool {
		return !slices.ContainsFunc(best, func(o designLine) bool {
			return o.Family == l.Family && o.Projection == l.Projection && o.Keep == l.Keep
		})
	})
}

// lowest returns the lowest accuracy that is drawn. Points below it are in the table only, so
// that the chart has room for those that matter.
func (d *Design) lowest() float64 {
	top := 0.
	for _, p := range d.Frontier {
		top = max(top, nanTo(float64(p.Accuracy), 0))
	}
	low := top - max(deepest, deepestAsked*d.MaxDrop)
	if d.Best != nil {
		low = min(low, nanTo(float64(d.Best.Accuracy), low))
	}
	return low
}

func (p DesignPoint) short() string {
	return fmt.Sprintf("%d × %s", p.Keep, familyName(p.Family))
}

func (p DesignPoint) brief() string {
	return fmt.Sprintf("%s noise on %s, σ = %s: accuracy %s", familyName(p.Family), p.numbers(), number(p.Sigma), percent(float64(p.Accuracy)))
}
