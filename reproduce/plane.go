package reproduce

import (
	"context"

	"tattle/curious"
	"tattle/dataset"
	"tattle/report"
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
	r.Plane = &report.Plane{Title: "The plane of Figure 2", Examples: p.Test.Len(), Sum: planeSum}
	for _, q := range points {
		r.Plane.TradeOff = append(r.Plane.TradeOff, report.TradeOffPoint{
			BetaS: report.Number(q.BetaS), Honesty: report.Number(q.Honesty), Curiosity: report.Number(q.Curiosity),
		})
	}
	r.Outcome = report.Done
	return nil
}

// mixtures makes Figure 4.
func (x *Experiment) mixtures(ctx context.Context, p *dataset.Parts, r *report.Report) error {
	f, err := curious.MixPlane(ctx, p, 0)
	if err != nil {
		return err
	}
	r.Plane = &report.Plane{Title: "What is released on the plane of Figure 2", Examples: p.Test.Len(), Mixtures: []report.Mixture{
		mixtureBars("hard mixture", f.Hard, nil),
		mixtureBars("normal mixture", f.Normal, []float64{f.Tau, .5, 1 - f.Tau}),
	}}
	res := &results{Experiment: x}
	for _, t := range x.Tables {
		table := res.table(t)
		for i, m := range []curious.MixtureFigure{f.Hard, f.Normal} {
			fillMixture(table.Rows[i].Cells, m)
		}
		table.Notes = t.Notes // nothing is trained, and no deviations are printed
		r.Tables = append(r.Tables, table)
	}
	r.Outcome = report.Done
	return nil
}

// fillMixture fills the row of a mixture: honesty and curiosity.
func fillMixture(cells []report.TableCell, m curious.MixtureFigure) {
	for i, v := range []float64{m.Honesty, m.Curiosity} {
		cells[i].Note, cells[i].Ours = "", ourFigure(curious.MeanStd{Mean: v, Seeds: 1})
	}
}

func mixtureBars(title string, m curious.MixtureFigure, marks []float64) report.Mixture {
	out := report.Mixture{Title: title, Honesty: report.Number(m.Honesty), Curiosity: report.Number(m.Curiosity), Marks: marks}
	bins := len(m.Counts[0][0])
	for i := range bins + 1 {
		out.Edges = append(out.Edges, float64(i)/float64(bins))
	}
	for y := range 2 {
		for s := range 2 {
			out.Groups = append(out.Groups, report.MixtureBars{Y: y, S: s, Counts: m.Counts[y][s]})
		}
	}
	return out
}
