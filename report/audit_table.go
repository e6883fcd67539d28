package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// An auditTable is a table of an audit in words, the same in every format.
type auditTable struct {
	Name  string // heads it
	Says  string // what is in its cells; may be empty
	Note  string // what is left out of it; may be empty
	Heads []string
	Rows  [][]string
	Kinds []string // how the page colours the rows; may be empty
	Words []int    // columns beside the first that hold words, not figures
}

func (t *auditTable) add(cells ...string) { t.Rows = append(t.Rows, cells) }

// drop takes a column of figures out.
func (t *auditTable) drop(head string) {
	i := slices.Index(t.Heads, head)
	t.Heads = slices.Delete(slices.Clone(t.Heads), i, i+1)
	for k, row := range t.Rows {
		t.Rows[k] = slices.Delete(row, i, i+1)
	}
}

// words tells whether a column holds words.
func (t auditTable) words(column int) bool { return column == 0 || slices.Contains(t.Words, column) }

// text prints the table for a terminal; words are cut to the width of their column,
// the last one given counting for the rest.
func (t auditTable) text(w io.Writer, widths ...int) {
	if len(t.Rows) == 0 {
		return
	}
	fmt.Fprintln(w)
	wrap(w, t.intro())
	x := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{t.Heads}, t.Rows...) {
		cells, words := make([]string, len(row)), 0
		for i, c := range row {
			cells[i] = printable(c)
			if t.words(i) {
				cells[i] = cut(cells[i], widths[min(words, len(widths)-1)])
				words++
			}
		}
		fmt.Fprintln(x, "  "+strings.Join(cells, "\t"))
	}
	x.Flush()
}

// intro says what the table holds.
func (t auditTable) intro() string { return strings.TrimSpace(t.Name + ". " + t.About()) }

// Kind is how the page colours a row.
func (t auditTable) Kind(row int) string {
	if row < len(t.Kinds) {
		return t.Kinds[row]
	}
	return ""
}

// About is intro for where the name is a heading.
func (t auditTable) About() string { return strings.TrimSpace(t.Says + " " + t.Note) }

// terse leaves out what the same table has said before.
func (t auditTable) terse(said bool) auditTable {
	if said {
		t.Says = ""
	}
	return t
}

// Class is how a column is set on the page.
func (t auditTable) Class(column int) string {
	if t.words(column) {
		return "words"
	}
	return ""
}
