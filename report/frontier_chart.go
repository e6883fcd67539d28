package report

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"
	"strings"
)

// The frontier's figure, as the bracket's, has no viewBox: percents across,
// pixels down.
const (
	frontierHeight = 380
	frontierTop    = 32
	frontierBottom = 330
	frontierLeft   = 13. // percent
	frontierRight  = 97.
	hues           = 6   // of the page's --h0 … --h5
	dashes         = 4   // of the page's .d0 … .d3
	deepest        = .15 // the drop in accuracy below which nobody chooses a point
	deepestAsked   = 5   // the same in units of the drop that was allowed
)

// A frontier is a design's figure: confidentiality across, better to the right;
// accuracy up.
type frontier struct {
	d            *Design
	title        string
	of           func(DesignPoint) float64
	fewer        bool // less of the quantity is better
	target       float64
	x0, x1       float64
	y0, y1       float64
	keeps        []int
	families     []string
	lines        []designLine
	allowedFloor float64
	least        float64 // accuracy of points that are shown
}

// newFrontier chooses the quantity across: what the target is about, else the
// median standard deviation.
func newFrontier(d *Design) (*frontier, bool) {
	f := &frontier{d: d, lines: d.lines(), target: math.NaN(), allowedFloor: math.NaN()}
	switch t := d.Target; {
	case t.Within > 0:
		f.title, f.fewer, f.target = fmt.Sprintf("directions resolved to within %s (fewer is better)", number(t.Within)), true, float64(t.Directions)
		f.of = func(p DesignPoint) float64 { return float64(p.Directions) }
	case t.AttackMSE > 0 && t.MedianStd == 0:
		f.title, f.target = "mean square error of the linear attack", t.AttackMSE
		f.of = func(p DesignPoint) float64 { return float64(p.AttackMSE) }
	default:
		f.title = "median standard deviation of an unbiased reconstruction"
		f.of = func(p DesignPoint) float64 { return float64(p.MedianStd) }
		if t.MedianStd > 0 {
			f.target = t.MedianStd
		}
	}
	return f, f.fit()
}

// fit finds the axes. It is false where fewer than two points can be shown.
func (f *frontier) fit() bool {
	f.x0, f.x1, f.y0, f.y1 = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	f.least = f.lowest()
	shown := 0
	for _, l := range f.lines {
		f.keeps, f.families = append(f.keeps, l.Keep), append(f.families, l.Family)
		for _, p := range l.Points {
			if !f.shows(p) {
				continue
			}
			shown++
			f.x0, f.x1 = min(f.x0, f.across(f.of(p))), max(f.x1, f.across(f.of(p)))
			f.y0, f.y1 = min(f.y0, float64(p.Accuracy)), max(f.y1, float64(p.Accuracy))
			f.allowed(p)
		}
	}
	if f.inside(f.target) {
		f.x0, f.x1 = min(f.x0, f.across(f.target)), max(f.x1, f.across(f.target))
	}
	f.families = unique(f.families)
	slices.Sort(f.keeps)
	f.keeps = slices.Compact(f.keeps)
	slices.Reverse(f.keeps)
	f.widen()
	return shown >= 2
}

// allowed derives the lowest accuracy that the constraint allows.
func (f *frontier) allowed(p DesignPoint) {
	if f.d.MaxDrop > 0 && !math.IsNaN(float64(p.Drop)) {
		f.allowedFloor = float64(p.Accuracy+p.Drop) - f.d.MaxDrop
	}
}

// widen leaves air about the points.
func (f *frontier) widen() {
	air := .05 * (f.x1 - f.x0)
	if air == 0 {
		air = .5
	}
	f.x0, f.x1 = f.x0-air, f.x1+air
	if !math.IsNaN(f.allowedFloor) {
		f.y0 = min(f.y0, f.allowedFloor)
	}
	air = max(.005, .06*(f.y1-f.y0))
	f.y0, f.y1 = max(0, f.y0-air), min(1, f.y1+air)
}

// across is linear in counts and logarithmic in errors.
func (f *frontier) across(v float64) float64 {
	if f.fewer {
		return -v
	}
	return math.Log10(v)
}

func (f *frontier) inside(v float64) bool {
	a := f.across(v)
	return !math.IsNaN(a) && !math.IsInf(a, 0)
}

func (f *frontier) shows(p DesignPoint) bool {
	return f.inside(f.of(p)) && float64(p.Accuracy) >= f.least
}

// lowest is the accuracy under which points are left to the table, so that the
// figure has room for those that count.
func (f *frontier) lowest() float64 {
	top := 0.
	for _, p := range f.d.Frontier {
		top = max(top, nanTo(float64(p.Accuracy), 0))
	}
	low := top - max(deepest, deepestAsked*f.d.MaxDrop)
	if f.d.Best != nil {
		low = min(low, nanTo(float64(f.d.Best.Accuracy), low))
	}
	return low
}

// hidden counts the points that only the table has.
func (f *frontier) hidden() int {
	n := 0
	for _, p := range f.d.Frontier {
		if !f.shows(p) {
			n++
		}
	}
	return n
}

func nanTo(x, other float64) float64 {
	if math.IsNaN(x) {
		return other
	}
	return x
}

// x is a percent, y a pixel.
func (f *frontier) x(v float64) float64 {
	return frontierLeft + (frontierRight-frontierLeft)*(f.across(v)-f.x0)/(f.x1-f.x0)
}

func (f *frontier) y(accuracy float64) float64 {
	return frontierBottom - (frontierBottom-frontierTop)*(accuracy-f.y0)/(f.y1-f.y0)
}

// draw renders the figure.
func (f *frontier) draw() template.HTML {
	var w strings.Builder
	fmt.Fprintf(&w, `<svg class="fluid" height="%d" role="img" aria-label="%s">`, frontierHeight, html.EscapeString("Accuracy against "+f.title+". "+f.d.sentence()))
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
	fmt.Fprintf(w, `<text x="55%%" y="%d" text-anchor="middle">more confidential →</text>`, frontierHeight-8)
	fmt.Fprintf(w, `<text x="0" y="14">accuracy</text>`)
}

// ticks stand at about five round values.
func (f *frontier) ticks() []float64 {
	if f.fewer {
		return rounds(max(0, -f.x1), -f.x0, 1, 6)
	}
	var t []float64
	mantissas := []float64{1, 2, 5}
	if f.x1-f.x0 > 2 {
		mantissas = []float64{1}
	}
	for e := math.Floor(f.x0); e <= f.x1; e++ {
		for _, m := range mantissas {
			if a := e + math.Log10(m); a >= f.x0 && a <= f.x1 {
				t = append(t, m*math.Pow(10, e))
			}
		}
	}
	return t
}

// rounds are at most n multiples of 1, 2 or 5 times a power of ten, unit or
// more, from lo to hi.
func rounds(lo, hi, unit float64, n int) []float64 {
	step := unit
	for i := 0; (hi-lo)/step > float64(n); i++ {
		step *= []float64{2, 2.5, 2}[i%3]
	}
	var t []float64
	for k := math.Ceil(lo / step); k*step <= hi; k++ {
		t = append(t, k*step)
	}
	return t
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
	if x > 60 {
		anchor = "end"
	}
	fmt.Fprintf(w, `<line class="lead" x1="%.2f%%" x2="%.2f%%" y1="19" y2="%.1f"/><circle class="ring" cx="%.2f%%" cy="%.1f" r="8"/>`, x, x, y-8, x, y)
	fmt.Fprintf(w, `<text class="chosen" x="%.2f%%" y="14" text-anchor="%s">%s: %s, σ = %s</text>`, max(x, 20), anchor, word, p.short(), number(p.Sigma))
}

func (p DesignPoint) short() string {
	return fmt.Sprintf("%d × %s", p.Keep, familyName(p.Family))
}

func (p DesignPoint) brief() string {
	return fmt.Sprintf("%s noise on %s, σ = %s: accuracy %s", familyName(p.Family), p.numbers(), number(p.Sigma), percent(float64(p.Accuracy)))
}

// A key of the figure's legend.
type key struct{ Class, Name string }

// legend says what colours and dashes mean.
func (f *frontier) legend() []key {
	var keys []key
	for i, k := range f.keeps {
		keys = append(keys, key{fmt.Sprintf("h%d d0", i%hues), Count(k, "number")})
	}
	if len(f.families) > 1 {
		for i, name := range f.families {
			keys = append(keys, key{fmt.Sprintf("ink d%d", i%dashes), familyName(name) + " noise"})
		}
	}
	if f.inside(f.target) || !math.IsNaN(f.allowedFloor) {
		keys = append(keys, key{"asked", "asked for"})
	}
	return keys
}
