package report

import (
	"fmt"
	"html"
	"html/template"
	"math"
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
func (b *Bracket) drawBands(s scale) template.HTML {
	height := 30 + bandRow*len(b.Bands) + 20
	var w strings.Builder
	fmt.Fprintf(&w, `<svg class="fluid" height="%d" role="img" aria-label="%s">`, height, html.EscapeString(b.words(s)))
	s.grid(&w, height)
	for i, band := range b.Bands {
		y := 30 + bandRow*i
		fmt.Fprintf(&w, `<text class="head" x="%g%%" y="%d">%s</text>`, bracketLeft, y+bandWords, html.EscapeString(band.brief()))
		band.digest().draw(&w, s, y)
	}
	w.WriteString("</svg>")
	return template.HTML(w.String())
}

// draw renders a row.
func (d digest) draw(w *strings.Builder, s scale, y int) {
	if beyond, ok := d.beyond(s); ok {
		fmt.Fprintf(w, `<line class="end %s" x1="%g%%" x2="%g%%" y1="%d" y2="%d"/>`, beyond.Status, bracketLeft, bracketRight, y+bandBar+6, y+bandBar+6)
		fmt.Fprintf(w, `<svg class="tip" x="%g%%" y="%d" width="20" height="24" overflow="visible"><path class="tip %s" d="M0,-1 L11,6 L0,13 Z"/></svg>`, bracketRight, y+bandBar, beyond.Status)
		fmt.Fprintf(w, `<text class="soft" x="%g%%" y="%d" text-anchor="end">%s</text>`, bracketRight+2, y+bandWords, beyond.briefly(s))
	}
	if m := d.floor; m != nil && !s.beyond(*m) && m.level() > 0 {
		x := s.x(m.level())
		fmt.Fprintf(w, `<rect class="floor %s" x="%g%%" y="%d" width="%.2f%%" height="12"/>`, m.Status, bracketLeft, y+bandBar, max(.3, x-bracketLeft))
		fmt.Fprintf(w, `<line class="end %s" x1="%.2f%%" x2="%.2f%%" y1="%d" y2="%d"/>`, m.Status, x, x, y+bandBar-3, y+bandBar+15)
	}
	if m := d.prior; m != nil {
		fmt.Fprintf(w, `<line class="prior" x1="%.2f%%" x2="%.2f%%" y1="%d" y2="%d"/>`, s.x(m.level()), s.x(m.level()), y+bandMarks-5, y+bandMarks+17)
	}
	if d.vanTrees != nil && d.attack != nil && d.vanTrees.level() < d.attack.level() {
		fmt.Fprintf(w, `<line class="axis" x1="%.2f%%" x2="%.2f%%" y1="%d" y2="%d"/>`, s.x(d.vanTrees.level()), s.x(d.attack.level()), y+bandMarks+6, y+bandMarks+6)
	}
	pointer(w, d.vanTrees, s, y+bandMarks, "M-11,-1 L0,6 L-11,13 Z")
	pointer(w, d.attack, s, y+bandMarks, "M11,-1 L0,6 L11,13 Z")
}

// pointer draws a triangle whose tip stands at the mark: van Trees' points to the
// right, where nobody can be left of it, an attack's to the left.
func pointer(w *strings.Builder, m *Mark, s scale, y int, path string) {
	if m == nil || math.IsNaN(float64(m.level())) || m.level() <= 0 {
		return
	}
	fmt.Fprintf(w, `<svg class="tip" x="%.2f%%" y="%d" width="20" height="24" overflow="visible"><path class="tip %s" d="%s"/></svg>`, s.x(m.level()), y, m.Status, path)
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
func (b BracketBand) brief() string {
	switch {
	case b.Name == "all":
		return "all"
	case square(b.Name):
		return times(b.Name) + " coarsest"
	}
	return b.Name
}

// words say what the figure shows to those who do not see it.
func (b *Bracket) words(s scale) string {
	columns := b.columns()
	said := []string{"Errors by band in " + s.name + ": " + strings.Join(columns.of(digestLong), ", ")}
	for _, band := range b.Bands {
		said = append(said, band.brief()+": "+strings.Join(columns.of(band.digest().cells(s)), ", "))
	}
	return strings.Join(said, ". ") + "."
}
