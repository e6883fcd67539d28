package report

import (
	"fmt"
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

// markdownWriter renders blocks as Markdown.
type markdownWriter struct {
	*errWriter
	begun bool
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
	case heading:
		w.printf("%s %s\n", strings.Repeat("#", b.Level), inMarkdown(b.Text))
	case paragraph:
		if strings.HasPrefix(b.Class, "verdict") {
			w.printf("**%s**\n", inMarkdown(b.Text))
			return
		}
		w.printf("%s\n", inMarkdown(b.Text))
	case labelled:
		w.printf("**%s.** %s\n", inMarkdown(labelledWords(labelled{Label: b.Label, Tag: b.Tag})), inMarkdown(b.Text))
	case list:
		w.items(b.Items)
	case settings:
		var items []string
		for _, s := range b {
			items = append(items, s.Key+": "+s.Value)
		}
		w.items(items)
	case tiles:
		var items []string
		for _, t := range b {
			items = append(items, t.Name+": "+t.Figure+" ("+t.About+")")
		}
		w.items(items)
	case code:
		w.printf("    %s\n", printable(string(b)))
	case details:
		w.printf("### %s\n", inMarkdown(labelledWords(labelled{Label: b.Summary, Tag: b.Tag})))
		w.blocks(b.Blocks)
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

func (w *markdownWriter) items(items []string) {
	for i, s := range items {
		if i == 0 {
			w.printf("- %s\n", inMarkdown(s))
		} else {
			fmt.Fprintf(w, "- %s\n", inMarkdown(s))
		}
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
