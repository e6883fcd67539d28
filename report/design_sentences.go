package report

import (
	"fmt"
	"math"
	"strings"

	"tattle/design"
)

// otherChoices may help if nothing that was tried keeps the promise.
const otherChoices = "what may help: looser limits, other nodes or other methods"

// noneMeets says how many releases were tried, of which none meets the limits.
func (r *Report) noneMeets() string {
	tried := 0
	for _, p := range r.Design.Points {
		if !p.Method.Peer() {
			tried++
		}
	}
	if tried == 0 {
		return "nothing could be tried"
	}
	return fmt.Sprintf("in the search, none of %s meets the limits (%s)", Count(tried, "release"), r.asked())
}

// asked lists the limits in words.
func (r *Report) asked() string {
	l := r.Design.Limits
	var all []string
	add := func(limit float64, format string, a ...any) {
		if limit > 0 {
			all = append(all, fmt.Sprintf(format, a...))
		}
	}
	among := ""
	if l.Candidates > 0 {
		among = " among " + Count(l.Candidates, "candidate")
	}
	if r.Lists != nil && r.Lists.Holder != nil && r.Lists.Holder.List.Merged > 0 {
		among = " among " + Count(r.Lists.Holder.List.Inputs, "different candidate")
	}
	add(l.Identify, "identification at most %s%s", percentOrLess(l.Identify), among)
	add(l.Bits, "at most %s bits", number(l.Bits))
	add(l.Floor, "floor without a list at least %s %s", number(r.inUnit(l.Floor*l.Floor)), r.unit())
	add(l.Attack, "error of every attack at least %s %s", number(r.inUnit(l.Attack*l.Attack)), r.unit())
	for _, p := range l.Protect {
		add(p.Accuracy, "%s guessed right in at most %s of cases", p.Attribute, percentOrLess(p.Accuracy))
		add(p.AUC, "AUC of %s at most %s", p.Attribute, number(p.AUC))
		add(p.Bits, "at most %s bits about %s", number(p.Bits), p.Attribute)
	}
	add(r.Design.MaxDrop, "accuracy drop at most %s points", number(100*r.Design.MaxDrop))
	return strings.Join(all, ", ")
}

// name names the quantity that is limited.
func (c CheckedLimit) name() string {
	switch c.Kind {
	case LimitHidden:
		return "identification of new inputs"
	case LimitFloor:
		return "the floor without a list"
	case LimitAttack:
		return "the error of attacks"
	case LimitRight:
		return "right guesses of " + c.Of
	case LimitArea:
		return "the AUC of " + c.Of
	case LimitKnown:
		return "the number of bits about " + c.Of
	case LimitBits:
		return "the number of bits"
	case LimitDrop:
		return "the accuracy drop"
	}
	return string(c.Kind)
}

// against says what the limit is, and by how much it is missed.
func (c CheckedLimit) against() string {
	s, off := "limit "+c.brief(c.Limit, number), float64(c.Figure)-c.Limit
	switch m := float64(c.Mean); {
	case c.Kept:
	case c.Kind.least():
		s += ", missed by " + c.difference(-off)
	case m <= c.Limit && c.Kind != LimitDrop:
		s += ", exceeded by " + c.difference(off) + "; mean " + c.brief(m, number)
	default:
		s += ", exceeded by " + c.difference(off)
	}
	return s
}

// share reports whether a quantity is a share of cases.
func (k LimitKind) share() bool { return k == LimitIdentify || k == LimitHidden || k == LimitRight }

// brief prints a value beside another of the same unit.
func (c CheckedLimit) brief(x float64, number func(float64) string) string {
	if c.Kind.share() {
		return number(100*x) + " %"
	}
	if c.Kind == LimitDrop {
		x *= 100
	}
	return number(x)
}

// print prints a value of the limit's quantity.
func (c CheckedLimit) print(x float64, number func(float64) string) string {
	switch c.Kind {
	case LimitIdentify, LimitHidden, LimitRight:
		return number(100*x) + " %"
	case LimitBits, LimitKnown:
		return number(x) + " bits"
	case LimitFloor, LimitAttack:
		return number(x) + " " + c.Unit
	case LimitDrop:
		return number(100*x) + " points"
	}
	return number(x)
}

// difference prints a difference of two values, rounded up.
func (c CheckedLimit) difference(x float64) string {
	if c.Kind.share() || c.Kind == LimitDrop {
		s := atMostNumber(100 * x)
		return s + " " + map[bool]string{true: "point", false: "points"}[s == "1"]
	}
	return c.print(x, atMostNumber)
}

// help says what may help to keep a limit. More noise does not if it was tried.
func (c CheckedLimit) help(tried bool) string {
	switch {
	case tried && c.Lacks == "" && c.Kind == LimitFloor:
		return "a looser limit, or more test data"
	case tried && c.Lacks == "" && c.Kind != LimitDrop:
		return "a looser limit, or more draws in the final measurement (--list-draws)"
	case c.Lacks != "":
		return "a measurement of " + c.name()
	case c.Kind == LimitDrop:
		return "looser limits, other nodes or other methods"
	case c.Kind == LimitFloor:
		return "more noise, or more test data"
	case float64(c.Mean) <= c.Limit && c.Kind != LimitAttack:
		return "more draws in the final measurement (--list-draws), or slightly more noise"
	}
	return "more noise"
}

// targetAccuracy is a point's accuracy on the target.
func targetAccuracy(p design.Point) float64 { return taskAccuracy(p, 0) }

// taskAccuracy is a point's accuracy on a task, the first of which is the target; NaN if its release
// does not answer it.
func taskAccuracy(p design.Point, k int) float64 {
	if k >= len(p.Accuracy) {
		return math.NaN()
	}
	return p.Accuracy[k]
}

// guessedRight is how often the best adversary guesses the k-th protected attribute right, with the
// list or without.
func guessedRight(p design.Point, k int) float64 {
	if k >= len(p.Guessed) {
		return math.NaN()
	}
	return max(p.Guessed[k].Right, p.Guessed[k].Anybody)
}

// peerSettings are the names of the parameters of methods of others.
var peerSettings = map[design.Method]string{design.PeerDFIL: "dFIL", design.TopK: "k", design.Rounding: "step"}

// pointName names the method and the node of a point, and how many numbers it releases; of a
// method of others also its parameter.
func pointName(p design.Point) string {
	if p.Method.Peer() {
		return fmt.Sprintf("%s at %s, %s = %s", p.Method, p.Node, peerSettings[p.Method], number(p.Parameter))
	}
	return fmt.Sprintf("%s at %s, %s", p.Method, p.Node, Count(p.Keep, "number"))
}

// moreNoise returns up to how many times its noise a release was measured with, none of which kept the promise; 0 if
// it was measured once, or keeps its limits on adversaries.
func (r *Report) moreNoise() float64 {
	if r.Lists == nil || r.Lists.Look != 1 || !r.NeedsNoise() {
		return 0
	}
	tried := design.Strengths(r.Design.Released.Sigma)
	return tried[len(tried)-1] / tried[0]
}

// missed lists the limits that are not kept, by how much, and what may help.
func (r *Report) missed() (missed, help []string) {
	for _, c := range r.Design.Checked {
		switch {
		case c.Kept:
			continue
		case c.Lacks != "":
			missed = append(missed, fmt.Sprintf("%s was not measured (limit %s): %s", c.name(), c.print(c.Limit, number), c.Lacks))
		default:
			missed = append(missed, c.name()+" ("+c.against()+")")
		}
		help = append(help, c.help(r.moreNoise() > 0))
	}
	return missed, unique(help)
}

// bare prints a difference of fractions in points of a hundred.
func bare(x Number) string {
	if math.IsNaN(float64(x)) {
		return "–"
	}
	return fmt.Sprintf("%.2f", 100*float64(x))
}
