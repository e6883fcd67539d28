package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"runtime"
	"strings"
	"sync"
	"time"
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

// shelf is the folder of reports. What reports say is kept for as long as their
// files are as they were. It is safe for concurrent use.
type shelf struct {
	root *os.Root

	mu     sync.Mutex
	kept   map[string]*entry // by folder
	sorted []*entry          // by folder
	notes  []string          // what was left out
	walked time.Time
}

func newShelf(root *os.Root) *shelf {
	return &shelf{root: root, kept: map[string]*entry{}}
}

// entries lists the runs by folder, with what was left out.
func (s *shelf) entries(ctx context.Context) ([]*entry, []string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.walked) < fresh {
		return s.sorted, s.notes, nil
	}
	found, notes, err := s.walk(ctx)
	if err != nil {
		return nil, nil, err
	}
	kept := make(map[string]*entry, len(found))
	var stale []*entry
	for i, e := range found {
		if old := s.kept[e.Path]; old != nil && old.Size == e.Size && old.Modified.Equal(e.Modified) {
			found[i] = old
		} else {
			stale = append(stale, e)
		}
		kept[e.Path] = found[i]
	}
	s.read(stale)
	s.kept, s.sorted, s.notes, s.walked = kept, found, notes, time.Now()
	return found, notes, nil
}

// read fills entries in, several at a time. It goes on when the reader has left: the
// next one asks for the same.
func (s *shelf) read(stale []*entry) {
	work := make(chan *entry)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 4) { // each may hold a whole report
		wg.Go(func() {
			for e := range work {
				e.fill(s.root)
			}
		})
	}
	for _, e := range stale {
		work <- e
	}
	close(work)
	wg.Wait()
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
		switch {
		case err != nil:
			unread++
			return nil
		case hidden(name) || !fs.ValidPath(name):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			if depth(name) > DefaultDepth {
				return fs.SkipDir
			}
			return nil
		case d.Name() != reportName || !d.Type().IsRegular():
			return nil
		}
		if len(found) == DefaultReports {
			notes = append(notes, fmt.Sprintf("only the first %d reports are shown", DefaultReports))
			return errEnough
		}
		if info, err := d.Info(); err == nil {
			found = append(found, &entry{Path: path.Dir(name), Size: info.Size(), Modified: info.ModTime()})
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	if unread > 0 {
		notes = append(notes, fmt.Sprintf("%d folders could not be read", unread))
	}
	return found, notes, err
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
