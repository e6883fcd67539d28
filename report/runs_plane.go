package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"tattle/audit"
	"tattle/stat"
)

// A runPlane is the honesty-curiosity plane of one panel.
type runPlane struct {
	title    string
	runs     []Run // those that have figures
	spots    []spot
	baseline span
	kinds    []string // of the baselines
	chanceY  float64  // NaN if the runs do not agree
	chanceS  float64
}

// A spot is a setting: the mean of its runs, with what it may be off by.
type spot struct {
	Run
	runs                     int
	honesty, curiosity       float64
	honestySpan, curiousSpan span
}

// brief says a mean in a line.
func (s spot) brief() string {
	return fmt.Sprintf("%s, mean of %d seeds ± standard deviation: honesty %s, curiosity %s", s.setting(), s.runs, meanWords(s.honesty, s.honestySpan), meanWords(s.curiosity, s.curiousSpan))
}

// hasMeans reports whether several runs of one setting are drawn with their mean.
func (p *runPlane) hasMeans() bool {
	return slices.ContainsFunc(p.spots, func(s spot) bool { return s.runs > 1 })
}

// runPlanes are the panels, in the order in which runs name them.
func (r *Curious) runPlanes() []*runPlane {
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
	var y, c []float64
	for _, r := range runs {
		y, c = append(y, float64(r.Honesty)), append(c, float64(r.Curiosity))
	}
	var dy, ds float64
	s.honesty, dy = stat.MeanStd(y)
	s.curiosity, ds = stat.MeanStd(c)
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
		slices.SortStableFunc(c, func(a, b spot) int { return cmp.Compare(curiosityShare(a.Beta), curiosityShare(b.Beta)) })
	}
	return curves
}

// baselineWords name the baselines of the runs, and where they lie.
func (p *runPlane) baselineWords() string {
	b := p.baseline
	if lo, hi := percent1(b.lo), percent1(b.hi); lo != hi {
		return fmt.Sprintf("baselines %s to %s", strings.TrimSuffix(lo, " %"), hi)
	}
	return "baseline " + percent1(b.hi)
}

// kindWords say what a baseline guesses.
var kindWords = map[string]string{
	audit.Majority:   "the most frequent class",
	audit.FromTarget: "the likeliest class given the true target",
	audit.FromLabel:  "the likeliest class given the answered label",
	audit.FromBoth:   "the likeliest class given the true target and the answered label",
}

// kindWords say what the baselines are.
func (p *runPlane) kindWords() string {
	var said []string
	for _, k := range p.kinds {
		if w := kindWords[k]; w != "" {
			said = append(said, w)
		}
	}
	return when(len(said) > 0, ", always guessing "+strings.Join(said, " or "))
}
