package serve

import (
	"net/http"
	"path"
	"slices"
)

// runPage is the page of a run. What it came to is on the report's own page.
type runPage struct {
	*entry
	Files     []runFile
	FilesLeft int    // files that are not listed
	Report    string // path of the report's page; empty if there is none
}

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
	e.read(s.index.root)
	p := &runPage{entry: e}
	p.Files, p.FilesLeft = s.files(folder)
	if slices.ContainsFunc(p.Files, func(f runFile) bool { return f.Name == pageName }) {
		p.Report = path.Join(folder, pageName)
	}
	s.show(w, http.StatusOK, "run.html", e.Title, p)
}
