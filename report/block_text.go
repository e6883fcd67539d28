package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// width is how many columns a terminal is sure to have.
const width = 80

// leastWords is how few letters a table leaves of words to fit a terminal.
const leastWords = 8

// textWriter renders blocks for a terminal.
type textWriter struct {
	*errWriter
	said    map[string]bool // explanations of tables, each given once
	details bool            // folded sections are printed too
	folded  bool            // what follows belongs to one
	left    int             // folded sections that were left out
}

func (w *textWriter) blocks(blocks []block) {
	for _, b := range blocks {
		if h, ok := b.(heading); ok && h.Level == 2 {
			if w.folded = h.Folded; w.folded && !w.details {
				w.left++
			}
		}
		if group, ok := b.(only); ok { // may begin sections of its own
			if group.On&onTerminal != 0 {
				w.blocks(group.Blocks)
			}
		} else if !w.folded || w.details {
			w.block(b)
		}
	}
}

func (w *textWriter) block(b block) {
	switch b := b.(type) {
	case verdictBlock:
		wrap(w, "Verdict: "+b.Badge)
		wrapSome(w, b.Says)
		for _, s := range items(b) {
			wrap(w, "- "+s)
		}
	case heading:
		fmt.Fprintln(w)
		wrap(w, b.Text)
	case paragraph:
		wrap(w, b.Text)
	case list, settings:
		for _, s := range items(b) {
			wrap(w, "- "+s)
		}
	case code:
		fmt.Fprintf(w, "  %s\n", printable(string(b)))
	case sideBySide:
		w.blocks(b)
	case table:
		w.table(b)
	}
}

// words are a tile in a line.
func (t tile) words() string {
	s := t.Name + ": " + t.Figure
	if t.Unit != "" {
		s += " " + t.Unit
	}
	if t.About != "" {
		s += "; " + t.About
	}
	return s
}

// table prints a table; its explanation is left out where another has given it.
func (w *textWriter) table(t table) {
	fmt.Fprintln(w)
	if w.said[t.Says] {
		t.Says = ""
	} else {
		w.said[t.Says] = true
	}
	if t.Most > 0 && len(t.Rows) > t.Most {
		t.Note = strings.TrimSpace(t.Note + fmt.Sprintf(" The first %d of %d.", t.Most, len(t.Rows)))
		t.Rows = t.Rows[:t.Most]
	}
	wrapSome(w, t.intro())
	for _, line := range t.lines() {
		fmt.Fprintln(w, line)
	}
}

// lines are head and rows without the columns that a terminal leaves out, the words cut to
// the width that there is.
func (t *table) lines() []string {
	var shown []int
	for i, h := range t.Heads {
		if !slices.Contains(t.Page, h) {
			shown = append(shown, i)
		}
	}
	rows := append([][]string{t.Heads}, t.Rows...)
	text := func(row []string, column int) string {
		return printable(strings.ReplaceAll(row[column], "\n", " "))
	}
	longest, total := make([]int, len(t.Heads)), 0
	for _, i := range shown {
		for _, row := range rows {
			if !t.heads(row) {
				longest[i] = max(longest[i], utf8.RuneCountInString(text(row, i)))
			}
		}
		total += longest[i] + 2
	}
	gap := "  "
	if total > width && total-len(shown) <= width {
		gap, total = " ", total-len(shown)
	}
	for total > width {
		widest := shown[0]
		for _, i := range shown {
			if t.words(i) && longest[i] > longest[widest] {
				widest = i
			}
		}
		if longest[widest] <= leastWords {
			gap = " "
			break
		}
		longest[widest]--
		total--
	}
	var lines []string
	for _, row := range rows {
		line := cut(printable(row[0]), width)
		if !t.heads(row) {
			line = ""
			for _, i := range shown {
				line += gap + pad(cut(text(row, i), longest[i]), longest[i])
			}
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return lines
}

// heads reports whether a row is a heading of those that follow.
func (t *table) heads(row []string) bool { return len(row) == 1 && len(t.Heads) > 1 }

// wrap prints a paragraph in lines of width columns, the second and later ones
// indented.
func wrap(w io.Writer, s string) {
	column := 0
	for i, word := range words(s) {
		word = printable(word)
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
		fmt.Fprint(w, word)
		column += n
	}
	fmt.Fprintln(w)
}

// words splits a paragraph where lines may break: not before a percent sign, nor
// about ±.
func words(s string) []string {
	var out []string
	for _, w := range strings.Fields(s) {
		n := len(out)
		if n > 0 && (strings.HasPrefix(w, "%") || w == "±" || strings.HasSuffix(out[n-1], " ±")) {
			out[n-1] += " " + w
			continue
		}
		out = append(out, w)
	}
	return out
}

// wrapSome prints a paragraph where there is one.
func wrapSome(w io.Writer, s string) {
	if s != "" {
		wrap(w, s)
	}
}

// cut shortens words to n letters.
func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// pad fills up with blanks to n runes.
func pad(s string, n int) string {
	return s + strings.Repeat(" ", max(0, n-utf8.RuneCountInString(s)))
}

// errWriter keeps the first error, so that a sequence of prints checks once.
type errWriter struct {
	w   io.Writer
	err error
}

func (e *errWriter) Write(p []byte) (int, error) {
	if e.err != nil {
		return 0, e.err
	}
	n, err := e.w.Write(p)
	e.err = err
	return n, err
}
