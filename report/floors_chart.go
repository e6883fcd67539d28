package report

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"tattle/bound"
)

// Where things are in the figures of floors and ceilings.
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
	{"Certified floors for unbiased estimators, medians", func(m Mark) bool { return m.everyInput() && m.Status == bound.StatusCertified }},
	{"Estimated floors for unbiased estimators, medians", func(m Mark) bool { return m.everyInput() && m.Status != bound.StatusCertified }},
	{"Assumed floor for every adversary, RMS", func(m Mark) bool { return m.Method == bound.MethodVanTrees }},
	{"Attacks that ran, RMS", func(m Mark) bool { return m.Method == markAttack }},
	{"Without the release, RMS", func(m Mark) bool { return m.Method == markPrior }},
}

// everyInput reports whether a mark is a floor that leans on no prior.
func (m Mark) everyInput() bool { return m.floor() && m.Method != bound.MethodVanTrees }

// draw renders one band on the axis that all bands share.
func (b BandMarks) draw(s scale) template.HTML {
	const top, under = 24, 24
	height := top + under
	marks := make([][]Mark, len(groups))
	for i, g := range groups {
		for _, m := range b.Marks {
			if g.has(m) {
				marks[i] = append(marks[i], m)
			}
		}
		if len(marks[i]) > 0 {
			height += bracketHead + bracketRow*len(marks[i])
		}
	}
	p := s.plot(height, b.words(s))
	prior := b.digest().prior
	y := float64(top)
	for i, g := range groups {
		if len(marks[i]) == 0 {
			continue
		}
		y += bracketHead
		p.text("head", "start", p.left, y-9, 0, g.title)
		for _, m := range marks[i] {
			p.ruled(s, y+16, y+20+bracketBar)
			if prior != nil {
				p.stroke("prior", p.x(prior.position()), y+16, p.x(prior.position()), y+20+bracketBar)
			}
			m.draw(p, s, y, b.some(m))
			y += bracketRow
		}
	}
	return p.done()
}

// plot begins a figure on the scale, with its ticks above.
func (s scale) plot(height int, label string) *plot {
	p := newPlot(height, label)
	p.left, p.right, p.top, p.foot, p.across = bracketLeft, bracketRight, 20, p.height, s.at
	for _, t := range s.ticks() {
		x, anchor := p.x(t/s.unit), "middle"
		if x < 3 {
			anchor = "start"
		}
		p.text("", anchor, x, 14, 0, number(t))
	}
	return p
}

// ruled draws the grid between two heights, and a line where the whole range of the data ends: in
// the part of a row that has no words.
func (p *plot) ruled(s scale, top, foot float64) {
	for _, t := range s.ticks() {
		p.stroke("grid", p.x(t/s.unit), top, p.x(t/s.unit), foot)
	}
	if s.whole > s.lo && s.whole < s.hi {
		x := p.x(s.whole / s.unit)
		p.stroke("range", x, top, x, foot)
	}
}

// draw writes a mark's words, with what examples it is about where these are some,
// and, under them, its bar: floors grow from the left, ceilings from the right.
func (m Mark) draw(p *plot, s scale, y float64, some string) {
	label := marked(m.words(s)+some, m.AbovePrior)
	bar, x := y+18, p.x(m.position())
	if m.floor() || m.Method == markPrior {
		p.text("", "start", p.left, y+13, 0, label)
	} else {
		p.text("", "end", p.right, y+13, 0, label)
	}
	switch {
	case m.floor() && s.beyond(m):
		p.rect("floor "+m.Status, p.left, bar, p.right-p.left, bracketBar, "")
		p.shape("tip "+m.Status, "M0,0 L14,12 L0,24 Z", p.right, bar-6, "")
	case math.IsNaN(m.position()) || m.position() == 0:
	case m.Method == markPrior:
		p.circle("dot", x, bar+bracketBar/2, 6, "")
	case m.Method == markAttack && !m.Gain.closer(): // no ceiling
	case m.floor():
		p.rect("floor "+m.Status, p.left, bar, max(.3, x-p.left), bracketBar, "")
		p.stroke("end "+m.Status, x, bar-4, x, bar+bracketBar+4)
	default:
		p.rect("ceiling", x, bar, max(.3, p.right-x), bracketBar, "")
		p.stroke("end demonstrated", x, bar-4, x, bar+bracketBar+4)
	}
}

// position is what the mark stands at.
func (m Mark) position() float64 { return float64(m.level()) }

// words say what a mark shows: short enough for a telephone.
func (m Mark) words(s scale) string {
	v := float64(m.level()) * s.unit
	n := manyRanges(v, s.whole)
	switch {
	case m.unbounded():
		return m.pageName() + ": no useful limit"
	case math.IsNaN(v):
		return m.pageName() + ": not known"
	case m.Method == markPrior:
		return "Guessing the mean: " + number(v)
	case m.Method == markAttack && !m.Gain.closer():
		return fmt.Sprintf("%s: %s, not shown to be closer", m.Name, number(v))
	case m.Method == markAttack:
		return fmt.Sprintf("%s: %s", m.Name, number(v))
	case v == 0:
		return m.pageName() + ": proves nothing"
	case n > 0:
		return fmt.Sprintf("%s: over %d times the range", m.pageName(), n)
	default:
		return fmt.Sprintf("%s: at least %s", m.pageName(), number(v))
	}
}

// pageNames are shorter than those of a table and longer than a terminal's.
var pageNames = map[boundKind]string{
	{bound.MethodHCR, ""}:                "HCR, one near witness",
	{bound.MethodHCR, bound.SearchFar}:   "HCR, far witness",
	{bound.MethodHCR, bound.SearchTwins}: "HCR, twin",
	{bound.MethodCramerRaoAxis, ""}:      "Cramér-Rao, all else known",
	{bound.MethodCramerRao, ""}:          "Cramér-Rao, identifiable part",
}

func (m Mark) pageName() string {
	if n := pageNames[newBoundKind(m.Method, m.Search)]; n != "" {
		return n + m.within()
	}
	if m.Method == markAttack {
		return m.Name
	}
	return m.title(true)
}

// words say what the figure shows to those who do not see it.
func (b BandMarks) words(s scale) string {
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
func (b BandMarks) verdict(s scale) string {
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
func (b BandMarks) most() int {
	n := 0
	for _, m := range b.Marks {
		n = max(n, m.Examples)
	}
	return n
}

// some says of a mark of the band that it is about some of the examples: empty
// elsewhere.
func (b BandMarks) some(m Mark) string {
	if n := b.most(); 0 < m.Examples && m.Examples < n {
		return fmt.Sprintf(" (%d of %d)", m.Examples, n)
	}
	return ""
}

// limitless says what twins prove of a band.
func (b BandMarks) limitless() string {
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
func (b *FloorsAndCeilings) undercut() string {
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
func (b BandMarks) everybody() string {
	if b.digest().vanTrees != nil {
		return " The van Trees floor holds for every adversary if its assumption holds."
	}
	return ""
}
