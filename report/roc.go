package report

import (
	"fmt"
	"html/template"
	"strings"

	"tattle/curious"
)

// ROC are the curves of one run on one attribute, a curve a class against the
// rest (B Figure 7).
type ROC struct {
	Run       string        `json:"run"` // a row of the figure
	Of        string        `json:"of"`  // ofHonesty (left) or ofCuriosity (right)
	Attribute string        `json:"attribute"`
	Curves    []curious.ROC `json:"curves"`
}

// What a ROC curve is about.
const (
	ofHonesty   = "honesty"
	ofCuriosity = "curiosity"
)

func (c ROC) title() string { return strings.TrimSuffix(sentenceOf(c.Of+": "+c.Attribute), ".") }

// rocArea prints the area under a curve, with its interval where that is known.
func rocArea(c curious.ROC) string {
	s := fmt.Sprintf("%.3f", c.Area)
	if Between(c.Interval).known() {
		s += fmt.Sprintf(" (%.3f to %.3f)", c.Interval[0], c.Interval[1])
	}
	return s
}

// draw renders the curves of all classes, their areas in the empty corner.
func (c ROC) draw() template.HTML {
	var areas []string
	for _, x := range c.Curves {
		areas = append(areas, x.Name+": "+rocArea(x))
	}
	p := newPlot(330, "ROC of "+c.Of+", "+c.Attribute+". Area under the curve: "+strings.Join(areas, "; ")+".")
	p.percentAxes("false positives", "true positives")
	p.line("chance", 0, 0, 1, 1)
	for i, x := range c.Curves {
		var falsePositive, truePositive []float64
		for _, q := range x.Points {
			falsePositive, truePositive = append(falsePositive, q[0]), append(truePositive, q[1])
		}
		p.join("polyline", "seam "+hueOf(i), falsePositive, truePositive)
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
		p.text("name "+class, "end", plotRight, at, -34, fmt.Sprintf("%s %.3f", cut(x.Name, longestClass), x.Area))
		p.shape("seam "+class, "M-30,0H-2", plotRight, at-4, "")
	}
}

// longestClass is how many letters of a class's name a ROC's corner has room for.
const longestClass = 24

// hueOf returns the classes of colour and dashes of a chart's i-th series. Dashes are for
// readers who cannot distinguish colours. Twelve series differ.
func hueOf(i int) string { return fmt.Sprintf("h%d d%d", i%hues, i%dashes) }

// areas lists the areas of all classes, or of many classes the least and the
// greatest.
func (c ROC) areas() string {
	const many = 6
	var areas []string
	all := newSpan()
	for _, x := range c.Curves {
		areas = append(areas, x.Name+" "+rocArea(x))
		all.add(x.Area)
	}
	if len(areas) > many && all.lo <= all.hi {
		return fmt.Sprintf("%.3f to %.3f over %d classes", all.lo, all.hi, len(areas))
	}
	return strings.Join(areas, ", ")
}
