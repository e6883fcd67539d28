package serve

import (
	"errors"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"

	"tattle/internal/file"
)

// The files of a run are those in its folder and in folders below, of the kinds
// that runs are made of. What else lies there is nobody's business.
const (
	evidenceDepth = 2   // folders below the run's
	evidenceMost  = 500 // listed
)

// kinds are what is shown by the name's ending: how it is called, its type, and
// whether the browser is to show it or to save it.
var kinds = map[string]struct {
	name, mime string
	inline     bool
}{
	".html":  {"page", "text/html; charset=utf-8", true},
	".json":  {"JSON", "application/json; charset=utf-8", true},
	".sarif": {"SARIF", "application/json; charset=utf-8", true},
	".md":    {"Markdown", "text/plain; charset=utf-8", true},
	".txt":   {"text", "text/plain; charset=utf-8", true},
	".csv":   {"table", "text/plain; charset=utf-8", true},
	".xml":   {"XML", "text/plain; charset=utf-8", true},
	".toml":  {"settings", "text/plain; charset=utf-8", true},
	".png":   {"picture", "image/png", true},
	".npz":   {"arrays", "application/zip", false},
	".npy":   {"array", "application/octet-stream", false},
	".onnx":  {"model", "application/octet-stream", false},
	"":       {"checksums", "text/plain; charset=utf-8", true},
}

// checksums is the one file that has no ending.
const checksums = "SHA256SUMS"

// evidencePolicy is the content-security policy of files from the folder: their
// own style and drawings, no script, no network, and no part in our site.
const evidencePolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"

// evidence is one file of a run.
type evidence struct {
	Name  string // below the run's folder
	Shown string // the same, as readers are told
	Path  string
	Kind  string
	Size  int64
	Save  bool
}

// ending is the key of a file in kinds; false where it has none.
func ending(name string) (string, bool) {
	end := strings.ToLower(path.Ext(name))
	_, ok := kinds[end]
	return end, ok && (end != "" || path.Base(name) == checksums)
}

// evidence lists the files of a run, and counts those that are left out.
func (s *site) evidence(folder string) (files []evidence, left int) {
	seen := 0
	fs.WalkDir(s.shelf.root.FS(), folder, func(name string, d fs.DirEntry, err error) error {
		if seen++; seen > DefaultEntries {
			return fs.SkipAll
		}
		if err != nil {
			return nil
		}
		below := strings.TrimPrefix(strings.TrimPrefix(name, folder), "/")
		if folder == rootRun {
			below = name
		}
		if d.IsDir() {
			if name != folder && (hidden(name) || strings.Count(below, "/") >= evidenceDepth || s.isRun(name)) {
				return fs.SkipDir
			}
			return nil
		}
		end, ok := ending(name)
		if !ok || hidden(name) || !d.Type().IsRegular() {
			return nil
		}
		if len(files) >= evidenceMost {
			left++
			return nil
		}
		if info, err := d.Info(); err == nil {
			files = append(files, evidence{below, file.Name(below), name, kinds[end].name, info.Size(), !kinds[end].inline})
		}
		return nil
	})
	// The run's own files first, then those of folders below.
	slices.SortStableFunc(files, func(a, b evidence) int { return strings.Count(a.Name, "/") - strings.Count(b.Name, "/") })
	return files, left
}

func (s *site) isRun(folder string) bool {
	_, err := plainFile(s.shelf.root, path.Join(folder, reportName))
	return err == nil
}

// belongs tells whether a file lies in the folder of a run or a little below.
func (s *site) belongs(name string) bool {
	folder := path.Dir(name)
	for range evidenceDepth + 1 {
		if depth(folder) <= DefaultDepth && s.isRun(folder) {
			return true
		}
		if folder == rootRun {
			return false
		}
		folder = path.Dir(folder)
	}
	return false
}

// file answers with a file of a run.
func (s *site) file(w http.ResponseWriter, r *http.Request) {
	name, ok := asked(r.PathValue("path"))
	end, known := ending(name)
	if !ok || !known || !s.belongs(name) {
		s.fail(w, http.StatusNotFound, "There is no such file in a run of this folder.")
		return
	}
	f, info, err := openPlain(s.shelf.root, name)
	if err != nil {
		why := "There is no such file in a run of this folder."
		if errors.Is(err, fs.ErrPermission) {
			why = "This file may not be read."
		}
		s.fail(w, http.StatusNotFound, why)
		return
	}
	defer f.Close()
	h := w.Header()
	h.Set("Content-Security-Policy", evidencePolicy)
	h.Set("Content-Type", kinds[end].mime)
	if !kinds[end].inline {
		h.Set("Content-Disposition", "attachment")
	}
	http.ServeContent(w, r, "", info.ModTime(), f)
}
