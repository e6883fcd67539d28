package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"tattle/internal/file"
)

// Merge gathers what processes computed in a folder that they share: it is a Pool that
// computes nothing itself.
type Merge struct {
	Root    string // the run's folder, which the names of stages are relative to
	Prepare bool   // a stage that lacks shards is a *PreparedError, too
	Retry   bool   // what was set aside is to be tried again

	mu     sync.Mutex
	merged []string // folders to remove in the end
}

// Run returns the folder of a stage whose shards are all there. If shards are missing, it
// returns a *MissingError. If the stage has not begun, Run prepares it and returns a
// *PreparedError. It may run beside processes that compute.
func (m *Merge) Run(ctx context.Context, w Work) (*Folder, error) {
	var err error
	if w.Manifest, err = w.Manifest.exact(); err != nil {
		return nil, err
	}
	_, err = os.Lstat(filepath.Join(w.Dir, ManifestName))
	if errors.Is(err, os.ErrNotExist) || !w.Resume {
		return m.prepare(w)
	}
	unlock, err := file.Lock(w.Dir)
	alone := !errors.Is(err, file.ErrLocked)
	if alone && err != nil {
		return nil, err
	}
	if alone {
		defer unlock()
	}
	f, err := m.open(ctx, w, alone)
	if err != nil {
		return nil, err
	}
	w.ReportProgress(f)
	if len(f.Remaining()) > 0 {
		return nil, m.missing(f)
	}
	return m.keep(f), nil
}

// prepare makes the folder of a stage, which is complete where it has no shards.
func (m *Merge) prepare(w Work) (*Folder, error) {
	f, unlock, err := w.Open()
	if err != nil {
		return nil, err
	}
	unlock()
	if f.Len() == 0 {
		return m.keep(f), nil
	}
	return nil, &PreparedError{m.stage(f), f.Len()}
}

// keep puts off that a folder is removed.
func (m *Merge) keep(f *Folder) *Folder {
	f.OnDiscard(func() error {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.merged = append(m.merged, f.dir)
		return nil
	})
	return f
}

// open reads the folder of a stage. While others compute there, damaged shards count as
// missing, but their records stay.
func (m *Merge) open(ctx context.Context, w Work, alone bool) (*Folder, error) {
	f, n, err := read(w.Dir, w.Manifest)
	if err != nil {
		return nil, err
	}
	for i := range f.digests {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if m.Retry && n.failed[i] {
			if err := f.Retry(i); err != nil {
				return nil, err
			}
		}
		if !n.records[i] {
			continue
		}
		if err := f.take(i, alone); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// missing returns an error that lists the shards that are not in a folder.
func (m *Merge) missing(f *Folder) error {
	if m.Prepare {
		return &PreparedError{m.stage(f), len(f.Remaining())}
	}
	failures, err := f.Failures()
	if err != nil {
		return err
	}
	return &MissingError{m.stage(f), f.Len(), f.Remaining(), f.Corrupt(), failures}
}

// stage names a folder relative to the run's.
func (m *Merge) stage(f *Folder) string {
	if name, err := filepath.Rel(m.Root, f.dir); err == nil {
		return filepath.ToSlash(name)
	}
	return f.dir
}

// Finish removes the folders of the stages that were merged, once the run is done:
// while it is not, processes that compute a later stage need them.
func (m *Merge) Finish() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for len(m.merged) > 0 {
		if err := remove(m.merged[0]); err != nil {
			return err
		}
		m.merged = m.merged[1:]
	}
	return nil
}

// A PreparedError says that a stage is ready to be computed by others.
type PreparedError struct {
	Stage  string
	Shards int // to be computed
}

// Error says how much is to be computed.
func (e *PreparedError) Error() string {
	return fmt.Sprintf("stage %s is prepared: %s to compute", e.Stage, count(e.Shards, "shard"))
}

// A MissingError lists shards that are missing: they were not computed, were damaged, or were
// set aside.
type MissingError struct {
	Stage    string
	Shards   int   // of the stage
	Missing  []int // in order
	Damaged  []int // of them
	Failures []Failure
}

// Error names the shards and the first that was set aside.
func (e *MissingError) Error() string {
	s := fmt.Sprintf("stage %s: %d of %s missing: %s", e.Stage, len(e.Missing), count(e.Shards, "shard"), ranges(e.Missing))
	if len(e.Damaged) > 0 {
		s += "; damaged: " + ranges(e.Damaged)
	}
	if len(e.Failures) > 0 {
		s += fmt.Sprintf("; %d of them failed and were set aside, the first, %s: %s", len(e.Failures), e.Failures[0].Name, e.Failures[0].Cause())
	}
	return s
}

// mostRanges are named before the rest are counted.
const mostRanges = 20

// ranges writes increasing numbers as "3, 7-9".
func ranges(numbers []int) string {
	var parts []string
	for at := 0; at < len(numbers); {
		end := at
		for end+1 < len(numbers) && numbers[end+1] == numbers[end]+1 {
			end++
		}
		if len(parts) == mostRanges {
			parts = append(parts, fmt.Sprintf("and %d more", len(numbers)-at))
			break
		}
		part := fmt.Sprint(numbers[at])
		if end > at {
			part += fmt.Sprint("-", numbers[end])
		}
		parts, at = append(parts, part), end+1
	}
	return strings.Join(parts, ", ")
}
