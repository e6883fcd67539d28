package serve

import (
	"net/http"
	"path"
	"slices"

	"tattle/report"
)

// runPage is the page of a run. Its figures are on the report's own page.
type runPage struct {
	*entry
	Sentences []string
	Settings  []setting
	Warnings  []string
	Left      int // lines that are not shown
	Files     []runFile
	FilesLeft int    // files that are not listed
	Report    string // path of the report's page; empty if there is none
}

type setting struct{ Name, Value string }

func (s *site) run(w http.ResponseWriter, r *http.Request) {
	folder, ok := requested(r.PathValue("path"))
	if !ok || depth(folder) > DefaultDepth {
		s.fail(w, http.StatusNotFound, "There is no such run.")
		return
	}
	info, err := regularFile(s.index.root, path.Join(folder, reportName))
	if err != nil {
		s.fail(w, http.StatusNotFound, "There is no such run.")
		return
	}
	e := newEntry(folder, info)
	p := newRunPage(e, e.read(s.index.root))
	p.Files, p.FilesLeft = s.files(folder)
	if slices.ContainsFunc(p.Files, func(f runFile) bool { return f.Name == pageName }) {
		p.Report = path.Join(folder, pageName)
	}
	s.show(w, http.StatusOK, "run.html", e.Title, p)
}

// newRunPage returns the page of a report, which is nil if it cannot be read.
func newRunPage(e *entry, r *report.Report) *runPage {
	p := &runPage{entry: e}
	if r == nil {
		return p
	}
	said := sentences(r)
	if r.Audit == nil && len(said) > 1 {
		said = said[1:] // the verdict, which is shown above
	}
	p.Sentences = p.lines(said, 2000)
	p.Warnings = p.lines(r.Warnings, 1000)
	rows := r.SettingRows()
	for _, x := range rows[:min(len(rows), maxLines)] {
		p.Settings = append(p.Settings, setting{oneLine(x.Key, 80), oneLine(x.Value, 500)})
	}
	p.Left += len(rows) - len(p.Settings)
	return p
}

// maxLines bounds the lines of one kind.
const maxLines = 3000

// lines returns the first of the texts, as lines of at most that many runes.
func (p *runPage) lines(all []string, most int) (out []string) {
	for _, line := range all[:min(len(all), maxLines)] {
		out = append(out, oneLine(line, most))
	}
	p.Left += len(all) - len(out)
	return out
}

// sentences puts a report into words, unless it is damaged so that its parts do not fit
// together.
func sentences(r *report.Report) (out []string) {
	defer func() {
		if recover() != nil {
			out = []string{"The parts of this report do not fit together, so it cannot be put into words."}
		}
	}()
	return r.Sentences()
}
