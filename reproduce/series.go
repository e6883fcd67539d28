package reproduce

import (
	"slices"
	"strings"

	"tattle/classify"
	"tattle/curious"
	"tattle/internal/report"
)

// draw adds the plane of all runs, and what figures 7, 8 and 9 show.
func (res *results) draw(r *report.Report) {
	var runs []curious.Run
	for _, t := range res.Trainings {
		for _, name := range measuresOf(t) {
			all := res.measures(t, name)
			if len(all) == 0 {
				continue
			}
			for i, s := range t.Sensitive {
				runs = append(runs, runOf(t, name, s, i, all))
			}
			switch res.Name {
			case "figure7":
				all[0].Evaluation.ReportROC(r, seriesName(t, name))
			case "figure8":
				reportEntropy(r, seriesName(t, name), all)
			}
		}
	}
	if len(res.Trainings) == 0 {
		return
	}
	curious.ReportRuns(r, runs)
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
	var before Cell
	for _, c := range res.Tables[0].Cells {
		same := c.Training == before.Training && c.Measure == before.Measure && slices.Equal(c.Row, before.Row)
		before = c
		t := *res.Training(c.Training)
		all := res.measures(t, c.Measure)
		if same || len(all) == 0 {
			continue
		}
		x := prunedRun(all)
		x.Chart, x.Name = c.Row[0], seriesName(t, c.Measure)
		x.Report(r)
	}
}

// measures are those of all seeds that have them.
func (res *results) measures(t Training, name string) (all []*Measure) {
	for _, r := range res.Trained[t.Key] {
		if m := r.Measures[name]; m != nil {
			all = append(all, m)
		}
	}
	return all
}

// reportEntropy counts the test examples of all seeds together.
func reportEntropy(r *report.Report, name string, all []*Measure) {
	sum := all[0].Evaluation.Entropy
	sum.Counts, sum.Examples = make([]int, len(sum.Counts)), 0
	for _, m := range all {
		sum.Examples += m.Evaluation.Entropy.Examples
		for i, n := range m.Evaluation.Entropy.Counts {
			sum.Counts[i] += n
		}
	}
	sum.MeanBits = meanOf(all, func(m *Measure) float64 { return m.Evaluation.Entropy.MeanBits })
	if len(all) > 1 {
		sum.Interval = [2]float64{}
	}
	curious.ReportEntropy(r, name, sum, len(all[0].Evaluation.Classes))
}

// meanOf is the mean of a figure over seeds.
func meanOf(all []*Measure, of func(*Measure) float64) float64 {
	values := make([]float64, len(all))
	for i, m := range all {
		values[i] = of(m)
	}
	return overSeeds(values).Mean
}

// prunedRun has the means over the seeds, and the intervals if there is one seed.
func prunedRun(all []*Measure) *curious.PrunedRun {
	first := all[0].Evaluation
	x := &curious.PrunedRun{Chance: float64(first.Majority()) / float64(first.Examples), Baseline: first.Sensitive[0].BaselineValue}
	for i, p := range all[0].Pruned {
		x.Points = append(x.Points, curious.PrunedPoint{
			Fraction:  p.Fraction,
			Honesty:   proportion(all, func(m *Measure) classify.Proportion { return m.Pruned[i].Honesty }),
			Curiosity: proportion(all, func(m *Measure) classify.Proportion { return m.Pruned[i].Curiosity[0] }),
		})
	}
	return x
}

// proportion is the mean over the seeds, or the proportion of one seed with its interval.
func proportion(all []*Measure, of func(*Measure) classify.Proportion) report.Value {
	if p := of(all[0]); len(all) == 1 {
		return report.Within(p.Value, p.Interval[0], p.Interval[1], report.Share, classify.Confidence)
	}
	return report.Exactly(meanOf(all, func(m *Measure) float64 { return of(m).Value }), report.Share)
}

// runOf is the point of the plane for one measure of a training and its i-th sensitive attribute: of one seed, or
// means over the seeds, whose attack shows an excess if that is more than two standard deviations of the curiosity.
func runOf(t Training, name, sensitive string, i int, all []*Measure) curious.Run {
	outputs := string(t.Outputs[0])
	kind := string(t.Kind) + ", " + outputs
	if t.Kind == curious.Standard {
		kind = string(curious.Overlearning) + ", " + name
	}
	of := func(m *Measure) *curious.Curiosity { return &m.Evaluation.Sensitive[i] }
	x := curious.Run{
		Plane: t.Target + " / " + sensitive, Kind: kind, Name: seriesName(t, name), Examples: all[0].Evaluation.Examples,
		Honesty:   proportion(all, func(m *Measure) classify.Proportion { return m.Evaluation.Honesty }),
		Curiosity: proportion(all, func(m *Measure) classify.Proportion { return of(m).Curiosity }),
		Baseline:  report.Exactly(meanOf(all, func(m *Measure) float64 { return of(m).BaselineValue }), report.Share),
		Excess:    report.Exactly(meanOf(all, func(m *Measure) float64 { return of(m).Excess }), report.Points),
		Entropy:   meanOf(all, func(m *Measure) float64 { return m.Evaluation.Entropy.MeanBits }),
	}
	if len(all) > 1 {
		var curiosities []float64
		for _, m := range all {
			curiosities = append(curiosities, of(m).Curiosity.Value)
		}
		x.Shown = x.Excess.X > 2*overSeeds(curiosities).Std
		return x
	}
	s := of(all[0])
	p := s.PValueHolm
	x.P, x.Shown = &p, s.Shown()
	x.Excess.Low, x.Excess.High, x.Excess.Confidence = s.ExcessInterval[0], s.ExcessInterval[1], classify.Confidence
	return x
}

// measuresOf names the measures of a training in order.
func measuresOf(t Training) []string {
	var names []string
	for _, o := range t.Outputs {
		names = append(names, string(o))
	}
	if t.Distill {
		names = append(names, Student)
	}
	return names
}

// seriesName is short: the plane says the attributes.
func seriesName(t Training, measure string) string {
	words := []string{string(t.Kind), string(t.Outputs[0]), "β " + t.Beta.String()}
	if t.Kind == curious.Standard {
		words = []string{"overlearning", measure, "β " + t.Beta.String()}
	}
	if t.Widths != [5]int{} {
		words = append(words, widths(t.Widths, "-"))
	}
	if t.Distill && measure == Student {
		words = append(words, "student")
	} else if t.Distill {
		words = append(words, "teacher")
	}
	return strings.Join(words, ", ")
}
