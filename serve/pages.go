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

	"tattle/internal/file"
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

// frame has what every page needs.
type frame struct {
	Title  string
	Folder string
	Page   any
}

// show sends a page of this site.
func (s *site) show(w http.ResponseWriter, status int, name, title string, page any) {
	show(w, status, name, frame{title, file.Short(s.name, 60), page})
}

// show sends a page.
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

// fail sends a page that says what is wrong.
func (s *site) fail(w http.ResponseWriter, status int, why string) {
	s.show(w, status, "fail.html", http.StatusText(status), why)
}

// refuse is fail without the name of the folder, for a reader who has not shown the token.
func refuse(w http.ResponseWriter, status int, why string) {
	show(w, status, "fail.html", frame{Title: http.StatusText(status), Page: why})
}

// tokenPage is the page that asks for the token.
type tokenPage struct {
	Wrong bool      // a token was sent
	Kept  []setting // the rest of the query, to be sent again
}

type setting struct{ Name, Value string }

// maxKept bounds the parameters that are sent again.
const maxKept = 20

// askToken sends the page that asks for the token.
func askToken(w http.ResponseWriter, q url.Values) {
	p := tokenPage{Wrong: q.Has("token")}
	for _, name := range slices.Sorted(maps.Keys(q)) {
		for _, value := range q[name] {
			if name != "token" && len(p.Kept) < maxKept {
				p.Kept = append(p.Kept, setting{name, value})
			}
		}
	}
	show(w, http.StatusUnauthorized, "token.html", frame{Title: "Token needed", Page: p})
}

// isAsset reports whether an address is one of our style sheets or scripts. They need no
// token, since the page that asks for it uses them.
func isAsset(address string) bool {
	_, err := assetFiles.ReadFile(strings.TrimPrefix(address, "/"))
	return err == nil
}

// asset sends a style sheet or script.
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
