package paper

import (
	"context"
	"fmt"
	"math"

	"tattle/internal/data/dataset"
	"tattle/internal/math/stat"
	"tattle/internal/report"
	"tattle/internal/reveal/curious"
)

// mixtures is the name of paper B's Figure 4: figure4 is paper A's.
const mixtures = "mixtures"

// planeSum is δy + δs of every linear classifier of the plane (B section 3.1).
const planeSum = 1.5

// OnPlane computes an experiment whose data are the plane of B's Figure 2, and adds what
// it shows to a report: how linear classifiers trade honesty for curiosity (B section
// 3.1), or the mixtures of Figure 4.
func (x *Experiment) OnPlane(ctx context.Context, p *dataset.Parts, r *report.Report) error {
	if x.Name == mixtures {
		return x.mixtures(ctx, p, r)
	}
	if err := convex(ctx, p, r); err != nil {
		return err
	}
	return neighbourhoods(ctx, p, r)
}

// convex traces what linear classifiers reach (B section 3.1).
func convex(ctx context.Context, p *dataset.Parts, r *report.Report) error {
	points, err := curious.TradeOff(ctx, p)
	if err != nil {
		return err
	}
	r.Layout = report.Tables
	r.Find("convex", "")
	low, high := math.Inf(1), math.Inf(-1)
	line := report.Series{ID: "trade", Name: "linear classifiers"}
	for _, q := range points {
		name, sum := fmt.Sprintf("%.3g", q.BetaS), q.Honesty+q.Curiosity
		low, high = min(low, sum), max(high, sum)
		line.X, line.Y = append(line.X, q.Honesty), append(line.Y, q.Curiosity)
		for _, c := range []struct {
			id string
			x  float64
		}{{"trade.honesty", q.Honesty}, {"trade.curiosity", q.Curiosity}, {"trade.sum", sum}} {
			r.Add(report.Claim{ID: c.id, Subject: name, Kind: report.Measured, Value: report.Exactly(c.x, report.Share), N: p.Test.Len(), Source: report.Searched})
		}
	}
	r.Add(report.Claim{ID: "sum", Kind: report.Measured, Value: report.Within(math.NaN(), low, high, report.Number, 0), N: p.Test.Len(), Source: report.Searched})
	first, last := line.X[len(line.X)-1], line.X[0]
	r.Series = append(r.Series, line, report.Series{ID: "trade", Name: "δy + δs = 1.5", X: []float64{first, last}, Y: []float64{planeSum - first, planeSum - last}})
	return nil
}

// neighbourhoodSteps are the numbers of steps of gradient descent that are reported.
var neighbourhoodSteps = []int{1, 2, 5, 10, 20}

// neighbourhoods follows gradient descent away from the optimum for y (B appendix A.2), with the weights of B's tables.
func neighbourhoods(ctx context.Context, p *dataset.Parts, r *report.Report) error {
	last := neighbourhoodSteps[len(neighbourhoodSteps)-1]
	all, err := curious.Neighbourhoods(ctx, p.Train, []float64{0, .3, .5, .7}, last)
	if err != nil {
		return err
	}
	add := func(id, subject, group string, x report.Value) {
		r.Add(report.Claim{ID: "neighbourhood." + id, Subject: subject, Group: group, Kind: report.Measured, Value: x, N: p.Train.Len(), Source: report.Searched})
	}
	held := 0
	for _, n := range all {
		name := fmt.Sprintf("%.3g", n.BetaS)
		for _, k := range neighbourhoodSteps {
			add("distance", name, report.Many(k, "step"), report.Exactly(n.Distance[k], report.Number))
			add("bound", name, report.Many(k, "step"), report.AtMost(n.Bound[k], report.Number))
		}
		add("distance", name, "in the limit", report.Exactly(n.End, report.Number))
		add("bound", name, "in the limit", report.AtMost(n.Limit, report.Number))
		distance, bound := report.Series{ID: "neighbourhood", Name: "βs = " + name}, report.Series{ID: "neighbourhood", Name: "βs = " + name + ", bound"}
		for k, d := range n.Distance {
			if d <= n.Bound[k] && k > 0 {
				held++
			}
			distance.X, distance.Y = append(distance.X, float64(k)), append(distance.Y, d)
			bound.X, bound.Y = append(bound.X, float64(k)), append(bound.Y, n.Bound[k])
		}
		if n.BetaS > 0 { // a chart has six colours
			r.Series = append(r.Series, distance, bound)
		}
	}
	r.Add(count("neighbourhood.held", "", held, last*len(all)))
	r.Find("neighbourhood", "", fmt.Sprint(curious.NeighbourhoodRidge/2))
	return nil
}

// mixtures makes Figure 4.
func (x *Experiment) mixtures(ctx context.Context, p *dataset.Parts, r *report.Report) error {
	hard, normal, err := curious.MixPlane(ctx, p)
	if err != nil {
		return err
	}
	res := &results{Experiment: x, Wanted: Seeds, Given: map[string]float64{}}
	for _, m := range []struct {
		name string
		of   curious.MixtureFigure
	}{{"hard mixture", hard}, {"normal mixture", normal}} {
		res.Given[m.name+" "+string(Honesty)], res.Given[m.name+" "+string(Curiosity)] = m.of.Honesty, m.of.Curiosity
		for y := range 2 {
			for s := range 2 {
				counts := m.of.Counts[y][s]
				r.Series = append(r.Series, curious.Histogram("mixture/"+m.name, fmt.Sprintf("y = %d, s = %d", y, s), stat.Edges(0, 1, len(counts)), counts))
			}
		}
	}
	res.Report(r)
	return nil
}
