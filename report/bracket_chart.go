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
	{"Certified floors, for the unbiased: medians", func(m Mark) bool { return m.everyInput() && m.Status == bound.StatusCertified }},
	{"Estimated floors, for the unbiased: medians", func(m Mark) bool { return m.everyInput() && m.Status != bound.StatusCertified }},
	{"Assumed floor, for everybody: rms", func(m Mark) bool { return m.Method == bound.MethodVanTrees }},
	{"Demonstrated: attacks that ran, rms", func(m Mark) bool { return m.Method == MarkAttack }},
	{"To compare: without the release, rms", func(m Mark) bool { return m.Method == MarkPrior }},
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
			m.draw(&body, s, y, b.some(m))
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

// backdrop draws the axis and the prior alone.
func (b BracketBand) backdrop(w *strings.Builder, s scale, height int) {
	s.grid(w, height)
	for _, m := range b.Marks {
		if m.Method == MarkPrior {
			fmt.Fprintf(w, `<line class="prior" x1="%.2f%%" x2="%.2f%%" y1="20" y2="%d"/>`, s.x(m.level()), s.x(m.level()), height)
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

// draw writes a mark's words, with what examples it is about where these are some,
// and, under them, its bar: floors grow from the left, ceilings from the right.
func (m Mark) draw(w *strings.Builder, s scale, y int, some string) {
	label := html.EscapeString(marked(m.words(s)+some, m.AbovePrior))
	bar, x := y+18, s.x(m.level())
	if m.floor() || m.Method == MarkPrior {
		fmt.Fprintf(w, `<text x="%g%%" y="%d">%s</text>`, bracketLeft, y+13, label)
	} else {
		fmt.Fprintf(w, `<text x="%g%%" y="%d" text-anchor="end">%s</text>`, bracketRight, y+13, label)
	}
	switch {
	case m.floor() && s.beyond(m):
		fmt.Fprintf(w, `<rect class="floor %s" x="%g%%" y="%d" width="%.2f%%" height="%d"/>`, m.Status, bracketLeft, bar, bracketRight-bracketLeft, bracketBar)
		fmt.Fprintf(w, `<svg class="tip" x="%g%%" y="%d" width="20" height="24" overflow="visible"><path class="tip %s" d="M0,0 L14,12 L0,24 Z"/></svg>`, bracketRight, bar-6, m.Status)
	case math.IsNaN(float64(m.level())) || m.level() == 0:
	case m.Method == MarkPrior:
		fmt.Fprintf(w, `<circle class="dot" cx="%.2f%%" cy="%d" r="6"/>`, x, bar+bracketBar/2)
	case m.Method == MarkAttack && !m.Gain.closer(): // no ceiling
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
	v := float64(m.level()) * s.unit
	n := manyRanges(v, s.whole)
	switch {
	case m.unbounded():
		return m.pageName() + ": no useful limit"
	case math.IsNaN(v):
		return m.pageName() + ": not known"
	case m.Method == MarkPrior:
		return "Prior alone, guessing the mean: errs by " + number(v)
	case m.Method == MarkAttack && !m.Gain.closer():
		return fmt.Sprintf("%s: errs by %s, not shown to beat it", m.Name, number(v))
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
	{bound.MethodHCR, bound.SearchTwins}: "HCR, twin",
	{bound.MethodCramerRaoAxis, ""}:      "Cramér-Rao, all else known",
	{bound.MethodCramerRao, ""}:          "Cramér-Rao, part that is seen",
}

func (m Mark) pageName() string {
	if n := pageNames[newRung(m.Method, m.Search)]; n != "" {
		return n + m.within()
	}
	if m.Method == MarkAttack {
		return m.Name
	}
	return m.title(true)
}

// words say what the figure shows to those who do not see it.
func (b BracketBand) words(s scale) string {
	said := []string{fmt.Sprintf("%s. Errors in %s: medians for floors of the unbiased, else root mean squares", b.title(), s.name)}
	for _, m := range b.Marks {
		words := fmt.Sprintf("%s%s (%s)", m.words(s), b.some(m), m.Status)
		if isAbove(m.AbovePrior) {
			words += ", " + vacuousToPrior
		}
		said = append(said, words)
	}
	return strings.Join(said, ". ") + "."
}

// verdict says in sentences what is reached without the release and with it, and
// what the floors beside that bind.
func (b BracketBand) verdict(s scale) string {
	d := b.digest()
	in := func(m *Mark) string { return number(float64(m.level()) * s.unit) }
	said := b.limitless()
	switch {
	case d.tried == nil && d.prior == nil:
		return said + "No attack was run, so nothing is said about how close a real one comes."
	case d.tried == nil:
		return said + fmt.Sprintf("Without the release, guessing the mean errs by %s, root mean square. No attack was run, so nothing is said about how close a real one comes.", in(d.prior))
	case d.attack == nil:
		return said + fmt.Sprintf("No attack that ran is shown to come closer than guessing the mean, without the release: that errs by %s, the %s attack by %s, root mean square. A better attack may come closer.", in(d.prior), d.tried.Name, in(d.tried))
	case d.prior == nil:
		said += fmt.Sprintf("The best attack (%s) errs by %s, root mean square; it was not compared with guessing the mean.", d.attack.Name, in(d.attack))
	default:
		said += fmt.Sprintf("Without the release, guessing the mean errs by %s, root mean square; the best attack (%s) by %s.", in(d.prior), d.attack.Name, in(d.attack))
	}
	said += " A better attack may come closer."
	if d.floor != nil {
		said += " The floors of unbiased reconstructions do not bind these attacks, which are biased by what they learnt." + b.everybody()
	}
	return said
}

// most is the number of examples that the marks of a band are about at most.
func (b BracketBand) most() int {
	n := 0
	for _, m := range b.Marks {
		n = max(n, m.Examples)
	}
	return n
}

// some says of a mark of the band that it is about some of the examples: empty
// elsewhere.
func (b BracketBand) some(m Mark) string {
	if n := b.most(); 0 < m.Examples && m.Examples < n {
		return fmt.Sprintf(" (%d of %d)", m.Examples, n)
	}
	return ""
}

// limitless says what twins prove of a band.
func (b BracketBand) limitless() string {
	m := b.digest().twins
	if m == nil || m.Status != bound.StatusCertified || !m.unbounded() {
		return ""
	}
	of := ""
	if n := b.most(); m.Examples < n {
		of = fmt.Sprintf(" of the %s of %d that were tried", Count(m.Examples, "input"), n)
	}
	return fmt.Sprintf("For half of these coordinates or more%s, unbiased estimators have a certified error above a million normalised units (domain %s): other inputs have the same features up to rounding and the runtime's error. ", of, m.Domain)
}

// undercut says why an attack errs by less than van Trees' floor, where one does:
// empty elsewhere.
func (b *Bracket) undercut() string {
	bands, below := 0, 0
	for _, band := range b.Bands {
		if d := band.digest(); d.vanTrees != nil && d.attack != nil {
			bands++
			if d.attack.level() < d.vanTrees.level() {
				below++
			}
		}
	}
	const why = "that floor is about the average over inputs drawn from a Gaussian with the training data's mean and covariance. These inputs are not drawn from it, so this is no contradiction."
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
