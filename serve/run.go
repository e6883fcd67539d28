package serve

import (
	"net/http"
	"path"
	"slices"

	"tattle/report"
)

// runPage is what the page of a run shows.
type runPage struct {
	*entry
	Sentences []string
	Figures   []group
	Settings  []setting
	Warnings  []string
	Left      int // rows and lines that are not shown
	Files     []evidence
	Elsewhere int    // files that are not listed
	Report    string // name of its page; empty where it has none
	Mark      string // address of the list with this run marked
}

// group are figures of one kind.
type group struct {
	Name string
	Rows []figure
}

type setting struct{ Name, Value string }

func (s *site) run(w http.ResponseWriter, r *http.Request) {
	folder, ok := asked(r.PathValue("path"))
	if !ok {
		s.fail(w, http.StatusNotFound, "There is no such run.")
		return
	}
	e, rep, ok := s.open(folder)
	if !ok {
		s.fail(w, http.StatusNotFound, "There is no such run.")
		return
	}
	p := newRunPage(e, rep)
	p.Files, p.Elsewhere = s.evidence(folder)
	if slices.ContainsFunc(p.Files, func(f evidence) bool { return f.Name == pageName }) {
		p.Report = path.Join(folder, pageName)
	}
	s.show(w, http.StatusOK, "run.html", e.Title, p)
}

// newRunPage shows what a report says; nil where it cannot be read.
func newRunPage(e *entry, r *report.Report) *runPage {
	p := &runPage{entry: e, Mark: query{Marked: []string{e.Path}}.URL(sortNewest, 1)}
	if r == nil {
		return p
	}
	p.Sentences = first(sentences(r), &p.Left)
	p.Figures = groups(first(figures(r), &p.Left))
	p.Settings = first(settings(r), &p.Left)
	for _, w := range first(r.Warnings, &p.Left) {
		p.Warnings = append(p.Warnings, said(w, 1000))
	}
	return p
}

// mostRows are shown of one kind: several times what the widest audit has, and few
// enough to set side by side.
const mostRows = 3000

// first returns the rows that are shown, and adds to left how many are not.
func first[T any](all []T, left *int) []T {
	*left += max(0, len(all)-mostRows)
	return all[:min(len(all), mostRows)]
}

// open reads the run of a folder. Where its report cannot be read, the entry says
// why and there is no report. It returns false where there is no run.
func (s *site) open(folder string) (*entry, *report.Report, bool) {
	if depth(folder) > DefaultDepth {
		return nil, nil, false
	}
	info, err := plainFile(s.shelf.root, path.Join(folder, reportName))
	if err != nil {
		return nil, nil, false
	}
	e := newEntry(folder, info)
	rep := e.fill(s.shelf.root)
	return e, rep, true
}

// sentences says in words what a report says; nothing where the parts of a damaged
// one do not fit together.
func sentences(r *report.Report) (out []string) {
	defer func() {
		if recover() != nil {
			out = []string{"The parts of this report do not fit together, so that it cannot be put into words."}
		}
	}()
	for _, line := range r.Sentences() {
		out = append(out, said(line, 2000))
	}
	return out
}

// groups puts figures of one kind together, in the order in which kinds appear.
func groups(all []figure) []group {
	var out []group
	for _, f := range all {
		i := slices.IndexFunc(out, func(g group) bool { return g.Name == f.Group })
		if i < 0 {
			i = len(out)
			out = append(out, group{Name: f.Group})
		}
		out[i].Rows = append(out[i].Rows, f)
	}
	return out
}

// settings are what a run was started with, by name.
func settings(r *report.Report) []setting {
	out := []setting{}
	for _, x := range r.SettingRows() {
		out = append(out, setting{said(x.Key, 80), said(x.Value, 500)})
	}
	return out
}
