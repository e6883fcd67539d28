package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// A confusionView is a matrix on the page.
type confusionView struct {
	Title, Caption string
	Classes        []string
	Rows           []confusionRow
	Big            bool // needs the whole width of the page
}

type confusionRow struct {
	Class string
	Cells []confusionCell
}

type confusionCell struct {
	Count int
	Share string // of its row
	Shade int    // the same, a whole percent
}

// view renders a matrix's counts with their share of the true class.
func (c *Confusion) view(title, caption string) confusionView {
	v := confusionView{Title: title, Caption: caption, Classes: c.Classes, Big: len(c.Classes) > 6}
	for i, counts := range c.Counts {
		total, _ := histogramTotals(counts)
		row := confusionRow{Class: c.class(i)}
		for _, k := range counts {
			share := float64(k) / float64(max(1, total))
			row.Cells = append(row.Cells, confusionCell{k, percent1(share), int(100 * share)})
		}
		v.Rows = append(v.Rows, row)
	}
	return v
}

func (c *Confusion) class(i int) string {
	if i < len(c.Classes) {
		return c.Classes[i]
	}
	return fmt.Sprint(i)
}

// text prints counts where a terminal has room for them.
func (c *Confusion) text(w io.Writer, title string) {
	const most, letters = 6, 12 // classes, and of their names
	if c == nil || len(c.Counts) > most {
		return
	}
	longest := min(letters, width/(len(c.Counts)+1)-2)
	var names []string
	for i := range c.Counts {
		names = append(names, cut(c.class(i), longest))
	}
	fmt.Fprintln(w)
	wrap(w, title+", examples by true class (rows) and guess:")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "\t%s\t\n", strings.Join(names, "\t"))
	for i, counts := range c.Counts {
		fmt.Fprintf(t, "%s\t", names[i])
		for _, k := range counts {
			fmt.Fprintf(t, "%d\t", k)
		}
		fmt.Fprintln(t)
	}
	t.Flush()
}

// cut shortens words to n letters.
func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
