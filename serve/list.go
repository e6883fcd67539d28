package serve

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// maxSearch bounds the bytes of a search text.
const maxSearch = 500

// maxRows is how many runs the list shows.
const maxRows = 500

// query is a request for the list.
type query struct {
	Text    string // runs must have every word of it
	Command string
	Verdict string
	Sort    string
}

// The orders of the list.
const (
	sortNewest  = "newest"
	sortName    = "name"
	sortVerdict = "verdict"
	sortCommand = "command"
)

// columns are those of the list, with the order that their heads lead to.
var columns = []struct{ head, order, direction string }{
	{"Run", sortName, "ascending"},
	{"Command", sortCommand, "ascending"},
	{"Verdict", sortVerdict, "ascending"},
	{head: "Figure"},
	{"Written", sortNewest, "descending"},
}

func parseQuery(v url.Values) query {
	text := strings.TrimSpace(v.Get("q"))
	q := query{
		Text:    strings.ToValidUTF8(text[:min(len(text), maxSearch)], ""),
		Command: v.Get("command"),
		Verdict: v.Get("verdict"),
		Sort:    v.Get("sort"),
	}
	if !slices.Contains([]string{sortName, sortVerdict, sortCommand}, q.Sort) {
		q.Sort = sortNewest
	}
	return q
}

// URL returns the address of the same list in another order.
func (q query) URL(sort string) string {
	v := url.Values{}
	for key, value := range map[string]string{"q": q.Text, "command": q.Command, "verdict": q.Verdict} {
		if value != "" {
			v.Set(key, value)
		}
	}
	if sort != sortNewest {
		v.Set("sort", sort)
	}
	if len(v) == 0 {
		return "/"
	}
	return "/?" + v.Encode()
}

// matches reports whether a run belongs in the list.
func (q query) matches(e *entry) bool {
	if q.Command != "" && e.Subcommand != q.Command || q.Verdict != "" && e.Kind != q.Verdict {
		return false
	}
	for word := range strings.FieldsSeq(strings.ToLower(q.Text)) {
		if !strings.Contains(e.words, word) {
			return false
		}
	}
	return true
}

// order compares two runs; equal ones are ordered by folder.
func (q query) order(a, b *entry) int {
	by := 0
	switch q.Sort {
	case sortNewest:
		by = b.Modified.Compare(a.Modified)
	case sortVerdict:
		by = cmp.Compare(strings.ToLower(a.Verdict), strings.ToLower(b.Verdict))
	case sortCommand:
		by = cmp.Compare(a.Subcommand, b.Subcommand)
	}
	return cmp.Or(by, cmp.Compare(a.Path, b.Path))
}

// listPage is the page of a list.
type listPage struct {
	query
	Rows               []*entry
	Total, Found       int
	Commands, Verdicts []choice
	Heads              []head
	Filtered           bool
	Clear              string // address of the list without filters
	Notes              []string
}

// choice is one value of a filter.
type choice struct {
	Name   string
	Count  int
	Chosen bool
}

// head is the head of a column.
type head struct {
	Name, URL string
	Sorted    string // ascending, descending or empty
}

func (s *site) list(w http.ResponseWriter, r *http.Request) {
	entries, notes, err := s.index.entries(r.Context())
	if err != nil {
		s.fail(w, http.StatusInternalServerError, "The folder could not be read.")
		return
	}
	p := parseQuery(r.URL.Query()).view(entries)
	p.Notes = append(p.Notes, notes...)
	s.show(w, http.StatusOK, "list.html", "Reports", p)
}

// view returns the page for the query.
func (q query) view(entries []*entry) *listPage {
	var found []*entry
	for _, e := range entries {
		if q.matches(e) {
			found = append(found, e)
		}
	}
	slices.SortFunc(found, q.order)
	p := &listPage{query: q, Rows: found[:min(len(found), maxRows)], Total: len(entries), Found: len(found)}
	if len(found) > maxRows {
		p.Notes = append(p.Notes, fmt.Sprintf("These are the first %d: a filter finds the others.", maxRows))
	}
	p.link()
	p.Commands = choices(entries, q.Command, func(e *entry) string { return e.Subcommand })
	p.Verdicts = choices(entries, q.Verdict, func(e *entry) string { return e.Kind })
	return p
}

// maxChoices bounds the values of a filter.
const maxChoices = 30

// choices returns the most frequent values of a filter, by name.
func choices(entries []*entry, chosen string, of func(*entry) string) []choice {
	count := map[string]int{}
	for _, e := range entries {
		if name := of(e); name != "" {
			count[name]++
		}
	}
	if chosen != "" {
		count[chosen] += 0
	}
	var out []choice
	for name, n := range count {
		out = append(out, choice{Name: name, Count: n, Chosen: name == chosen})
	}
	slices.SortFunc(out, func(a, b choice) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	if len(out) > maxChoices {
		rest := slices.DeleteFunc(slices.Clone(out[maxChoices:]), func(c choice) bool { return !c.Chosen })
		out = append(out[:maxChoices], rest...)
	}
	slices.SortFunc(out, func(a, b choice) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// link fills in the addresses of other lists.
func (p *listPage) link() {
	for _, c := range columns {
		h := head{Name: c.head}
		if c.order != "" {
			h.URL = p.URL(c.order)
		}
		if p.Sort == c.order {
			h.Sorted = c.direction
		}
		p.Heads = append(p.Heads, h)
	}
	p.Filtered = p.Text+p.Command+p.Verdict != ""
	p.Clear = query{Sort: p.Sort}.URL(p.Sort)
}
