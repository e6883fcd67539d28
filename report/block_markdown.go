package report

import (
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// printable writes out what would move a cursor, turn a line about or be seen by
// nobody: control bytes, marks of direction, bytes that are no text. Names from
// outside reach a reader through it in every format.
func printable(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r == utf8.RuneError || !strconv.IsPrint(r) && r != ' ' }) < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == '"' || r == '\\' || strconv.IsPrint(r) && r != utf8.RuneError {
			b.WriteString(s[i : i+n])
		} else {
			quoted := strconv.Quote(s[i : i+n])
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		i += n
	}
	return b.String()
}

// marks are the characters that Markdown may read as something else than
// themselves, in a paragraph or in a table's cell.
var marks = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "|", `\|`, "~", `\~`, "$", `\$`,
	"&", "&amp;", "<", "&lt;", ">", "&gt;", "://", `\://`, "www.", `www\.`,
)

// beginning matches what makes a line something else than a paragraph's first.
var beginning = regexp.MustCompile(`^(?:(?:#{1,6}|[+-]|[0-9]{1,9}[.)])(?:\s|$)|[=-]+\s*$)`)

// inCell escapes a text so that every reader of Markdown shows it as it is: no
// markup, no links, no line breaks.
func inCell(s string) string { return marks.Replace(printable(s)) }

// inMarkdown is inCell for the start of a paragraph or of a list's item.
func inMarkdown(s string) string {
	s = inCell(s)
	if !beginning.MatchString(s) {
		return s
	}
	at := len(s) - len(strings.TrimLeft(s, "0123456789"))
	return s[:at] + `\` + s[at:]
}

// summaryMarks are the characters that Markdown or a forge may read as something else within HTML.
var summaryMarks = strings.NewReplacer("[", "&#91;", "]", "&#93;", "`", "&#96;", "*", "&#42;", "_", "&#95;", "$", "&#36;", "://", "&#58;//", "www.", "www&#46;")

// inSummary escapes a text for the line that opens a folded section.
func inSummary(s string) string { return summaryMarks.Replace(html.EscapeString(printable(s))) }

// markdownWriter renders blocks as Markdown.
type markdownWriter struct {
	*errWriter
	begun  bool
	folded bool // a folded section is open
}

func (w *markdownWriter) blocks(blocks []block) {
	for _, b := range blocks {
		w.block(b)
	}
}

// printf begins a new block.
func (w *markdownWriter) printf(format string, a ...any) {
	if w.begun {
		fmt.Fprintln(w)
	}
	w.begun = true
	fmt.Fprintf(w, format, a...)
}

func (w *markdownWriter) block(b block) {
	switch b := b.(type) {
	case verdictBlock:
		w.printf("**%s.** %s\n", inMarkdown(b.Badge), inCell(b.Says))
		w.items(items(b))
	case heading:
		if b.Level == 2 {
			w.end()
		}
		if b.Folded {
			w.printf("<details><summary>%s</summary>\n", inSummary(b.Text))
			w.folded = true
			return
		}
		w.printf("%s %s\n", strings.Repeat("#", b.Level), inMarkdown(b.Text))
	case paragraph:
		w.printf("%s\n", inMarkdown(b.Text))
	case list, settings:
		w.items(items(b))
	case code:
		w.printf("    %s\n", printable(string(b)))
	case sideBySide:
		w.blocks(b)
	case only:
		if b.On&onMarkdown != 0 {
			w.blocks(b.Blocks)
		}
	case table:
		w.table(b)
	}
}

// end closes the folded section that is open.
func (w *markdownWriter) end() {
	if w.folded {
		w.printf("</details>\n")
	}
	w.folded = false
}

func (w *markdownWriter) items(items []string) {
	for i, s := range items {
		if i == 0 {
			w.printf("")
		}
		fmt.Fprintf(w, "- %s\n", inMarkdown(s))
	}
}

func (w *markdownWriter) table(t table) {
	if s := t.intro(); s != "" {
		w.printf("%s\n", inMarkdown(s))
	}
	line := func(cells []string) string {
		var s strings.Builder
		for i := range t.Heads {
			c := ""
			if i < len(cells) {
				c = inCell(strings.ReplaceAll(cells[i], "\n", " "))
			}
			s.WriteString("| " + c + " ")
		}
		return s.String() + "|\n"
	}
	w.printf("%s", line(t.Heads))
	for i := range t.Heads {
		if t.words(i) {
			fmt.Fprint(w, "| --- ")
		} else {
			fmt.Fprint(w, "| ---: ")
		}
	}
	fmt.Fprintln(w, "|")
	for _, r := range t.Rows {
		fmt.Fprint(w, line(r))
	}
}
