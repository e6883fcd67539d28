package report

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"strings"
)

var (
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string
)

// markup is HTML. Words become markup by text and code alone. It is written without package html/template, whose reflection
// would make the page docs/try half as large again.
type markup string

// escape writes out the characters of markup, as package html does, whose names of characters would be a part of the page docs/try, too.
var escape = strings.NewReplacer("&", "&amp;", "'", "&#39;", "<", "&lt;", ">", "&gt;", `"`, "&#34;")

var whole = strings.NewReplacer(" %", "\u00a0%", " ± ", "\u00a0±\u00a0")

// text returns words as markup, with figures that are not broken off their units.
func text(s string) markup { return code(whole.Replace(printable(s))) }

// code returns a text as markup, character by character.
func code(s string) markup { return markup(escape.Replace(printable(s))) }

// cell is the content of a table's cell: the kind of a claim in a frame, text after a line break below.
func cell(s string) markup {
	if slices.Contains([]Kind{Certified, WithConfidence, Estimated, Demonstrated}, Kind(s)) {
		return `<span class="tag ` + text(s) + `">` + text(s) + `</span>`
	}
	above, below, broken := strings.Cut(s, "\n")
	if !broken {
		return text(s)
	}
	return text(above) + "<small>" + text(below) + "</small>"
}

// pageWriter writes markup.
type pageWriter struct{ *bufio.Writer }

// put writes markup, with the values of the format's verbs.
func (w pageWriter) put(format string, values ...markup) {
	all := make([]any, len(values))
	for i, v := range values {
		all[i] = v
	}
	fmt.Fprintf(w, format, all...)
}

// puts writes every entry of a list into a format.
func (w pageWriter) puts(format string, list []string) {
	for _, s := range list {
		w.put(format, text(s))
	}
}

// WriteHTML writes the report as one file that needs nothing else: no font, no network. Its only script copies
// commands.
func (r *Report) WriteHTML(to io.Writer) error {
	w, d := pageWriter{bufio.NewWriter(to)}, r.build()
	sum := sha256.Sum256([]byte(pageScript))
	w.put(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-%s'">
<title>%s · tattle</title>
<style>
%s</style>
</head>
<body>
<a class="skip" href="#main">Skip to the report</a>
<header>
<h1>%s</h1>
<p class="soft">%s</p>
</header>
<main id="main">
`, code(base64.StdEncoding.EncodeToString(sum[:])), text(d.Title), markup(pageStyle), text(d.Title), text(d.Subtitle))
	w.lead(d.Lead)
	for i, s := range d.Sections {
		w.section(i, s)
	}
	w.put(`
</main>
<footer>Written by tattle. This file is self-contained: nothing is loaded from anywhere.</footer>
<script>%s</script>
</body>
</html>
`, markup(pageScript))
	return w.Flush()
}

func (w pageWriter) lead(l lead) {
	w.put(`<section class="verdict %s" aria-label="Verdict">
<p class="says"><strong class="badge">%s</strong> %s</p>`, code(string(l.Tone)), text(l.Badge), text(l.Says))
	if len(l.Tiles) > 0 {
		w.put("\n<dl class=\"tiles\">")
		for _, t := range l.Tiles {
			class := markup("")
			if t.Long() {
				class = ` class="long"`
			}
			w.put("\n<div><dt>%s</dt><dd><b%s>%s <i>%s</i></b> %s</dd></div>", text(t.Name), class, text(t.Figure), text(t.Unit), text(t.About))
		}
		w.put("\n</dl>")
	}
	w.put("\n</section>")
}

func (w pageWriter) section(i int, s section) {
	id, end := markup(fmt.Sprintf("s%d", i)), markup("section")
	if s.Folded {
		w.put("\n<details class=\"section\"><summary><h2 id=\"%s\">%s</h2></summary>", id, text(s.Title))
		end = "details"
	} else {
		w.put("\n<section aria-labelledby=\"%s\"><h2 id=\"%s\">%s</h2>", id, id, text(s.Title))
	}
	for _, p := range s.Parts {
		w.part(p)
	}
	w.put("\n</%s>", end)
}

func (w pageWriter) part(p part) {
	if p.Title != "" {
		w.put("\n<h3>%s</h3>", text(p.Title))
	}
	if p.Text != "" {
		w.put("\n<p>%s</p>", text(p.Text))
	}
	if len(p.Items) > 0 {
		w.put("\n<ul>")
		w.puts("<li>%s</li>", p.Items)
		w.put("</ul>")
	}
	if c := p.Chart; c != nil {
		w.put("\n<figure><figcaption>%s</figcaption>%s", text(c.Caption), c.SVG)
		if len(c.Keys) > 0 {
			w.put(`<ul class="key" aria-label="What the marks mean">`)
			for _, k := range c.Keys {
				w.put("<li>%s%s</li>", k.Mark, text(k.Name))
			}
			w.put("</ul>")
		}
		w.put("</figure>")
	}
	if len(p.Pictures) > 0 {
		w.put("\n<div class=\"small\">")
		for _, row := range p.Pictures {
			w.put("\n<figure><div class=\"shots\">")
			for _, s := range row.Shots {
				w.put(`<div><img src="%s" alt="%s"><br>%s</div>`, code(s.uri()), text(s.Name), text(s.Name))
			}
			w.put(`</div><p class="soft">%s</p></figure>`, text(row.Caption))
		}
		w.put("\n</div>")
	}
	if p.Table != nil {
		w.table(p.Table)
	}
	if len(p.Terms) > 0 {
		w.put("\n<dl>")
		for _, t := range p.Terms {
			w.put("<dt>%s</dt><dd>%s</dd>\n", text(t.Word), text(t.Means))
		}
		w.put("</dl>")
	}
	if p.Code != "" {
		w.put("\n<pre class=\"copy\">%s</pre>", code(p.Code))
	}
}

func (w pageWriter) table(t *table) {
	class := func(column int) markup {
		if column < t.Words {
			return ` class="words"`
		}
		return ""
	}
	w.put("\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"")
	w.puts("%s ", t.Heads)
	w.put("\"><table>\n<thead><tr>")
	for j, h := range t.Heads {
		w.put(`<th scope="col"%s>%s</th>`, class(j), text(h))
	}
	w.put("</tr></thead>\n<tbody>")
	for _, row := range t.Rows {
		w.put("\n<tr>")
		for j, c := range row {
			if j == 0 {
				w.put(`<th scope="row">%s</th>`, cell(c))
			} else {
				w.put(`<td%s>%s</td>`, class(j), cell(c))
			}
		}
		w.put("</tr>")
	}
	w.put("\n</tbody></table></div>")
}
