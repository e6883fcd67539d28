package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"tattle/internal/file"
)

// A layout says which claims, findings, series and pictures of a report make which section. There is one for
// each kind of report.
type layout struct {
	first    map[string]tileOf // in place of the first tile, by a part of the code of the finding that it is behind
	tiles    []tileOf
	sections []sectionOf
	terms    []term // what words and columns mean
	check    string // command that checks the report; empty for tattle verify
}

// tileOf is a figure behind the first sentence: the first claim with the ID. The about template is filled for it.
type tileOf struct{ name, claim, about string }

// sectionOf is a section; it is shown if anything is in it.
type sectionOf struct {
	title  string // a template
	folded bool   // closed on a page, left out on a terminal without --details
	each   string // repeat the section for each subject that has a claim with this ID
	parts  []partOf
}

// partOf is one thing in a section. Of its fields one is set, and says introduces it.
type partOf struct {
	title    string // a template
	says     string // a template, shown if anything follows it
	when     string // only if a finding's code contains it
	findings []Part
	table    *tableOf
	chart    *intervalsOf
	curves   *curvesOf
	pictures string // the beginning of the groups' names
}

// tableOf is a table with a row for each subject, or subject and group, that has a claim of its columns.
type tableOf struct {
	rows    []string // heads of the columns that name the row: subject, group
	columns []column
}

// A column shows a part of the claims with an ID: one of the keys of shows, "@" and the name of what stands
// beside it, or "badge", the badge of the finding about the subject. Empty shows the figure.
type column struct {
	head, claim, show string
	page              bool // not on a terminal
}

// term explains a word.
type term struct{ Word, Means string }

// layouts are the layouts by subcommand.
var layouts = map[string]*layout{}

// layout returns the layout of the report.
func (r *Report) layout() *layout {
	if l, ok := layouts[cmp.Or(r.Layout, r.Subcommand())]; ok {
		return l
	}
	return layouts[""]
}

// build returns the report as a document, the same for text, Markdown and HTML.
func (r *Report) build() *document {
	l := r.layout()
	d := &document{Title: r.Title, Subtitle: r.subtitle(), Lead: r.lead(l)}
	for _, s := range l.sections {
		if s.each == "" {
			d.add(r.section(s, ""))
			continue
		}
		for _, subject := range r.subjects(s.each) {
			d.add(r.section(s, subject))
		}
	}
	if len(l.terms) > 0 {
		d.add(section{Title: "What the words mean", Folded: true, Parts: []part{{Terms: l.terms}}})
	}
	d.add(r.provenance())
	d.Sections = append(d.Sections, d.folded...)
	return d
}

// subjects are the subjects of the claims with an ID.
func (r *Report) subjects(id string) (all []string) {
	for _, c := range r.Claims {
		if c.ID == id && !slices.Contains(all, c.Subject) {
			all = append(all, c.Subject)
		}
	}
	return all
}

// lead is what the report says first.
func (r *Report) lead(l *layout) lead {
	var v lead
	if len(r.Findings) > 0 {
		f := r.Findings[0]
		w := WordingOf(f.Code)
		v = lead{Badge: r.fill(w.Badge, f), Tone: cmp.Or(w.Tone, Calm), Says: r.Say(f)}
	}
	tiles, subject := l.tiles, ""
	if len(r.Findings) > 0 {
		subject = r.Findings[0].Subject
	}
	kind := r.Verdict()
	if c := r.about("excess", subject); c != nil && c.Value.Unit == Variance && !strings.Contains(kind, ".gain") && !strings.Contains(kind, ".auc") {
		kind += ".number"
	} else {
		kind = strings.TrimSuffix(kind, ".number")
	}
	for code, t := range l.first {
		if strings.Contains(kind, code) {
			tiles = append([]tileOf{t}, tiles[1:]...)
		}
	}
	var highs []float64 // of two tiles with one name, the one with the larger upper limit is shown
	for _, t := range tiles {
		c := r.about(t.claim, subject)
		if c == nil {
			c = r.about(t.claim, "")
		}
		if c == nil || c.Value.Figure() == "–" {
			continue
		}
		about := Finding{Subject: c.Subject}
		shown := tile{Name: r.fill(t.name, about), Figure: c.Value.bare(), Unit: strings.TrimPrefix(strings.TrimPrefix(c.Value.Figure(), c.Value.bare()), " "), About: r.clauses(t.about, about)}
		switch i := slices.IndexFunc(v.Tiles, func(other tile) bool { return other.Name == shown.Name }); {
		case i < 0 && len(v.Tiles) < mostTiles:
			v.Tiles, highs = append(v.Tiles, shown), append(highs, c.Value.High)
		case i >= 0 && c.Value.High > highs[i]:
			v.Tiles[i], highs[i] = shown, c.Value.High
		}
	}
	return v
}

const mostTiles = 4

// clauses fills what a tile says below its figure, without the clauses whose claims the report does not have.
func (r *Report) clauses(template string, f Finding) string {
	var said []string
	for _, clause := range strings.Split(template, "; ") {
		if s := r.fill(clause, f); !strings.Contains(" "+s+" ", " – ") {
			said = append(said, s)
		}
	}
	return strings.Join(said, "; ")
}

// sentences fills a template, without the sentences whose claims the report does not have.
func (r *Report) sentences(template string, f Finding) string {
	var said []string
	for _, sentence := range strings.SplitAfter(template, ". ") {
		if s := r.fill(sentence, f); s == sentence || !strings.Contains(s, "–") {
			said = append(said, s)
		}
	}
	return strings.TrimSpace(strings.Join(said, ""))
}

// section fills a section for a subject.
func (r *Report) section(s sectionOf, subject string) section {
	out := section{Title: r.fill(s.title, Finding{Subject: subject}), Folded: s.folded}
	for _, p := range s.parts {
		out.Parts = append(out.Parts, r.part(p, subject, s.each != "")...)
	}
	return out
}

// part fills a part; none if there is nothing in it.
func (r *Report) part(p partOf, subject string, one bool) []part {
	about := Finding{Subject: subject}
	if p.when != "" && !slices.ContainsFunc(r.Findings, func(f Finding) bool { return strings.Contains(f.Code, p.when) }) {
		return nil
	}
	out := part{Title: r.fill(p.title, about)}
	var more []part
	is := false
	for _, f := range r.Findings[min(1, len(r.Findings)):] {
		if slices.Contains(p.findings, WordingOf(f.Code).Part) && (!one || f.Subject == subject) {
			out.Items, is = append(out.Items, r.Say(f)), true
		}
	}
	if p.table != nil {
		t := r.table(p.table, subject, one)
		out.Table, is = t, t != nil
	}
	if p.chart != nil {
		c := r.intervals(p.chart, subject, one)
		out.Chart, is = c, c != nil
	}
	if p.curves != nil {
		for i, c := range r.curves(p.curves, subject) {
			if i == 0 {
				out.Chart, is = &c, true
				continue
			}
			more = append(more, part{Chart: &c})
		}
	}
	if p.pictures != "" {
		out.Pictures = r.pictures(p.pictures)
		is = len(out.Pictures) > 0
	}
	if !is {
		return nil
	}
	out.Text = begun(unicode.ToUpper, r.sentences(p.says, about))
	if out.Table != nil && out.Table.Unit != "" {
		out.Text += " Unit: " + out.Table.Unit + "."
	}
	return append([]part{out}, more...)
}

// pictures returns the pictures of the groups with a prefix, each group in a row.
func (r *Report) pictures(prefix string) (rows []shots) {
	for _, p := range r.Pictures {
		if !strings.HasPrefix(p.Group, prefix) {
			continue
		}
		if len(rows) == 0 || rows[len(rows)-1].Shots[0].Group != p.Group {
			rows = append(rows, shots{Caption: strings.TrimPrefix(p.Group, prefix)})
		}
		at := &rows[len(rows)-1]
		at.Shots = append(at.Shots, p)
	}
	return rows
}

// subtitle says in a line what was measured, and by which command.
func (r *Report) subtitle() string {
	var said []string
	if n := r.Data.Examples; n > 0 {
		said = append(said, Many(n, "example")+map[bool]string{true: " from " + file.Name(r.Data.Name)}[r.Data.Name != ""])
	}
	if name := r.Subcommand(); name != "" {
		said = append(said, "tattle "+name)
	}
	return strings.Join(said, " · ")
}

// provenance says how to check and repeat the report, and on what it rests.
func (r *Report) provenance() section {
	s := section{Title: "Check and repeat", Folded: true, Parts: []part{{Text: "To recompute every claim that can be recomputed:", Code: cmp.Or(r.layout().check, "tattle verify .")}}}
	if r.Command != "" {
		s.Parts = append(s.Parts, part{Text: "To repeat the run:", Code: r.Command})
	}
	var rows []term
	add := func(word, format string, a ...any) { rows = append(rows, term{word, fmt.Sprintf(format, a...)}) }
	if m := r.Model; m.Path+m.SHA256 != "" {
		add("model", "%s, sha256 %s", m.Path, m.SHA256)
	}
	if x := r.Data; x.Name+x.Path != "" {
		add("data", "%s, sha256 %s", strings.Join(slices.Compact(slices.DeleteFunc([]string{x.Name, x.Path, x.Part}, func(s string) bool { return s == "" })), ", "), x.SHA256)
	}
	add("seed", "%d", r.Seed)
	rows = append(rows, settings(r.Request)...)
	for _, f := range r.Files {
		add(f.Name, "sha256 %s", f.SHA256)
	}
	for _, k := range slices.Sorted(maps.Keys(r.Timing)) {
		add("time: "+k, "%.1f s", r.Timing[k])
	}
	s.Parts = append(s.Parts, part{Terms: rows})
	return s
}

// settings lists the values of a request, with the names that JSON has for them.
func settings(request json.RawMessage) (rows []term) {
	var v any
	if len(request) == 0 || json.Unmarshal(request, &v) != nil {
		return nil
	}
	var walk func(name string, v any)
	walk = func(name string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				walk(strings.TrimPrefix(name+" "+strings.ReplaceAll(k, "_", " "), " "), v[k])
			}
		case []any:
			text, _ := json.Marshal(v)
			nested := slices.ContainsFunc(v, func(x any) bool {
				switch x.(type) {
				case map[string]any, []any:
					return true
				}
				return false
			})
			if len(v) > 0 && !nested && len(text) < 300 {
				rows = append(rows, term{name, string(text)})
			}
		case nil:
		default:
			if s := fmt.Sprint(v); s != "" && s != "0" && s != "false" {
				rows = append(rows, term{name, s})
			}
		}
	}
	walk("", v)
	return rows
}
