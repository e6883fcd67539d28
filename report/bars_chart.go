package report

import "html/template"

// A barsChart has histograms one under another, on one axis; each is as high as its highest bar.
type barsChart struct {
	label, axis, unit string
	rows              []barsRow
	marks             []float64 // dotted lines through all rows
}

// A barsRow is a histogram. One that says something has a line for it and for the height of its
// highest bar; a mean that is NaN is not drawn.
type barsRow struct {
	name, hue, says string
	edges           []float64
	counts          []int
	mean            float64
}

// draw renders the chart; it is empty without rows, or if they have no width.
func (c barsChart) draw() template.HTML {
	across, spoken := newSpan(), false
	for _, r := range c.rows {
		across.add(r.edges[0], r.edges[len(r.edges)-1], r.mean)
		spoken = spoken || r.says != ""
	}
	if across.lo >= across.hi {
		return ""
	}
	row, high := 52, 36.
	if spoken {
		row, high = 102, 58
	}
	p := newPlot(row*len(c.rows)+plotFoot, c.label)
	p.x0, p.x1 = across.lo, across.hi
	for i, r := range c.rows {
		top, foot := float64(row*i), float64(row*(i+1)-4)
		p.text("name "+r.hue, "start", 0, top+14, 0, r.name)
		if spoken {
			p.text("soft", "end", p.right, top+30, 0, r.says)
			p.text("soft", "start", 0, foot-high+10, 0, fullest(r.counts))
		}
		p.bars(r.hue, r.edges, r.counts, foot, high, c.unit)
		if r.mean >= p.x0 && r.mean <= p.x1 {
			p.stroke("average", p.x(r.mean), foot-high, p.x(r.mean), foot)
		}
	}
	for _, at := range c.marks {
		p.stroke("chance", p.x(at), 4, p.x(at), p.foot)
	}
	p.xAxis(c.axis, p.xTicks(), number)
	return p.done()
}
