package report

import (
	"fmt"
	"io"
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

// A document writes Markdown; what it is given is escaped, headings and markup
// are its own.
type document struct {
	*errWriter
	begun bool
}

func newDocument(w io.Writer) *document { return &document{errWriter: &errWriter{w: w}} }

// block separates what follows from what stands above.
func (d *document) block() {
	if d.begun {
		fmt.Fprintln(d)
	}
	d.begun = true
}

func (d *document) heading(level int, s string) {
	d.block()
	fmt.Fprintf(d, "%s %s\n", strings.Repeat("#", level), inMarkdown(s))
}

// paragraph writes the sentences that there are.
func (d *document) paragraph(sentences ...string) {
	var said []string
	for _, s := range sentences {
		if s != "" {
			said = append(said, inMarkdown(s))
		}
	}
	if len(said) == 0 {
		return
	}
	d.block()
	fmt.Fprintln(d, strings.Join(said, " "))
}

// strong writes a paragraph that begins with emphasised words.
func (d *document) strong(words, rest string) {
	d.block()
	fmt.Fprintln(d, strings.TrimSpace("**"+inMarkdown(words)+"** "+inMarkdown(rest)))
}

func (d *document) list(items []string) {
	if len(items) == 0 {
		return
	}
	d.block()
	for _, s := range items {
		fmt.Fprintf(d, "- %s\n", inMarkdown(s))
	}
}

// table writes a table whose first column is words and whose others are figures.
func (d *document) table(t auditTable) {
	if len(t.Rows) == 0 {
		return
	}
	d.block()
	line := func(cells []string) {
		for _, c := range cells {
			fmt.Fprintf(d, "| %s ", inCell(c))
		}
		fmt.Fprintln(d, "|")
	}
	line(t.Heads)
	for i := range t.Heads {
		if t.words(i) {
			fmt.Fprint(d, "| --- ")
		} else {
			fmt.Fprint(d, "| ---: ")
		}
	}
	fmt.Fprintln(d, "|")
	for _, r := range t.Rows {
		line(r)
	}
}
