package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tattle/curious"
	"tattle/report"
	"tattle/stat"
	"tattle/tables"
)

// report sets what the cells came to beside the paper's figures.
func (g *grid) report(e *env) (*report.Report, error) {
	title := g.x.Title
	if g.Quick {
		title += " (quick)"
	}
	r := newReport(e, title, g.Seed)
	for k, v := range g.settings() {
		r.Settings[k] = v
	}
	r.Settings["seeds"] = fmt.Sprint(len(g.seeds))
	r.Data = describe(g.parts.Test, g.path, "test")
	r.Data.SHA256 = digestOf(g.parts)
	for _, t := range g.x.Tables {
		r.Tables = append(r.Tables, g.table(t))
	}
	r.Tables[0].Notes = append(r.Tables[0].Notes, g.notes...)
	for _, t := range g.x.Trainings {
		r.Runs = append(r.Runs, g.runs(t)...)
	}
	g.figures(r)
	g.warn(r)
	return r, nil
}

// warn says what keeps the figures from being the paper's, and the verdict.
func (g *grid) warn(r *report.Report) {
	if s := g.reduced(); s != "" {
		r.Warnings = append(r.Warnings, "Not the paper's procedure ("+s+"): the figures do not compare with the published ones.")
	}
	ran, failed := 0, 0
	for _, t := range g.x.Trainings {
		for _, c := range g.results[t.Key] {
			if c.Failed != "" {
				failed++
				r.Warnings = append(r.Warnings, fmt.Sprintf("%s, seed %s failed: %s", t.Key, c.Settings["seed"], c.Failed))
			}
		}
		if len(g.results[t.Key]) > 0 {
			ran++
		}
	}
	if ran < len(g.x.Trainings) {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%d of %d trainings have run (--only); the cells of the others are empty.", ran, len(g.x.Trainings)))
	}
	r.Verdict = "reproduced"
	if ran < len(g.x.Trainings) || failed > 0 {
		r.Verdict = "reproduced in part"
	}
	if g.reduced() != "" {
		r.Verdict += ", by a reduced procedure"
	}
}

// differenceSaid says how the last figure of a cell is made.
const differenceSaid = "σ is ours less published over √(standard deviation of ours² + of the published² + p(1−p)/n), " +
	"p the mean of the two accuracies and n the test examples; of entropies without the last term."

// table fills in one table.
func (g *grid) table(t tables.Table) report.Table {
	out := report.Table{
		Name: t.Name, Title: t.Title, Caption: t.Caption, Reduced: g.reduced(), Heads: t.Heads,
		Notes: append(slices.Clone(t.Notes), tables.SettingSaid, differenceSaid),
	}
	columns := columnsOf(t)
	for _, c := range columns {
		out.Columns = append(out.Columns, report.TableColumn{Group: c.Column, Name: c.Quantity.Head(), Unit: string(c.Quantity.Unit())})
	}
	for _, c := range t.Cells {
		i := slices.IndexFunc(out.Rows, func(r report.TableRow) bool { return slices.Equal(r.Labels, c.Row) })
		if i < 0 {
			i = len(out.Rows)
			out.Rows = append(out.Rows, report.TableRow{Labels: c.Row, Cells: blanks(len(columns))})
		}
		j := slices.IndexFunc(columns, func(k tables.Cell) bool { return k.Column == c.Column && k.Quantity == c.Quantity })
		out.Rows[i].Cells[j] = g.tableCell(c)
	}
	return out
}

// columnsOf has one cell of each column, group by group.
func columnsOf(t tables.Table) []tables.Cell {
	var groups []string
	var columns []tables.Cell
	for _, c := range t.Cells {
		if !slices.Contains(groups, c.Column) {
			groups = append(groups, c.Column)
		}
		if !slices.ContainsFunc(columns, func(k tables.Cell) bool { return k.Column == c.Column && k.Quantity == c.Quantity }) {
			columns = append(columns, c)
		}
	}
	slices.SortStableFunc(columns, func(a, b tables.Cell) int {
		if a.Column != b.Column {
			return slices.Index(groups, a.Column) - slices.Index(groups, b.Column)
		}
		if a.Quantity.Before(b.Quantity) {
			return -1
		}
		return 1
	})
	return columns
}

func blanks(n int) []report.TableCell {
	return slices.Repeat([]report.TableCell{{Blank: true}}, n)
}

// tableCell sets the mean over the seeds beside the published figure.
func (g *grid) tableCell(c tables.Cell) report.TableCell {
	out := report.TableCell{Published: publishedFigure(c.Published)}
	var values []float64
	for _, r := range g.results[c.Training] {
		if v, ok := g.value(c, r); ok {
			values = append(values, v)
		}
	}
	switch {
	case len(g.results[c.Training]) == 0:
		out.Note = "left out by --only"
	case len(values) == 0:
		out.Note = "failed with every seed; the warnings say why"
	case len(values) < len(g.seeds):
		out.Note = fmt.Sprintf("of %d of %d seeds", len(values), len(g.seeds))
	}
	if len(values) == 0 {
		return out
	}
	ours := overSeeds(values)
	out.Ours = &report.Figure{Mean: report.Number(ours.Mean), Std: report.Number(ours.Std), Seeds: ours.Seeds}
	if d, ok := deviations(c, ours, g.parts.Test.Len()); ok {
		n := report.Number(d)
		out.Difference = &n
	}
	return out
}

// publishedFigure is a printed figure; a deviation that is not printed is not known.
func publishedFigure(p tables.Published) *report.Figure {
	f := &report.Figure{Mean: report.Number(p.Mean), Std: report.Number(p.Std)}
	if !p.Known {
		f.Std = report.Number(math.NaN())
	}
	return f
}

// overSeeds is that of figures over seeds; the deviation of one is 0.
func overSeeds(values []float64) curious.MeanStd {
	m := curious.MeanStd{Mean: values[0], Seeds: len(values)}
	if len(values) > 1 {
		m.Mean, m.Std = stat.MeanStd(values)
	}
	return m
}

// deviations is the difference from the published figure in standard deviations,
// where the paper prints one.
func deviations(c tables.Cell, ours curious.MeanStd, examples int) (float64, bool) {
	if !c.Published.Known {
		return 0, false
	}
	if c.Quantity == tables.Entropy {
		examples = 0
	}
	return curious.SummaryDifference(ours, c.Published.Mean, c.Published.Std, examples)
}

// value is the figure of a cell by one seed; not ok where that failed.
func (g *grid) value(c tables.Cell, r *cellResult) (float64, bool) {
	if counts := r.Counts[c.Sensitive]; counts != nil {
		if v, ok := shareOf(c.Quantity, counts); ok {
			return v, true
		}
	}
	m := r.Measures[c.Measure]
	if m == nil {
		return 0, false
	}
	switch c.Quantity {
	case tables.Honesty:
		return m.Evaluation.Honesty.Value, true
	case tables.Entropy:
		return m.Evaluation.Entropy.MeanBits, true
	case tables.HonestyAUC:
		return area(m.Evaluation.ROC)
	}
	i := slices.Index(g.x.Training(c.Training).Sensitive, c.Sensitive)
	if i < 0 || i >= len(m.Evaluation.Sensitive) {
		return 0, false
	}
	s := m.Evaluation.Sensitive[i]
	if c.Quantity == tables.CuriosityAUC {
		return area(s.ROC)
	}
	return s.Curiosity.Value, c.Quantity == tables.Curiosity
}

// area is that under the first curve: of two classes there is one.
func area(roc []curious.ROC) (float64, bool) {
	if len(roc) == 0 {
		return 0, false
	}
	return roc[0].Area, true
}

// shareOf reads what Table 1 (A) prints of the labels from their counts [s][y].
func shareOf(q tables.Quantity, counts [][]int) (float64, bool) {
	if q == tables.Information {
		return stat.MutualInformation(counts, curious.Confidence).PlugIn, true
	}
	total := 0
	for _, row := range counts {
		for _, n := range row {
			total += n
		}
	}
	at, ok := map[tables.Quantity][2]int{tables.Share00: {0, 0}, tables.Share01: {0, 1}, tables.Share10: {1, 0}, tables.Share11: {1, 1}}[q]
	if !ok || total == 0 || len(counts) != 2 || len(counts[0]) != 2 {
		return 0, false
	}
	return float64(counts[at[0]][at[1]]) / float64(total), true
}

// runs are the points of the plane that a training makes, means over its seeds: one
// for each of its measures and sensitive attributes.
func (g *grid) runs(t tables.Training) []report.Run {
	var out []report.Run
	for _, name := range measuresOf(t) {
		for i, s := range t.Sensitive {
			x := report.Run{
				Name: seriesName(t, name, s), Panel: t.Target + " / " + s, Attack: string(t.Kind), Outputs: string(t.Outputs[0]),
				Beta:   betaOf(t.Beta),
				Target: t.Target, Sensitive: s, Seed: g.Seed,
			}
			if t.Kind == curious.Standard {
				x.Attack, x.Outputs = string(curious.Overlearning), name
			}
			g.fillRun(&x, t, name, i)
			out = append(out, x)
		}
	}
	return out
}

// measuresOf names the measures of a training in order.
func measuresOf(t tables.Training) []string {
	var names []string
	for _, o := range t.Outputs {
		names = append(names, string(o))
	}
	if t.Distill {
		names = append(names, tables.Student)
	}
	return names
}

// seriesName is short: the plane says the attributes.
func seriesName(t tables.Training, measure, sensitive string) string {
	words := []string{string(t.Kind), string(t.Outputs[0]), "β " + t.Beta.String()}
	if t.Kind == curious.Standard {
		words = []string{"overlearning", measure, "β " + t.Beta.String()}
	}
	if t.Widths != [5]int{} {
		words = append(words, widthsText(t.Widths))
	}
	if t.Distill && measure == tables.Student {
		words = append(words, "student")
	} else if t.Distill {
		words = append(words, "teacher")
	}
	return t.Target + " / " + sensitive + ": " + strings.Join(words, ", ")
}

// fillRun puts in the figures of one measure and the i-th sensitive attribute, means
// over the seeds.
func (g *grid) fillRun(x *report.Run, t tables.Training, name string, i int) {
	var honesty, curiosity, baseline, excess, entropy []float64
	var last *curious.Evaluation
	for _, r := range g.results[t.Key] {
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
	x.BaselineKind = baselineOf(s.Baseline)
	if x.Seeds == 1 {
		p := s.PValue
		x.PValue = &p
		x.HonestyInterval, x.CuriosityInterval = report.Between(last.Honesty.Interval), report.Between(s.Curiosity.Interval)
		x.ExcessInterval = report.Between(s.ExcessInterval)
	}
}

func figureOf(values []float64) (mean, std report.Number) {
	m := overSeeds(values)
	return report.Number(m.Mean), report.Number(m.Std)
}
