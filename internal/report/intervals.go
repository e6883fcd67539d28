package report

import (
	"strings"

	"tattle/internal/file"
)

// intervalsOf draws claims with their intervals, a row for each subject or group, on one axis.
type intervalsOf struct {
	caption, axis string
	marks         []markOf
	lines         []lineOf
}

// markOf is a mark in each row: the claim with an ID, or what stands beside it under a name.
type markOf struct{ name, claim, beside string }

// lineOf is a vertical line through all rows: the claim with an ID, or a fixed value if claim is empty.
type lineOf struct {
	name, claim string
	at          float64
}

// Places in a row, in pixels from its top.
const (
	rowHigh  = 38.
	rowWords = 13. // foot of the words
	rowMarks = 25. // middle of the marks
)

// markShapes are the shapes of the marks of a row; the first has the interval.
var markShapes = []string{"circle", "stroke", "diamond", "square", "dot"}

// lineClasses are the looks of the vertical lines.
var lineClasses = []string{"baseline", "threshold"}

// row is a row of the chart: the values of its marks, nil where there is none.
type row struct {
	words string
	marks []*Value
}

// intervals draws the chart; nil without rows.
func (r *Report) intervals(c *intervalsOf, subject string, one bool) *chart {
	rows, unit := r.intervalRows(c, subject, one)
	if len(rows) == 0 {
		return nil
	}
	out := &chart{Caption: c.caption}
	x, label := newSpan(), c.caption+"."
	used := make([]bool, len(c.marks))
	for _, row := range rows {
		label += " " + row.words + ":"
		for k, v := range row.marks {
			if v != nil {
				x.add(v.X, v.Low, v.High)
				label += " " + c.marks[k].name + " " + v.String() + ";"
				used[k] = true
			}
		}
	}
	for k, m := range c.marks {
		if used[k] {
			out.Keys = append(out.Keys, key{markKey(hue(k)+" filled", markShapes[k%len(markShapes)]), m.name})
		}
	}
	var lines []float64
	for _, l := range c.lines {
		at := l.at
		if l.claim != "" {
			if of := r.about(l.claim, subject); of != nil {
				at = of.Value.X
			} else {
				continue
			}
		}
		lines = append(lines, at)
		x.add(at)
		out.Keys = append(out.Keys, key{lineKey(lineClasses[len(lines)-1]), l.name})
	}
	height := rowHigh*float64(len(rows)) + plotFoot
	p := newPlot(height, label, x.padded(), span{})
	p.left, p.top = 2, 0
	p.xAxis(strings.TrimSuffix(c.axis+", "+unitWords(unit), ", "), func(v float64) string { return tick(unit, v) }, height)
	for i, row := range rows {
		top := rowHigh * float64(i)
		rule := func(class string, v float64) { p.line(class, p.x(v), top+rowWords+3, p.x(v), top+rowHigh-1) }
		for _, v := range ticks(p.x0, p.x1) {
			rule("grid", v)
		}
		for k, at := range lines {
			rule(lineClasses[k], at)
		}
		p.text("name", "start", 1, top+rowWords, 0, row.words)
		for k := len(row.marks) - 1; k >= 0; k-- {
			v := row.marks[k]
			if v == nil {
				continue
			}
			low, high := max(limit(v.Low, v.X), p.x0), min(limit(v.High, v.X), p.x1)
			if known(v.Low) && known(v.High) && low < high {
				p.line("whisker thick "+hue(k), p.x(low), top+rowMarks, p.x(high), top+rowMarks)
			}
			if at := limit(v.X, limit(v.Low, v.High)); at >= p.x0 && at <= p.x1 {
				p.point(markShapes[k%len(markShapes)], hue(k)+" filled", p.x(at), top+rowMarks, c.marks[k].name+": "+v.String())
			}
		}
	}
	out.SVG = p.done()
	return out
}

// limit is x, or another value if x is not known.
func limit(x, other float64) float64 {
	if known(x) {
		return x
	}
	return other
}

// unitWords is a unit as an axis has it.
func unitWords(u Unit) string {
	if u == Share || u == Count {
		return ""
	}
	return string(u)
}

// intervalRows collects the rows of the chart, with the unit of the first mark; marks in other units are left out.
func (r *Report) intervalRows(c *intervalsOf, subject string, one bool) (rows []row, unit Unit) {
	at := map[rowKey]int{}
	for i := range r.Claims {
		of := &r.Claims[i]
		if one && of.Subject != subject {
			continue
		}
		for k, m := range c.marks {
			if m.claim != of.ID {
				continue
			}
			v := &of.Value
			if m.beside != "" {
				v = nil
				for j := range of.Beside {
					if of.Beside[j].Name == m.beside {
						v = &of.Beside[j].Value
					}
				}
			}
			if v == nil || !known(v.X) && !known(v.Low) && !known(v.High) {
				continue
			}
			if u := v.Unit.axis(); len(rows) == 0 {
				unit = u
			} else if u != unit {
				continue // one axis has one unit
			}
			place := rowKey{of.Subject, of.Group}
			n, ok := at[place]
			if !ok {
				n = len(rows)
				at[place] = n
				words := file.Name(of.Subject)
				if of.Group != "" {
					words = strings.TrimPrefix(words+", "+file.Name(of.Group), ", ")
				}
				if one && of.Group != "" {
					words = file.Name(of.Group)
				}
				if words == "" {
					words = m.name
				}
				rows = append(rows, row{words, make([]*Value, len(c.marks))})
			}
			rows[n].marks[k] = v
		}
	}
	return rows, unit
}
