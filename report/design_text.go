package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// sentence answers the question in words. of names the inputs that directions and
// deviations are medians over.
func (d *Design) sentence(of string) string {
	if d.Best == nil {
		s := fmt.Sprintf("Asked for %s: none of the %d releases tried meets it", d.asked(of), d.Evaluations)
		if d.Near != "" {
			s += "; " + strings.TrimSuffix(d.Near, ".")
		}
		return s + "."
	}
	p := d.Best
	release := fmt.Sprintf("%s noise of standard deviation %s on %s", familyName(p.Family), number(p.Sigma), p.numbers())
	cost := fmt.Sprintf("accuracy %s, a drop of %s (95 %% interval %s to %s)", percent(float64(p.Accuracy)), points(p.Drop), bare(p.DropInterval[0]), bare(p.DropInterval[1]))
	if !d.Met {
		return fmt.Sprintf("Asked for %s: nothing meets it. The nearest is %s, with %s. %s.", d.asked(of), release, cost, strings.TrimSuffix(d.Near, ".")) + d.identified()
	}
	if d.costOnly() {
		return fmt.Sprintf("Asked for %s: %s is within it, with %s. It was chosen by what unbiased estimators resolve; %s.", d.asked(of), release, cost, notLimited) + d.confirmed() + d.identified()
	}
	return fmt.Sprintf("Asked for %s: %s meets it for %s only, with %s. This is about %s; %s.", d.asked(of), release, d.For(), cost, d.For(), notLimited) + d.confirmed() + d.identified()
}

// identified says how often a release showed whose it was: empty if that was not tried.
func (d *Design) identified() string {
	if d.Confirmed == nil || d.Confirmed.Identified == nil {
		return ""
	}
	return " " + d.Confirmed.Identified.sentence()
}

// confirmed says what the measurement with fresh noise came to.
func (d *Design) confirmed() string {
	c := d.Confirmed
	if c == nil {
		return ""
	}
	s := fmt.Sprintf(" Measured again with fresh noise: accuracy %s, a drop of %s (%s to %s)", percent(float64(c.Accuracy)), points(c.Drop), bare(c.DropInterval[0]), bare(c.DropInterval[1]))
	if m := float64(c.MedianStd); !math.IsNaN(m) && m > 0 {
		s += fmt.Sprintf("; the certified standard deviation is at least %s in half of the coordinates of %s", atLeastNumber(m), Count(c.Examples, "input"))
		if isAbove(c.AbovePrior) {
			s += ", " + vacuousToPrior
		}
	}
	return s + "." + d.kept()
}

// kept warns where the second measurement leaves the promise open or breaks it.
func (d *Design) kept() string {
	switch c := d.Confirmed; {
	case d.MaxDrop == 0:
	case float64(c.Drop) > d.MaxDrop:
		return " That is more than the target allows."
	case float64(c.DropInterval[1]) > d.MaxDrop:
		return " The interval exceeds the target."
	}
	return ""
}

// asked says target and constraint.
func (d *Design) asked(of string) string {
	var asked []string
	t := d.Target
	if t.Within > 0 {
		asked = append(asked, fmt.Sprintf("at most %s resolved to within %s for half of %s", Count(t.Directions, "direction"), number(t.Within), of))
	}
	if t.MedianStd > 0 {
		asked = append(asked, fmt.Sprintf("a standard deviation of at least %s in half of the coordinates of %s", number(t.MedianStd), of))
	}
	if t.AttackMSE > 0 {
		asked = append(asked, "a linear attack that errs by a mean square of at least "+number(t.AttackMSE))
	}
	if d.MaxDrop > 0 {
		asked = append(asked, "an accuracy drop of at most "+points(Number(d.MaxDrop)))
	}
	if len(asked) == 0 {
		return "the cheapest release"
	}
	return strings.Join(asked, " and ")
}

// numbers says what leaves the device.
func (p DesignPoint) numbers() string {
	n := Count(p.Keep, "number")
	if p.Projection != "" {
		n += " (" + projectionWords(p.Projection) + ")"
	}
	return n
}

// points prints a difference of fractions.
func points(x Number) string {
	if math.IsNaN(float64(x)) {
		return "–"
	}
	return bare(x) + " points"
}

// bare is points without the word.
func bare(x Number) string {
	if math.IsNaN(float64(x)) {
		return "–"
	}
	return fmt.Sprintf("%.2f", 100*float64(x))
}

// A designLine is the frontier of one family on one set of numbers.
type designLine struct {
	Family, Projection string
	Keep               int
	Points             []DesignPoint // as σ grows
}

// lines groups the frontier, most numbers first.
func (d *Design) lines() []designLine {
	var lines []designLine
	for _, p := range d.Frontier {
		i := slices.IndexFunc(lines, func(l designLine) bool {
			return l.Family == p.Family && l.Projection == p.Projection && l.Keep == p.Keep
		})
		if i < 0 {
			i = len(lines)
			lines = append(lines, designLine{Family: p.Family, Projection: p.Projection, Keep: p.Keep})
		}
		lines[i].Points = append(lines[i].Points, p)
	}
	for _, l := range lines {
		slices.SortStableFunc(l.Points, func(a, b DesignPoint) int { return compareFloat(a.Sigma, b.Sigma) })
	}
	slices.SortStableFunc(lines, func(a, b designLine) int { return b.Keep - a.Keep })
	return lines
}

func compareFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// textIntro says what the table's rows and columns are.
func (d *Design) textIntro() string {
	within := ""
	if x := d.within(); x > 0 {
		within = "; directions: those resolved to within " + number(x) + ", median over the same inputs"
	}
	if d.attacked() {
		within += "; mse: mean-square error of the linear attack"
	}
	return fmt.Sprintf("The frontier, from %d releases that were tried. Each row is one choice of features and family of noise: its release that meets the target for %s only (*) at the cost nearest to that of the answer; if none meets it, the one with the nearest cost. report.html has all. σ: standard deviation of the noise per feature; std: standard deviation of unbiased reconstructions of the part of an input that the features depend on, median over the coordinates of the tried inputs%s. %s: %s.", d.Evaluations, d.For(), within, aboveMark, vacuousToPrior)
}

func (l designLine) numbers() string {
	if l.Projection == "" {
		return fmt.Sprint(l.Keep)
	}
	return fmt.Sprintf("%d %s", l.Keep, l.Projection)
}

// cells are the figures of a point in words.
func (p DesignPoint) cells(attacked bool) []string {
	cells := []string{percent(float64(p.Accuracy)), bare(p.Drop), number(float64(p.Directions)), marked(number(float64(p.MedianStd)), p.AbovePrior)}
	if attacked {
		cells = append(cells, number(float64(p.AttackMSE)))
	}
	return cells
}

// attacked reports whether the linear attack's error is known of any point.
func (d *Design) attacked() bool {
	return slices.ContainsFunc(d.Frontier, func(p DesignPoint) bool { return !math.IsNaN(float64(p.AttackMSE)) && p.AttackMSE != 0 })
}

// beside picks the point of a line to set beside the answer: of those that meet
// what was asked for, or else of all, the one whose drop in accuracy is nearest
// to the answer's, or to the allowed one where there is no answer.
func (d *Design) beside(points []DesignPoint) DesignPoint {
	if d.Best != nil {
		if i := slices.IndexFunc(points, d.Best.same); i >= 0 {
			return points[i]
		}
	}
	if met := slices.DeleteFunc(slices.Clone(points), func(p DesignPoint) bool { return !p.Meets }); len(met) > 0 {
		points = met
	}
	to := d.MaxDrop
	if d.Best != nil {
		to = float64(d.Best.Drop)
	}
	return slices.MinFunc(points, func(a, b DesignPoint) int {
		return compareFloat(math.Abs(float64(a.Drop)-to), math.Abs(float64(b.Drop)-to))
	})
}

// same reports whether two points are one release.
func (p DesignPoint) same(q DesignPoint) bool {
	return p.Family == q.Family && p.Projection == q.Projection && p.Keep == q.Keep && p.Sigma == q.Sigma
}
