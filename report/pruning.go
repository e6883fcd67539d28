package report

import (
	"fmt"
	"html/template"
	"math"
)

// Pruning is honesty and curiosity as the smallest weights of one run are set
// to zero (B Figure 9).
type Pruning struct {
	Panel    string         `json:"panel,omitempty"` // neighbours of one panel share a heading and a scale
	Run      string         `json:"run"`
	Honesty  Number         `json:"honesty_chance"`     // what guessing the majority class gives: a line; NaN or zero for none
	Baseline Number         `json:"curiosity_baseline"` // likewise of curiosity
	Points   []PruningPoint `json:"points"`             // by rising fraction
}

// PruningPoint is one amount of pruning.
type PruningPoint struct {
	Fraction          Number   `json:"fraction"` // of the weights of every tensor
	Honesty           Number   `json:"honesty"`
	HonestyInterval   Interval `json:"honesty_interval,omitzero"`
	Curiosity         Number   `json:"curiosity"`
	CuriosityInterval Interval `json:"curiosity_interval,omitzero"`
}

// The colours of the two figures of merit, wherever both are curves.
const (
	honestHue  = "h0"
	curiousHue = "h1"
)

// pruningPanels are the runs panel by panel; without panels each is its own.
func (r *Curious) pruningPanels() (all [][]Pruning) {
	for i, c := range r.Pruning {
		if i == 0 || c.Panel == "" || c.Panel != r.Pruning[i-1].Panel {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], c)
	}
	return all
}

// pruningSpan has the accuracies of all runs of a panel.
func pruningSpan(panel []Pruning) span {
	y := newSpan()
	for _, c := range panel {
		y.add(positive(c.Honesty), positive(c.Baseline))
		for _, q := range c.Points {
			y.add(float64(q.Honesty), float64(q.Curiosity))
			for _, i := range []Interval{q.HonestyInterval, q.CuriosityInterval} {
				if i.known() {
					y.add(float64(i[0]), float64(i[1]))
				}
			}
		}
	}
	return y
}

// draw renders honesty and curiosity against the share of weights set to zero, the
// accuracies of y in view.
func (c Pruning) draw(y span) template.HTML {
	p := newPlot(300, c.says())
	p.y0, p.y1 = y.padded()
	p.percentAxes("weights set to zero", "accuracy")
	c.level(p, honestHue, c.Honesty)
	c.level(p, curiousHue, c.Baseline)
	c.curve(p, honestHue, "circle", "honesty", func(q PruningPoint) (Number, Interval) { return q.Honesty, q.HonestyInterval })
	c.curve(p, curiousHue, "square", "curiosity", func(q PruningPoint) (Number, Interval) { return q.Curiosity, q.CuriosityInterval })
	return p.done()
}

// positive is a level that is there, or NaN.
func positive(n Number) float64 {
	if n > 0 {
		return float64(n)
	}
	return math.NaN()
}

// level draws what a figure of merit is compared with.
func (c Pruning) level(p *plot, hue string, at Number) {
	if at > 0 {
		p.line("seam level "+hue, p.x0, float64(at), p.x1, float64(at))
	}
}

func (c Pruning) curve(p *plot, hue, shape, name string, of func(PruningPoint) (Number, Interval)) {
	var xs, ys []float64
	for _, q := range c.Points {
		if v, _ := of(q); !math.IsNaN(float64(v)) {
			xs, ys = append(xs, float64(q.Fraction)), append(ys, float64(v))
		}
	}
	p.join("polyline", "seam "+hue, xs, ys)
	for _, q := range c.Points {
		v, i := of(q)
		if math.IsNaN(float64(v)) {
			continue
		}
		if i.known() {
			p.whisker(hue, float64(q.Fraction), float64(i[0]), float64(i[1]))
		}
		p.point(shape, hue+" filled", float64(q.Fraction), float64(v), fmt.Sprintf("%s of the weights set to zero: %s %s%s", percent1(float64(q.Fraction)), name, percent(float64(v)), within(i)))
	}
}

// says describes the ends of the curve in words, for readers who cannot see it.
func (c Pruning) says() string {
	if len(c.Points) == 0 {
		return c.Run + ": nothing was pruned."
	}
	a, b := c.Points[0], c.Points[len(c.Points)-1]
	return fmt.Sprintf("%s. From %s to %s of the weights set to zero, honesty goes from %s to %s and curiosity from %s to %s.", c.Run,
		percent1(float64(a.Fraction)), percent1(float64(b.Fraction)), percent1(float64(a.Honesty)), percent1(float64(b.Honesty)), percent1(float64(a.Curiosity)), percent1(float64(b.Curiosity)))
}

// cells are a point in words.
func (q PruningPoint) cells() []string {
	return []string{percent1(float64(q.Fraction)), percent(float64(q.Honesty)) + within(q.HonestyInterval), percent(float64(q.Curiosity)) + within(q.CuriosityInterval)}
}
