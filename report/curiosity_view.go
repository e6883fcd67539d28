package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"slices"
	"strings"
)

//go:embed curious.html
var curiousSource string

// curiousView is what the page shows of honest-but-curious classifiers.
type curiousView struct {
	*Report
	Figures    []figureRow
	Confusions []confusionView
	TableViews []tableView
	Planes     []planeView
	Legend     []markKey
	RunRows    []runRow
	Rocs       []rocRow
	EntropySVG template.HTML
	Prunings   []pruningView
	ToySVG     template.HTML
	Toys       []toyView
}

// planeView is one honesty-curiosity plane.
type planeView struct {
	Title, Baseline, Chance string
	SVG                     template.HTML
}

// runRow is a run in words.
type runRow struct {
	Run
	Setting, Seeds string
	Cells          []runCell
	P              string
}

// runCell is a figure and, where it is known, what it may be off by.
type runCell struct{ Value, Within string }

type pruningView struct {
	Panel string // heads a panel; empty within one
	Title string
	SVG   template.HTML
	Rows  [][]string
}

type toyView struct {
	Says string
	SVG  template.HTML
}

// newCurious is nil where the report is about something else.
func (r *Report) newCurious() *curiousView {
	if !r.aboutCuriosity() {
		return nil
	}
	v := &curiousView{Report: r, Rocs: r.rocRows(), EntropySVG: r.drawEntropy(), Legend: r.runsLegend()}
	v.addHeadline()
	for i := range r.Tables {
		v.TableViews = append(v.TableViews, r.Tables[i].view())
	}
	v.addRuns()
	v.addPrunings()
	if r.Plane != nil {
		v.ToySVG = r.Plane.draw()
		for _, m := range r.Plane.Mixtures {
			v.Toys = append(v.Toys, toyView{whole.Replace(m.says()), m.draw()})
		}
	}
	return v
}

func (v *curiousView) addPrunings() {
	for _, panel := range v.pruningPanels() {
		y := pruningSpan(panel)
		for i, c := range panel {
			x := pruningView{Title: c.Run, SVG: c.draw(y)}
			if i == 0 {
				x.Panel = c.Panel
			}
			for _, q := range c.Points {
				x.Rows = append(x.Rows, q.cells())
			}
			v.Prunings = append(v.Prunings, x)
		}
	}
}

func (v *curiousView) addHeadline() {
	c := v.Curiosity
	if c == nil || v.Audit != nil {
		return
	}
	v.Figures = c.rows()
	if m := c.HonestyConfusion; m != nil {
		v.Confusions = append(v.Confusions, m.view(c.Target, "What the classifier answers"))
	}
	for _, l := range append([]Leak{c.Leak}, c.Others...) {
		if l.Confusion != nil {
			v.Confusions = append(v.Confusions, l.Confusion.view(l.Sensitive, "What the attack reads from its outputs"))
		}
	}
}

func (v *curiousView) addRuns() {
	planes := v.runPlanes()
	height := runsHeight
	if len(planes) > 1 {
		height = 320
	}
	for _, p := range planes {
		v.Planes = append(v.Planes, planeView{p.title, whole.Replace(p.baselineLine()), whole.Replace(p.chanceLine()), p.draw(height)})
	}
	for _, x := range v.Runs {
		row := runRow{Run: x, Setting: x.Beta.short(), Seeds: x.seedWords()}
		for _, c := range x.cells() {
			value, within, _ := strings.Cut(c, " ")
			if within == "%" {
				value, within = c, ""
			}
			row.Cells = append(row.Cells, runCell{value, strings.Trim(within, "()")})
		}
		if x.PValue != nil {
			row.P = strings.TrimPrefix(pValue(*x.PValue)[2:], "= ")
		}
		v.RunRows = append(v.RunRows, row)
	}
}

// baselineLine says what the full line is.
func (p *runPlane) baselineLine() string {
	if p.baseline.lo > p.baseline.hi {
		return ""
	}
	return p.baselineWords() + p.kindWords()
}

// chanceLine says what guessing at random gives.
func (p *runPlane) chanceLine() string {
	if !(p.chanceY > 0) || !(p.chanceS > 0) {
		return ""
	}
	return "guessing at random: honesty " + percent1(p.chanceY) + ", curiosity " + percent1(p.chanceS)
}

// Levels tells whether runs carry p-values.
func (v *curiousView) Levels() bool {
	for _, x := range v.RunRows {
		if x.P != "" {
			return true
		}
	}
	return false
}

// NotSafety is what a reader of any curiosity must know.
func (v *curiousView) NotSafety() string { return notSafety }

// Symptom is what a reader of entropies must know.
func (v *curiousView) Symptom() string { return symptom }

// RunsIntro says what the columns of the runs are.
func (v *curiousView) RunsIntro() string {
	return whole.Replace(strings.Replace(runsIntro, "behind ± the standard deviation over seeds, in brackets", "below, behind ± the standard deviation over seeds, or", 1))
}

// Headline says which of several seeds the figures are of.
func (v *curiousView) Headline() string {
	if len(v.overSeeds()) == 0 {
		return ""
	}
	return fmt.Sprintf("Of seed %d alone.", v.Seed)
}

// PlaneIntro says what a point is.
func (v *curiousView) PlaneIntro() string {
	if slices.ContainsFunc(v.Runs, func(x Run) bool { return x.Seeds > 1 }) {
		return "Every point is a run, or the mean of one setting's seeds."
	}
	return "Every point is a run."
}

// TablesIntro says what is in a table's cell.
func (v *curiousView) TablesIntro() string {
	for i := range v.Tables {
		if s := v.Tables[i].intro(); s != tablesIntro {
			return s + " Each cell: ours; below it the published figure and σ, which stands out beyond 2."
		}
	}
	return tablesIntro + " Each cell: ours; below it the published figure."
}

// PruningIntro says what was done.
func (v *curiousView) PruningIntro() string { return pruningIntro }

// Says sums the trade-off up.
func (x Plane) Says() string { return x.says() }

// Marked tells whether a mixture has thresholds.
func (x Plane) Marked() bool {
	return slices.ContainsFunc(x.Mixtures, func(m Mixture) bool { return len(m.Marks) > 0 })
}
