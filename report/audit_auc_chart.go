package report

import (
	"fmt"
	"html/template"

	"tattle/audit"
	"tattle/internal/file"
)

// An aucRow is an area under the ROC curve: how often the outputs rank two examples right.
type aucRow struct {
	name    string
	low, at float64
	high    float64
}

// mostAreas is how many rows the chart of areas has.
const mostAreas = 8

// aucRows are the areas of an attribute's values: given the true and the predicted target, which a
// verdict can rest on, then given one of them.
func aucRows(f *audit.Finding, target string) []aucRow {
	if f.Given == nil {
		return nil
	}
	var rows []aucRow
	if t := f.Given.Order; t != nil {
		rows = append(rows, aucRow{file.Name(t.Class) + ", with equal true and predicted " + target, t.Area - 1.96*t.StandardError, t.Area, min(1, t.Area+1.96*t.StandardError)})
	}
	for _, x := range f.Given.Areas {
		given := "true"
		if x.Given == audit.GivenLabel {
			given = "predicted"
		}
		rows = append(rows, aucRow{fmt.Sprintf("%s, with equal %s %s", file.Name(x.Class), given, target), x.Interval[0], x.Area, x.Interval[1]})
	}
	return rows[:min(len(rows), mostAreas)]
}

// drawAreas draws the areas of an attribute with their 95 % intervals, each with its name and value
// above, beside chance.
func drawAreas(f *audit.Finding, target string) template.HTML {
	rows := aucRows(f, target)
	if len(rows) == 0 {
		return ""
	}
	x := newSpan()
	x.add(.5)
	says := "How often the outputs rank two examples right."
	for _, r := range rows {
		x.add(r.low, r.at, r.high)
		says += fmt.Sprintf(" %s: %s.", r.name, percent1(r.at))
	}
	p := newPlot(auditTop+attackLine*len(rows)+plotFoot, says)
	air := max(.006, .08*(x.hi-x.lo))
	p.x0, p.x1 = max(0, x.lo-air), min(1, x.hi+air)
	p.besideRows()
	p.xAxis("pairs ranked right; chance: 50 %", p.xTicks(), percentTick)
	for i, r := range rows {
		top := float64(auditTop + attackLine*i)
		for _, v := range p.xTicks() {
			p.stroke("grid", p.x(v), top+rowWords, p.x(v), top+attackLine-2)
		}
		p.stroke("baseline", p.x(.5), top+rowWords, p.x(.5), top+attackLine-2)
		p.text("", "start", auditLeft, top+rowWords-3, 0, cut(r.name, 60)+": "+percent1(r.at))
		y := top + rowWords + 7
		p.whiskerAcross("thick h1", y, r.low, r.high)
		p.shape("point h1 filled", shapes["circle"], p.x(r.at), y, r.name+": "+percent1(r.at))
	}
	return p.done()
}
