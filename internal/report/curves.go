package report

import (
	"math"
	"slices"
	"strings"
)

// curvesOf draws the series whose ID is id or begins with id and a slash, a chart for each ID.
type curvesOf struct {
	id           string
	caption      string
	x, y         string // titles of the axes
	xUnit, yUnit Unit
	dots         bool // points instead of lines
	joined       bool // the points are joined
	diagonal     bool // the line of chance
	log          bool // the horizontal axis is logarithmic
}

const curvesHigh = 300.

// curves draws the charts.
func (r *Report) curves(c *curvesOf, subject string) (all []chart) {
	var ids []string
	by := map[string][]Series{}
	for _, s := range r.Series {
		if s.ID != c.id && !strings.HasPrefix(s.ID, c.id+"/") || subject != "" && s.ID != c.id+"/"+subject {
			continue
		}
		if by[s.ID] == nil {
			ids = append(ids, s.ID)
		}
		by[s.ID] = append(by[s.ID], s)
	}
	for _, id := range ids {
		caption := c.caption
		if of := strings.TrimPrefix(id, c.id); of != "" && subject == "" {
			caption += ": " + of[1:]
		}
		named := *c
		named.y = r.fill(c.y, Finding{})
		all = append(all, named.draw(r.fill(caption, Finding{}), by[id]))
	}
	return all
}

// draw draws series in one chart.
func (c *curvesOf) draw(caption string, series []Series) chart {
	x, y, label := newSpan(), newSpan(), caption+"."
	for i, s := range series {
		if c.log {
			series[i].X = logarithms(s.X)
		}
		x.add(series[i].X...)
		y.add(s.Y...)
		y.add(s.Low...)
		y.add(s.High...)
		label += " " + s.Name + "."
	}
	out := chart{Caption: caption}
	p := newPlot(curvesHigh, label, x.padded(), y.padded())
	p.yAxis(c.y, c.yUnit)
	p.xAxis(c.x, c.across, curvesHigh)
	if c.diagonal {
		p.path("polyline", "seam level ink", []float64{0, 1}, []float64{0, 1})
		out.Keys = append(out.Keys, key{lineKey("baseline"), "chance"})
	}
	for k, s := range series {
		if c.dots && slices.Contains(levels, s.Name) {
			p.path("polyline", "seam "+hue(k), s.X, s.Y)
			out.Keys = append(out.Keys, key{lineKey("front " + hue(k)), s.Name})
			continue
		}
		shape := markShapes[k%len(markShapes)]
		if len(s.Low) > 0 && c.dots {
			for i := range s.X {
				p.line("whisker "+hue(k), p.x(s.X[i]), p.y(s.Low[i]), p.x(s.X[i]), p.y(s.High[i]))
			}
		} else if len(s.Low) > 0 {
			xs, ys := append([]float64{}, s.X...), append([]float64{}, s.High...)
			for i := len(s.X) - 1; i >= 0; i-- {
				xs, ys = append(xs, s.X[i]), append(ys, s.Low[i])
			}
			p.path("polygon", "band", xs, ys)
		}
		if c.joined {
			p.path("polyline", "seam "+hue(k), s.X, s.Y)
		}
		if c.dots {
			for i := range s.X {
				if known(s.Y[i]) {
					p.point(shape, hue(k)+" filled", p.x(s.X[i]), p.y(s.Y[i]), s.Name+": "+c.across(s.X[i])+", "+tick(c.yUnit, s.Y[i]))
				}
			}
			out.Keys = append(out.Keys, key{markKey(hue(k)+" filled", shape), s.Name})
		} else {
			p.path("polyline", "seam "+hue(k), s.X, s.Y)
			out.Keys = append(out.Keys, key{lineKey("front " + hue(k)), s.Name})
		}
	}
	out.SVG = p.done()
	return out
}

// across prints a place on the horizontal axis, of a logarithmic one two digits.
func (c *curvesOf) across(x float64) string {
	if c.log {
		x = math.Pow(10, x)
		digits := math.Pow10(1 - int(math.Floor(math.Log10(x))))
		x = math.Round(x*digits) / digits
	}
	return tick(c.xUnit, x)
}

// logarithms returns the logarithms to base 10.
func logarithms(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = math.Log10(v)
	}
	return out
}
