package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"slices"
	"strings"
)

var (
	//go:embed page.html
	pageTemplate string
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string
)

var whole = strings.NewReplacer(" %", "\u00a0%", " ± ", "\u00a0±\u00a0")

// page is the template of a report's page.
var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"text":  func(s string) string { return whole.Replace(printable(s)) },
	"code":  printable,
	"words": func(t *table, column int) bool { return column < t.Words },
	"cell":  cell,
}).Parse(pageTemplate))

// cell is the content of a table's cell: the kind of a claim in a frame, text after a line break below.
func cell(s string) template.HTML {
	esc := func(s string) string { return template.HTMLEscapeString(whole.Replace(printable(s))) }
	if slices.Contains([]Kind{Certified, WithConfidence, Estimated, Demonstrated}, Kind(s)) {
		return template.HTML(`<span class="tag ` + esc(s) + `">` + esc(s) + `</span>`)
	}
	above, below, broken := strings.Cut(s, "\n")
	if !broken {
		return template.HTML(esc(s))
	}
	return template.HTML(esc(above) + "<small>" + esc(below) + "</small>")
}

// WriteHTML writes the report as one file that needs nothing else: no font, no network. Its only script copies
// commands.
func (r *Report) WriteHTML(w io.Writer) error {
	sum := sha256.Sum256([]byte(pageScript))
	return page.Execute(w, struct {
		*document
		Style  template.CSS
		Script template.JS
		Digest string
	}{r.build(), template.CSS(pageStyle), template.JS(pageScript), "sha256-" + base64.StdEncoding.EncodeToString(sum[:])})
}
