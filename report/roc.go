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

// draw renders the curves of all classes.
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
	return p.done()
}

// keys name the curves, with the areas under them.
func (c ROC) keys() []legendKey {
	var keys []legendKey
	for i, x := range c.Curves {
		keys = append(keys, legendKey{strokeKey("seam " + hueOf(i)), x.Name + " " + rocArea(x)})
	}
	return keys
}

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
