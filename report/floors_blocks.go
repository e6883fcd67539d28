package report

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
)

// bracket adds floors and attacks on one axis.
func (d *document) floors(r *Report) {
	b := r.FloorsAndCeilings
	if b == nil {
		return
	}
	s, ok := b.newScale(float64(r.Data.GreyLevels))
	if !ok {
		return
	}
	all, title := b.Bands[0], "Attacks"
	if b.proves() {
		title = "Floors for unbiased estimators, and attacks"
	}
	d.folded(title)
	d.on(onPage, func(d *document) {
		d.say("Errors of adversaries per coordinate, in " + s.name + ", logarithmic; further right is better protected. Floors are medians over coordinates and inputs, the others root mean squares.")
	})
	d.chart(chart{Caption: all.title(), SVG: all.draw(s), Note: strings.TrimSpace(all.verdict(s)), Letters: r.floorLetters})
	if len(b.Bands) > 1 {
		d.chart(chart{Caption: "Band by band", SVG: b.drawBands(s), Keys: b.legend()})
	}
	d.say(b.uneven())
	d.say(b.unbeaten())
	d.say(b.undercut())
	d.say(b.aboveLegend())
	columns := b.columns()
	bands := func(heads []string, name func(BandMarks) string) table {
		t := table{Name: "By band", Says: "Errors in " + s.name + ".", Heads: append([]string{"band", "n"}, columns.of(heads)...)}
		if columns[twinsColumn] {
			t.Says += " Twins: ∞ with a share of coordinates means that for these a million normalised units and more are certified, where twins were sought."
		}
		if b.modes() {
			t.Says += " A mode’s number is the larger of its two frequencies: 0 is the mean grey of a picture, the last band its finest detail."
		}
		for _, band := range b.Bands {
			t.add(append([]string{name(band), fmt.Sprint(band.Coordinates)}, columns.of(band.digest().cells(s))...)...)
		}
		return t
	}
	if len(b.Bands) > 1 {
		d.on(onTerminal, func(d *document) {
			t := bands(digestShort, func(b BandMarks) string { return times(b.Name) })
			t.Says = ""
			d.table(t)
		})
	}
	d.on(onPage|onMarkdown, func(d *document) { d.table(bands(digestLong, BandMarks.brief)) })
}

// modes reports whether bands are octaves of cosine modes.
func (b *FloorsAndCeilings) modes() bool {
	return slices.ContainsFunc(b.Bands, func(b BandMarks) bool { return b.Of == "dct" && strings.HasPrefix(b.Name, "mode") })
}

// legend says what the marks of the rows of bands mean.
func (b *FloorsAndCeilings) legend() []legendKey {
	mark := func(s string) template.HTML {
		return template.HTML(`<svg viewBox="0 0 34 14" aria-hidden="true">` + s + `</svg>`)
	}
	var keys []legendKey
	if b.proves() {
		keys = append(keys, legendKey{mark(`<rect class="floor certified" x="0" y="1" width="32" height="12"/>`), "floor, certified near the input"},
			legendKey{mark(`<line class="end certified" x1="0" y1="7" x2="24" y2="7"/><path class="tip certified" d="M22,0 L34,7 L22,14 Z"/>`), "floor larger than the axis: twins, far witnesses"},
			legendKey{mark(`<path class="tip assumed" d="M10,0 L22,7 L10,14 Z"/>`), "floor for every adversary, assumed: van Trees"})
	}
	return append(keys, legendKey{mark(`<path class="tip demonstrated" d="M24,0 L12,7 L24,14 Z"/>`), "best attack, demonstrated"},
		legendKey{mark(`<line class="prior" x1="17" y1="0" x2="17" y2="14"/>`), "without the release"})
}
