package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// MaxAttempts is how often a shard may fail before it is set aside: a fault that
// passes (memory, a disk that was full) rarely strikes thrice.
const MaxAttempts = 3

// ErrServed is what a worker's pool returns instead of a folder: it has done its part,
// and what follows is for whoever submitted the run.
var ErrServed = errors.New("served: what follows is the submitter's")

// A FailedError tells of shards that were set aside; the others are done and kept.
type FailedError struct {
	Dir      string
	Shards   int // of the work
	Failures []Failure
}

// Failure is a shard that was set aside.
type Failure struct {
	Shard  int      `json:"shard"`
	Name   string   `json:"name"`   // what the shard is
	Causes []string `json:"causes"` // of each attempt, in order
}

// Error names the first shard and its last cause.
func (e *FailedError) Error() string {
	f := e.Failures[0]
	return fmt.Sprintf("%d of %d shards failed %d times and were set aside; the first, %s: %s", len(e.Failures), e.Shards, MaxAttempts, f.Name, f.Causes[len(f.Causes)-1])
}

// Alone computes work in this process, with the folder as its only ledger.
type Alone struct{}

// Run implements Pool.
func (Alone) Run(ctx context.Context, w Work) (*Folder, error) {
	open := Create
	if _, err := os.Stat(filepath.Join(w.Dir, manifestName)); err == nil && w.Resume {
		open = Open
	}
	f, err := open(w.Dir, w.Manifest)
	if err != nil {
		return nil, err
	}
	if w.Progress != nil {
		w.Progress(f)
	}
	for _, i := range f.Remaining() { // TODO: AtOnce, attempts, setting aside
		if ctx.Err() != nil {
			return f, ctx.Err()
		}
		if err := w.commit(ctx, f, i); err != nil {
			return f, err
		}
		if w.Progress != nil {
			w.Progress(f)
		}
	}
	return f, nil
}
