// Package serve shows a folder of reports as web pages: a list that filters and
// sorts, two runs side by side, one run with its report and the files beside it.
//
// The pages are for whoever looks at reports that others wrote. So a report is
// shown, never trusted: its words are escaped, its page runs no script and reaches
// no network, a damaged one is listed as that, and nothing outside the folder is
// ever read. Everything works without script; a small one adds the keyboard.
package serve

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
)

// Options are what a handler may be told; the zero value is a page for the
// machine it runs on.
type Options struct {
	// Token is what a reader must show, in a link with ?token=… or as a bearer.
	// Empty asks for none, which is for loopback addresses only.
	Token string

	// Hosts are names, besides localhost and addresses, under which the page may
	// be asked for where there is no token. Others are refused, since a foreign
	// page can point a name of its own at this machine.
	Hosts []string
}

// site answers for one folder.
type site struct {
	shelf *shelf
	name  string // of the folder, as readers are told
	key   *key   // nil where all may read
	hosts []string
}

// Handler shows the reports below a folder. It errs where there is no such
// folder. The folder stays open as long as the process lives.
func Handler(dir string, o Options) (http.Handler, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("folder of reports: %w", err)
	}
	s := &site{shelf: newShelf(root), name: folderName(dir), hosts: o.Hosts}
	if o.Token != "" {
		s.key = newKey(o.Token)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", s.list)
	mux.HandleFunc("/compare", s.compare)
	mux.HandleFunc("/run/{path...}", s.run)
	mux.HandleFunc("/file/{path...}", s.file)
	mux.HandleFunc("/assets/{name}", s.asset)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, http.StatusNotFound, "There is nothing here.")
	})
	return s.guard(mux), nil
}

// folderName is the last part of the folder's whole name.
func folderName(dir string) string {
	if whole, err := filepath.Abs(dir); err == nil {
		return filepath.Base(whole)
	}
	return dir
}
