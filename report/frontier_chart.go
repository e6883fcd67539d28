package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"
)

// draw renders the figure.
func (f *frontier) draw() template.HTML {
	p := newPlot(frontierHeight, "Accuracy against "+f.title+". "+f.d.sentence("the inputs that were tried"))
	p.top, p.across = frontierTop, f.across
	p.x0, p.x1, p.y0, p.y1 = f.x0, f.x1, f.y0, f.y1
	p.yAxis("accuracy", rounds(p.y0, p.y1, .001, 7), percentTick)
	p.xAxis(f.better()+" →", f.ticks(), number)
	f.asked(p)
	for _, l := range f.lines {
		f.line(p, l)
	}
	f.labels(p)
	f.best(p)
	return p.done()
}

// better says for whom the release is harder to the right.
func (f *frontier) better() string {
	if f.attack {
		return "harder for the linear attack"
	}
	return "harder for unbiased estimators only"
}

// asked draws target and constraint; the corner that they leave is what was
// asked for.
func (f *frontier) asked(p *plot) {
	left, bottom := p.left, p.foot
	if f.inside(f.target) {
		left = max(left, p.x(f.target))
	}
	if !math.IsNaN(f.allowedFloor) {
		bottom = p.y(f.allowedFloor)
	}
	p.rect("open", left, p.top, p.right-left, max(0, bottom-p.top), "")
}

// class is a line's colour and dash.
func (f *frontier) class(l designLine) string {
	return fmt.Sprintf("h%d d%d", slices.Index(f.keeps, l.Keep)%hues, slices.Index(f.families, l.Family)%dashes)
}

func (f *frontier) line(p *plot, l designLine) {
	class := "front " + f.class(l)
	var last *DesignPoint
	for _, q := range l.Points {
		if !f.shows(q) {
			continue
		}
		x, y := f.of(q), float64(q.Accuracy)
		if last != nil {
			p.line(class, f.of(*last), float64(last.Accuracy), x, y)
		}
		p.circle(class, p.x(x), p.y(y), 3, q.brief())
		last = &q
	}
}

// labels name every number of features at the end of its first line, moved
// apart where they would lie upon each other.
func (f *frontier) labels(p *plot) {
	type label struct {
		x, y  float64
		class string
		text  string
	}
	var all []label
	for _, k := range f.keeps {
		i := slices.IndexFunc(f.lines, func(l designLine) bool { return l.Keep == k })
		l := f.lines[i]
		for _, q := range slices.Backward(l.Points) {
			if f.shows(q) {
				all = append(all, label{p.x(f.of(q)), p.y(float64(q.Accuracy)), f.class(l), fmt.Sprint(k)})
				break
			}
		}
	}
	slices.SortStableFunc(all, func(a, b label) int { return compareFloat(a.y, b.y) })
	for i := range all {
		for j := range i {
			if math.Abs(all[j].x-all[i].x) < 8 && all[i].y < all[j].y+14 {
				all[i].y = all[j].y + 14
			}
		}
		p.text("name "+all[i].class, "start", min(all[i].x, 96), all[i].y+4, 7, all[i].text)
	}
}

// best rings the chosen point.
func (f *frontier) best(p *plot) {
	q := f.d.Best
	if q == nil || !f.shows(*q) {
		return
	}
	x, y := p.x(f.of(*q)), p.y(float64(q.Accuracy))
	word := "chosen"
	if !f.d.Met {
		word = "nearest"
	}
	anchor := "start"
	if x > 55 { // the words take about two fifths of a telephone
		anchor = "end"
	}
	p.stroke("lead", x, 19, x, y-8)
	p.circle("ring", x, y, 8, "")
	p.text("chosen", anchor, max(x, 20), 14, 0, word+": "+q.short())
}

func (p DesignPoint) short() string {
	return fmt.Sprintf("%d × %s", p.Keep, familyName(p.Family))
}

func (p DesignPoint) brief() string {
	return fmt.Sprintf("%s noise on %s, σ = %s: accuracy %s", familyName(p.Family), p.numbers(), number(p.Sigma), percent(float64(p.Accuracy)))
}

// legend says what colours and dashes mean.
func (f *frontier) legend() []legendKey {
	var keys []legendKey
	for i, k := range f.keeps {
		keys = append(keys, legendKey{strokeKey(fmt.Sprintf("h%d d0", i%hues)), Count(k, "number")})
	}
	if len(f.families) > 1 {
		for i, name := range f.families {
			keys = append(keys, legendKey{strokeKey(fmt.Sprintf("ink d%d", i%dashes)), familyName(name) + " noise"})
		}
	}
	if f.inside(f.target) || !math.IsNaN(f.allowedFloor) {
		keys = append(keys, legendKey{strokeKey("asked"), "asked for"})
	}
	return keys
}
