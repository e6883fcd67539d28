package report

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// marks are the characters that Markdown may read as something else than themselves, in a paragraph or in a
// table's cell.
var marks = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "|", `\|`, "~", `\~`, "$", `\$`,
	"&", "&amp;", "<", "&lt;", ">", "&gt;", "://", `\://`, "www.", `www\.`,
)

// beginning matches what makes a line something else than a paragraph's first.
var beginning = regexp.MustCompile(`^(?:(?:#{1,6}|[+-]|[0-9]{1,9}[.)])(?:\s|$)|[=-]+\s*$)`)

// summaryMarks are the characters that Markdown or a forge may read as something else within HTML.
var summaryMarks = strings.NewReplacer("[", "&#91;", "]", "&#93;", "`", "&#96;", "*", "&#42;", "_", "&#95;", "$", "&#36;", "://", "&#58;//", "www.", "www&#46;")

// inCell escapes a text so that every reader of Markdown shows it as it is: no markup, links or line breaks.
func inCell(s string) string { return marks.Replace(printable(strings.ReplaceAll(s, "\n", " "))) }

// inMarkdown is inCell for the start of a paragraph or of a list's item.
func inMarkdown(s string) string {
	s = inCell(s)
	if !beginning.MatchString(s) {
		return s
	}
	at := len(s) - len(strings.TrimLeft(s, "0123456789"))
	return s[:at] + `\` + s[at:]
}

// WriteMarkdown writes the report as Markdown. It has no times in it.
func (r *Report) WriteMarkdown(w io.Writer) error {
	b := bufio.NewWriter(w)
	c := *r
	c.Timing = nil
	d := c.build()
	fmt.Fprintf(b, "# %s\n\n**%s.** %s\n", inMarkdown(d.Title), inMarkdown(d.Lead.Badge), inCell(d.Lead.Says))
	var tiles []string
	for _, t := range d.Lead.Tiles {
		tiles = append(tiles, t.words())
	}
	writeItems(b, tiles)
	for _, s := range d.Sections {
		if s.Folded {
			fmt.Fprintf(b, "\n<details><summary>%s</summary>\n", summaryMarks.Replace(escape.Replace(printable(s.Title))))
		} else {
			fmt.Fprintf(b, "\n## %s\n", inMarkdown(s.Title))
		}
		for _, p := range s.Parts {
			p.writeMarkdown(b)
		}
		if s.Folded {
			fmt.Fprint(b, "\n</details>\n")
		}
	}
	return b.Flush()
}

func writeItems(w io.Writer, items []string) {
	for i, s := range items {
		if i == 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "- %s\n", inMarkdown(s))
	}
}

func (p part) writeMarkdown(w io.Writer) {
	if p.onlyPage() {
		return
	}
	if p.Title != "" {
		fmt.Fprintf(w, "\n### %s\n", inMarkdown(p.Title))
	}
	if p.Text != "" {
		fmt.Fprintf(w, "\n%s\n", inMarkdown(p.Text))
	}
	writeItems(w, p.Items)
	if t := p.Table; t != nil {
		fmt.Fprintln(w)
		line := func(cells []string) {
			for i := range t.Heads {
				fmt.Fprintf(w, "| %s ", inCell(cells[i]))
			}
			fmt.Fprintln(w, "|")
		}
		line(t.Heads)
		for i := range t.Heads {
			fmt.Fprint(w, map[bool]string{true: "| --- ", false: "| ---: "}[i < t.Words])
		}
		fmt.Fprintln(w, "|")
		for _, row := range t.Rows {
			line(row)
		}
	}
	var terms []string
	for _, t := range p.Terms {
		terms = append(terms, t.Word+": "+t.Means)
	}
	writeItems(w, terms)
	if p.Code != "" {
		fmt.Fprintf(w, "\n    %s\n", printable(p.Code))
	}
}
