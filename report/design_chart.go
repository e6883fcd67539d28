package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"tattle/design"
)

const (
	mostLines     = 5    // of a chart
	mostPeerLines = 2    // of these
	leastDepth    = .03  // drop in accuracy that every chart has room for
	mostDepth     = .15  // releases that lose more are not drawn
	leastShare    = 1e-6 // of identified inputs, on the logarithmic axis
)

// A designLine is the releases of a method at a node, from all its places.
type designLine struct {
	Method design.Method
	Node   string
	Points []design.Point
	best   *design.Point // the most accurate that meets the limits; nil if none does
}

// lines returns a line for each method and node: the released one first, the others by
// their accuracy at the limits, then by the highest accuracy.
func (x *Design) lines() []designLine {
	var lines []designLine
	for i, p := range x.Points {
		k := slices.IndexFunc(lines, func(l designLine) bool { return l.of(p.Method, p.Node) })
		if k < 0 {
			k = len(lines)
			lines = append(lines, designLine{Method: p.Method, Node: p.Node})
		}
		l := &lines[k]
		l.Points = append(l.Points, p)
		if p.Meets && (l.best == nil || targetAccuracy(p) > targetAccuracy(*l.best)) {
			l.best = &x.Points[i]
		}
	}
	rank := func(l designLine) (at, top float64) {
		at = -1
		if l.best != nil {
			at = targetAccuracy(*l.best)
		}
		for _, p := range l.Points {
			top = max(top, nanTo(targetAccuracy(p), 0))
		}
		return at, top
	}
	slices.SortStableFunc(lines, func(a, b designLine) int {
		if chosen := x.released(b) - x.released(a); chosen != 0 {
			return chosen
		}
		atA, topA := rank(a)
		atB, topB := rank(b)
		return cmp.Or(cmp.Compare(atB, atA), cmp.Compare(topB, topA))
	})
	return lines
}

// of reports whether a release is on the line.
func (l designLine) of(m design.Method, node string) bool { return l.Method == m && l.Node == node }

// released is 1 for the line of the release that was chosen, else 0.
func (x *Design) released(l designLine) int {
	if p := x.Released; p != nil && l.of(p.Method, p.Node) {
		return 1
	}
	return 0
}

// drawn returns the lines of the charts: the first, isotropic noise, which the others are to be
// compared with, the best methods of others, and the best of the rest.
func (x *Design) drawn() []designLine {
	var lines, peers []designLine
	for _, l := range x.lines() {
		switch {
		case !l.Method.Peer():
			lines = append(lines, l)
		case len(peers) < mostPeerLines && !slices.ContainsFunc(peers, func(p designLine) bool { return p.Method == l.Method }):
			peers = append(peers, l)
		}
	}
	if n := mostLines - len(peers); len(lines) > n {
		if i := slices.IndexFunc(lines, func(l designLine) bool { return l.Method == design.Isotropic }); i >= n {
			lines[n-1] = lines[i]
		}
		lines = lines[:n]
	}
	return append(lines, peers...)
}

// peers reports whether methods of others were measured too.
func (x *Design) peers() bool {
	return slices.ContainsFunc(x.Points, func(p design.Point) bool { return p.Method.Peer() })
}

// severalNodes reports whether more than one node was tried.
func (x *Design) severalNodes() bool {
	return slices.ContainsFunc(x.Points, func(p design.Point) bool { return p.Node != x.Points[0].Node })
}

// A designQuantity is what an adversary can do, on the horizontal axis of a chart.
type designQuantity struct {
	title, better string
	axis          frontierAxis
	limit         float64                    // NaN: none
	of            func(design.Point) float64 // of the search
	final         float64                    // of the release, in this report; NaN: not measured
	interval      [2]float64
}

// quantities returns what the charts show: identification, the floor, and right guesses of each
// protected attribute.
func (r *Report) quantities() []designQuantity {
	nan := math.NaN()
	or := func(limit float64) float64 {
		if limit > 0 {
			return limit
		}
		return nan
	}
	l := r.Design.Limits
	id := designQuantity{title: "the probability of identification", better: "inputs identified from a list: fewer", limit: or(l.Identify),
		axis: frontierAxis{less: true, log: true, print: percentTick}, final: nan,
		of: func(p design.Point) float64 { return max(p.Identified, leastShare) }}
	floor := designQuantity{title: "the floor without a list", better: "floor, " + r.shortUnit() + ": higher", limit: or(r.inUnit(l.Floor * l.Floor)),
		axis: frontierAxis{unit: .001, print: number}, final: float64(r.checkFloor().judged().Figure),
		of: func(p design.Point) float64 { return r.inUnit(p.Floor * p.Floor) }}
	if r.Lists != nil && r.Lists.Holder != nil {
		f := r.Lists.Holder.First
		id.final, id.interval = nanTo(estimate(r.Lists, f), f.High), [2]float64{max(f.Low, leastShare), f.High}
	}
	all := []designQuantity{id, floor}
	for k, want := range l.Protect {
		q := designQuantity{title: "right guesses of " + want.Attribute, better: "right guesses of " + cut(want.Attribute, 16) + ": fewer", limit: or(want.Accuracy),
			axis: frontierAxis{less: true, unit: .001, print: percentTick}, final: float64(r.checkRight(want).judged().Figure),
			of: func(p design.Point) float64 { return guessedRight(p, k) }}
		all = append(all, q)
	}
	return all
}

// frontier returns the chart of accuracy against a quantity; false if there is nothing to draw.
func (r *Report) frontier(q designQuantity) (*frontier, bool) {
	x := r.Design
	f := &frontier{title: q.title, better: q.better, axis: q.axis, target: q.limit, floor: math.NaN(),
		label: "Accuracy against " + q.title + ", by method. " + r.designHeadline()}
	drawn, several := x.drawn(), x.severalNodes()
	f.least = x.lowest()
	for i, l := range drawn {
		line, key := frontierLine{class: fmt.Sprintf("h%d d%d", i, i%dashes)}, string(l.Method)
		if l.Method.Peer() {
			line.class = fmt.Sprintf("h%d d%d", mostLines, i%dashes)
		}
		if several {
			key += " at " + l.Node
		}
		f.keys = append(f.keys, legendKey{strokeKey(line.class), key})
		line.points = f.envelope(l.Points, q.of)
		f.lines = append(f.lines, line)
	}
	if x.Released != nil && !math.IsNaN(q.final) && !math.IsNaN(float64(x.Accuracy)) {
		p := x.Released
		words := "released"
		if !x.Met {
			words = "limits not kept"
		}
		f.chosen = &frontierChoice{frontierPoint: frontierPoint{q.final, float64(x.Accuracy), fmt.Sprintf("%s at %s, σ = %s, in this report", p.Method, p.Node, number(p.Sigma))},
			words: fmt.Sprintf("%s: %d × %s", words, p.Keep, p.Method), across: q.interval, up: [2]float64{float64(x.Interval[0]), float64(x.Interval[1])}}
		f.keys = append(f.keys, legendKey{ringKey, "the release, measured in this report"})
	}
	if f.inside(f.target) {
		f.keys = append(f.keys, legendKey{strokeKey("asked"), "asked for"})
	}
	return f, f.fit()
}

// lowest returns the lowest accuracy that is drawn: the lines have room to twice the drop at which
// they meet the limits, unless that is too deep.
func (x *Design) lowest() float64 {
	top, depth := 0., leastDepth
	for _, p := range x.Points {
		top = max(top, nanTo(targetAccuracy(p), 0))
	}
	for _, l := range x.drawn() {
		if l.best == nil || l.Method.Peer() {
			continue
		}
		if drop := top - targetAccuracy(*l.best); drop <= mostDepth {
			depth = max(depth, min(2*drop, mostDepth))
		}
	}
	if x.Released != nil {
		return min(top-depth, nanTo(float64(x.Accuracy), top))
	}
	return top - depth
}

// ringKey is the ring of the chosen release for a legend.
const ringKey = `<svg class="shape" viewBox="-10 -10 20 20" aria-hidden="true"><circle class="ring" r="7"/></svg>`

// envelope returns the points of which none is both safer and as accurate, with less protection
// first. Where it leaves the chart at the bottom, it ends there.
func (f *frontier) envelope(points []design.Point, of func(design.Point) float64) []frontierPoint {
	var all, out []frontierPoint
	for _, p := range points {
		about := fmt.Sprintf("%s, σ = %s: accuracy %s", pointName(p), number(p.Sigma), percent(targetAccuracy(p)))
		if q := (frontierPoint{of(p), targetAccuracy(p), about}); f.inside(q.x) && !math.IsNaN(q.y) {
			all = append(all, q)
		}
	}
	slices.SortStableFunc(all, func(a, b frontierPoint) int {
		return cmp.Or(cmp.Compare(f.axis.at(b.x), f.axis.at(a.x)), cmp.Compare(b.y, a.y))
	})
	for _, p := range all { // the safest first
		if len(out) == 0 || p.y > out[len(out)-1].y {
			out = append(out, p)
		}
	}
	slices.Reverse(out)
	for i := 1; i < len(out); i++ {
		if out[i].y < f.least && out[i-1].y >= f.least {
			a, b := out[i-1], out[i]
			return append(out[:i:i], frontierPoint{x: f.axis.between(a.x, b.x, (a.y-f.least)/(a.y-b.y)), y: f.least})
		}
	}
	return out
}

// between returns the value at a share of the way between two, on the axis.
func (a frontierAxis) between(x0, x1, share float64) float64 {
	if a.log {
		return math.Exp(math.Log(x0) + share*math.Log(x1/x0))
	}
	return x0 + share*(x1-x0)
}
