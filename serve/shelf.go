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

// What is looked through, and no further: a folder of runs is far smaller, and a
// whole disk given by mistake must not keep the page waiting.
const (
	DefaultDepth   = 4       // folders below the one shown: DIR/1/2/3/4/report.json
	DefaultReports = 10_000  // shown
	DefaultEntries = 200_000 // names looked at
)

const (
	reportName = "report.json"
	pageName   = "report.html"
	rootRun    = "." // the run that lies in the folder itself
)

// fresh is how long a walk over the folder is good for: clicks that follow each
// other should not each walk.
const fresh = time.Second

// patience is how long a list waits for reports to be read, of which two cores
// manage some hundreds in a second. After that it shows what there is.
var patience = 2 * time.Second

// shelf is the folder of reports. What reports say is kept for as long as their
// files are as they were. It is safe for concurrent use.
type shelf struct {
	root *os.Root

	mu      sync.Mutex
	found   []*entry // by folder, as the last walk found them: not read
	notes   []string // what it left out
	walked  time.Time
	kept    map[string]*entry // that have been read, by folder; never changed
	reading chan struct{}     // closed when all that were found are read; nil where none is being read
}

func newShelf(root *os.Root) *shelf {
	return &shelf{root: root, kept: map[string]*entry{}}
}

// entries lists the runs by folder, with what was left out. Runs whose reports are
// still being read are listed as that.
func (s *shelf) entries(ctx context.Context) ([]*entry, []string, error) {
	reading, err := s.look(ctx)
	if err != nil {
		return nil, nil, err
	}
	if reading != nil {
		wait := time.NewTimer(patience)
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
		if k := s.kept[e.Path]; k.same(e) {
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

// look walks over the folder, unless the last walk is fresh, and has read what is
// new. It returns what will be closed when that is done, nil where it is.
func (s *shelf) look(ctx context.Context) (chan struct{}, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.walked) < fresh {
		return s.reading, nil
	}
	found, notes, err := s.walk(ctx)
	if err != nil {
		return nil, err
	}
	kept := make(map[string]*entry, len(found))
	var stale []*entry
	for _, e := range found {
		if k := s.kept[e.Path]; k.same(e) {
			kept[e.Path] = k
		} else {
			stale = append(stale, e)
		}
	}
	s.found, s.notes, s.kept, s.walked = found, notes, kept, time.Now()
	if len(stale) > 0 && s.reading == nil {
		s.reading = make(chan struct{})
		go s.read(stale, s.reading)
	}
	return s.reading, nil
}

// read fills entries in, several at a time. It goes on when the reader has left: the
// next one asks for the same.
func (s *shelf) read(stale []*entry, done chan struct{}) {
	work := make(chan *entry)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 4) { // each may hold a whole report
		wg.Go(func() {
			for e := range work {
				filled := *e
				filled.fill(s.root)
				s.mu.Lock()
				s.kept[e.Path] = &filled
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

// walk finds the reports. It enters no hidden folder and follows no link.
func (s *shelf) walk(ctx context.Context) (found []*entry, notes []string, err error) {
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

// isReport tells whether what a walk has come to is a report to be listed; for a folder
// not to be entered the error is fs.SkipDir.
func isReport(name string, d fs.DirEntry) (bool, error) {
	passed := hidden(name) || !fs.ValidPath(name)
	if d.IsDir() {
		if passed || depth(name) > DefaultDepth {
			return false, fs.SkipDir
		}
		return false, nil
	}
	return !passed && d.Name() == reportName && d.Type().IsRegular(), nil
}

// depth counts the folders of a name; that of the folder itself is zero.
func depth(folder string) int {
	if folder == rootRun {
		return 0
	}
	return 1 + strings.Count(folder, "/")
}

// hidden tells whether any part of a name begins with a dot.
func hidden(name string) bool {
	return name != rootRun && (strings.HasPrefix(name, ".") || strings.Contains(name, "/."))
}
