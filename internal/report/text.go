package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	width      = 80 // columns that a terminal is sure to have
	leastWords = 8  // letters that a table leaves of words to fit a terminal
)

// WriteText writes the summary of the report for a terminal, with details also what a page folds away.
func (r *Report) WriteText(w io.Writer, details bool) error {
	b := bufio.NewWriter(w)
	d, left := r.build(), 0
	wrap(b, d.Title)
	fmt.Fprintln(b)
	wrap(b, "Verdict: "+d.Lead.Badge)
	wrap(b, d.Lead.Says)
	for _, t := range d.Lead.Tiles {
		wrap(b, "- "+t.words())
	}
	for _, s := range d.Sections {
		if s.Folded && !details {
			left++
			continue
		}
		if !slices.ContainsFunc(s.Parts, func(p part) bool { return !p.onlyPage() }) {
			continue
		}
		fmt.Fprintln(b)
		wrap(b, s.Title)
		for _, p := range s.Parts {
			p.writeText(b)
		}
	}
	fmt.Fprintln(b)
	wrap(b, "verdict: "+r.Label())
	if left > 0 {
		wrap(b, Many(left, "section")+" of details left out: see the page, or --details.")
	}
	return b.Flush()
}

func (p part) writeText(w io.Writer) {
	if p.onlyPage() {
		return
	}
	if p.Title != "" {
		fmt.Fprintln(w)
		wrap(w, p.Title)
	}
	wrap(w, p.Text)
	for _, s := range p.Items {
		wrap(w, "- "+s)
	}
	if p.Table != nil {
		for _, line := range p.Table.lines() {
			fmt.Fprintln(w, line)
		}
	}
	for _, t := range p.Terms {
		wrap(w, "- "+t.Word+": "+t.Means)
	}
	if p.Code != "" {
		fmt.Fprintf(w, "  %s\n", printable(p.Code))
	}
}

// lines are head and rows without the columns that a terminal leaves out, words cut to the width that there is.
func (t *table) lines() []string {
	var shown []int
	for i := range t.Heads {
		if !slices.Contains(t.Left, i) {
			shown = append(shown, i)
		}
	}
	rows := [][]string{t.Heads}
	for i, row := range t.Rows {
		if len(t.Unknown) == len(t.Rows) || !slices.Contains(t.Unknown, i) {
			rows = append(rows, row)
		}
	}
	text := func(row []string, column int) string {
		return printable(strings.ReplaceAll(row[column], "\n", " "))
	}
	longest, total := make([]int, len(t.Heads)), 0
	for _, i := range shown {
		for _, row := range rows {
			longest[i] = max(longest[i], utf8.RuneCountInString(text(row, i)))
		}
		total += longest[i] + 2
	}
	gap := "  "
	if total > width && total-len(shown) <= width {
		gap, total = " ", total-len(shown)
	}
	for total > width {
		widest := -1
		for _, i := range shown {
			if widest < 0 || longest[i] > longest[widest] {
				widest = i
			}
		}
		if longest[widest] <= leastWords {
			break
		}
		longest[widest]--
		total--
	}
	var lines []string
	for _, row := range rows {
		line := ""
		for _, i := range shown {
			cell := []rune(text(row, i))
			if len(cell) > longest[i] {
				cell = append(cell[:longest[i]-1], '…')
			}
			line += gap + string(cell) + strings.Repeat(" ", longest[i]-len(cell))
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return lines
}

// wrap prints a paragraph in lines of width columns, the second and later ones indented. It prints nothing for
// an empty one, and breaks no line before a percent sign.
func wrap(w io.Writer, s string) {
	column := 0
	for i, word := range strings.FieldsFunc(strings.ReplaceAll(printable(s), " %", "\u00a0%"), func(r rune) bool { return r == ' ' }) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+n > width:
			fmt.Fprint(w, "\n  ")
			column = 2
		default:
			fmt.Fprint(w, " ")
			column++
		}
		fmt.Fprint(w, strings.ReplaceAll(word, "\u00a0", " "))
		column += n
	}
	if column > 0 {
		fmt.Fprintln(w)
	}
}

// printable writes out what would move a cursor, turn a line about or be seen by nobody: control bytes, marks
// of direction, bytes that are no text. Names from outside reach a reader through it in every format.
func printable(s string) string {
	plain := func(r rune) bool { return strconv.IsPrint(r) && r != utf8.RuneError || r == '\u00a0' }
	if strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if plain(r) {
			b.WriteString(s[i : i+n])
		} else {
			quoted := strconv.Quote(s[i : i+n])
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		i += n
	}
	return b.String()
}
