package report

import (
	"html/template"
	"math"
	"strings"
)

// bracketView is the bracket on the page: the whole of one band, and a row of
// every band.
type bracketView struct {
	Axis, Title, Verdict string
	Undercut             string // empty where no attack errs by less than van Trees' floor
	Squared              string // which marks are root mean squares
	Uneven, Unbeaten     string
	SVG, BandsSVG        template.HTML
	Columns              []string // of BandRows
	BandRows             []bandView
	Floors, Attack       bool // there are such marks
	Marks                []markView
	Modes                bool // bands are octaves of cosine modes
}

// bandView is a band's row: its digest in words.
type bandView struct {
	Name        string
	Coordinates int
	Cells       []string
}

// markView is a mark in words.
type markView struct{ Band, Name, Status, Kind, Median, Unbounded string }

// ladderView is a rung in words.
type ladderView struct {
	Name, Status string
	Cells        []string
}

// ladderPart are the rungs of one group in words.
type ladderPart struct {
	Title string
	Rows  []ladderView
}

// frontierView is a design on the page.
type frontierView struct {
	SVG    template.HTML
	Title  string
	Hidden int

	Attacked bool // the linear attack's error is known

	Legend []key
	Rows   []pointView
}

// pointView is a point of the frontier in words.
type pointView struct {
	Numbers, Noise, Sigma string
	Cells                 []string
}

func (v *view) addBracket() {
	if v.Bracket == nil {
		return
	}
	s, ok := v.Bracket.newScale(float64(v.Data.GreyLevels))
	if !ok {
		return
	}
	all := v.Bracket.Bands[0]
	x := &bracketView{Axis: s.name, Title: all.title(), Verdict: all.verdict(s), Undercut: v.Bracket.undercut(), Squared: v.Bracket.squared(), Uneven: v.Bracket.uneven(), Unbeaten: v.Bracket.unbeaten(), SVG: all.draw(s)}
	columns := v.Bracket.columns()
	x.Columns, x.Floors, x.Attack = columns.of(digestLong), v.Bracket.proves(), all.digest().attack != nil
	for _, b := range v.Bracket.Bands {
		x.BandRows = append(x.BandRows, bandView{b.brief(), b.Coordinates, columns.of(b.digest().cells(s))})
		x.Modes = x.Modes || strings.HasPrefix(b.Name, "mode")
		for _, m := range b.Marks {
			x.Marks = append(x.Marks, m.view(b.brief(), s))
		}
	}
	if len(v.Bracket.Bands) > 1 {
		x.BandsSVG = v.Bracket.drawBands(s)
	}
	v.Bracketed = x
}

func (m Mark) view(band string, s scale) markView {
	v := markView{Band: band, Name: m.title(true), Status: m.Status, Kind: "floor", Median: m.exact(s), Unbounded: Share(float64(m.UnboundedFraction))}
	switch m.Method {
	case MarkAttack:
		v.Name, v.Kind, v.Unbounded = m.Name, "ceiling", percent(math.NaN())
		if !m.Gain.closer() {
			v.Kind = "not closer than the prior alone"
		}
	case MarkPrior:
		v.Name, v.Kind, v.Unbounded = "prior alone: guessing the mean, without the release", "comparison", percent(math.NaN())
	}
	return v
}

func (v *view) addLadder() {
	for _, g := range v.ladderGroups() {
		part := ladderPart{Title: g.Title}
		for _, l := range g.Rows {
			part.Rows = append(part.Rows, ladderView{l.searched(true), l.Status, l.cells()})
		}
		v.LadderParts = append(v.LadderParts, part)
	}
	v.LadderNotes = v.ladderNotes(func(l LadderRow) string { return l.name(true) })
}

// LadderIntro says what the columns of the ladder are.
func (v *view) LadderIntro() string { return v.ladderIntro() }

// Coarse names the low band.
func (v *view) Coarse() string { return v.coarse() }

func (v *view) addFrontier() {
	if v.Design == nil {
		return
	}
	x := &frontierView{Attacked: v.Design.attacked()}
	if f, ok := newFrontier(v.Design); ok {
		x.SVG, x.Title, x.Legend, x.Hidden = f.draw(), f.title, f.legend(), f.hidden()
	}
	for _, l := range v.Design.lines() {
		for _, p := range l.Points {
			cells := append(p.cells(x.Attacked), "no")
			if p.Meets {
				cells[len(cells)-1] = "yes"
			}
			x.Rows = append(x.Rows, pointView{l.numbers(), familyName(p.Family), number(p.Sigma), cells})
		}
	}
	v.Frontier = x
}

// Together sums the pairs up.
func (v *view) Together() string { return v.twinsTogether() }

// Caption names a pair.
func (p Pair) Caption() string { return p.caption() }

// Says tells what a pair proves.
func (p Pair) Says() string { return p.says() }

// Cards are the pairs by their original.
func (v *view) Cards() []twinCard { return v.cards() }

// Domains says what the names of the domains stand for.
func (v *view) Domains() string { return v.domains() }

// First is the original as a data URI.
func (p Pair) First() template.URL { return dataURI(p.first, p.FirstSHA256) }

// Second is the other input as a data URI.
func (p Pair) Second() template.URL { return dataURI(p.second, p.SecondSHA256) }

// Bounded are the reconstructions at the certified bounds.
func (p Picture) Bounded() []Shot { return p.shots(false) }

// Attacked are the reconstructions by attacks that ran.
func (p Picture) Attacked() []Shot { return p.shots(true) }

// Beside tells whether one row has room for the original, bounds and attacks.
func (p Picture) Beside() bool { return len(p.Attacked()) == 1 && len(p.Bounded()) < 3 }

func (p Picture) shots(demonstrated bool) []Shot {
	var out []Shot
	for _, s := range p.Shots {
		if (s.Status == StatusDemonstrated) == demonstrated {
			out = append(out, s)
		}
	}
	return out
}

// HasBounded tells whether the gallery has reconstructions at bounds.
func (v *view) HasBounded() bool { return v.has(Picture.Bounded) }

// HasAttacked tells whether the gallery has reconstructions by attacks.
func (v *view) HasAttacked() bool { return v.has(Picture.Attacked) }

func (v *view) has(shots func(Picture) []Shot) bool {
	for _, p := range v.Gallery {
		if len(shots(p)) > 0 {
			return true
		}
	}
	return false
}

// Tried names the examined inputs.
func (v *view) Tried() string { return v.tried(v.Data.Examples) }

// AttacksCount says what the figures of the attacks are over.
func (v *view) AttacksCount() string { return v.attacksCount() }

// AttacksBiased is what a reader of the attacks must know.
func (v *view) AttacksBiased() string { return v.biased() }

// Within is the deviation to which a design's directions are resolved.
func (v *view) Within() float64 { return v.Design.within() }

// NoNoise tells whether the features leave as they are.
func (v *view) NoNoise() bool { return v.Release.none() }

// Released tells whether the report is about a release.
func (v *view) Released() bool { return v.Release.Noise.Family != "" || v.Release.none() }

// Legend says what the names of the bounds stand for.
func (v *view) Legend() []string { return append(v.legend(), v.coordinates()) }
