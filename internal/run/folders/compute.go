package folders

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"tattle/internal/run"
)

// compute has the pool compute the stage's folders, of which some are missing. It returns
// the folder of the shards once all folders are complete.
func (s *Stage) compute(ctx context.Context, names, missing []string) (*run.Folder, error) {
	m, err := s.Manifest(ctx, names)
	if err != nil {
		return nil, err
	}
	c := &computing{Stage: s, shards: names}
	for _, name := range names {
		c.seen = append(c.seen, !slices.Contains(missing, name))
	}
	w := run.Work{
		Dir: s.Dir, Manifest: m, Resume: true, AtOnce: s.AtOnce,
		Do: c.do, Progress: c.progress,
		Name: func(i int) string { return s.Label(names[i]) },
	}
	f, err := s.Pool.Run(ctx, w)
	c.under.Wait() // what was interrupted keeps what it has
	switch stopped := ctx.Err(); {
	case stopped != nil && errors.Is(err, stopped):
		return nil, stopped
	case err != nil:
		return nil, err
	}
	c.progress(f)
	return f, c.failed
}

// computing is a stage under way.
type computing struct {
	*Stage
	shards []string
	under  sync.WaitGroup

	seen   []bool // the shards whose folders are there
	failed error  // why one is not

	took sync.Map // by folder, the time.Duration that this process took
}

// do computes the folder of shard i unless it is complete, and packs it.
func (c *computing) do(ctx context.Context, i int, w io.Writer) error {
	c.under.Add(1)
	defer c.under.Done()
	name, dir := c.shards[i], c.at(c.shards[i])
	files, err := c.Finished(name, dir)
	if err != nil {
		return err
	}
	if files == nil {
		started := time.Now()
		if err := c.Files.Sweep(dir); err != nil {
			return err
		}
		if err := c.Make(ctx, name, dir); err != nil {
			return err
		}
		c.took.Store(name, time.Since(started))
		if files, err = c.Finished(name, dir); err == nil && files == nil {
			err = errors.New("its models are not as they were written")
		}
		if err != nil {
			return err
		}
	}
	return Pack(c.Files, w, dir, files)
}

// progress unpacks what was committed. What fails now is tried again at the end.
func (c *computing) progress(f *run.Folder) {
	c.failed = nil
	for i, name := range c.shards {
		if c.seen[i] || !f.Done(i) {
			continue
		}
		err := c.take(f, i, name)
		if err == nil {
			took, _ := c.took.Load(name)
			known, _ := took.(time.Duration)
			c.Done(name, known)
		}
		c.seen[i] = err == nil
		c.failed = errors.Join(c.failed, err)
	}
}
