package serve

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tattle/report"
)

// maxSearch bounds the bytes of a search text.
const maxSearch = 500

// pageLength is how many runs a page of the list has.
const pageLength = 100

// query is a request for the list.
type query struct {
	Text    string // runs must have every word of it
	Command string
	Verdict string
	Sort    string
	Page    int
}

// The orders of the list.
const (
	sortNewest  = "newest"
	sortName    = "name"
	sortVerdict = "verdict"
	sortCommand = "command"
	sortExcess  = "excess"
)

// orders are the columns of the list, in each of which it can be sorted.
var orders = []struct{ head, order, direction, name string }{
	{"Run", sortName, "ascending", "folder"},
	{"Command", sortCommand, "ascending", "command"},
	{"Verdict", sortVerdict, "ascending", "verdict"},
	{"Figure", sortExcess, "descending", "excess curiosity"},
	{"Written", sortNewest, "descending", "newest first"},
}

func parseQuery(v url.Values) query {
	text := strings.TrimSpace(v.Get("q"))
	q := query{
		Text:    strings.ToValidUTF8(text[:min(len(text), maxSearch)], ""),
		Command: v.Get("command"),
		Verdict: v.Get("verdict"),
		Sort:    v.Get("sort"),
	}
	if !slices.Contains([]string{sortName, sortVerdict, sortCommand, sortExcess}, q.Sort) {
		q.Sort = sortNewest
	}
	q.Page, _ = strconv.Atoi(v.Get("page"))
	q.Page = max(q.Page, 1)
	return q
}

// URL returns the address of the same list in another order and on another page.
func (q query) URL(sort string, page int) string {
	v := url.Values{}
	for key, value := range map[string]string{"q": q.Text, "command": q.Command, "verdict": q.Verdict} {
		if value != "" {
			v.Set(key, value)
		}
	}
	if sort != sortNewest {
		v.Set("sort", sort)
	}
	if page > 1 {
		v.Set("page", strconv.Itoa(page))
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
	case sortExcess:
		by = cmp.Compare(b.Excess, a.Excess) // NaN last: it is less than any number
	}
	return cmp.Or(by, cmp.Compare(a.Path, b.Path))
}

// listPage is the page of a list.
type listPage struct {
	query
	Rows               []*entry
	Total, Found       int
	From, To           int
	Pages              int
	Commands, Verdicts []choice
	Orders             []choice
	Heads              []head
	Filtered           bool
	Clear              string // address of the list without filters
	Before, After      string // addresses of the neighbouring pages
	Notes              []string
}

// choice is one value of a filter, or one order.
type choice struct {
	Key    string // if it is not the name
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
	p.Notes = notes
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
	p := &listPage{query: q, Total: len(entries), Found: len(found)}
	p.Pages = max(1, (len(found)+pageLength-1)/pageLength)
	p.Page = min(p.Page, p.Pages)
	p.link()
	from := (p.Page - 1) * pageLength
	p.Rows = found[from:min(len(found), from+pageLength)]
	p.From, p.To = from+1, from+len(p.Rows)
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
	for _, o := range orders {
		h := head{Name: o.head, URL: p.URL(o.order, 1)}
		if p.Sort == o.order {
			h.Sorted = o.direction
		}
		p.Heads = append(p.Heads, h)
		p.Orders = append(p.Orders, choice{Key: o.order, Name: o.name, Chosen: p.Sort == o.order})
	}
	p.Filtered = p.Text+p.Command+p.Verdict != ""
	p.Clear = query{Sort: p.Sort}.URL(p.Sort, 1)
	if p.Page > 1 {
		p.Before = p.URL(p.Sort, p.Page-1)
	}
	if p.Page < p.Pages {
		p.After = p.URL(p.Sort, p.Page+1)
	}
}

// headline is the figure that the list shows and, if it is an excess, is sorted by.
func headline(r *report.Report) (text string, excess float64) {
	excess = math.NaN()
	if r.Audit != nil {
		attribute := ""
		for _, f := range r.Audit.Findings {
			if f.Unusable == "" && !(f.Excess.Value <= excess) {
				attribute, excess = f.Attribute, f.Excess.Value
			}
		}
		switch line := r.EvidenceLine(); {
		case line != "":
			return oneLine(line, 80), excess
		case !math.IsNaN(excess):
			return oneLine(attribute, 40) + ": " + points(excess) + " excess", excess
		}
	}
	if c := r.Curiosity; c != nil && len(c.Sensitive) > 0 {
		s := c.Sensitive[0]
		return oneLine(s.Attribute, 40) + ": " + percent(s.Curiosity.Value) + ", " + points(s.Excess) + " excess", s.Excess
	}
	if p := r.Promise; p != nil && p.Released != nil {
		return "accuracy " + percent(float64(p.Accuracy)) + ", " + points(-float64(p.Drop)), excess
	}
	if u := r.Utility; u.Examples > 0 {
		accuracy := u.ReleasedAccuracy
		if u.Draws == 0 { // nothing was released
			accuracy = u.CleanAccuracy
		}
		return "accuracy " + percent(float64(accuracy)), excess
	}
	return "", excess
}

func percent(x float64) string { return fmt.Sprintf("%.1f\u00a0%%", 100*x) }

// points formats a difference of percentages, with a minus sign rather than a hyphen.
func points(x float64) string {
	return strings.Replace(fmt.Sprintf("%+.1f\u00a0points", 100*x), "-", "−", 1)
}
