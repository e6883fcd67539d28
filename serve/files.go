package serve

import (
	"errors"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"

	"tattle/internal/file"
	"tattle/report"
)

// The files of a run are those in its folder and in folders below, of the kinds
// that runs write. Others are not shown.
const (
	maxFileDepth = 2   // folders below the run's
	maxFiles     = 500 // listed
)

// kinds are the files that are shown, by the extension of their names: what they are called,
// their media type, and whether the browser shows or saves them.
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

// filePolicy is the content-security policy of files from the folder: their
// own style and drawings, no script, no network, and no access to our site.
const filePolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"

// runFile is one file of a run.
type runFile struct {
	Name  string // below the run's folder
	Shown string // the same, as it is shown
	Path  string
	Kind  string
	Size  int64
	Save  bool
}

// extension returns the key of a file in kinds; ok is false if it has none.
func extension(name string) (key string, ok bool) {
	end := strings.ToLower(path.Ext(name))
	_, ok = kinds[end]
	return end, ok && (end != "" || path.Base(name) == report.EvidenceSums)
}

// files lists the files of a run, and counts those that are left out.
func (s *site) files(folder string) (files []runFile, left int) {
	seen := 0
	fs.WalkDir(s.index.root.FS(), folder, func(name string, d fs.DirEntry, err error) error {
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
			if name != folder && (hidden(name) || strings.Count(below, "/") >= maxFileDepth || s.isRun(name)) {
				return fs.SkipDir
			}
			return nil
		}
		end, ok := extension(name)
		if !ok || hidden(name) || !d.Type().IsRegular() {
			return nil
		}
		if len(files) >= maxFiles {
			left++
			return nil
		}
		if info, err := d.Info(); err == nil {
			files = append(files, runFile{below, file.Name(below), name, kinds[end].name, info.Size(), !kinds[end].inline})
		}
		return nil
	})
	// The run's own files first, then those of folders below.
	slices.SortStableFunc(files, func(a, b runFile) int { return strings.Count(a.Name, "/") - strings.Count(b.Name, "/") })
	return files, left
}

func (s *site) isRun(folder string) bool {
	_, err := regularFile(s.index.root, path.Join(folder, reportName))
	return err == nil && !isPack(s.index.root, folder)
}

// inRun reports whether a file lies in the folder of a run or a little below.
func (s *site) inRun(name string) bool {
	folder := path.Dir(name)
	for range maxFileDepth + 1 {
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

// file sends a file of a run.
func (s *site) file(w http.ResponseWriter, r *http.Request) {
	name, ok := requested(r.PathValue("path"))
	end, known := extension(name)
	if !ok || !known || !s.inRun(name) {
		s.fail(w, http.StatusNotFound, "There is no such file in a run of this folder.")
		return
	}
	f, info, err := openRegular(s.index.root, name)
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
	h.Set("Content-Security-Policy", filePolicy)
	h.Set("Content-Type", kinds[end].mime)
	if !kinds[end].inline {
		h.Set("Content-Disposition", "attachment")
	}
	http.ServeContent(w, r, "", info.ModTime(), f)
}
