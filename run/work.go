package run

import (
	"context"
	"io"
)

// Work is one stage of a run: shards that do not need one another, each computed from
// its number alone, so that it does not matter who computes which, when, or how often.
type Work struct {
	Dir      string   // keeps the shards; made where there is none
	Manifest Manifest // says what they are of, and how many
	Resume   bool     // go on with what is in Dir, be it a run of the same manifest or nothing
	AtOnce   int      // shards that one process computes at a time; 0 is 1
	// Do computes shard i. It is called at least once for each, by any process that
	// takes part, and must write the same bytes each time.
	Do func(ctx context.Context, i int, w io.Writer) error
	// Name says what shard i is, such as "examples 64 to 127"; nil names it by number.
	Name func(i int) string
	// Progress, unless nil, is told of the folder when work begins and after each
	// commit, wherever that was computed. Calls do not overlap.
	Progress func(f *Folder)
}

// A Pool computes work: alone, or together with other processes.
type Pool interface {
	// Run computes the shards that are missing and returns the folder of all of them.
	// A shard that fails MaxAttempts times is set aside and does not stop the rest;
	// Run then errs with a *FailedError once the rest is done. Where ctx ends it errs
	// with what wraps ctx's error; what was committed is kept. A worker's pool errs
	// with ErrServed once it has done its part of the work: the caller returns it as
	// it is, and whoever submitted the run goes on.
	Run(ctx context.Context, w Work) (*Folder, error)
}

// commit computes shard i into the folder.
func (w Work) commit(ctx context.Context, f *Folder, i int) error {
	return f.Commit(i, func(to io.Writer) error { return w.Do(ctx, i, to) })
}
