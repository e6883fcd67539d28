package serve

import (
	"cmp"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tattle/report"
)

// What an address may ask of the list: more than a person types or compares, less
// than keeps the list busy.
const (
	mostText   = 500 // bytes to be found
	mostMarked = 20  // runs
)

// pageLength is how many runs a page of the list has: what a person looks through
// before filtering.
const pageLength = 100

// query is what the list was asked for.
type query struct {
	Text    string // every word of it is to be found in a run
	Command string
	Verdict string
	Sort    string
	Page    int
	Marked  []string // runs chosen for comparison, by folder
}

// The orders of the list.
const (
	sortNewest  = "newest"
	sortName    = "name"
	sortVerdict = "verdict"
	sortCommand = "command"
	sortExcess  = "excess"
)

func parseQuery(v url.Values) query {
	q := query{
		Text:    cutText(strings.TrimSpace(v.Get("q"))),
		Command: v.Get("command"),
		Verdict: v.Get("verdict"),
		Sort:    v.Get("sort"),
		Marked:  firstMarks(v["run"]),
	}
	if !slices.Contains([]string{sortName, sortVerdict, sortCommand, sortExcess}, q.Sort) {
		q.Sort = sortNewest
	}
	q.Page, _ = strconv.Atoi(v.Get("page"))
	q.Page = max(q.Page, 1)
	return q
}

// cutText is the beginning of what is to be found.
func cutText(s string) string {
	return strings.ToValidUTF8(s[:min(len(s), mostText)], "")
}

// firstMarks are the first runs that an address marks, each once.
func firstMarks(folders []string) []string {
	var out []string
	for _, f := range folders {
		if len(out) < mostMarked && !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

// URL is the address of the same list in another order and on another page.
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
	for _, m := range q.Marked {
		v.Add("run", m)
	}
	if len(v) == 0 {
		return "/"
	}
	return "/?" + v.Encode()
}

// lets tells whether a run is asked for.
func (q query) lets(e *entry) bool {
	if q.Command != "" && e.Verb != q.Command || q.Verdict != "" && e.Kind != q.Verdict {
		return false
	}
	for word := range strings.FieldsSeq(strings.ToLower(q.Text)) {
		if !strings.Contains(e.words, word) {
			return false
		}
	}
	return true
}

// order compares two runs in the order asked for; equal ones go by folder.
func (q query) order(a, b *entry) int {
	by := 0
	switch q.Sort {
	case sortNewest:
		by = b.Modified.Compare(a.Modified)
	case sortVerdict:
		by = cmp.Compare(strings.ToLower(a.Verdict), strings.ToLower(b.Verdict))
	case sortCommand:
		by = cmp.Compare(a.Verb, b.Verb)
	case sortExcess:
		by = compareFalling(a.Excess, b.Excess)
	}
	if by == 0 {
		by = cmp.Compare(a.Path, b.Path)
	}
	return by
}

// compareFalling puts larger numbers first and what is none last.
func compareFalling(a, b float64) int {
	if math.IsNaN(a) || math.IsNaN(b) {
		return cmp.Compare(b, a) // NaN is less than any
	}
	return cmp.Compare(b, a)
}

// listPage is what the list shows.
type listPage struct {
	query
	Rows               []row
	Elsewhere          []row // marked, but not on this page
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

type row struct {
	*entry
	Marked bool
}

// choice is what a filter or the order can be set to.
type choice struct {
	Key    string // where it is not the name
	Name   string
	Count  int
	Chosen bool
}

// head heads a column by which the list sorts.
type head struct {
	Name, URL string
	Sorted    string // for readers of the page: ascending, descending or empty
}

func (s *site) list(w http.ResponseWriter, r *http.Request) {
	entries, notes, err := s.shelf.entries(r.Context())
	if err != nil {
		s.fail(w, http.StatusInternalServerError, "The folder could not be read.")
		return
	}
	q := parseQuery(r.URL.Query())
	p := q.view(entries)
	p.Notes = notes
	s.show(w, http.StatusOK, "list.html", "Reports", p)
}

// view makes the page of the list that was asked for.
func (q query) view(entries []*entry) *listPage {
	var found []*entry
	for _, e := range entries {
		if q.lets(e) {
			found = append(found, e)
		}
	}
	slices.SortFunc(found, q.order)
	p := &listPage{query: q, Total: len(entries), Found: len(found)}
	p.Pages = max(1, (len(found)+pageLength-1)/pageLength)
	p.Page = min(p.Page, p.Pages)
	p.link()
	from := (p.Page - 1) * pageLength
	shown := found[from:min(len(found), from+pageLength)]
	p.From, p.To = from+1, from+len(shown)
	for _, e := range shown {
		p.Rows = append(p.Rows, row{e, slices.Contains(q.Marked, e.Path)})
	}
	for _, e := range entries {
		if slices.Contains(q.Marked, e.Path) && !slices.Contains(shown, e) {
			p.Elsewhere = append(p.Elsewhere, row{e, true})
		}
	}
	p.Commands = choices(entries, q.Command, func(e *entry) string { return e.Verb })
	p.Verdicts = choices(entries, q.Verdict, func(e *entry) string { return e.Kind })
	return p
}

// mostChoices bounds a list of choices: verdicts in words of their own would make
// it endless.
const mostChoices = 30

// choices are what a filter can be set to, the most frequent ones by name.
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
	if len(out) > mostChoices {
		rest := slices.DeleteFunc(slices.Clone(out[mostChoices:]), func(c choice) bool { return !c.Chosen })
		out = append(out[:mostChoices], rest...)
	}
	slices.SortFunc(out, func(a, b choice) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// orders are the columns of the list by which it sorts: what they are called, the
// order, how it runs, and what it is called.
var orders = []struct{ head, order, runs, name string }{
	{"Run", sortName, "ascending", "folder"},
	{"Command", sortCommand, "ascending", "command"},
	{"Verdict", sortVerdict, "ascending", "verdict"},
	{"Figure", sortExcess, "descending", "excess curiosity"},
	{"Written", sortNewest, "descending", "newest first"},
}

// link fills in what leads to other lists.
func (p *listPage) link() {
	for _, o := range orders {
		h := head{Name: o.head, URL: p.URL(o.order, 1)}
		if p.Sort == o.order {
			h.Sorted = o.runs
		}
		p.Heads = append(p.Heads, h)
		p.Orders = append(p.Orders, choice{Key: o.order, Name: o.name, Chosen: p.Sort == o.order})
	}
	p.Filtered = p.Text+p.Command+p.Verdict != ""
	p.Clear = query{Sort: p.Sort, Marked: p.Marked}.URL(p.Sort, 1)
	if p.Page > 1 {
		p.Before = p.URL(p.Sort, p.Page-1)
	}
	if p.Page < p.Pages {
		p.After = p.URL(p.Sort, p.Page+1)
	}
}

// Tone is the colour of an outcome: what asks for attention, and what does not.
func (e *entry) Tone() report.Tone {
	if e.Broken != "" {
		return report.Bad
	}
	return e.Outcome.Tone()
}
