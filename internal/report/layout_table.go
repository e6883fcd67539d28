package report

import (
	"slices"
	"strings"
	"unicode"

	"tattle/internal/file"
)

// rowKey names a row of a table.
type rowKey struct{ subject, group string }

// table fills a table; nil if it has no rows.
func (r *Report) table(t *tableOf, subject string, one bool) *table {
	var keys []rowKey
	cells := map[rowKey]map[string]*Claim{}
	used := map[string]bool{}
	for i := range r.Claims {
		c := &r.Claims[i]
		if one && c.Subject != subject || !slices.ContainsFunc(t.columns, func(k column) bool { return k.claim == c.ID }) {
			continue
		}
		k := rowKey{c.Subject, c.Group}
		if cells[k] == nil {
			cells[k] = map[string]*Claim{}
			keys = append(keys, k)
		}
		cells[k][c.ID], used[c.ID] = c, true
	}
	if len(keys) == 0 {
		return nil
	}
	grouped := slices.ContainsFunc(keys, func(k rowKey) bool { return k.group != "" }) && slices.ContainsFunc(keys, func(k rowKey) bool { return k.subject != "" }) && !one
	out := &table{}
	label := func(k rowKey) []string {
		if grouped {
			return []string{file.Name(k.subject), file.Name(k.group)}
		}
		return []string{file.Name(k.group + map[bool]string{true: k.subject}[k.group == ""])}
	}
	heads := t.rows
	if !grouped {
		heads = t.rows[len(t.rows)-1:]
		if len(t.rows) > 1 && !slices.ContainsFunc(keys, func(k rowKey) bool { return k.group != "" }) {
			heads = t.rows[:1]
		}
	}
	out.Words = len(heads)
	out.Heads = slices.Clone(heads)
	var shown []column
	for _, c := range t.columns {
		if used[c.claim] || c.show == "badge" || c.show == "unit" {
			shown = append(shown, c)
			out.Heads = append(out.Heads, r.fill(c.head, Finding{}))
			if c.page {
				out.Left = append(out.Left, len(out.Heads)-1)
			}
		}
	}
	last := ""
	for _, k := range keys {
		row := label(k)
		if len(row) > 1 && row[0] == last {
			row[0] = ""
		} else {
			last = row[0]
		}
		for _, c := range shown {
			of := cells[k][c.claim]
			for i := 0; of == nil && c.show == "unit" && i < len(shown); i++ {
				of = cells[k][shown[i].claim]
			}
			row = append(row, r.cell(c, of, k.subject))
		}
		if !hasFigure(cells[k]) && t.columns[0].show != "badge" {
			out.Unknown = append(out.Unknown, len(out.Rows))
		}
		out.Rows = append(out.Rows, row)
	}
	return out.oneUnit().withoutEmpty()
}

// oneUnit takes the column of units out if all rows have one unit, which stands above the table then.
func (t *table) oneUnit() *table {
	j := slices.Index(t.Heads, "unit")
	if j < t.Words || slices.ContainsFunc(t.Rows, func(row []string) bool { return row[j] != t.Rows[0][j] }) {
		return t
	}
	t.Unit = strings.Trim(t.Rows[0][j], "–")
	for _, row := range t.Rows {
		row[j] = "–" // an empty column
	}
	return t
}

// hasFigure reports whether the value of one of the claims is known.
func hasFigure(claims map[string]*Claim) bool {
	for _, c := range claims {
		if c.Value.Figure() != "–" {
			return true
		}
	}
	return false
}

// withoutEmpty leaves out the columns of figures that have none.
func (t *table) withoutEmpty() *table {
	out := &table{Words: t.Words, Unit: t.Unit, Unknown: t.Unknown, Rows: make([][]string, len(t.Rows))}
	for j, head := range t.Heads {
		if j >= t.Words && !slices.ContainsFunc(t.Rows, func(row []string) bool { return row[j] != "–" }) {
			continue
		}
		if slices.Contains(t.Left, j) {
			out.Left = append(out.Left, len(out.Heads))
		}
		out.Heads = append(out.Heads, head)
		for i, row := range t.Rows {
			out.Rows[i] = append(out.Rows[i], row[j])
		}
	}
	return out
}

// cell prints what a column shows of a claim, which may be nil.
func (r *Report) cell(c column, of *Claim, subject string) string {
	if c.show == "badge" {
		for _, f := range r.Findings {
			switch w := WordingOf(f.Code); {
			case f.Subject != subject || w.Badge+w.Label == "":
			case w.Label != "":
				return w.Label
			default:
				return begun(unicode.ToLower, r.fill(w.Badge, f))
			}
		}
		return "–"
	}
	if of == nil {
		return "–"
	}
	if name, ok := strings.CutPrefix(c.show, "@"); ok {
		return of.beside(name).bare() + of.deviation(name+" ±")
	}
	if c.show == "" {
		return of.Value.bare() + of.deviation("±")
	}
	return shows[c.show](of)
}

// deviation prints the standard deviation that stands beside a claim under a name; nothing if there is none.
func (c *Claim) deviation(name string) string {
	if v := c.beside(name); known(v.X) {
		return " ±" + v.bare()
	}
	return ""
}
