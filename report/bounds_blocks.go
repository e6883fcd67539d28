package report

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"tattle/bound"
)

// bounds adds what is proved, estimated, assumed and demonstrated of a release.
func (d *document) bounds(r *Report) {
	d.everybody(r)
	d.bracket(r)
	d.pairs(r)
	d.gallery(r)
	d.histograms(r)
	d.boundRows(r)
	d.attacks(r)
	d.methods(r)
	d.directions(r)
	d.published(r)
}

// bracket adds floors and attacks on one axis.
func (d *document) bracket(r *Report) {
	b := r.Bracket
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
	d.section(title)
	d.on(onPage, func(d *document) {
		d.say("Errors of adversaries per coordinate, in "+s.name+".", b.key(all.digest().attack != nil), b.squared(), "Further right is better protected; the scale is logarithmic.")
	})
	d.chart(chart{Caption: all.title(), SVG: all.draw(s), Note: strings.TrimSpace(all.verdict(s)), Letters: r.bracketLetters})
	if len(b.Bands) > 1 {
		d.chart(chart{Caption: "Band by band", SVG: b.drawBands(s), Keys: b.legend()})
	}
	d.say(b.uneven())
	d.say(b.unbeaten())
	d.say(b.undercut())
	d.say(b.aboveLegend())
	columns := b.columns()
	bands := func(heads []string, name func(BracketBand) string) table {
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
			t := bands(digestShort, func(b BracketBand) string { return times(b.Name) })
			t.Says = ""
			d.table(t)
		})
	}
	d.on(onPage|onMarkdown, func(d *document) {
		d.table(bands(digestLong, BracketBand.brief))
		t := table{Heads: []string{"method", "band", "what", "claim", "error, " + s.name, "unbounded"}, Words: []int{2, 3}}
		for _, band := range b.Bands {
			for _, m := range band.Marks {
				t.add(m.row(band.brief(), s)...)
			}
		}
		d.add(details{Summary: "Every method in every band", Blocks: []block{t}})
	})
}

// row is the mark in words.
func (m Mark) row(band string, s scale) []string {
	name, kind, unbounded := m.title(true), "floor", Share(float64(m.UnboundedFraction))
	switch m.Method {
	case MarkAttack:
		name, kind, unbounded = m.Name, "ceiling", "–"
		if !m.Gain.closer() {
			kind = "not closer than the prior alone"
		}
	case MarkPrior:
		name, kind, unbounded = "prior alone: guessing the mean, without the release", "comparison", "–"
	}
	return []string{name, band, kind, m.Status, m.exact(s), unbounded}
}

// modes tells whether bands are octaves of cosine modes.
func (b *Bracket) modes() bool {
	return slices.ContainsFunc(b.Bands, func(b BracketBand) bool { return strings.HasPrefix(b.Name, "mode") })
}

// key says what the bars of the page stand for.
func (b *Bracket) key(attacked bool) string {
	s := ""
	if b.proves() {
		s = "Bars from the left are floors: the smallest possible errors of unbiased adversaries, medians over coordinates and inputs; an arrow is a floor larger than the axis."
	}
	if attacked {
		s += " Bars from the right are ceilings: a bar begins at the error of an attack that ran, if it is less than that of guessing the mean."
	}
	return s
}

// legend says what the marks of the rows of bands mean.
func (b *Bracket) legend() []legendKey {
	mark := func(s string) template.HTML {
		return template.HTML(`<svg viewBox="0 0 34 14" aria-hidden="true">` + s + `</svg>`)
	}
	var keys []legendKey
	if b.proves() {
		keys = append(keys, legendKey{mark(`<rect class="floor certified" x="0" y="1" width="32" height="12"/>`), "floor, certified near the input"},
			legendKey{mark(`<line class="end certified" x1="0" y1="7" x2="24" y2="7"/><path class="tip certified" d="M22,0 L34,7 L22,14 Z"/>`), "floor larger than the axis: twins, far witnesses"},
			legendKey{mark(`<path class="tip assumed" d="M10,0 L22,7 L10,14 Z"/>`), "floor for everybody, assumed: van Trees"})
	}
	return append(keys, legendKey{mark(`<path class="tip demonstrated" d="M24,0 L12,7 L24,14 Z"/>`), "best attack, demonstrated"},
		legendKey{mark(`<line class="prior" x1="17" y1="0" x2="17" y2="14"/>`), "without the release: prior alone"})
}

// pairs adds inputs that the release cannot tell apart.
func (d *document) pairs(r *Report) {
	if len(r.Pairs) == 0 {
		return
	}
	d.section("Pairs of inputs with nearly the same features")
	d.say(r.twinsTogether())
	var all sideBySide
	for _, c := range r.cards() {
		p := pictures{Caption: c.caption(), Shots: []picture{{dataURI(c.first, c.FirstSHA256), alt("Original", c.Index, c.Pair.Name), "original", ""}}}
		for _, o := range c.Others {
			p.Shots = append(p.Shots, picture{dataURI(o.second, o.SecondSHA256), fmt.Sprintf("Another input, %s grey levels away from example %d, whose features the noise hardly tells apart", number(float64(o.RMS)), c.Index), o.Kind, o.says()})
		}
		all = append(all, p)
	}
	d.add(all)
}

// alt describes a picture of an example.
func alt(what string, index int, name string) string {
	s := fmt.Sprintf("%s, example %d", what, index)
	if name != "" {
		s += ", a " + name
	}
	return s
}

// gallery adds originals beside reconstructions.
func (d *document) gallery(r *Report) {
	has := func(status string) bool {
		return slices.ContainsFunc(r.Gallery, func(p Picture) bool {
			return slices.ContainsFunc(p.Shots, func(s Shot) bool { return (s.Status == StatusDemonstrated) == (status == StatusDemonstrated) })
		})
	}
	bounded, attacked := has(""), has(StatusDemonstrated)
	if len(r.Gallery) == 0 {
		return
	}
	d.on(onPage, func(d *document) {
		switch {
		case bounded && attacked:
			d.section("The best unbiased reconstructions, and those of attacks")
		case bounded:
			d.section("The best unbiased reconstructions")
		case attacked:
			d.section("Reconstructions by attacks")
		default:
			d.section("The inputs")
		}
		if bounded {
			d.say(fmt.Sprintf("Each original beside the best reconstruction of an unbiased adversary: the original, plus the %s standard deviation of every cosine mode with a random sign. Real unbiased adversaries do worse; adversaries with a prior may do better.", r.standing()))
		}
		if attacked {
			d.add(labelled{"", StatusDemonstrated, "", "The reconstruction by the attack with the smallest root mean square error, from one draw of the release."})
		}
		var all sideBySide
		for _, p := range r.Gallery {
			x := pictures{Caption: fmt.Sprintf("example %d %s", p.Index, p.Name), Shots: []picture{{dataURI(p.source, p.SHA256), alt("Original", p.Index, p.Name), "original", ""}}}
			for _, s := range p.Shots {
				what := "Best unbiased reconstruction"
				if s.Status == StatusDemonstrated {
					what = "Reconstruction by an attack"
				}
				off := number(s.RMS) + " grey levels off"
				x.Shots = append(x.Shots, picture{dataURI(s.pixels, s.SHA256), alt(what, p.Index, p.Name) + ", " + s.Name + ": " + off, s.Name, off})
			}
			all = append(all, x)
		}
		d.add(all)
	})
}

// histograms adds the bounds taken together.
func (d *document) histograms(r *Report) {
	if len(r.Histograms) == 0 {
		return
	}
	d.on(onPage, func(d *document) {
		d.section("The bounds of " + r.tried(r.Data.Examples) + ", taken together")
		d.say("Lower bounds on the standard deviation of any unbiased estimate of one coordinate, " + r.units() + ". Further right is a larger error of unbiased estimators.")
		var all sideBySide
		for _, h := range r.Histograms {
			t := table{Heads: []string{"from", "to", "values"}}
			for i, k := range h.Counts {
				to := "and above"
				if i+1 < len(h.Edges) {
					to = fmt.Sprintf("%.3g", h.Edges[i+1])
				}
				t.add(fmt.Sprintf("%.3g", h.Edges[i]), to, fmt.Sprint(k))
			}
			all = append(all, chart{Caption: h.Title, Tag: h.Status, SVG: h.draw()}, details{Summary: "Numbers: " + h.Title, Blocks: []block{t}})
		}
		d.add(all)
	})
}

// boundRows adds a table of the bounds for each standing of a claim. Where a bracket shows
// the bands, a terminal leaves out rows of one band and of whole inputs.
func (d *document) boundRows(r *Report) {
	if len(r.Bounds) == 0 {
		return
	}
	d.section("The bounds in figures")
	build := func(of *Report, name func(bound.Summary) string) table {
		t := table{
			Says:  "Lower bounds on the standard deviation of unbiased estimates, " + r.units() + ", as quantiles over coordinates and " + r.tried(r.Data.Examples) + " (a number in brackets: over that many inputs). Unbounded: the share of coordinates with a certified bound of a million units or more. For Cramér-Rao: the share with a part that does not change the features, in real arithmetic.",
			Heads: []string{"bound", "band", "domain", "5%", "25%", "50%", "75%", "95%", "unbounded"},
		}
		for _, status := range statuses {
			if rows := of.rows(status, name); len(rows) > 0 {
				t.add(status)
				t.Rows = append(t.Rows, rows...)
			}
		}
		return t
	}
	folded := r.folded()
	d.on(onTerminal, func(d *document) {
		d.table(build(folded, shortName))
		d.say(folded.legend()...)
		if len(r.Bounds) > len(folded.Bounds) {
			d.say("Rows for low bands and whole inputs are in report.html.")
		}
	})
	d.on(onPage|onMarkdown, func(d *document) {
		t := build(r, longName)
		d.add(details{Summary: fmt.Sprintf("All %s", Count(len(r.Bounds), "row")), Open: r.Bracket == nil, Blocks: collect(func(d *document) {
			d.table(t)
			d.soft(r.legend()...)
		})})
	})
	d.say(r.sought(), r.rounded(), r.computed())
	for _, n := range r.nothings(shortName) {
		d.say("Vacuous (" + n.Reason.String() + "): " + strings.Join(n.Rows, "; ") + ".")
	}
}

// attacks adds what attacks reached, van Trees' bound beside them.
func (d *document) attacks(r *Report) {
	if len(r.Attacks)+len(r.PriorAlone) == 0 {
		return
	}
	d.section("The attacks in figures")
	build := func(of *Report) table {
		t := table{Says: "Errors of attacks that ran, root mean square over draws of the noise, " + r.units() + ". " + r.attacksCount(),
			Heads: []string{"attack", "claim", "band", "5%", "25%", "50%", "75%", "95%", "rms", "closer"}, Words: []int{1}, Page: []string{"claim"}}
		if r.Release.none() {
			t.Says = strings.Replace(t.Says, " over draws of the noise", "", 1)
		}
		t.Rows = of.attackRows()
		return t
	}
	d.on(onTerminal, func(d *document) { d.table(build(r.folded())) })
	d.on(onPage|onMarkdown, func(d *document) { d.table(build(r)) })
	d.say(r.biased())
	d.settings(r.abouts())
}

// methods adds the comparison of bounds and attacks with paper A's method.
func (d *document) methods(r *Report) {
	if len(r.Methods) == 0 {
		return
	}
	d.section("Every bound beside paper A's method")
	t := table{Says: r.methodsIntro(), Heads: []string{"bound", "claim", "all", r.coarse(), "×Alg. 1", "×authors'"}, Words: []int{1}}
	for _, g := range r.methodGroups() {
		t.add(g.Title)
		for _, l := range g.Rows {
			t.add(append([]string{l.searched(), l.Status}, l.cells()...)...)
		}
	}
	d.table(t)
	d.settings(r.methodNotes())
}

// directions adds how many directions of an input an unbiased adversary can resolve.
func (d *document) directions(r *Report) {
	res := r.Resolvable
	if res == nil {
		return
	}
	d.section("Directions of the input that change the features")
	s := sentenceOf("Estimated: " + res.said())
	if res.Estimated {
		s += " ±: standard error; in brackets an interval that holds the count in about 19 of 20 cases."
	} else {
		s += " Unbiased estimates exist only along these directions. This does not limit biased adversaries."
	}
	d.say(s)
	if r.Spectrum != nil {
		d.chart(chart{Caption: "Standard deviation per direction, median and 90 % band", Tag: bound.StatusEstimated, SVG: r.Spectrum.draw(res.Thresholds)})
	}
	t := table{Says: "Directions that can be resolved to within a standard deviation (medians over " + r.tried(r.Data.Examples) + ").", Heads: []string{"standard deviation at most", "directions"}}
	for i, at := range res.Thresholds {
		t.add(number(at), res.directions(i))
	}
	d.table(t)
}

// published adds the paper's figures beside ours.
func (d *document) published(r *Report) {
	if len(r.Published) == 0 {
		return
	}
	d.section("Published figures beside ours")
	t := table{Says: "authors': by their procedure, run here.", Heads: []string{"quantity", "published", "here", "authors'"}}
	var notes []string
	for _, c := range r.Published {
		t.add(c.Quantity, number(float64(c.Published)), number(float64(c.Ours)), number(float64(c.AsPublished)))
		if c.Note != "" {
			notes = append(notes, "Why they differ: "+c.Note)
		}
	}
	d.table(t)
	for _, n := range unique(notes) {
		d.say(n)
	}
}

// design adds the answer to how much noise is needed, and the frontier.
func (d *document) design(r *Report) {
	x := r.Design
	if x == nil {
		return
	}
	d.section("How much noise, on how many features")
	f, ok := newFrontier(x)
	if ok {
		d.chart(chart{Caption: "Accuracy against " + f.title, SVG: f.draw(), Keys: f.legend(), Note: f.note()})
	}
	attacked := x.attacked()
	heads := []string{"numbers", "noise", "σ", "accuracy", "drop", "directions", "std"}
	if attacked {
		heads = append(heads, "mse")
	}
	row := func(l designLine, p DesignPoint) []string {
		star := ""
		if p.Meets {
			star = "* "
		}
		return append([]string{star + l.numbers(), p.Family, number(p.Sigma)}, p.cells(attacked)...)
	}
	d.on(onTerminal, func(d *document) {
		t := table{Says: x.textIntro(), Heads: heads, Words: []int{1}}
		for _, l := range x.lines() {
			t.add(row(l, x.beside(l.Points))...)
		}
		d.table(t)
	})
	d.on(onPage|onMarkdown, func(d *document) {
		t := table{Says: "*: meets the target, for " + x.For() + "." + x.aboveLegend(), Heads: heads, Words: []int{1}}
		for _, l := range x.lines() {
			for _, p := range l.Points {
				t.add(row(l, p)...)
			}
		}
		if len(t.Rows) > 0 {
			d.add(details{Summary: fmt.Sprintf("All %s", Count(len(t.Rows), "point")), Blocks: []block{t}})
		}
	})
	if x.Reproduce != "" {
		d.say("To bound that release:")
		d.add(code(x.Reproduce))
	}
}

// note says how to read the figure.
func (f *frontier) note() string {
	s := fmt.Sprintf("Every line is one choice of features and family of noise, as the noise grows. Up is more accurate, right is harder for %s only. The shaded corner is the target, the ring the answer. Directions and deviations are for unbiased reconstructions, and estimated except for the confirmed point.", f.d.For())
	if n := f.hidden(); n > 0 {
		s += fmt.Sprintf(" Points that cost far more accuracy (%d) are in the table only.", n)
	}
	return s
}
