package serve

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"path"
	"time"
)

//go:embed pages/*.html
var pageFiles embed.FS

//go:embed assets
var assetFiles embed.FS

var pages = template.Must(template.New("").Funcs(template.FuncMap{
	"runURL":  func(p string) string { return linkTo("/run/", p) },
	"fileURL": func(p string) string { return linkTo("/file/", p) },
	"stamp":   func(t time.Time) string { return t.Format("2006-01-02 15:04") },
	"machine": func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"size":    bytesOf,
}).ParseFS(pageFiles, "pages/*.html"))

// frame is what every page has.
type frame struct {
	Title  string
	Folder string
	Page   any
}

// show answers a reader of the folder with a page.
func (s *site) show(w http.ResponseWriter, status int, name, title string, page any) {
	show(w, status, name, frame{title, said(s.name, 60), page})
}

// show answers with a page.
func show(w http.ResponseWriter, status int, name string, f frame) {
	var b bytes.Buffer
	if err := pages.ExecuteTemplate(&b, name, f); err != nil {
		http.Error(w, "the page could not be made", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	w.Write(b.Bytes())
}

// fail answers with a page that says why there is nothing else.
func (s *site) fail(w http.ResponseWriter, status int, why string) {
	s.show(w, status, "fail.html", http.StatusText(status), why)
}

// refuse does the same for whoever may not know what the folder is called.
func refuse(w http.ResponseWriter, status int, why string) {
	show(w, status, "fail.html", frame{Title: http.StatusText(status), Page: why})
}

// ask answers with a page that takes the token.
func ask(w http.ResponseWriter, wrong bool) {
	show(w, http.StatusUnauthorized, "token.html", frame{Title: "Token needed", Page: wrong})
}

// asset answers with a part of our own pages.
func (s *site) asset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	b, err := assetFiles.ReadFile("assets/" + name)
	if err != nil {
		s.fail(w, http.StatusNotFound, "There is nothing here.")
		return
	}
	kind := map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}[path.Ext(name)]
	w.Header().Set("Content-Type", kind)
	w.Write(b)
}
