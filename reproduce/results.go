package reproduce

import (
	"fmt"
	"math"
	"slices"

	"tattle/classify"
	"tattle/curious"
	"tattle/report"
	"tattle/stat"
)

// Seeds of the paper's procedure: each training is done so often.
const Seeds = 5

// results are what the trainings of an experiment came to.
type results struct {
	*Experiment
	Trained      map[string][]seedResult // by the key of the training
	Seed         uint64                  // the first
	Wanted       int                     // seeds of each training
	TestExamples int
	Reduced      string   // how the run departs from the paper's procedure, "" if it does not
	Notes        []string // on the data
}

// seedResult is what a training with one seed came to.
type seedResult struct {
	Seed   string
	Failed string // why there are no measures
	*Measured
}

// Measured is what was counted and measured of one training.
type Measured struct {
	Counts   map[string][][]int  `json:"counts"`   // of the training part, by sensitive attribute: class of s × class of y
	Measures map[string]*Measure `json:"measures"` // by outputs, or "student"; none of a training that failed
}

// Measure is what was measured of one classifier and its attacks, those on the
// training's sensitive attributes in their order.
type Measure struct {
	Evaluation *curious.Evaluation `json:"evaluation"`
	Taus       []float64           `json:"taus"` // of thresholds, in nats; else 0
	Pruned     []curious.Pruned    `json:"pruned,omitempty"`
}

// Fill adds to a report the tables beside the paper's figures, the curves, the warnings
// and the outcome. It sets no headline: no one of many trainings stands for the table.
func (res *results) Fill(r *report.Report) {
	for _, t := range res.Tables {
		r.Tables = append(r.Tables, res.table(t))
	}
	r.Tables[0].Notes = append(r.Tables[0].Notes, res.Notes...)
	if res.Name == "figure7" && res.Wanted > 1 {
		r.Tables[0].Notes = append(r.Tables[0].Notes, "the curves are those of the first seed")
	}
	for _, t := range res.Trainings {
		r.Runs = append(r.Runs, res.runs(t)...)
	}
	res.draw(r)
	res.conclude(r)
}

// conclude warns of every departure from the paper's procedure, and sets the outcome.
func (res *results) conclude(r *report.Report) {
	warn := func(format string, a ...any) { r.Warnings = append(r.Warnings, fmt.Sprintf(format, a...)) }
	if res.Reduced != "" {
		warn("Not the paper's procedure (%s): the figures do not compare with the published ones.", res.Reduced)
	}
	ran, failed := 0, 0
	for _, t := range res.Trainings {
		for _, s := range res.Trained[t.Key] {
			if s.Failed != "" {
				failed++
				warn("%s, seed %s failed: %s", t.Key, s.Seed, s.Failed)
			}
		}
		if len(res.Trained[t.Key]) > 0 {
			ran++
		}
	}
	if ran < len(res.Trainings) {
		warn("%d of %d trainings have run (--only); the cells of the others are empty.", ran, len(res.Trainings))
	}
	if res.Wanted < Seeds && res.Reduced == "" {
		warn("%s; the paper's figures are of %d.", report.Count(res.Wanted, "seed"), Seeds)
	}
	r.Outcome = report.Done
	if ran < len(res.Trainings) || failed > 0 {
		r.Outcome = report.Unfinished
	}
}

// differenceNote explains the last figure of a cell.
const differenceNote = "σ is ours less published over √(standard deviation of ours² + of the published² + p(1−p)/n), " +
	"p the mean of the two accuracies and n the test examples; of entropies without the last term. Where we have one seed only, the published deviation stands in for ours."

// table fills in one table.
func (res *results) table(t Table) report.Table {
	out := report.Table{
		Name: t.Name, Title: t.Title, Caption: t.Caption, Reduced: res.Reduced, Heads: t.Heads,
		Notes: append(slices.Clone(t.Notes), settingsNote),
	}
	if slices.ContainsFunc(t.Cells, func(c Cell) bool { return c.Published.Known }) {
		out.Notes = append(out.Notes, differenceNote)
	}
	columns := columnsOf(t)
	for _, c := range columns {
		out.Columns = append(out.Columns, report.TableColumn{Group: c.Column, Name: c.Quantity.Head(), Unit: string(c.Quantity.unit())})
	}
	for _, c := range t.Cells {
		i := slices.IndexFunc(out.Rows, func(r report.TableRow) bool { return slices.Equal(r.Labels, c.Row) })
		if i < 0 {
			i = len(out.Rows)
			out.Rows = append(out.Rows, report.TableRow{Labels: c.Row, Cells: blanks(len(columns))})
		}
		j := slices.IndexFunc(columns, func(k Cell) bool { return k.Column == c.Column && k.Quantity == c.Quantity })
		out.Rows[i].Cells[j] = res.tableCell(c)
	}
	return out
}

// columnsOf has one cell of each column, group by group.
func columnsOf(t Table) []Cell {
	var groups []string
	var columns []Cell
	for _, c := range t.Cells {
		if !slices.Contains(groups, c.Column) {
			groups = append(groups, c.Column)
		}
		if !slices.ContainsFunc(columns, func(k Cell) bool { return k.Column == c.Column && k.Quantity == c.Quantity }) {
			columns = append(columns, c)
		}
	}
	slices.SortStableFunc(columns, func(a, b Cell) int {
		if a.Column != b.Column {
			return slices.Index(groups, a.Column) - slices.Index(groups, b.Column)
		}
		if a.Quantity.before(b.Quantity) {
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
func (res *results) tableCell(c Cell) report.TableCell {
	out := report.TableCell{Published: publishedFigure(c.Published)}
	var values []float64
	for _, r := range res.Trained[c.Training] {
		if v, ok := res.value(c, r); ok {
			values = append(values, v)
		}
	}
	switch {
	case len(res.Trained[c.Training]) == 0:
		out.Note = "left out by --only"
	case len(values) == 0:
		out.Note = "failed with every seed; the warnings say why"
	case len(values) < res.Wanted:
		out.Note = fmt.Sprintf("of %d of %d seeds", len(values), res.Wanted)
	}
	if len(values) == 0 {
		return out
	}
	ours := overSeeds(values)
	out.Ours = ourFigure(ours)
	if d, ok := deviations(c, ours, res.TestExamples); ok {
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
func publishedFigure(p Published) *report.Figure {
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
func deviations(c Cell, ours curious.MeanStd, examples int) (float64, bool) {
	if !c.Published.Known {
		return 0, false
	}
	if c.Quantity == Entropy {
		examples = 0
	}
	if ours.Seeds == 1 {
		ours.Std = c.Published.Std
	}
	return curious.SummaryDifference(ours, c.Published.Mean, c.Published.Std, examples)
}

// value is the figure of a cell by one seed; not ok where that failed.
func (res *results) value(c Cell, r seedResult) (float64, bool) {
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
	case Honesty:
		return m.Evaluation.Honesty.Value, true
	case Entropy:
		return m.Evaluation.Entropy.MeanBits, true
	case HonestyAUC:
		return area(m.Evaluation.ROC)
	}
	i := slices.Index(res.Training(c.Training).Sensitive, c.Sensitive)
	if i < 0 || i >= len(m.Evaluation.Sensitive) {
		return 0, false
	}
	s := m.Evaluation.Sensitive[i]
	if c.Quantity == CuriosityAUC {
		return area(s.ROC)
	}
	return s.Curiosity.Value, c.Quantity == Curiosity
}

// area is that under the first curve: of two classes there is one.
func area(roc []curious.ROC) (float64, bool) {
	if len(roc) == 0 {
		return 0, false
	}
	return roc[0].Area, true
}

// shareOf reads what Table 1 (A) prints of the labels from their counts [s][y].
func shareOf(q Quantity, counts [][]int) (float64, bool) {
	if q == Information {
		return stat.MutualInformation(counts, classify.Confidence).PlugIn, true
	}
	total := 0
	for _, row := range counts {
		for _, n := range row {
			total += n
		}
	}
	at, ok := map[Quantity][2]int{Share00: {0, 0}, Share01: {0, 1}, Share10: {1, 0}, Share11: {1, 1}}[q]
	if !ok || total == 0 || len(counts) != 2 || len(counts[0]) != 2 {
		return 0, false
	}
	return float64(counts[at[0]][at[1]]) / float64(total), true
}
