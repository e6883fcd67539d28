// Package serve shows a folder of reports as web pages: a list that filters and
// sorts, and a page for each run with its report and the files beside it.
//
// Reports may come from other people, so they are not trusted: their text is escaped, their
// pages run no script and use no network, a damaged one is listed as such, and nothing
// outside the folder is read. Everything works without script; a small one adds keys.
package serve

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
)

// Options are settings of a handler; the zero value is for readers on the same machine.
type Options struct {
	// Token is what a reader must send, in a link with ?token=… or as a bearer.
	// Empty means none, which is for loopback addresses only; requests must then name an
	// address or localhost.
	Token string
}

// site serves one folder.
type site struct {
	index *index
	name  string // of the folder, as it is shown
	key   *key   // nil if no token is needed
}

// Handler shows the reports in a folder and in folders below it. It returns an error if
// there is no such folder. The folder stays open as long as the process runs.
func Handler(dir string, o Options) (http.Handler, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("folder of reports: %w", err)
	}
	s := &site{index: newIndex(root), name: folderName(dir)}
	if o.Token != "" {
		s.key = newKey(o.Token)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", s.list)
	mux.HandleFunc("/run/{path...}", s.run)
	mux.HandleFunc("/file/{path...}", s.file)
	mux.HandleFunc("/assets/{name}", s.asset)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, http.StatusNotFound, "There is nothing here.")
	})
	return s.guard(mux), nil
}

// folderName is the last part of the folder's path.
func folderName(dir string) string {
	if whole, err := filepath.Abs(dir); err == nil {
		return filepath.Base(whole)
	}
	return dir
}
