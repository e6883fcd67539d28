package report

import (
	"math"
	"slices"
)

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

// Wide tells whether a page has too little room for a cell's figures side by side.
func (v tableView) Wide() bool { return len(v.Columns)+len(v.Heads) > 7 }

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
		v.Away, v.Far = c.away(), math.Abs(d) > Beyond
	}
	return v
}
