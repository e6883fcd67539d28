package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
)

// Plane is the two-attribute plane of B Figure 2: how linear classifiers trade honesty for
// curiosity (B eq. 12), and what mixtures release (B Figure 4).
type Plane struct {
	Title    string          `json:"title"`
	Examples int             `json:"examples"`
	Sum      Number          `json:"sum"` // δy + δs of the best linear classifiers, 1.5, drawn as a line; NaN or zero for no line
	TradeOff []TradeOffPoint `json:"trade_off,omitempty"`
	Mixtures []Mixture       `json:"mixtures,omitempty"`
}

// TradeOffPoint is one linear classifier of the plane.
type TradeOffPoint struct {
	BetaS     Number `json:"beta_s"`
	Honesty   Number `json:"honesty"`
	Curiosity Number `json:"curiosity"`
}

// Mixture holds the values that a mixture releases, by the true y and s.
type Mixture struct {
	Title     string        `json:"title"` // as "hard mixture"
	Honesty   Number        `json:"honesty"`
	Curiosity Number        `json:"curiosity"`
	Edges     []float64     `json:"edges"` // of ŷ, one more than each group's counts
	Marks     []float64     `json:"marks"` // thresholds of ŷ that decode y and s
	Groups    []MixtureBars `json:"groups"`
}

// MixtureBars are the counts of one combination of y and s.
type MixtureBars struct {
	Y      int   `json:"y"`
	S      int   `json:"s"`
	Counts []int `json:"counts"`
}

// draw renders the trade-off of linear classifiers: honesty and curiosity for each βs, and the
// line on which their sum is constant.
func (x Plane) draw() template.HTML {
	if len(x.TradeOff) == 0 {
		return ""
	}
	p := newPlot(360, x.says())
	h, c := newSpan(), newSpan()
	var xs, ys []float64
	for _, q := range x.TradeOff {
		xs, ys = append(xs, float64(q.Honesty)), append(ys, float64(q.Curiosity))
	}
	h.add(xs...)
	c.add(ys...)
	p.x0, p.x1 = h.padded()
	p.y0, p.y1 = c.padded()
	p.percentAxes("more honest →", "curiosity")
	p.join("polyline", "seam "+curiousHue, xs, ys)
	x.drawSum(p)
	for i, q := range x.TradeOff {
		p.point("circle", curiousHue+" filled", xs[i], ys[i], q.says())
		if i%2 == 0 || len(x.TradeOff) < 8 {
			p.text("fine "+curiousHue, "start", p.x(xs[i]), p.y(ys[i])-3, 9, "βs "+bareNumber(float64(q.BetaS)))
		}
	}
	return p.done()
}

// drawSum draws the part of the line δy + δs = Sum that is in the panel.
func (x Plane) drawSum(p *plot) {
	sum := float64(x.Sum)
	if !(sum > 0) {
		return
	}
	lo, hi := max(p.x0, sum-p.y1), min(p.x1, sum-p.y0)
	if lo < hi {
		p.line("chance", lo, sum-lo, hi, sum-hi)
		p.text("soft", "end", p.x((lo+hi)/2), p.y(sum-(lo+hi)/2)+24, -10, "δy + δs = "+number(sum))
	}
}

func (q TradeOffPoint) says() string {
	return fmt.Sprintf("βs = %s: honesty %s, curiosity %s, sum %.3f", number(float64(q.BetaS)), percent(float64(q.Honesty)), percent(float64(q.Curiosity)), float64(q.Honesty+q.Curiosity))
}

// says summarises the trade-off in a sentence, empty if there is none.
func (x Plane) says() string {
	sums := newSpan()
	for _, q := range x.TradeOff {
		sums.add(float64(q.Honesty + q.Curiosity))
	}
	if sums.lo > sums.hi {
		return ""
	}
	return fmt.Sprintf("Of linear classifiers of %s, the sum of honesty and curiosity lies between %.3f and %.3f for the weights βs from %s to %s.", Count(x.Examples, "example"), sums.lo, sums.hi,
		number(float64(x.TradeOff[0].BetaS)), number(float64(x.TradeOff[len(x.TradeOff)-1].BetaS)))
}

// valid reports whether every group has as many counts as the edges require.
func (m Mixture) valid() bool {
	return len(m.Edges) > 1 && len(m.Groups) > 0 && !slices.ContainsFunc(m.Groups, func(g MixtureBars) bool { return len(g.Counts) != len(m.Edges)-1 })
}

// draw renders ŷ for each combination of y and s, one under another.
func (m Mixture) draw() template.HTML {
	c := barsChart{label: m.says(), axis: "ŷ, as released", marks: m.Marks}
	if m.valid() {
		for i, g := range m.Groups {
			c.rows = append(c.rows, barsRow{name: g.name(), hue: fmt.Sprintf("h%d", i%hues), edges: m.Edges, counts: g.Counts, mean: math.NaN()})
		}
	}
	return c.draw()
}

func (g MixtureBars) name() string { return fmt.Sprintf("y = %d, s = %d", g.Y, g.S) }

func (m Mixture) says() string {
	return fmt.Sprintf("%s: honesty %s, curiosity %s.", strings.TrimSuffix(sentenceOf(m.Title), "."), percent(float64(m.Honesty)), percent(float64(m.Curiosity)))
}
