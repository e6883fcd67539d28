package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
)

// Table is a published table with ours beside it. Every row has a cell for every
// column; a cell that did not run has no Ours and says why.
type Table struct {
	Name    string        `json:"name"` // as "table1"
	Title   string        `json:"title"`
	Caption string        `json:"caption,omitempty"`
	Reduced string        `json:"reduced,omitempty"` // how it differs from the published procedure, so that the figures do not compare; empty where it does not
	Heads   []string      `json:"heads"`             // of the rows' labels
	Columns []TableColumn `json:"columns"`
	Rows    []TableRow    `json:"rows"`
	Notes   []string      `json:"notes,omitempty"`
}

// TableColumn heads a column; neighbours of one Group share a heading.
type TableColumn struct {
	Group string `json:"group,omitempty"`
	Name  string `json:"name"`
	Unit  string `json:"unit"` // UnitPercent, UnitBits or empty
}

// The units of a column.
const (
	UnitPercent = "percent" // figures are fractions, shown times 100
	UnitBits    = "bits"
)

// TableRow is a row; equal labels of neighbouring rows are printed once.
type TableRow struct {
	Labels []string    `json:"labels"`
	Cells  []TableCell `json:"cells"`
}

// TableCell is one figure, ours and published.
type TableCell struct {
	Ours       *Figure `json:"ours"`      // nil: did not run; Note says why
	Published  *Figure `json:"published"` // nil: the paper prints none
	Difference *Number `json:"difference,omitempty"`
	Note       string  `json:"note,omitempty"`
	Blank      bool    `json:"blank,omitempty"` // there is nothing here to run or to print
}

// Figure is a mean over seeds.
type Figure struct {
	Mean  Number `json:"mean"`
	Std   Number `json:"std"` // sample standard deviation; NaN or zero with one seed
	Seeds int    `json:"seeds,omitempty"`
}

// beyond is the difference, in standard deviations, from which a cell is said to
// differ from the published one.
const beyond = 2

// tally counts a table's cells.
func (t *Table) tally() (cells, ran, compared, near int) {
	for _, r := range t.Rows {
		for _, c := range r.Cells {
			if c.Blank {
				continue
			}
			cells++
			if c.Ours == nil {
				continue
			}
			ran++
			if d := c.difference(); !math.IsNaN(d) {
				compared++
				if math.Abs(d) <= beyond {
					near++
				}
			}
		}
	}
	return cells, ran, compared, near
}

// difference is NaN where there is none.
func (c TableCell) difference() float64 {
	if c.Difference == nil || math.IsInf(float64(*c.Difference), 0) {
		return math.NaN()
	}
	return float64(*c.Difference)
}

// sentence counts what ran, and what agrees.
func (t *Table) sentence() string {
	cells, ran, compared, near := t.tally()
	s := fmt.Sprintf("%s: %d of %s ran", strings.TrimSuffix(t.Title, "."), ran, Count(cells, "cell"))
	if compared > 0 {
		s += fmt.Sprintf("; of the %d with a published figure beside them, %d lie within %d standard deviations of it", compared, near, beyond)
	}
	s += "."
	if t.Reduced != "" {
		s += " Not comparable with the published figures: " + strings.TrimSuffix(t.Reduced, ".") + "."
	}
	return s
}

// words prints a mean and its standard deviation in the unit of a column, as
// the paper does.
func (f *Figure) words(unit string) string {
	if f == nil {
		return "–"
	}
	digits, scale := 2, 1.
	switch unit {
	case UnitPercent:
		scale = 100
	case UnitBits:
		digits = 3
	}
	if math.IsNaN(float64(f.Mean)) {
		return "–"
	}
	s := minus(fmt.Sprintf("%.*f", digits, scale*float64(f.Mean)))
	if f.Std > 0 {
		s += strings.Replace(fmt.Sprintf(" ±%.*f", digits, scale*float64(f.Std)), "±0.", "±.", 1)
	}
	return s
}

// away prints the difference: "+1.3", and ">99" where figures would not fit.
func (c TableCell) away() string {
	d := c.difference()
	switch {
	case math.IsNaN(d):
		return "–"
	case math.Abs(d) > 99:
		return minus(fmt.Sprintf("%+.0f", math.Copysign(99, d))) + "…"
	}
	return minus(fmt.Sprintf("%+.1f", d))
}

// ran says our figure, or that there is none.
func (c TableCell) ran(unit string) string {
	if c.Ours == nil {
		return "did not run"
	}
	return c.Ours.words(unit)
}

// tablesIntro says what is in a cell.
const tablesIntro = "Ours and published, mean ± standard deviation over seeds; σ: ours less published, in standard deviations."

// textTables prints a line a cell: tables of the paper are wider than a terminal.
func (r *Report) textTables(w io.Writer) {
	for i := range r.Tables {
		r.Tables[i].text(w)
	}
}

func (t *Table) text(w io.Writer) {
	fmt.Fprintln(w)
	wrap(w, t.Title)
	if t.Reduced != "" {
		wrap(w, "NOT COMPARABLE: "+t.Reduced)
	}
	wrapSome(w, t.Caption)
	wrap(w, tablesIntro)
	x := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(x, "%s\tfigure\tours\tpublished\tσ\n", cut(strings.Join(t.Heads, ", "), 28))
	for _, row := range t.Rows {
		label := cut(strings.Join(row.Labels, ", "), 28)
		for i, c := range row.Cells {
			if c.Blank || i >= len(t.Columns) {
				continue
			}
			k := t.Columns[i]
			fmt.Fprintf(x, "%s\t%s\t%s\t%s\t%s\n", label, cut(k.words(), 16), c.ran(k.Unit), c.Published.words(k.Unit), c.away())
			label = ""
		}
	}
	x.Flush()
	for _, n := range t.remarks() {
		wrap(w, n)
	}
}

// words name a column in full.
func (c TableColumn) words() string {
	if c.Group == "" {
		return c.Name
	}
	return c.Group + " " + c.Name
}

// remarks are the table's notes and, once each, those of its cells.
func (t *Table) remarks() []string {
	const few = 3 // cells that are named
	notes := slices.Clone(t.Notes)
	cells := map[string][]string{}
	var order []string
	for _, row := range t.Rows {
		for i, c := range row.Cells {
			if c.Note == "" || i >= len(t.Columns) {
				continue
			}
			note := c.Note
			if c.Ours == nil && !c.Blank {
				note = "did not run, " + note
			}
			if cells[note] == nil {
				order = append(order, note)
			}
			cells[note] = append(cells[note], strings.Join(row.Labels, ", ")+", "+t.Columns[i].words())
		}
	}
	for _, note := range order {
		where := strings.Join(cells[note], "; ")
		if n := len(cells[note]); n > few {
			where = Count(n, "cell")
		}
		notes = append(notes, where+": "+note)
	}
	return unique(notes)
}

// A tableView is a table on the page.
type tableView struct {
	*Table
	Groups  []tableGroup // nil where no column has one
	Lines   []tableLine
	Remarks []string
}

type tableGroup struct {
	Name string
	Span int
}

type tableLine struct {
	Labels []tableLabel
	Cells  []tableCellView
}

// A tableLabel spans the rows that share it; zero is one that a row above has.
type tableLabel struct {
	Words string
	Rows  int
}

type tableCellView struct {
	Ours, Published, Away string
	Missing, Far, Blank   bool
	Note                  string
}

func (t *Table) view() tableView {
	v := tableView{Table: t, Remarks: t.remarks(), Groups: t.groups()}
	for i, row := range t.Rows {
		line := tableLine{}
		for j, l := range row.Labels {
			line.Labels = append(line.Labels, tableLabel{l, t.shared(i, j)})
		}
		for k, c := range row.Cells {
			if k < len(t.Columns) {
				line.Cells = append(line.Cells, c.view(t.Columns[k].Unit))
			}
		}
		v.Lines = append(v.Lines, line)
	}
	return v
}

func (t *Table) groups() []tableGroup {
	var groups []tableGroup
	named := false
	for _, c := range t.Columns {
		named = named || c.Group != ""
		if n := len(groups); n > 0 && groups[n-1].Name == c.Group {
			groups[n-1].Span++
			continue
		}
		groups = append(groups, tableGroup{c.Group, 1})
	}
	if !named {
		return nil
	}
	return groups
}

// shared counts the rows from i on whose first j+1 labels are row i's: zero
// where the row above already has them.
func (t *Table) shared(i, j int) int {
	same := func(a, b int) bool {
		x, y := t.Rows[a].Labels, t.Rows[b].Labels
		return len(x) > j && len(y) > j && slices.Equal(x[:j+1], y[:j+1])
	}
	if i > 0 && same(i-1, i) {
		return 0
	}
	n := 1
	for i+n < len(t.Rows) && same(i, i+n) {
		n++
	}
	return n
}

func (c TableCell) view(unit string) tableCellView {
	v := tableCellView{Ours: c.ran(unit), Published: c.Published.words(unit), Missing: c.Ours == nil, Blank: c.Blank, Note: c.Note}
	if d := c.difference(); !math.IsNaN(d) {
		v.Away, v.Far = c.away(), math.Abs(d) > beyond
	}
	return v
}
