package report

import (
	"fmt"
	"html"
	"html/template"
	"slices"
	"strings"
)

// htmlWriter renders blocks as the body of a page.
type htmlWriter struct {
	strings.Builder
	closing string          // of the section that is open
	ids     map[string]bool // of sections
}

// inHTML escapes a text, with unbreakable spaces inside figures.
func inHTML(s string) string { return html.EscapeString(whole.Replace(printable(s))) }

func (w *htmlWriter) blocks(blocks []block) {
	for _, b := range blocks {
		w.block(b)
	}
}

func (w *htmlWriter) printf(format string, a ...any) { fmt.Fprintf(w, format, a...) }

func (w *htmlWriter) block(b block) {
	switch b := b.(type) {
	case verdictBlock:
		w.verdict(b)
	case heading:
		w.heading(b)
	case paragraph:
		w.printf("<p%s>%s</p>\n", class(b.Class), inHTML(b.Text))
	case list:
		w.printf("<ul%s>", class(b.Class))
		for _, s := range b.Items {
			w.printf("<li>%s</li>", inHTML(s))
		}
		w.printf("</ul>\n")
	case settings:
		w.printf("<dl>")
		for _, s := range b {
			w.printf("<dt>%s</dt><dd>%s</dd>\n", inHTML(s.Key), inHTML(s.Value))
		}
		w.printf("</dl>\n")
	case code:
		w.printf("<pre class=\"copy\">%s</pre>\n", html.EscapeString(printable(string(b))))
	case chart:
		w.chart(b)
	case pictures:
		w.pictures(b)
	case sideBySide:
		class := "grid"
		if b.small() {
			class = "small"
		}
		w.printf("<div class=\"%s\">\n", class)
		w.blocks(b)
		w.printf("</div>\n")
	case only:
		if b.On&onPage != 0 {
			w.blocks(b.Blocks)
		}
	case table:
		w.table(b)
	}
}

// heading begins a section, or a part of one.
func (w *htmlWriter) heading(h heading) {
	if h.Level != 2 {
		w.printf("<h%d>%s</h%d>\n", h.Level, inHTML(h.Text), h.Level)
		return
	}
	w.end()
	id := strings.Join(strings.FieldsFunc(strings.ToLower(h.Text), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }), "-")
	for w.ids[id] || id == "" {
		id += "x"
	}
	w.ids[id] = true
	if h.Folded {
		w.printf("<details class=\"section\"><summary><h2 id=\"%s\">%s</h2></summary>\n", id, inHTML(h.Text))
		w.closing = "</details>\n"
		return
	}
	w.printf("<section aria-labelledby=\"%s\"><h2 id=\"%s\">%s</h2>\n", id, id, inHTML(h.Text))
	w.closing = "</section>\n"
}

// end closes the section that is open.
func (w *htmlWriter) end() {
	w.WriteString(w.closing)
	w.closing = ""
}

// longFigure is how many letters of a tile's figure are printed large.
const longFigure = 14

// verdict is a section of its own, the first.
func (w *htmlWriter) verdict(v verdictBlock) {
	w.printf("<section class=\"verdict %s\" aria-label=\"Verdict\">\n<p class=\"says\"><strong class=\"badge\">%s</strong> %s</p>\n", v.Tone, inHTML(v.Badge), inHTML(v.Says))
	if len(v.Tiles) > 0 {
		w.printf("<dl class=\"tiles\">\n")
		for _, t := range v.Tiles {
			w.printf("<div><dt>%s</dt><dd><b%s>%s <i>%s</i></b> %s</dd></div>\n", inHTML(t.Name), class(when(len(t.Figure) > longFigure, "long")), inHTML(t.Figure), inHTML(t.Unit), inHTML(t.About))
		}
		w.printf("</dl>\n")
	}
	w.printf("</section>\n")
}

// class returns a class attribute, or nothing for no class.
func class(c string) string {
	return when(c != "", fmt.Sprintf(" class=\"%s\"", html.EscapeString(c)))
}

// tag returns the status of a claim in a frame; the word itself is the class.
func tag(s string) string {
	return when(s != "", fmt.Sprintf(" <span class=\"tag %s\">%s</span>", html.EscapeString(s), inHTML(s)))
}

func (w *htmlWriter) chart(c chart) {
	if c.SVG == "" {
		return
	}
	w.printf("<figure><figcaption>%s%s</figcaption>%s\n", inHTML(c.Caption), tag(c.Tag), c.SVG)
	if len(c.Keys) > 0 {
		w.printf("<ul class=\"key\" aria-label=\"What the marks mean\">")
		for _, k := range c.Keys {
			w.printf("<li>%s%s</li>", k.Mark, inHTML(k.Name))
		}
		w.printf("</ul>")
	}
	if c.Note != "" {
		w.printf("<p class=\"soft\">%s</p>", inHTML(c.Note))
	}
	w.printf("</figure>\n")
}

func (w *htmlWriter) pictures(p pictures) {
	w.printf("<figure><div class=\"shots\">")
	for _, s := range p.Shots {
		w.printf("<div><img src=\"%s\" alt=\"%s\"><b>%s</b><br>%s</div>\n", html.EscapeString(string(s.URI)), inHTML(s.Alt), inHTML(s.Name), inHTML(s.Caption))
	}
	w.printf("</div><p class=\"soft\">%s</p></figure>\n", inHTML(p.Caption))
}

func (w *htmlWriter) table(t table) {
	name := t.Name
	if name == "" {
		name = strings.Join(t.Heads, ", ")
	}
	w.printf("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s\"><table>\n", inHTML(name))
	if s := t.intro(); s != "" {
		w.printf("<caption>%s</caption>\n", inHTML(s))
	}
	w.printf("<thead><tr>")
	for i, h := range t.Heads {
		w.printf("<th scope=\"col\"%s>%s</th>", t.class(i), inHTML(h))
	}
	w.printf("</tr></thead>\n<tbody>")
	for i, cells := range t.Rows {
		if t.heads(cells) {
			w.printf("<tr><th scope=\"rowgroup\" colspan=\"%d\" class=\"part\">%s</th></tr>\n", len(t.Heads), inHTML(cells[0]))
			continue
		}
		kind := ""
		if i < len(t.Kinds) {
			kind = t.Kinds[i]
		}
		w.printf("<tr%s>", class(kind))
		for j, c := range cells {
			if j == 0 {
				w.printf("<th scope=\"row\">%s</th>", cell(c))
			} else {
				w.printf("<td%s>%s</td>", t.class(j), cell(c))
			}
		}
		w.printf("</tr>\n")
	}
	w.printf("</tbody></table></div>\n")
}

func (t *table) class(column int) string { return class(when(t.words(column), "words")) }

// cell returns the content of a table's cell: the status of a claim as a tag, text after a line
// break on a line below.
func cell(s string) string {
	if slices.Contains(statuses, s) {
		return tag(s)
	}
	above, below, broken := strings.Cut(s, "\n")
	if !broken {
		return inHTML(s)
	}
	return inHTML(above) + "<small>" + inHTML(below) + "</small>"
}

var whole = strings.NewReplacer(" %", "\u00a0%", " ± ", "\u00a0±\u00a0")

// shapeKey returns the symbol of a series for a legend.
func shapeKey(class, path string) template.HTML {
	return template.HTML(fmt.Sprintf(`<svg class="shape" viewBox="-8 -10 16 20" aria-hidden="true"><path class="point %s" d="%s"/></svg>`, class, path))
}

// strokeKey returns the line of a series for a legend.
func strokeKey(class string) template.HTML {
	return template.HTML(fmt.Sprintf(`<svg class="%s" viewBox="0 0 34 14" aria-hidden="true"><line class="%s" x1="0" y1="7" x2="34" y2="7"/></svg>`, class, class))
}
