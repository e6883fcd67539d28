package report

import (
	"fmt"
	"html/template"
	"math"
	"strings"
)

// ROC are the curves of one run on one attribute, a curve a class against the
// rest (B Figure 7).
type ROC struct {
	Run       string     `json:"run"` // a row of the figure
	Of        string     `json:"of"`  // OfHonesty (left) or OfCuriosity (right)
	Attribute string     `json:"attribute"`
	Curves    []ROCCurve `json:"curves"`
}

// What a ROC curve is about.
const (
	OfHonesty   = "honesty"
	OfCuriosity = "curiosity"
)

// ROCCurve is the true against the false positive rate as the threshold falls,
// from (0, 0) to (1, 1).
type ROCCurve struct {
	Class         string    `json:"class"`
	AUC           Number    `json:"auc"`
	Interval      Interval  `json:"auc_interval,omitzero"`
	FalsePositive []float64 `json:"false_positive"`
	TruePositive  []float64 `json:"true_positive"`
}

// step is how far apart points of a curve must be to be told apart on a page.
const step = .004

// Thin drops points of a curve that lie within a 250th of the last one kept, so
// that a curve of any test part has a few hundred. First and last stay.
func (c ROCCurve) Thin() ROCCurve {
	t := c
	t.FalsePositive, t.TruePositive = nil, nil
	n := min(len(c.FalsePositive), len(c.TruePositive))
	for i := range n {
		x, y, k := c.FalsePositive[i], c.TruePositive[i], len(t.TruePositive)-1
		if k < 0 || i == n-1 || x-t.FalsePositive[k] >= step || y-t.TruePositive[k] >= step {
			t.FalsePositive, t.TruePositive = append(t.FalsePositive, x), append(t.TruePositive, y)
		}
	}
	return t
}

func (c ROC) title() string { return strings.TrimSuffix(sentenceOf(c.Of+": "+c.Attribute), ".") }

// area says the area under a curve, with its interval where that is known.
func (c ROCCurve) area() string {
	s := c.size()
	if c.Interval.known() {
		s += fmt.Sprintf(" (%.3f to %.3f)", float64(c.Interval[0]), float64(c.Interval[1]))
	}
	return s
}

func (c ROCCurve) size() string {
	if math.IsNaN(float64(c.AUC)) {
		return "–"
	}
	return fmt.Sprintf("%.3f", float64(c.AUC))
}

// draw renders the curves of all classes, their areas in the empty corner.
func (c ROC) draw() template.HTML {
	var areas []string
	for _, x := range c.Curves {
		areas = append(areas, x.Class+": "+x.area())
	}
	p := newPlot(330, "ROC of "+c.Of+", "+c.Attribute+". Area under the curve: "+strings.Join(areas, "; ")+".")
	p.percentAxes("false positives", "true positives")
	p.line("chance", 0, 0, 1, 1)
	for i, x := range c.Curves {
		t := x.Thin()
		p.join("polyline", "seam "+hueOf(i), t.FalsePositive, t.TruePositive)
	}
	c.key(p)
	return p.done()
}

// key names the curves in the corner that good ones leave empty, as many as it has
// room for.
func (c ROC) key(p *plot) {
	const most = 12
	named := c.Curves[:min(most, len(c.Curves))]
	foot := p.foot - 10
	if n := len(c.Curves) - len(named); n > 0 {
		p.text("soft", "end", plotRight, foot, -4, fmt.Sprintf("and %d more", n))
		foot -= 16
	}
	for i, x := range named {
		class, at := hueOf(i), foot-float64(16*(len(named)-1-i))
		p.text("name "+class, "end", plotRight, at, -34, cut(x.Class, longestClass)+" "+x.size())
		p.shape("seam "+class, "M-30,0H-2", plotRight, at-4, "")
	}
}

// longestClass is how many letters of a class's name a ROC's corner has room for.
const longestClass = 24

// hueOf is the colour of a figure's i-th thing and how it is dashed, for those who
// tell no colours apart; twelve things differ.
func hueOf(i int) string { return fmt.Sprintf("h%d d%d", i%hues, i%dashes) }

// areas lists the areas of all classes, or of many classes the least and the
// greatest.
func (c ROC) areas() string {
	const many = 6
	var areas []string
	all := newSpan()
	for _, x := range c.Curves {
		areas = append(areas, x.Class+" "+x.area())
		all.add(float64(x.AUC))
	}
	if len(areas) > many && all.lo <= all.hi {
		return fmt.Sprintf("%.3f to %.3f over %d classes", all.lo, all.hi, len(areas))
	}
	return strings.Join(areas, ", ")
}
