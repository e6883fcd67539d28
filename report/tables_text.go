package report

import (
	"slices"
	"strings"
)

// What is in a cell, and in one that compares both figures.
const (
	tablesIntro = "Ours and published, mean ± standard deviation over seeds: shares in percent, entropies and information in bits."
	sigmaIntro  = "σ: ours less published, in standard deviations."
)

// intro says what is in the table's cells.
func (t *Table) intro() string {
	if _, _, compared, _ := t.tally(); compared == 0 {
		return tablesIntro
	}
	return tablesIntro + " " + sigmaIntro
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
