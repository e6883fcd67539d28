package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"
)

const boundsHeight = 280 // pixels, of the figures of bounds

// draw renders the histogram: a bar for each bin, the overflow at the end in another
// colour, the median as a line.
func (h Histogram) draw() template.HTML {
	p := newPlot(boundsHeight, h.alternative())
	n := len(h.Counts)
	if n < 2 || len(h.Edges) != n {
		return p.done()
	}
	last := h.Edges[n-1]
	end := last + last - h.Edges[n-2]
	p.x0, p.x1, p.y1 = h.Edges[0], end, float64(max(1, slices.Max(h.Counts)))
	p.yAxis("values", []float64{p.y1}, short)
	var ticks []float64
	for i := 0; i < n; i += max(1, n/8) {
		ticks = append(ticks, h.Edges[i])
	}
	p.xAxis(h.Axis, ticks, func(v float64) string { return fmt.Sprintf("%.2g", v) })
	for i, k := range h.Counts[:n-1] {
		p.bar("h0", h.Edges[i], h.Edges[i+1], p.foot, p.foot-p.y(float64(k)), fmt.Sprintf("%.3g to %.3g: %d", h.Edges[i], h.Edges[i+1], k))
	}
	p.bar("over", last, end, p.foot, p.foot-p.y(float64(h.Counts[n-1])), fmt.Sprintf("%.3g and above, unbounded included: %d", last, h.Counts[n-1]))
	if m := float64(h.Median); m >= p.x0 && m < last {
		p.line("mark", m, 0, m, p.y1)
		p.text("", "start", p.x(m), p.top+8, 4, fmt.Sprintf("median %.3g", m))
	}
	return p.done()
}

// alternative describes the histogram to who does not see it. A median that report.json has
// as null is unbounded.
func (h Histogram) alternative() string {
	median := "unbounded"
	if m := float64(h.Median); !math.IsNaN(m) && !math.IsInf(m, 0) {
		median = fmt.Sprintf("%.3g", m)
	}
	return fmt.Sprintf("Histogram: %s. Fullest bin at %.3g, median %s.", h.Title, float64(h.Peak), median)
}

// draw renders σ/sᵢ on a logarithmic axis: the band holds 90 % of the examples,
// the dashed lines are the thresholds of the table beside it.
func (s Spectrum) draw(thresholds []float64) template.HTML {
	p := newPlot(boundsHeight, "How well each direction can be resolved, best first; logarithmic scale")
	n := len(s.Median)
	all := newSpan()
	for _, x := range slices.Concat(s.Low, s.High) {
		if x > 0 {
			all.add(float64(x))
		}
	}
	if n == 0 || !(all.lo < all.hi) {
		return p.done()
	}
	p.x1, p.y0, p.y1 = float64(n), math.Floor(math.Log10(all.lo)), math.Ceil(math.Log10(all.hi))
	logs := func(x []Number) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = p.y1 // unbounded, or null in the file
			if v := math.Log10(float64(x[i])); v <= p.y1 {
				out[i] = v
			}
		}
		return out
	}
	var powers, directions, middles []float64
	for e := p.y0; e <= p.y1; e++ {
		powers = append(powers, e)
	}
	for i := range n {
		middles = append(middles, float64(i)+.5)
		if i%max(1, n/8) == 0 {
			directions = append(directions, middles[i])
		}
	}
	p.yAxis("standard deviation", powers, func(e float64) string { return fmt.Sprintf("%.3g", math.Pow(10, e)) })
	p.xAxis("direction, best resolved first", directions, func(v float64) string { return fmt.Sprint(int(v) + 1) })
	for _, t := range thresholds {
		if t > all.lo && t < all.hi {
			p.line("threshold", 0, math.Log10(t), p.x1, math.Log10(t))
		}
	}
	back, high := slices.Clone(middles), logs(s.High)
	slices.Reverse(back)
	slices.Reverse(high)
	p.join("polygon", "band", slices.Concat(middles, back), slices.Concat(logs(s.Low), high))
	p.join("polyline", "seam h0", middles, logs(s.Median))
	return p.done()
}

// short prints a count the way an axis can hold it: 12k, 3.4M.
func short(x float64) string {
	switch {
	case x >= 1e6:
		return fmt.Sprintf("%.3gM", x/1e6)
	case x >= 1e4:
		return fmt.Sprintf("%.3gk", x/1e3)
	}
	return fmt.Sprintf("%g", x)
}
