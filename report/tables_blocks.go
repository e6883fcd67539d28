package report

import (
	"fmt"
	"slices"
	"strings"
)

// tables adds the published tables with ours beside them: as they are on the page, a line
// for each cell on a terminal, which is too narrow for them.
func (d *document) tables(r *Report) {
	if len(r.Tables) > 0 {
		d.section("Published tables, run again")
	}
	var remarks []string
	for i := range r.Tables {
		t := &r.Tables[i]
		d.part(t.Title)
		if i == 0 || r.Tables[i-1].Reduced != t.Reduced {
			if t.Reduced != "" {
				d.add(paragraph{"Not comparable with the published figures: " + t.Reduced, "reduced"})
			}
		}
		d.say(t.Caption)
		if i == 0 || r.Tables[i-1].intro() != t.intro() {
			d.say(t.intro())
		}
		d.on(onTerminal, func(d *document) { d.table(t.cellByCell()) })
		d.on(onPage|onMarkdown, func(d *document) { d.table(t.whole()) })
		remarks = append(remarks, t.remarks()...)
	}
	if remarks = unique(remarks); len(remarks) > 0 {
		d.folded("Notes on the tables")
		d.list(remarks)
	}
}

// whole is the table as it was published, with our figures.
func (t *Table) whole() table {
	x := table{Heads: slices.Clone(t.Heads)}
	for i := range t.Heads {
		x.Words = append(x.Words, i)
	}
	for _, c := range t.Columns {
		x.Heads = append(x.Heads, c.words())
	}
	for _, row := range t.Rows {
		cells := slices.Clone(row.Labels)
		for len(cells) < len(t.Heads) {
			cells = append(cells, "")
		}
		for i, c := range row.Cells[:min(len(row.Cells), len(t.Columns))] {
			cells = append(cells, c.both(t.Columns[i].Unit))
		}
		for len(cells) < len(x.Heads) {
			cells = append(cells, "")
		}
		x.add(cells...)
	}
	return x
}

// both is our figure, with the published one below it and how far they are apart.
func (c TableCell) both(unit string) string {
	if c.Blank {
		return ""
	}
	s := c.ran(unit) + "\n" + c.Published.Words(unit)
	if away := c.away(); away != "–" {
		s += "; " + away + " σ"
	}
	return s
}

// cellByCell has a line for each cell.
func (t *Table) cellByCell() table {
	cells, ran, _, _ := t.tally()
	x := table{Heads: []string{strings.Join(t.Heads, ", "), "figure", "ours", "published", "σ"}, Words: []int{1}}
	for _, row := range t.Rows {
		label := strings.Join(row.Labels, ", ")
		for i, c := range row.Cells {
			if c.Blank || i >= len(t.Columns) {
				continue
			}
			k := t.Columns[i]
			if c.Ours == nil && ran > 0 {
				continue // the page has them
			}
			x.add(label, k.words(), c.ran(k.Unit), c.Published.Words(k.Unit), c.away())
			label = ""
		}
	}
	if ran > 0 && ran < cells {
		x.Note = fmt.Sprintf("The page has the published figures of the %d that did not run.", cells-ran)
	}
	return x
}
