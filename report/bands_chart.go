package report

import (
	"fmt"
	"html/template"
	"strings"

	"tattle/bound"
)

// Places of a band's row, in pixels below its top: words, the floor's bar, and
// the marks of those who know what inputs look like.
const (
	bandWords = 14
	bandBar   = 21
	bandMarks = 41
	bandRow   = 62
)

// drawBands renders a row of every band on the axis that all share.
func (b *FloorsAndCeilings) drawBands(s scale) template.HTML {
	p := s.plot(30+bandRow*len(b.Bands)+20, b.words(s))
	for i, band := range b.Bands {
		y := float64(30 + bandRow*i)
		p.text("head", "start", p.left, y+bandWords, 0, band.brief())
		p.ruled(s, y+bandBar-2, y+bandMarks+17)
		band.digest().draw(p, s, y)
	}
	return p.done()
}

// draw renders a row.
func (d digest) draw(p *plot, s scale, y float64) {
	if beyond, ok := d.beyond(s); ok {
		p.stroke("end "+beyond.Status, p.left, y+bandBar+6, p.right, y+bandBar+6)
		p.shape("tip "+beyond.Status, "M0,-1 L11,6 L0,13 Z", p.right, y+bandBar, "")
		p.text("soft", "end", p.right+2, y+bandWords, 0, beyond.briefly(s))
	}
	if m := d.floor; m != nil && !s.beyond(*m) && m.position() > 0 {
		x := p.x(m.position())
		p.rect("floor "+m.Status, p.left, y+bandBar, max(.3, x-p.left), 12, "")
		p.stroke("end "+m.Status, x, y+bandBar-3, x, y+bandBar+15)
	}
	if m := d.prior; m != nil {
		p.stroke("prior", p.x(m.position()), y+bandMarks-5, p.x(m.position()), y+bandMarks+17)
	}
	if d.vanTrees != nil && d.attack != nil && d.vanTrees.position() < d.attack.position() {
		p.stroke("axis", p.x(d.vanTrees.position()), y+bandMarks+6, p.x(d.attack.position()), y+bandMarks+6)
	}
	d.vanTrees.point(p, y+bandMarks, "M-11,-1 L0,6 L-11,13 Z")
	d.attack.point(p, y+bandMarks, "M11,-1 L0,6 L11,13 Z")
}

// point draws a triangle whose tip stands at the mark: van Trees' points to the
// right, where nobody can be left of it, an attack's to the left.
func (m *Mark) point(p *plot, y float64, path string) {
	if m != nil && m.position() > 0 {
		p.shape("tip "+m.Status, path, p.x(m.position()), y, "")
	}
}

// beyond is the mark for which the arrow to the edge stands: twins where
// half of the band has them, then far witnesses, then those near the input.
func (d digest) beyond(s scale) (Mark, bool) {
	for _, m := range []*Mark{d.twins, d.far, d.floor} {
		if m != nil && s.beyond(*m) {
			return *m, true
		}
	}
	return Mark{}, false
}

// briefly says at the end of a row what its arrow stands for.
func (m Mark) briefly(s scale) string {
	what := "near"
	switch m.Search {
	case bound.SearchTwins:
		what = "twins"
	case bound.SearchFar:
		what = "far"
	}
	if m.unbounded() {
		return what + ": no useful limit"
	}
	if n := manyRanges(float64(m.level())*s.unit, s.whole); n > 0 {
		return fmt.Sprintf("%s: over %d×", what, n)
	}
	return what + ": beyond"
}

// brief names a band where its coordinates were named before.
func (b BandMarks) brief() string {
	switch {
	case b.Name == "all":
		return "all"
	case b.Of == "dct" && square(b.Name):
		return times(b.Name) + " coarsest"
	}
	return b.Name
}

// words say what the figure shows to those who do not see it.
func (b *FloorsAndCeilings) words(s scale) string {
	columns := b.columns()
	said := []string{"Errors by band in " + s.name + ": " + strings.Join(columns.of(digestLong), ", ")}
	for _, band := range b.Bands {
		said = append(said, band.brief()+": "+strings.Join(columns.of(band.digest().cells(s)), ", "))
	}
	return strings.Join(said, ". ") + "."
}
