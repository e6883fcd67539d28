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

// readTimeout is how long a list waits for reports to be read; two cores read some hundreds
// in a second. After that it shows the list as it is.
var readTimeout = 2 * time.Second

// index finds and reads the reports of a folder. Summaries are cached until their
// files change. It is safe for concurrent use.
type index struct {
	root *os.Root

	mu      sync.Mutex
	found   []*entry // not read, by folder, as the last walk found them
	notes   []string // what the walk left out
	walked  time.Time
	cached  map[string]*entry // entries that were read, by folder; never changed
	reading chan struct{}     // closed when all found reports are read; nil if none is being read
}

func newIndex(root *os.Root) *index {
	return &index{root: root, cached: map[string]*entry{}}
}

// entries returns the runs by folder, and notes on what was left out. Runs whose reports are
// still being read have no summary yet.
func (s *index) entries(ctx context.Context) ([]*entry, []string, error) {
	reading, err := s.refresh(ctx)
	if err != nil {
		return nil, nil, err
	}
	if reading != nil {
		wait := time.NewTimer(readTimeout)
		defer wait.Stop()
		select {
		case <-reading:
		case <-wait.C:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out, notes, unread := slices.Clone(s.found), slices.Clone(s.notes), 0
	for i, e := range out {
		if k := s.cached[e.Path]; k.isCurrent(e) {
			out[i] = k
		} else {
			unread++
		}
	}
	if unread > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d reports are still being read: load the page again in a moment", unread, len(out)))
	}
	return out, notes, nil
}

// refresh walks over the folder, unless the last walk is recent, and starts reading new
// reports. It returns a channel that is closed when they are read, nil if they are.
func (s *index) refresh(ctx context.Context) (chan struct{}, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.walked) < walkInterval {
		return s.reading, nil
	}
	found, notes, err := s.walk(ctx)
	if err != nil {
		return nil, err
	}
	cached := make(map[string]*entry, len(found))
	var stale []*entry
	for _, e := range found {
		if k := s.cached[e.Path]; k.isCurrent(e) {
			cached[e.Path] = k
		} else {
			stale = append(stale, e)
		}
	}
	s.found, s.notes, s.cached, s.walked = found, notes, cached, time.Now()
	if len(stale) > 0 && s.reading == nil {
		s.reading = make(chan struct{})
		go s.read(stale, s.reading)
	}
	return s.reading, nil
}

// read reads the reports of entries, several at a time. It goes on when the reader has left,
// since the next one asks for the same.
func (s *index) read(stale []*entry, done chan struct{}) {
	work := make(chan *entry)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 4) { // each may hold a whole report
		wg.Go(func() {
			for e := range work {
				filled := *e
				filled.read(s.root)
				s.mu.Lock()
				s.cached[e.Path] = &filled
				s.mu.Unlock()
			}
		})
	}
	for _, e := range stale {
		work <- e
	}
	close(work)
	wg.Wait()
	s.mu.Lock()
	s.reading = nil
	s.mu.Unlock()
	close(done)
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
