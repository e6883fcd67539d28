package report

import (
	"html/template"
	"strings"
)

const runsHeight = 400 // pixels

// A look is how runs of one attack are drawn.
type look struct{ attack, shape, hue string }

var looks = []look{
	{"standard", "circle", "h5"},
	{"overlearning", "inverted", "h4"},
	{"regularized", "square", "h0"},
	{"parameterized", "triangle", "h1"},
	{"mixture", "diamond", "h2"},
	{"student", "circle", "h3"},    // distilled, read by its teacher's attack
	{"refitted", "inverted", "h3"}, // the same, read by an attack fitted to it
}

func lookOf(attack string) look {
	for _, l := range looks {
		if l.attack == attack {
			return l
		}
	}
	return look{attack, "circle", "h3"}
}

// draw renders the panel.
func (p *runPlane) draw(height int) template.HTML {
	f := newPlot(height, "Honesty and curiosity, "+p.title+". "+p.says())
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
	f.percentAxes("more honest →", "curiosity")
	p.lines(f)
	for _, c := range p.curves() {
		drawCurve(f, c)
	}
	for _, s := range p.spots {
		drawSpot(f, s)
	}
	p.points(f)
	return f.done()
}

// lines are what curiosity is compared with: the baselines, and chance.
func (p *runPlane) lines(f *plot) {
	if p.chanceY > f.x0 && p.chanceY < f.x1 {
		f.line("chance", p.chanceY, f.y0, p.chanceY, f.y1)
	}
	if p.chanceS > 0 {
		f.line("chance", f.x0, p.chanceS, f.x1, p.chanceS)
	}
	if b := p.baseline; b.lo <= b.hi {
		if b.hi > b.lo {
			f.rect("base", f.left, f.y(b.hi), f.right-f.left, f.y(b.lo)-f.y(b.hi), "")
		}
		f.line("baseline", f.x0, b.hi, f.x1, b.hi)
	}
}

// outputsClass is how raw and soft outputs differ: filled and hollow, drawn
// through and dashed.
func outputsClass(outputs string) string {
	if outputs == "soft" {
		return "hollow"
	}
	return "filled"
}

func drawCurve(f *plot, c []spot) {
	if len(c) < 2 {
		return
	}
	var xs, ys []float64
	for _, s := range c {
		xs, ys = append(xs, s.honesty), append(ys, s.curiosity)
	}
	f.join("polyline", "seam "+lookOf(c[0].Attack).hue+" "+outputsClass(c[0].Outputs), xs, ys)
}

// drawSpot draws the bars of a setting.
func drawSpot(f *plot, s spot) {
	hue := lookOf(s.Attack).hue
	f.whisker(hue, s.honesty, s.curiousSpan.lo, s.curiousSpan.hi)
	f.whiskerAcross(hue, f.y(s.curiosity), s.honestySpan.lo, s.honestySpan.hi)
}

// points draws the runs, and a cross at the mean of several of one setting.
func (p *runPlane) points(f *plot) {
	for _, r := range p.runs {
		l := lookOf(r.Attack)
		f.point(l.shape, l.hue+" "+outputsClass(r.Outputs), float64(r.Honesty), float64(r.Curiosity), r.brief())
	}
	for _, s := range p.spots {
		if s.runs > 1 {
			f.point("cross", "ink", s.honesty, s.curiosity, s.brief())
		}
	}
}

// says describes the panel in words, for readers who cannot see it.
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
