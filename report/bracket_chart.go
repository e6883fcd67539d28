package report

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strings"

	"tattle/bound"
)

// The bracket's figure has no viewBox: its places are percents of the column's
// width and its heights pixels, so that words keep their size on a telephone.
const (
	bracketLeft  = 1.  // percent
	bracketRight = 96. // percent; an arrow goes on to the edge
	bracketRow   = 38  // pixels: a line of words and a bar
	bracketBar   = 12  // pixels
	bracketHead  = 30  // pixels, of a group's heading
)

// A group of marks shares a heading, which says what kind of claim they are.
type group struct {
	title string
	has   func(Mark) bool
}

var groups = []group{
	{"Certified floors, for the unbiased", func(m Mark) bool { return m.everyInput() && m.Status == bound.StatusCertified }},
	{"Estimated floors, for the unbiased", func(m Mark) bool { return m.everyInput() && m.Status != bound.StatusCertified }},
	{"Assumed floor, for everybody", func(m Mark) bool { return m.Method == bound.MethodVanTrees }},
	{"Demonstrated: attacks that ran", func(m Mark) bool { return m.Method == MarkAttack }},
	{"To compare: without the release", func(m Mark) bool { return m.Method == MarkPrior }},
}

// everyInput tells whether a mark is a floor that leans on no prior.
func (m Mark) everyInput() bool { return m.floor() && m.Method != bound.MethodVanTrees }

// draw renders one band on the axis that all bands share.
func (b BracketBand) draw(s scale) template.HTML {
	var body strings.Builder
	y := 24
	for _, g := range groups {
		first := true
		for _, m := range b.Marks {
			if !g.has(m) {
				continue
			}
			if first {
				y += bracketHead
				fmt.Fprintf(&body, `<text class="head" x="%g%%" y="%d">%s</text>`, bracketLeft, y-9, g.title)
				first = false
			}
			m.draw(&body, s, y)
			y += bracketRow
		}
	}
	height := y + 24
	var out strings.Builder
	fmt.Fprintf(&out, `<svg class="fluid" height="%d" role="img" aria-label="%s">`, height, html.EscapeString(b.words(s)))
	b.backdrop(&out, s, height)
	out.WriteString(body.String())
	out.WriteString("</svg>")
	return template.HTML(out.String())
}

// x is the percent at which a value stands.
func (s scale) x(median Number) float64 {
	return bracketLeft + (bracketRight-bracketLeft)*s.at(median)
}

// backdrop draws the axis, what is still open between the best certified floor
// and the best attack, and the prior.
func (b BracketBand) backdrop(w *strings.Builder, s scale, height int) {
	if floor, ceiling := b.gap(); floor > 0 && floor < ceiling {
		fmt.Fprintf(w, `<rect class="open" x="%.2f%%" y="22" width="%.2f%%" height="%d"/>`, s.x(floor), s.x(ceiling)-s.x(floor), height-22)
	}
	s.grid(w, height)
	for _, m := range b.Marks {
		if m.Method == MarkPrior {
			fmt.Fprintf(w, `<line class="prior" x1="%.2f%%" x2="%.2f%%" y1="20" y2="%d"/>`, s.x(m.Median), s.x(m.Median), height)
		}
	}
}

// grid draws the axis, and where the whole range of the data ends.
func (s scale) grid(w *strings.Builder, height int) {
	for _, t := range s.ticks() {
		x := s.x(Number(t / s.unit))
		fmt.Fprintf(w, `<line class="grid" x1="%.2f%%" x2="%.2f%%" y1="20" y2="%d"/>`, x, x, height)
		anchor := "middle"
		if x < 3 {
			anchor = "start"
		}
		fmt.Fprintf(w, `<text x="%.2f%%" y="14" text-anchor="%s">%s</text>`, x, anchor, number(t))
	}
	if s.whole > s.lo && s.whole < s.hi {
		x := s.x(Number(s.whole / s.unit))
		fmt.Fprintf(w, `<line class="range" x1="%.2f%%" x2="%.2f%%" y1="20" y2="%d"/><text class="soft" x="%.2f%%" y="%d" text-anchor="end">the whole range, %g&#160;</text>`, x, x, height, x, height-5, s.whole)
	}
}

// gap is the largest finite certified floor of witnesses near the input and the
// best ceiling, zero or infinite where there is none.
func (b BracketBand) gap() (floor, ceiling Number) {
	d := b.digest()
	if d.attack == nil {
		return 0, Number(math.Inf(1))
	}
	if m := d.floor; m != nil && m.Status == bound.StatusCertified && !m.unbounded() {
		floor = m.Median
	}
	return floor, d.attack.Median
}

// draw writes a mark's words and, under them, its bar: floors grow from the
// left, ceilings from the right.
func (m Mark) draw(w *strings.Builder, s scale, y int) {
	label := html.EscapeString(m.words(s))
	bar, x := y+18, s.x(m.Median)
	if m.floor() || m.Method == MarkPrior {
		fmt.Fprintf(w, `<text x="%g%%" y="%d">%s</text>`, bracketLeft, y+13, label)
	} else {
		fmt.Fprintf(w, `<text x="%g%%" y="%d" text-anchor="end">%s</text>`, bracketRight, y+13, label)
	}
	switch {
	case m.floor() && s.beyond(m):
		fmt.Fprintf(w, `<rect class="floor %s" x="%g%%" y="%d" width="%.2f%%" height="%d"/>`, m.Status, bracketLeft, bar, bracketRight-bracketLeft, bracketBar)
		fmt.Fprintf(w, `<svg class="tip" x="%g%%" y="%d" width="20" height="24" overflow="visible"><path class="tip %s" d="M0,0 L14,12 L0,24 Z"/></svg>`, bracketRight, bar-6, m.Status)
	case math.IsNaN(float64(m.Median)) || m.Median == 0:
	case m.Method == MarkPrior:
		fmt.Fprintf(w, `<circle class="dot" cx="%.2f%%" cy="%d" r="6"/>`, x, bar+bracketBar/2)
	case m.floor():
		fmt.Fprintf(w, `<rect class="floor %s" x="%g%%" y="%d" width="%.2f%%" height="%d"/>`, m.Status, bracketLeft, bar, max(.3, x-bracketLeft), bracketBar)
		fmt.Fprintf(w, `<line class="end %s" x1="%.2f%%" x2="%.2f%%" y1="%d" y2="%d"/>`, m.Status, x, x, bar-4, bar+bracketBar+4)
	default:
		fmt.Fprintf(w, `<rect class="ceiling" x="%.2f%%" y="%d" width="%.2f%%" height="%d"/>`, x, bar, max(.3, bracketRight-x), bracketBar)
		fmt.Fprintf(w, `<line class="end demonstrated" x1="%.2f%%" x2="%.2f%%" y1="%d" y2="%d"/>`, x, x, bar-4, bar+bracketBar+4)
	}
}

// words say what a mark shows: short enough for a telephone.
func (m Mark) words(s scale) string {
	v := float64(m.Median) * s.unit
	n := manyRanges(v, s.whole)
	switch {
	case m.unbounded():
		return m.pageName() + ": no useful limit"
	case math.IsNaN(v):
		return m.pageName() + ": not known"
	case m.Method == MarkPrior:
		return "Knowing what such inputs look like: " + number(v)
	case m.Method == MarkAttack:
		return fmt.Sprintf("%s: errs by %s", m.Name, number(v))
	case v == 0:
		return m.pageName() + ": proves nothing"
	case n > 0:
		return fmt.Sprintf("%s: over %d times the range", m.pageName(), n)
	default:
		return fmt.Sprintf("%s: at least %s", m.pageName(), number(v))
	}
}

// pageNames are shorter than those of a table and longer than a terminal's.
var pageNames = map[rung]string{
	{bound.MethodHCR, ""}:                "HCR, one near witness",
	{bound.MethodHCR, bound.SearchFar}:   "HCR, far witness",
	{bound.MethodHCR, bound.SearchTwins}: "HCR, exact twin",
	{bound.MethodCramerRaoAxis, ""}:      "Cramér-Rao, all else known",
	{bound.MethodCramerRao, ""}:          "Cramér-Rao, part that is seen",
}

func (m Mark) pageName() string {
	if n := pageNames[newRung(m.Method, m.Search)]; n != "" {
		return n
	}
	if m.Method == MarkAttack {
		return m.Name
	}
	return m.title(true)
}

// words say what the figure shows to those who do not see it.
func (b BracketBand) words(s scale) string {
	said := []string{fmt.Sprintf("%s. Median error in %s", b.title(), s.name)}
	for _, m := range b.Marks {
		said = append(said, fmt.Sprintf("%s (%s)", m.words(s), m.Status))
	}
	return strings.Join(said, ". ") + "."
}

// verdict says in a sentence how floor and ceiling stand to each other.
func (b BracketBand) verdict(s scale) string {
	floor, ceiling := b.gap()
	f, c := number(float64(floor)*s.unit), number(float64(ceiling)*s.unit)
	if n := manyRanges(float64(floor)*s.unit, s.whole); n > 0 {
		f = fmt.Sprintf("more than %d times the whole range", n)
	}
	said := b.limitless()
	switch {
	case math.IsInf(float64(ceiling), 1):
		return said + "No attack was run, so nothing is said about how close a real one comes."
	case floor == 0:
		return said + fmt.Sprintf("The best attack errs by %s; no finite certified floor stands beside it.", c)
	case ceiling < floor:
		return said + fmt.Sprintf("The best attack errs by %s, below the certified floor of %s. That is no contradiction: the floor binds unbiased reconstructions, and this attack is biased by what it learnt of such inputs.%s", c, f, b.everybody())
	}
	return said + fmt.Sprintf("Between the certified floor of %s and the best attack’s %s is what neither proof nor attack has reached. A better attack may come closer, and a biased one may go below the floor.", f, c)
}

// limitless says what twins prove of a band.
func (b BracketBand) limitless() string {
	if m := b.digest().twins; m != nil && m.Status == bound.StatusCertified && m.unbounded() {
		return "For half of these coordinates or more, the certified error of unbiased reconstructions has no useful limit: other inputs have the same features to rounding. "
	}
	return ""
}

// undercut says why an attack errs by less than van Trees' floor, where one does:
// empty elsewhere.
func (b *Bracket) undercut() string {
	bands, below := 0, 0
	for _, band := range b.Bands {
		if d := band.digest(); d.vanTrees != nil && d.attack != nil {
			bands++
			if d.attack.Median < d.vanTrees.Median {
				below++
			}
		}
	}
	const why = "that floor assumes Gaussian inputs with the training data's covariance and holds on average over all of them; these inputs are a sample, and not Gaussian, which explains it."
	switch {
	case below == 0:
		return ""
	case bands == 1:
		return "The best attack errs by less than van Trees' floor: " + why
	}
	return fmt.Sprintf("In %d of %d bands the best attack errs by less than van Trees' floor: %s", below, bands, why)
}

// everybody points at van Trees where it is there.
func (b BracketBand) everybody() string {
	if b.digest().vanTrees != nil {
		return " The floor for everybody is van Trees’, as far as its assumption holds."
	}
	return ""
}
