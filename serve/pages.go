package serve

import (
	"bytes"
	"embed"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
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

// tokenPage is what the page that takes the token shows.
type tokenPage struct {
	Wrong bool      // a token was given
	Kept  []setting // the rest of the question, for the answer
}

// ask answers with a page that takes the token.
func ask(w http.ResponseWriter, q url.Values) {
	p := tokenPage{Wrong: q.Has("token")}
	for _, name := range slices.Sorted(maps.Keys(q)) {
		for _, value := range q[name] {
			if name != "token" && len(p.Kept) < mostMarked {
				p.Kept = append(p.Kept, setting{name, value})
			}
		}
	}
	show(w, http.StatusUnauthorized, "token.html", frame{Title: "Token needed", Page: p})
}

// isAsset tells whether an address is of a part of our own pages, for which no token
// is needed: the page that asks for it is made of them.
func isAsset(address string) bool {
	_, err := assetFiles.ReadFile(strings.TrimPrefix(address, "/"))
	return err == nil
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
