package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
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
	Unit  string `json:"unit"` // unitPercent, unitBits or empty
}

// The units of a column.
const (
	unitPercent = "percent" // figures are fractions, shown times 100
	unitBits    = "bits"
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
	Std   Number `json:"std"` // sample standard deviation; NaN where it is not known; of one seed it says nothing
	Seeds int    `json:"seeds,omitempty"`
}

// Beyond is the difference, in standard deviations, from which a cell is said to
// differ from the published one.
const Beyond = 2

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
				if math.Abs(d) <= Beyond {
					near++
				}
			}
		}
	}
	return cells, ran, compared, near
}

// difference is NaN if there is none.
func (c TableCell) difference() float64 {
	if c.Difference == nil || math.IsInf(float64(*c.Difference), 0) {
		return math.NaN()
	}
	return float64(*c.Difference)
}

// Words prints a mean and its standard deviation in the unit of a column, as
// the paper does.
func (f *Figure) Words(unit string) string {
	if f == nil {
		return "–"
	}
	digits, scale := 2, 1.
	switch unit {
	case unitPercent:
		scale = 100
	case unitBits:
		digits = 3
	}
	if math.IsNaN(float64(f.Mean)) {
		return "–"
	}
	s := minus(fmt.Sprintf("%.*f", digits, scale*float64(f.Mean)))
	if f.Std > 0 || f.Std == 0 && f.Seeds != 1 { // some of the published are zero
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
	return c.Ours.Words(unit)
}

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
	var said []Setting
	for _, row := range t.Rows {
		for i, c := range row.Cells[:min(len(row.Cells), len(t.Columns))] {
			note := c.Note
			if note != "" && c.Ours == nil && !c.Blank {
				note = "did not run, " + note
			}
			said = noted(said, strings.Join(row.Labels, ", ")+", "+t.Columns[i].words(), note)
		}
	}
	for _, s := range said {
		where := s.Key
		if n := strings.Count(where, "; ") + 1; n > few {
			where = Count(n, "cell")
		}
		notes = append(notes, where+": "+s.Value)
	}
	return unique(notes)
}
