package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
)

const runsHeight = 400 // pixels

// A look is how runs of one attack are drawn, on the page and on a terminal.
type look struct {
	attack, shape, hue string
	letter             byte
}

var looks = []look{
	{"standard", "circle", "h5", 'S'},
	{"overlearning", "inverted", "h4", 'O'},
	{"regularized", "square", "h0", 'R'},
	{"parameterized", "triangle", "h1", 'P'},
	{"mixture", "diamond", "h2", 'M'},
}

func lookOf(attack string) look {
	for _, l := range looks {
		if l.attack == attack {
			return l
		}
	}
	return look{attack, "circle", "h3", 'X'}
}

// A runPlane is the honesty-curiosity plane of one panel.
type runPlane struct {
	title    string
	runs     []Run // those that have figures
	spots    []spot
	baseline span
	kinds    []string // of the baselines
	chanceY  float64  // NaN where the runs do not agree
	chanceS  float64
}

// A spot is a setting: the mean of its runs, with what it may be off by.
type spot struct {
	Run
	runs                     int
	honesty, curiosity       float64
	honestySpan, curiousSpan span
}

// runPlanes are the panels, in the order in which runs name them.
func (r *Report) runPlanes() []*runPlane {
	var planes []*runPlane
	for _, x := range r.Runs {
		if !x.shown() {
			continue
		}
		i := slices.IndexFunc(planes, func(p *runPlane) bool { return p.title == x.panel() })
		if i < 0 {
			i = len(planes)
			planes = append(planes, &runPlane{title: x.panel(), baseline: newSpan()})
		}
		planes[i].runs = append(planes[i].runs, x)
	}
	for _, p := range planes {
		p.gather()
	}
	return planes
}

// gather finds spots, baselines and chance.
func (p *runPlane) gather() {
	p.chanceY, p.chanceS = p.runs[0].chance()
	for _, x := range p.runs {
		if y, s := x.chance(); y != p.chanceY || s != p.chanceS {
			p.chanceY, p.chanceS = math.NaN(), math.NaN()
		}
		if x.Baseline > 0 {
			p.baseline.add(float64(x.Baseline))
			p.kinds = unique(append(p.kinds, x.BaselineKind))
		}
	}
	var groups [][]Run
	for _, x := range p.runs {
		if i := slices.IndexFunc(groups, func(g []Run) bool { return g[0].sameSetting(x) }); i >= 0 {
			groups[i] = append(groups[i], x)
		} else {
			groups = append(groups, []Run{x})
		}
	}
	for _, g := range groups {
		p.spots = append(p.spots, newSpot(g))
	}
}

// newSpot is the mean of runs of one setting: of several, give or take their
// standard deviation; of one, its own interval.
func newSpot(runs []Run) spot {
	x := runs[0]
	s := spot{Run: x, runs: len(runs), honesty: float64(x.Honesty), curiosity: float64(x.Curiosity)}
	s.honestySpan = reach(s.honesty, float64(x.HonestyStd), x.HonestyInterval)
	s.curiousSpan = reach(s.curiosity, float64(x.CuriosityStd), x.CuriosityInterval)
	if len(runs) == 1 {
		return s
	}
	var dy, ds float64
	s.honesty, dy = meanStd(runs, func(r Run) Number { return r.Honesty })
	s.curiosity, ds = meanStd(runs, func(r Run) Number { return r.Curiosity })
	s.honestySpan, s.curiousSpan = reach(s.honesty, dy, Interval{}), reach(s.curiosity, ds, Interval{})
	return s
}

// reach is what a bar of uncertainty covers.
func reach(mean, std float64, i Interval) span {
	switch {
	case std > 0:
		return span{mean - std, mean + std}
	case i.known():
		return span{float64(i[0]), float64(i[1])}
	}
	return span{mean, mean}
}

func meanStd(runs []Run, of func(Run) Number) (mean, std float64) {
	for _, r := range runs {
		mean += float64(of(r)) / float64(len(runs))
	}
	for _, r := range runs {
		d := float64(of(r)) - mean
		std += d * d / float64(len(runs)-1)
	}
	return mean, math.Sqrt(std)
}

// curves are the spots of one attack, one kind of outputs and one βx, in the
// order of βs.
func (p *runPlane) curves() [][]spot {
	var curves [][]spot
	for _, s := range p.spots {
		i := slices.IndexFunc(curves, func(c []spot) bool {
			return c[0].Attack == s.Attack && c[0].Outputs == s.Outputs && c[0].Beta.X == s.Beta.X && c[0].Target == s.Target && c[0].Sensitive == s.Sensitive
		})
		if i < 0 {
			i = len(curves)
			curves = append(curves, nil)
		}
		curves[i] = append(curves[i], s)
	}
	for _, c := range curves {
		slices.SortStableFunc(c, func(a, b spot) int { return compareFloat(a.Beta.share(), b.Beta.share()) })
	}
	return curves
}

// draw renders the panel.
func (p *runPlane) draw(height int) template.HTML {
	f := newPanel(height, "Honesty and curiosity, "+p.title+". "+p.says())
	x, y := newSpan(), newSpan()
	for _, s := range p.spots {
		x.add(s.honestySpan.lo, s.honestySpan.hi)
		y.add(s.curiousSpan.lo, s.curiousSpan.hi)
	}
	for _, r := range p.runs {
		x.add(float64(r.Honesty))
		y.add(float64(r.Curiosity))
	}
	y.add(p.baseline.lo, p.baseline.hi, p.chanceS)
	f.x0, f.x1 = x.padded()
	f.y0, f.y1 = y.padded()
	f.axes("more honest →", "curiosity")
	p.lines(f)
	for _, c := range p.curves() {
		drawCurve(f, c)
	}
	for _, s := range p.spots {
		drawSpot(f, s)
	}
	p.points(f)
	p.names(f)
	return f.done()
}

// lines are what curiosity is compared with: the baselines, and chance.
func (p *runPlane) lines(f *panel) {
	if p.chanceY > f.x0 && p.chanceY < f.x1 {
		f.line("chance", p.chanceY, f.y0, p.chanceY, f.y1)
	}
	if p.chanceS > 0 {
		f.line("chance", f.x0, p.chanceS, f.x1, p.chanceS)
		f.words("soft", "end", f.x1, p.chanceS, -2, 14, "chance "+percent1(p.chanceS))
	}
	if b := p.baseline; b.lo <= b.hi {
		if b.hi > b.lo {
			fmt.Fprintf(&f.b, `<rect class="base" x="%g%%" y="%.1f" width="%g%%" height="%.1f"/>`, panelLeft, f.y(b.hi), panelRight-panelLeft, f.y(b.lo)-f.y(b.hi))
		}
		f.line("baseline", f.x0, b.hi, f.x1, b.hi)
		f.words("soft", "end", f.x1, b.hi, -2, -5, p.baselineWords())
	}
}

// baselineWords name the baselines of the runs, and where they lie.
func (p *runPlane) baselineWords() string {
	b := p.baseline
	if lo, hi := percent1(b.lo), percent1(b.hi); lo != hi {
		return fmt.Sprintf("baselines %s to %s", strings.TrimSuffix(lo, " %"), hi)
	}
	return "baseline " + percent1(b.hi)
}

// kindWords say what the baselines are.
func (p *runPlane) kindWords() string {
	var said []string
	for _, k := range p.kinds {
		if w := map[string]string{BaselineMajority: "the most frequent class", BaselineTarget: "the likeliest class given the true target", BaselineLabel: "the likeliest class given the answered label"}[k]; w != "" {
			said = append(said, w)
		}
	}
	if len(said) == 0 {
		return ""
	}
	return ", always guessing " + strings.Join(said, " or ")
}

// outputsClass is how raw and soft outputs differ: filled and hollow, drawn
// through and dashed.
func outputsClass(outputs string) string {
	if outputs == "soft" {
		return "hollow"
	}
	return "filled"
}

func drawCurve(f *panel, c []spot) {
	if len(c) < 2 {
		return
	}
	var xs, ys []float64
	for _, s := range c {
		xs, ys = append(xs, s.honesty), append(ys, s.curiosity)
	}
	f.seam(lookOf(c[0].Attack).hue+" "+outputsClass(c[0].Outputs), xs, ys)
}

// drawSpot draws a mean's bars.
func drawSpot(f *panel, s spot) {
	hue := lookOf(s.Attack).hue
	f.whisker(hue, s.honesty, s.curiousSpan.lo, s.curiousSpan.hi)
	f.whiskerAcross(hue, s.curiosity, s.honestySpan.lo, s.honestySpan.hi)
}

func (p *runPlane) points(f *panel) {
	for _, r := range p.runs {
		l := lookOf(r.Attack)
		f.point(l.shape, l.hue+" "+outputsClass(r.Outputs), float64(r.Honesty), float64(r.Curiosity), r.brief())
	}
}

// names write βs beside the spots of a curve, where nothing else stands. A
// telephone has no room for them.
func (p *runPlane) names(f *panel) {
	const wide, high = 8., 15. // of a name: percents and pixels
	type place struct{ x, y float64 }
	var taken []place
	for _, s := range p.spots {
		taken = append(taken, place{f.x(s.honesty) - wide/2, f.y(s.curiosity)})
	}
	for _, c := range p.curves() {
		for _, s := range c {
			if len(c) < 2 || f.x(s.honesty) > panelRight-wide {
				continue
			}
			at := place{f.x(s.honesty) + 1, f.y(s.curiosity) - 7}
			if slices.ContainsFunc(taken, func(t place) bool {
				return math.Abs(t.x-at.x) < wide && math.Abs(t.y-at.y) < high && t != place{at.x - 1 - wide/2, at.y + 7}
			}) {
				continue
			}
			taken = append(taken, at)
			f.words("fine "+lookOf(s.Attack).hue, "start", s.honesty, s.curiosity, 7, -7, "βs "+bareNumber(s.Beta.S))
		}
	}
}

// says tells what the panel shows to those who do not see it.
func (p *runPlane) says() string {
	var said []string
	for _, s := range p.spots {
		said = append(said, s.setting()+": honesty "+percent1(s.honesty)+", curiosity "+percent1(s.curiosity))
	}
	if p.baseline.lo <= p.baseline.hi {
		said = append(said, p.baselineWords())
	}
	return strings.Join(said, ". ") + "."
}

// runsLegend says what shapes mean, of the attacks that there are.
func (r *Report) runsLegend() []markKey {
	var keys []markKey
	soft, raw := false, false
	for _, l := range append(slices.Clone(looks), look{shape: "circle", hue: "h3"}) {
		i := slices.IndexFunc(r.Runs, func(x Run) bool { return x.shown() && lookOf(x.Attack).hue == l.hue })
		if i >= 0 {
			keys = append(keys, markKey{l.hue + " filled", shapes[l.shape], r.Runs[i].Attack})
		}
	}
	for _, x := range r.Runs {
		soft, raw = soft || x.shown() && x.Outputs == "soft", raw || x.shown() && x.Outputs != "soft"
	}
	if raw {
		keys = append(keys, markKey{"ink filled", shapes["circle"], "raw outputs"})
	}
	if soft {
		keys = append(keys, markKey{"ink hollow", shapes["circle"], "soft outputs"})
	}
	return keys
}

// A markKey is a shape of a legend.
type markKey struct{ Class, Path, Name string }
