package paper

import (
	"tattle/internal/report"
	"tattle/internal/reveal/curious"
	"tattle/internal/reveal/curious/training"
)

// draw adds the plane of all runs, and what figures 7, 8 and 9 show.
func (res *results) draw(r *report.Report) {
	var runs []curious.Run
	for _, t := range res.Trainings {
		for _, name := range t.measures() {
			all := res.measures(t, name)
			if len(all) == 0 {
				continue
			}
			runs = append(runs, runsOf(t, name, all)...)
			switch res.Name {
			case "figure7":
				all[0].Evaluation.ReportROC(r, t.series(name))
			case "figure8":
				reportEntropy(r, t.series(name), all)
			}
		}
	}
	if len(res.Trainings) == 0 {
		return
	}
	curious.ReportRuns(r, runs)
	res.gaps(r)
	res.largest(r, runs)
	if res.Name == "figure9" {
		res.drawPruned(r)
	}
}

// largest names the run whose attack has the largest excess.
func (res *results) largest(r *report.Report, runs []curious.Run) {
	n := report.Many(len(runs), "run")
	best := -1
	for i, x := range runs {
		if x.Shown && (best < 0 || x.Excess.X > runs[best].Excess.X) {
			best = i
		}
	}
	switch {
	case len(runs) == 0:
		r.Find("runs.empty", "", report.Many(len(res.Trainings), "training"))
		return
	case best < 0:
		r.Find("runs.none", "", n)
	default:
		r.Find("runs.largest", "", n, runs[best].Plane+": "+runs[best].Name)
	}
	r.Find("no_safety", "")
}

// drawPruned draws the curves of figure 9 panel by panel, in the table's order: the
// standard net of a βx stands in two of them.
func (res *results) drawPruned(r *report.Report) {
	for _, l := range res.Tables[0].Lines {
		t := *res.Training(l.Training)
		all := res.measures(t, l.measure())
		if len(all) == 0 {
			continue
		}
		x := prunedRun(all)
		x.Chart, x.Name = l.Group, t.series(l.measure())
		x.Report(r)
	}
}

// measures are those of all seeds that have them.
func (res *results) measures(t Training, name string) (all []*training.Measure) {
	for _, r := range res.Trained[t.Key] {
		if m := r.Of(name); m != nil {
			all = append(all, m)
		}
	}
	return all
}

// reportEntropy counts the test examples of all seeds together.
func reportEntropy(r *report.Report, name string, all []*training.Measure) {
	sum := all[0].Evaluation.Entropy
	sum.Counts, sum.Examples = make([]int, len(sum.Counts)), 0
	for _, m := range all {
		sum.Examples += m.Evaluation.Entropy.Examples
		for i, n := range m.Evaluation.Entropy.Counts {
			sum.Counts[i] += n
		}
	}
	sum.MeanBits = meanOf(all, func(m *training.Measure) float64 { return m.Evaluation.Entropy.MeanBits })
	if len(all) > 1 {
		sum.Interval = [2]float64{}
	}
	curious.ReportEntropy(r, name, sum, len(all[0].Evaluation.Classes))
}

// meanOf is the mean of a figure over seeds.
func meanOf(all []*training.Measure, of func(*training.Measure) float64) float64 {
	values := make([]float64, len(all))
	for i, m := range all {
		values[i] = of(m)
	}
	return overSeeds(values).Mean
}

// prunedRun has the means over the seeds, and the intervals if there is one seed.
func prunedRun(all []*training.Measure) curious.PrunedRun {
	x := all[0].Evaluation.PrunedRuns(all[0].Pruned)[0]
	if len(all) > 1 {
		for i := range x.Points {
			x.Points[i].Honesty = share(all, func(m *training.Measure) float64 { return m.Pruned[i].Honesty.Value })
			x.Points[i].Curiosity = share(all, func(m *training.Measure) float64 { return m.Pruned[i].Curiosity[0].Value })
		}
	}
	return x
}

// share is a mean over the seeds.
func share(all []*training.Measure, of func(*training.Measure) float64) report.Value {
	return report.Exactly(meanOf(all, of), report.Share)
}

// runsOf are the points of the plane for one measure of a training, one for each sensitive attribute: of one seed, or
// means over the seeds, whose attack shows an excess if that is more than two standard deviations of the curiosity.
func runsOf(t Training, name string, all []*training.Measure) []curious.Run {
	kind := string(t.Kind) + ", " + string(t.Outputs[0])
	if t.Kind == curious.Standard {
		kind = string(curious.Overlearning) + ", " + name
	}
	runs := all[0].Evaluation.Runs(kind, t.series(name))
	for i := range runs {
		x := &runs[i]
		x.Plane = t.Target + " / " + t.Sensitive[i]
		if len(all) == 1 {
			continue
		}
		of := func(m *training.Measure) *curious.Curiosity { return &m.Evaluation.Sensitive[i] }
		var curiosities []float64
		for _, m := range all {
			curiosities = append(curiosities, of(m).Curiosity.Value)
		}
		x.Honesty = share(all, func(m *training.Measure) float64 { return m.Evaluation.Honesty.Value })
		x.Curiosity = report.Exactly(overSeeds(curiosities).Mean, report.Share)
		x.Baseline = share(all, func(m *training.Measure) float64 { return of(m).BaselineValue })
		x.Excess = report.Exactly(meanOf(all, func(m *training.Measure) float64 { return of(m).Excess }), report.Points)
		x.Entropy = meanOf(all, func(m *training.Measure) float64 { return m.Evaluation.Entropy.MeanBits })
		x.P, x.Shown = nil, x.Excess.X > 2*overSeeds(curiosities).Std
	}
	return runs
}
