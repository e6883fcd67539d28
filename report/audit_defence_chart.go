package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"tattle/audit"
	"tattle/internal/file"
)

// drawDefences draws what each defence keeps of honesty against what it leaves of
// one attribute's leak. Points have the numbers of the table.
func drawDefences(a *audit.Result, attribute string) template.HTML {
	x, y := newSpan(), newSpan()
	y.add(0, a.Settings.Margin)
	var spots []defenceSpot
	for i, d := range a.Defences {
		for _, l := range d.Left {
			if l.Attribute == attribute {
				spots = append(spots, defenceSpot{i + 1, d, l})
				x.add(d.Honesty.Value)
				y.add(l.Excess.Value, l.Excess.Low, l.Excess.High)
			}
		}
	}
	if len(spots) == 0 {
		return ""
	}
	p := newPlot(340, "Honesty kept against the excess left on "+file.Name(attribute)+", defence by defence: in the table below.")
	p.x0, p.x1 = x.padded()
	air := max(.002, .06*(y.hi-y.lo))
	p.y0, p.y1 = y.lo-air, y.hi+air
	p.yAxis("excess left, points", p.yTicks(), pointTick)
	p.columns(p.xTicks())
	p.xAxis("more honest →", p.xTicks(), percentTick)
	p.line("baseline", p.x0, 0, p.x1, 0)
	p.line("seam level h3", p.x0, a.Settings.Margin, p.x1, a.Settings.Margin)
	for _, recommended := range []bool{false, true} { // that one on top
		for _, s := range spots {
			if s.Recommended == recommended {
				s.draw(p)
			}
		}
	}
	numberSpots(p, spots)
	return p.done()
}

// A defenceSpot is a numbered point of the chart.
type defenceSpot struct {
	number int
	audit.Defence
	left audit.DefenceLeft
}

func (s defenceSpot) draw(p *plot) {
	shape, hue := "circle", "h1"
	if s.Recommended {
		shape, hue = "diamond", "h2"
	}
	p.whisker(hue, s.Honesty.Value, s.left.Excess.Low, s.left.Excess.High)
	p.point(shape, hue+" filled", s.Honesty.Value, s.left.Excess.Value, fmt.Sprintf("%d, %s: honesty %s, excess %s points", s.number, printable(s.Name), percent(s.Honesty.Value), signed(Number(s.left.Excess.Value))))
}

// numberSpots writes the numbers beside the points, those of a group together.
func numberSpots(p *plot, spots []defenceSpot) {
	for _, group := range overlapping(p, spots) {
		var numbers []int
		at, y := group[0], 0.
		right := p.x(at.Honesty.Value) > 60 // words go to where there is room
		for _, s := range group {
			numbers = append(numbers, s.number)
			y += s.left.Excess.Value / float64(len(group))
			if (s.Honesty.Value < at.Honesty.Value) == right {
				at = s
			}
		}
		anchor, dx := "start", 9
		if right {
			anchor, dx = "end", -9
		}
		p.text("number", anchor, p.x(at.Honesty.Value), p.y(y)+4, dx, numberRanges(numbers))
	}
}

// overlapping parts the spots into those whose numbers would run into one another.
func overlapping(p *plot, spots []defenceSpot) [][]defenceSpot {
	const wide, high = 8., 18. // percents and pixels
	near := func(s, t defenceSpot) bool {
		return math.Abs(p.x(t.Honesty.Value)-p.x(s.Honesty.Value)) < wide && math.Abs(p.y(t.left.Excess.Value)-p.y(s.left.Excess.Value)) < high
	}
	var all [][]defenceSpot
	for _, s := range spots {
		joined := []defenceSpot{s}
		var apart [][]defenceSpot
		for _, c := range all {
			if slices.ContainsFunc(c, func(t defenceSpot) bool { return near(s, t) }) {
				joined = append(c, joined...)
			} else {
				apart = append(apart, c)
			}
		}
		all = append(apart, joined)
	}
	return all
}

// numberRanges writes numbers in order, three and more that follow one another as a
// range.
func numberRanges(n []int) string {
	slices.Sort(n)
	var words []string
	for i := 0; i < len(n); {
		j := i
		for j+1 < len(n) && n[j+1] == n[j]+1 {
			j++
		}
		if j-i >= 2 {
			words = append(words, fmt.Sprintf("%d–%d", n[i], n[j]))
			i = j + 1
			continue
		}
		words = append(words, fmt.Sprint(n[i]))
		i++
	}
	return strings.Join(words, ", ")
}
