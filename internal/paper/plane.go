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
	return convex(ctx, p, r)
}

// convex traces what linear classifiers reach (B section 3.1).
func convex(ctx context.Context, p *dataset.Parts, r *report.Report) error {
	points, err := curious.TradeOff(ctx, p, 0)
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

// mixtures makes Figure 4.
func (x *Experiment) mixtures(ctx context.Context, p *dataset.Parts, r *report.Report) error {
	f, err := curious.MixPlane(ctx, p, 0)
	if err != nil {
		return err
	}
	res := &results{Experiment: x, Wanted: Seeds, Given: map[string]float64{}}
	for _, m := range []struct {
		name string
		of   curious.MixtureFigure
	}{{"hard mixture", f.Hard}, {"normal mixture", f.Normal}} {
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
