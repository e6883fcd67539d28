package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"tattle/report"
)

// Limits of a search for reports. A folder of runs is far smaller; a whole disk given by
// mistake must not keep the page waiting.
const (
	DefaultDepth   = 4       // folders below the one shown: DIR/1/2/3/4/report.json
	DefaultReports = 10_000  // shown
	DefaultEntries = 200_000 // names looked at
)

const (
	reportName = "report.json"
	pageName   = "report.html"
	rootRun    = "." // path of a run in the served folder itself
)

// walkInterval is how long the result of a walk over the folder is used, so that not every
// click walks again.
const walkInterval = time.Second

// readTimeout is how long a list reads reports; two cores read some hundreds in a second. After
// that it shows the list as it is, and the next request reads on.
var readTimeout = 2 * time.Second

// index finds and reads the reports of a folder. Summaries are cached until their
// files change. It is safe for concurrent use.
type index struct {
	root *os.Root

	mu     sync.Mutex // held by one request at a time
	found  []*entry   // by folder, as the last walk found them; those that were read are never changed
	notes  []string   // what the walk left out
	walked time.Time
}

func newIndex(root *os.Root) *index { return &index{root: root} }

// entries returns the runs by folder, and notes on what was left out. Runs whose reports are
// not read yet have no summary.
func (s *index) entries(ctx context.Context) ([]*entry, []string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.walked) >= walkInterval {
		found, notes, err := s.walk(ctx)
		if err != nil {
			return nil, nil, err
		}
		known := map[string]*entry{}
		for _, e := range s.found {
			known[e.Path] = e
		}
		for i, e := range found {
			if k := known[e.Path]; k.isCurrent(e) {
				found[i] = k
			}
		}
		s.found, s.notes, s.walked = found, notes, time.Now()
	}
	notes := slices.Clone(s.notes)
	if unread := s.read(ctx); unread > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d reports are still to be read: load the page again in a moment", unread, len(s.found)))
	}
	return slices.Clone(s.found), notes, ctx.Err()
}

// read reads reports, several at a time, for as long as readTimeout. It returns how many are left.
func (s *index) read(ctx context.Context) (left int) {
	end := time.Now().Add(readTimeout)
	var all errgroup.Group
	all.SetLimit(min(runtime.GOMAXPROCS(0), 4)) // each may hold a whole report
	for i, e := range s.found {
		switch {
		case e.isRead:
		case ctx.Err() != nil || time.Now().After(end):
			left++
		default:
			all.Go(func() error {
				filled := *e
				filled.read(s.root)
				s.found[i] = &filled
				return nil
			})
		}
	}
	all.Wait()
	return left
}

var errEnough = errors.New("enough")

// walk finds the reports. It does not enter hidden folders and does not follow links.
func (s *index) walk(ctx context.Context) (found []*entry, notes []string, err error) {
	seen, unread := 0, 0
	err = fs.WalkDir(s.root.FS(), rootRun, func(name string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if seen++; seen > DefaultEntries {
			notes = append(notes, fmt.Sprintf("only the first %d names below the folder were looked at", DefaultEntries))
			return errEnough
		}
		if err != nil {
			unread++
			return nil
		}
		if is, err := isReport(name, d); !is {
			return err
		}
		if isPack(s.root, path.Dir(name)) {
			return nil
		}
		if len(found) == DefaultReports {
			notes = append(notes, fmt.Sprintf("only the first %d reports are shown", DefaultReports))
			return errEnough
		}
		if info, err := d.Info(); err == nil {
			found = append(found, newEntry(path.Dir(name), info))
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	if unread > 0 {
		notes = append(notes, report.Count(unread, "folder")+" could not be read")
	}
	return found, notes, err
}

// isReport reports whether a name of a walk is a report; the error is fs.SkipDir for a folder
// that is not to be entered.
func isReport(name string, d fs.DirEntry) (bool, error) {
	skip := hidden(name) || !fs.ValidPath(name)
	if d.IsDir() {
		if skip || depth(name) > DefaultDepth {
			return false, fs.SkipDir
		}
		return false, nil
	}
	return !skip && d.Name() == reportName && d.Type().IsRegular(), nil
}

// isPack reports whether a folder is an evidence pack, which has a copy of a run's report, a
// manifest and the digests of its files, and is no run.
func isPack(root *os.Root, folder string) bool {
	for _, name := range []string{report.EvidenceSums, report.EvidenceManifest} {
		if _, err := regularFile(root, path.Join(folder, name)); err != nil {
			return false
		}
	}
	return true
}

// depth counts the folders of a path; it is 0 for the served folder itself.
func depth(folder string) int {
	if folder == rootRun {
		return 0
	}
	return 1 + strings.Count(folder, "/")
}

// hidden reports whether any part of a path begins with a dot.
func hidden(name string) bool {
	return name != rootRun && (strings.HasPrefix(name, ".") || strings.Contains(name, "/."))
}
