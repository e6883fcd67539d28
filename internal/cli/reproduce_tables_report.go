package cli

import (
	"fmt"
	"math"
	"slices"

	"tattle/classify"
	"tattle/curious"
	"tattle/report"
	"tattle/reproduce"
	"tattle/stat"
)

// report sets what the cells came to beside the paper's figures. It has no headline
// (report.Report's Curiosity): no one of many trainings stands for the table.
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
	if g.x.Name == "figure7" && len(g.seeds) > 1 {
		r.Tables[0].Notes = append(r.Tables[0].Notes, "the curves are those of the first seed")
	}
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
	var all []*trained
	for _, t := range g.x.Trainings {
		for _, c := range g.results[t.Key] {
			all = append(all, &c.trained)
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
	if n := len(g.seeds); n < gridSeeds && g.reduced() == "" {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s; the paper's figures are of %d.", report.Count(n, "seed"), gridSeeds))
	}
	r.Warnings = append(r.Warnings, foreign(all)...)
	r.Conclude(report.Done, "every training ran")
	if ran < len(g.x.Trainings) || failed > 0 {
		r.Conclude(report.Unfinished, "the trainings ran in part")
	}
	r.Verdict += g.compared(r.Tables)
}

// compared says in the verdict whether the figures are the paper's.
func (g *grid) compared(all []report.Table) string {
	if g.reduced() != "" {
		return ", by a reduced procedure: the figures do not compare with the paper's"
	}
	compared, near := 0, 0
	for _, t := range all {
		c, n := t.Compared()
		compared, near = compared+c, near+n
	}
	if compared == 0 {
		return ", by the paper's procedure"
	}
	return fmt.Sprintf(", by the paper's procedure: %d of %d figures lie within %d standard deviations of the published ones", near, compared, report.Beyond)
}

// differenceSaid says how the last figure of a cell is made.
const differenceSaid = "σ is ours less published over √(standard deviation of ours² + of the published² + p(1−p)/n), " +
	"p the mean of the two accuracies and n the test examples; of entropies without the last term. Where we have one seed only, the published deviation stands in for ours."

// table fills in one table.
func (g *grid) table(t reproduce.Table) report.Table {
	out := report.Table{
		Name: t.Name, Title: t.Title, Caption: t.Caption, Reduced: g.reduced(), Heads: t.Heads,
		Notes: append(slices.Clone(t.Notes), reproduce.SettingSaid),
	}
	if slices.ContainsFunc(t.Cells, func(c reproduce.Cell) bool { return c.Published.Known }) {
		out.Notes = append(out.Notes, differenceSaid)
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
		j := slices.IndexFunc(columns, func(k reproduce.Cell) bool { return k.Column == c.Column && k.Quantity == c.Quantity })
		out.Rows[i].Cells[j] = g.tableCell(c)
	}
	return out
}

// columnsOf has one cell of each column, group by group.
func columnsOf(t reproduce.Table) []reproduce.Cell {
	var groups []string
	var columns []reproduce.Cell
	for _, c := range t.Cells {
		if !slices.Contains(groups, c.Column) {
			groups = append(groups, c.Column)
		}
		if !slices.ContainsFunc(columns, func(k reproduce.Cell) bool { return k.Column == c.Column && k.Quantity == c.Quantity }) {
			columns = append(columns, c)
		}
	}
	slices.SortStableFunc(columns, func(a, b reproduce.Cell) int {
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
func (g *grid) tableCell(c reproduce.Cell) report.TableCell {
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
	out.Ours = ourFigure(ours)
	if d, ok := deviations(c, ours, g.parts.Test.Len()); ok {
		n := report.Number(d)
		out.Difference = &n
	}
	return out
}

// ourFigure is a mean over seeds; the deviation of one is not known.
func ourFigure(m curious.MeanStd) *report.Figure {
	f := &report.Figure{Mean: report.Number(m.Mean), Std: report.Number(m.Std), Seeds: m.Seeds}
	if m.Seeds == 1 {
		f.Std = report.Number(math.NaN())
	}
	return f
}

// publishedFigure is a printed figure; a deviation that is not printed is not known.
func publishedFigure(p reproduce.Published) *report.Figure {
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
// where the paper prints one. One seed of ours has none: the published one stands in.
func deviations(c reproduce.Cell, ours curious.MeanStd, examples int) (float64, bool) {
	if !c.Published.Known {
		return 0, false
	}
	if c.Quantity == reproduce.Entropy {
		examples = 0
	}
	if ours.Seeds == 1 {
		ours.Std = c.Published.Std
	}
	return curious.SummaryDifference(ours, c.Published.Mean, c.Published.Std, examples)
}

// value is the figure of a cell by one seed; not ok where that failed.
func (g *grid) value(c reproduce.Cell, r *cellResult) (float64, bool) {
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
	case reproduce.Honesty:
		return m.Evaluation.Honesty.Value, true
	case reproduce.Entropy:
		return m.Evaluation.Entropy.MeanBits, true
	case reproduce.HonestyAUC:
		return area(m.Evaluation.ROC)
	}
	i := slices.Index(g.x.Training(c.Training).Sensitive, c.Sensitive)
	if i < 0 || i >= len(m.Evaluation.Sensitive) {
		return 0, false
	}
	s := m.Evaluation.Sensitive[i]
	if c.Quantity == reproduce.CuriosityAUC {
		return area(s.ROC)
	}
	return s.Curiosity.Value, c.Quantity == reproduce.Curiosity
}

// area is that under the first curve: of two classes there is one.
func area(roc []curious.ROC) (float64, bool) {
	if len(roc) == 0 {
		return 0, false
	}
	return roc[0].Area, true
}

// shareOf reads what Table 1 (A) prints of the labels from their counts [s][y].
func shareOf(q reproduce.Quantity, counts [][]int) (float64, bool) {
	if q == reproduce.Information {
		return stat.MutualInformation(counts, classify.Confidence).PlugIn, true
	}
	total := 0
	for _, row := range counts {
		for _, n := range row {
			total += n
		}
	}
	at, ok := map[reproduce.Quantity][2]int{reproduce.Share00: {0, 0}, reproduce.Share01: {0, 1}, reproduce.Share10: {1, 0}, reproduce.Share11: {1, 1}}[q]
	if !ok || total == 0 || len(counts) != 2 || len(counts[0]) != 2 {
		return 0, false
	}
	return float64(counts[at[0]][at[1]]) / float64(total), true
}
