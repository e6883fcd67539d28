package report

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"
	"strings"
)

// draw renders the figure.
func (f *frontier) draw() template.HTML {
	var w strings.Builder
	fmt.Fprintf(&w, `<svg class="fluid" height="%d" role="img" aria-label="%s">`, frontierHeight, html.EscapeString("Accuracy against "+f.title+". "+f.d.sentence("the inputs that were tried")))
	f.axes(&w)
	f.asked(&w)
	for _, l := range f.lines {
		f.line(&w, l)
	}
	f.labels(&w)
	f.best(&w)
	w.WriteString("</svg>")
	return template.HTML(w.String())
}

// better says for whom the release is harder to the right.
func (f *frontier) better() string {
	if f.attack {
		return "harder for the linear attack"
	}
	return "harder for unbiased estimators only"
}

func (f *frontier) axes(w *strings.Builder) {
	for _, a := range rounds(f.y0, f.y1, .001, 7) {
		fmt.Fprintf(w, `<line class="grid" x1="%g%%" x2="%g%%" y1="%.1f" y2="%.1f"/>`, frontierLeft, frontierRight, f.y(a), f.y(a))
		fmt.Fprintf(w, `<text x="%g%%" dx="-6" y="%.1f" text-anchor="end">%.3g %%</text>`, frontierLeft, f.y(a)+4, 100*a)
	}
	for _, t := range f.ticks() {
		fmt.Fprintf(w, `<line class="axis" x1="%.2f%%" x2="%.2f%%" y1="%d" y2="%d"/>`, f.x(t), f.x(t), frontierBottom, frontierBottom+5)
		fmt.Fprintf(w, `<text x="%.2f%%" y="%d" text-anchor="middle">%s</text>`, f.x(t), frontierBottom+19, number(t))
	}
	fmt.Fprintf(w, `<line class="axis" x1="%g%%" x2="%g%%" y1="%d" y2="%d"/>`, frontierLeft, frontierRight, frontierBottom, frontierBottom)
	fmt.Fprintf(w, `<text x="55%%" y="%d" text-anchor="middle">%s →</text>`, frontierHeight-8, f.better())
	fmt.Fprintf(w, `<text x="0" y="14">accuracy</text>`)
}

// asked draws target and constraint; the corner that they leave is what was
// asked for.
func (f *frontier) asked(w *strings.Builder) {
	left, bottom := frontierLeft, float64(frontierBottom)
	if f.inside(f.target) {
		left = max(left, f.x(f.target))
	}
	if !math.IsNaN(f.allowedFloor) {
		bottom = f.y(f.allowedFloor)
	}
	fmt.Fprintf(w, `<rect class="open" x="%.2f%%" y="%d" width="%.2f%%" height="%.1f"/>`, left, frontierTop, frontierRight-left, max(0, bottom-frontierTop))
}

// class is a line's colour and dash.
func (f *frontier) class(l designLine) string {
	return fmt.Sprintf("h%d d%d", slices.Index(f.keeps, l.Keep)%hues, slices.Index(f.families, l.Family)%dashes)
}

func (f *frontier) line(w *strings.Builder, l designLine) {
	class := f.class(l)
	var last *DesignPoint
	for _, p := range l.Points {
		if !f.shows(p) {
			continue
		}
		x, y := f.x(f.of(p)), f.y(float64(p.Accuracy))
		if last != nil {
			fmt.Fprintf(w, `<line class="front %s" x1="%.2f%%" y1="%.1f" x2="%.2f%%" y2="%.1f"/>`, class, f.x(f.of(*last)), f.y(float64(last.Accuracy)), x, y)
		}
		fmt.Fprintf(w, `<circle class="front %s" cx="%.2f%%" cy="%.1f" r="3"><title>%s</title></circle>`, class, x, y, html.EscapeString(p.brief()))
		last = &p
	}
}

// labels name every number of features at the end of its first line, moved
// apart where they would lie upon each other.
func (f *frontier) labels(w *strings.Builder) {
	type label struct {
		x, y  float64
		class string
		text  string
	}
	var all []label
	for _, k := range f.keeps {
		i := slices.IndexFunc(f.lines, func(l designLine) bool { return l.Keep == k })
		l := f.lines[i]
		for j := len(l.Points) - 1; j >= 0; j-- {
			if p := l.Points[j]; f.shows(p) {
				all = append(all, label{f.x(f.of(p)), f.y(float64(p.Accuracy)), f.class(l), fmt.Sprint(k)})
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
		fmt.Fprintf(w, `<text class="name %s" x="%.2f%%" dx="7" y="%.1f">%s</text>`, all[i].class, min(all[i].x, 96), all[i].y+4, all[i].text)
	}
}

// best rings the chosen point.
func (f *frontier) best(w *strings.Builder) {
	p := f.d.Best
	if p == nil || !f.shows(*p) {
		return
	}
	x, y := f.x(f.of(*p)), f.y(float64(p.Accuracy))
	word := "chosen"
	if !f.d.Met {
		word = "nearest"
	}
	anchor := "start"
	if x > 55 { // the words take about two fifths of a telephone
		anchor = "end"
	}
	fmt.Fprintf(w, `<line class="lead" x1="%.2f%%" x2="%.2f%%" y1="19" y2="%.1f"/><circle class="ring" cx="%.2f%%" cy="%.1f" r="8"/>`, x, x, y-8, x, y)
	fmt.Fprintf(w, `<text class="chosen" x="%.2f%%" y="14" text-anchor="%s">%s: %s</text>`, max(x, 20), anchor, word, p.short())
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
