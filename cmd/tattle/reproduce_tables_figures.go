package main

import (
	"math"

	"tattle/curious"
	"tattle/report"
	"tattle/tables"
)

// figures draws what figures 7, 8 and 9 show.
func (g *grid) figures(r *report.Report) {
	for _, t := range g.x.Trainings {
		for _, name := range measuresOf(t) {
			all := g.measures(t, name)
			if len(all) == 0 {
				continue
			}
			switch g.x.Name {
			case "figure7":
				r.ROC = append(r.ROC, seriesROC(t, name, all[0].Evaluation)...)
			case "figure8":
				r.Entropy = append(r.Entropy, seriesEntropy(t, name, all))
			case "figure9":
				r.Pruning = append(r.Pruning, seriesPruning(t, name, all))
			}
		}
	}
}

// measures are those of all seeds that have them.
func (g *grid) measures(t tables.Training, name string) (all []*cellMeasure) {
	for _, r := range g.results[t.Key] {
		if m := r.Measures[name]; m != nil {
			all = append(all, m)
		}
	}
	return all
}

// seriesROC are the ROC curves of one seed.
func seriesROC(t tables.Training, name string, e *curious.Evaluation) []report.ROC {
	series := seriesName(t, name, t.Sensitive[0])
	out := []report.ROC{rocOf(series, report.OfHonesty, e.Target, e.ROC)}
	for _, s := range e.Sensitive {
		out = append(out, rocOf(series, report.OfCuriosity, s.Attribute, s.ROC))
	}
	return out
}

// seriesEntropy counts the test examples of all seeds together.
func seriesEntropy(t tables.Training, name string, all []*cellMeasure) report.Entropy {
	first := all[0].Evaluation
	out := report.Entropy{
		Run: seriesName(t, name, t.Sensitive[0]), Max: report.Number(math.Log2(float64(len(first.Classes)))),
		Edges: first.Entropy.Edges, Counts: make([]int, len(first.Entropy.Counts)),
	}
	var means []float64
	for _, m := range all {
		means = append(means, m.Evaluation.Entropy.MeanBits)
		for i, n := range m.Evaluation.Entropy.Counts {
			out.Counts[i] += n
		}
	}
	out.Mean, _ = figureOf(means)
	if len(all) == 1 {
		out.Interval = report.Between(first.Entropy.Interval)
	}
	return out
}

// seriesPruning has the means over the seeds.
func seriesPruning(t tables.Training, name string, all []*cellMeasure) report.Pruning {
	first := all[0].Evaluation
	out := report.Pruning{
		Run: seriesName(t, name, t.Sensitive[0]), Honesty: report.Number(float64(majority(first.Confusion)) / float64(first.Examples)),
		Baseline: report.Number(first.Sensitive[0].BaselineValue),
	}
	for i, p := range all[0].Pruned {
		var honesty, curiosity []float64
		for _, m := range all {
			honesty = append(honesty, m.Pruned[i].Honesty.Value)
			curiosity = append(curiosity, m.Pruned[i].Curiosity[0].Value)
		}
		x := report.PruningPoint{Fraction: report.Number(p.Fraction)}
		x.Honesty, _ = figureOf(honesty)
		x.Curiosity, _ = figureOf(curiosity)
		if len(all) == 1 {
			x.HonestyInterval, x.CuriosityInterval = report.Between(p.Honesty.Interval), report.Between(p.Curiosity[0].Interval)
		}
		out.Points = append(out.Points, x)
	}
	return out
}
