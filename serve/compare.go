package serve

import (
	"math"
	"net/http"
	"slices"

	"tattle/report"
)

// comparePage sets two runs side by side.
type comparePage struct {
	A, B    side
	Parts   []part
	Only    bool // rows that differ
	Same    int  // rows left out
	Left    int  // rows that are not shown for their number
	Swap    string
	All     string
	Differs string
}

// side is one of the two runs.
type side struct {
	*entry
	Letter string
}

// part is a table of the comparison.
type part struct {
	Name    string
	Rows    []compared
	Numbers bool // some row has a difference
}

// compared is one row: a setting or a figure of both runs.
type compared struct {
	Name, A, B   string
	NoteA, NoteB string
	Difference   string
	Differs      bool
}

func (s *site) compare(w http.ResponseWriter, r *http.Request) {
	runs := r.URL.Query()["run"]
	if len(runs) != 2 {
		s.fail(w, http.StatusBadRequest, "Mark two runs in the list, and compare them then.")
		return
	}
	p := &comparePage{Only: r.URL.Query().Get("only") != ""}
	var reports [2]*report.Report
	for i, at := range []*side{&p.A, &p.B} {
		folder := runs[i]
		if folder != rootRun {
			var ok bool
			if folder, ok = asked(folder); !ok {
				s.fail(w, http.StatusNotFound, "There is no such run.")
				return
			}
		}
		e, rep, ok := s.open(folder)
		if !ok {
			s.fail(w, http.StatusNotFound, "There is no such run.")
			return
		}
		if rep == nil {
			rep = &report.Report{}
		}
		*at, reports[i] = side{e, "AB"[i : i+1]}, rep
	}
	p.link()
	p.fill(reports[0], reports[1])
	s.show(w, http.StatusOK, "compare.html", "Two runs", p)
}

func (p *comparePage) link() {
	p.Swap = compareURL(p.B.Path, p.A.Path, p.Only)
	p.All = compareURL(p.A.Path, p.B.Path, false)
	p.Differs = compareURL(p.A.Path, p.B.Path, true)
}

func (p *comparePage) fill(a, b *report.Report) {
	p.add("What was run", about(a), about(b))
	p.add("Settings", first(settings(a), &p.Left), first(settings(b), &p.Left))
	fa, fb := groups(first(figures(a), &p.Left)), groups(first(figures(b), &p.Left))
	for _, name := range groupNames(fa, fb) {
		p.addPart(part{Name: name, Rows: compareFigures(rowsOf(fa, name), rowsOf(fb, name))})
	}
}

func (p *comparePage) add(name string, a, b []setting) {
	p.addPart(part{Name: name, Rows: compareSettings(a, b)})
}

// addPart adds a table, without what is the same on both sides where only
// differences are asked for.
func (p *comparePage) addPart(x part) {
	if p.Only {
		all := len(x.Rows)
		x.Rows = slices.DeleteFunc(x.Rows, func(c compared) bool { return !c.Differs })
		p.Same += all - len(x.Rows)
	}
	x.Numbers = slices.ContainsFunc(x.Rows, func(c compared) bool { return c.Difference != "" })
	if len(x.Rows) > 0 {
		p.Parts = append(p.Parts, x)
	}
}

// about is what a report says of itself besides its figures.
func about(r *report.Report) []setting {
	if r.Schema == "" {
		return nil
	}
	return []setting{
		{"title", said(r.Title, 200)},
		{"command", said(r.Command, 1000)},
		{"verdict", said(r.Verdict, 400)},
		{"seed", plainUnit.say(float64(r.Seed))},
		{"model", said(r.Model.Path, 200)},
		{"model SHA-256", said(r.Model.SHA256, 64)},
		{"data", said(r.Data.Name, 200)},
		{"data SHA-256", said(r.Data.SHA256, 64)},
		{"examples", plainUnit.say(float64(r.Data.Examples))},
	}
}

func compareSettings(a, b []setting) []compared {
	var out []compared
	for _, name := range names(a, b, func(s setting) string { return s.Name }) {
		x, y := valueOf(a, name), valueOf(b, name)
		if x == "" && y == "" {
			continue
		}
		out = append(out, compared{Name: name, A: x, B: y, Differs: x != y})
	}
	return out
}

func valueOf(all []setting, name string) string {
	for _, s := range all {
		if s.Name == name {
			return s.Value
		}
	}
	return ""
}

func compareFigures(a, b []figure) []compared {
	var out []compared
	for _, name := range names(a, b, func(f figure) string { return f.Name }) {
		x, hasX := figureOf(a, name)
		y, hasY := figureOf(b, name)
		c := compared{Name: name, NoteA: x.Note, NoteB: y.Note}
		if hasX {
			c.A = x.Said()
		}
		if hasY {
			c.B = y.Said()
		}
		c.Differs = c.A != c.B || c.NoteA != c.NoteB
		if d := y.Value - x.Value; hasX && hasY && !math.IsNaN(d) && !math.IsInf(d, 0) && d != 0 {
			c.Difference, c.Differs = x.Unit.difference(d), true
		}
		out = append(out, c)
	}
	return out
}

func figureOf(all []figure, name string) (figure, bool) {
	for _, f := range all {
		if f.Name == name {
			return f, true
		}
	}
	return figure{}, false
}

// names are those of both lists, each once, in the order of the first and then of
// the second.
func names[T any](a, b []T, of func(T) string) []string {
	var out []string
	seen := map[string]bool{}
	for _, x := range slices.Concat(a, b) {
		if n := of(x); !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	return out
}

func groupNames(a, b []group) []string {
	return names(a, b, func(g group) string { return g.Name })
}

func rowsOf(all []group, name string) []figure {
	for _, g := range all {
		if g.Name == name {
			return g.Rows
		}
	}
	return nil
}
