package reproduce

import (
	"math"
	"slices"
	"strings"

	"tattle/curious"
	"tattle/report"
)

// draw adds what figures 7, 8 and 9 show.
func (res *results) draw(r *report.Report) {
	for _, t := range res.Trainings {
		for _, name := range measuresOf(t) {
			all := res.measures(t, name)
			if len(all) == 0 {
				continue
			}
			switch res.Name {
			case "figure7":
				r.ROC = append(r.ROC, report.ROCsOf(seriesName(t, name, t.Sensitive[0]), all[0].Evaluation)...)
			case "figure8":
				r.Entropy = append(r.Entropy, seriesEntropy(t, name, all))
			}
		}
	}
	if res.Name == "figure9" {
		res.drawPruned(r)
	}
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
		x := seriesPruning(t, c.Measure, all)
		x.Panel = c.Row[0]
		r.Pruning = append(r.Pruning, x)
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

// seriesEntropy counts the test examples of all seeds together.
func seriesEntropy(t Training, name string, all []*Measure) report.Entropy {
	first := all[0].Evaluation
	out := report.Entropy{Run: seriesName(t, name, t.Sensitive[0]), Max: math.Log2(float64(len(first.Classes)))}
	out.Edges, out.Counts = first.Entropy.Edges, make([]int, len(first.Entropy.Counts))
	var means []float64
	for _, m := range all {
		means = append(means, m.Evaluation.Entropy.MeanBits)
		out.Examples += m.Evaluation.Entropy.Examples
		for i, n := range m.Evaluation.Entropy.Counts {
			out.Counts[i] += n
		}
	}
	out.MeanBits = overSeeds(means).Mean
	if len(all) == 1 {
		out.Interval = first.Entropy.Interval
	}
	return out
}

// seriesPruning has the means over the seeds.
func seriesPruning(t Training, name string, all []*Measure) report.Pruning {
	first := all[0].Evaluation
	out := report.Pruning{
		Run: seriesName(t, name, t.Sensitive[0]), Honesty: report.Number(float64(first.Majority()) / float64(first.Examples)),
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

// runs are the points of the plane that a training makes, means over its seeds: one
// for each of its measures and sensitive attributes.
func (res *results) runs(t Training) []report.Run {
	var out []report.Run
	for _, name := range measuresOf(t) {
		for i, s := range t.Sensitive {
			x := report.Run{
				Name: seriesName(t, name, s), Panel: t.Target + " / " + s, Attack: string(t.Kind), Outputs: string(t.Outputs[0]),
				Beta:   t.Beta,
				Target: t.Target, Sensitive: s, Seed: res.Seed,
			}
			if t.Kind == curious.Standard {
				x.Attack, x.Outputs = string(curious.Overlearning), name
			}
			res.fillRun(&x, t, name, i)
			out = append(out, x)
		}
	}
	return out
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
func seriesName(t Training, measure, sensitive string) string {
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
	return t.Target + " / " + sensitive + ": " + strings.Join(words, ", ")
}

// fillRun puts in the figures of one measure and the i-th sensitive attribute, means
// over the seeds.
func (res *results) fillRun(x *report.Run, t Training, name string, i int) {
	var honesty, curiosity, baseline, excess, entropy []float64
	var last *curious.Evaluation
	for _, r := range res.Trained[t.Key] {
		m := r.Measures[name]
		if m == nil {
			x.Failed = r.Failed
			continue
		}
		last = m.Evaluation
		s := last.Sensitive[i]
		honesty, curiosity = append(honesty, last.Honesty.Value), append(curiosity, s.Curiosity.Value)
		baseline, excess = append(baseline, s.BaselineValue), append(excess, s.Excess)
		entropy = append(entropy, last.Entropy.MeanBits)
	}
	if last == nil {
		if x.Failed == "" {
			x.Failed = "left out by --only"
		}
		return
	}
	s := last.Sensitive[i]
	x.Failed = ""
	x.Seeds = len(honesty)
	x.TargetClasses, x.SensitiveClasses = len(last.Classes), len(s.Classes)
	x.Honesty, x.HonestyStd = figureOf(honesty)
	x.Curiosity, x.CuriosityStd = figureOf(curiosity)
	x.Baseline, _ = figureOf(baseline)
	x.Excess, _ = figureOf(excess)
	x.EntropyBits, _ = figureOf(entropy)
	x.BaselineKind = s.Baseline
	if x.Seeds == 1 {
		p := s.PValueHolm
		x.PValue = &p
		x.HonestyInterval, x.CuriosityInterval = report.Between(last.Honesty.Interval), report.Between(s.Curiosity.Interval)
		x.ExcessInterval = report.Between(s.ExcessInterval)
	}
}

func figureOf(values []float64) (mean, std report.Number) {
	m := overSeeds(values)
	return report.Number(m.Mean), report.Number(m.Std)
}
