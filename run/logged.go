package run

import (
	"context"
	"io"
	"time"

	"tattle/internal/file"
)

// An announcer is a pool that knows which stages its run has announced: the shards of
// others are not needed.
type announcer interface {
	Announced(ctx context.Context, dir string) bool
}

// Logged is a pool that logs each shard that it computes, with the time that it took.
type Logged struct {
	Pool
	Log func(format string, a ...any)
	Who string // computes
}

// Run implements Pool.
func (p *Logged) Run(ctx context.Context, w Work) (*Folder, error) {
	do, name := w.Do, w.ShardName
	w.Do = func(ctx context.Context, i int, to io.Writer) error {
		began := time.Now()
		err := do(ctx, i, to)
		switch {
		case err == nil:
			p.Log("%s: shard %d (%s) done in %.1f s", p.Who, i, name(i), time.Since(began).Seconds())
		case ctx.Err() == nil:
			p.Log("%s: shard %d (%s) failed: %s", p.Who, i, name(i), file.Name(err.Error()))
		}
		return err
	}
	return p.Pool.Run(ctx, w)
}

// Announced implements Announcer.
func (p *Logged) Announced(ctx context.Context, dir string) bool { return Announced(ctx, p.Pool, dir) }

// Announced reports whether the stage in dir may be needed: false if the pool is an
// Announcer and its run has announced another one.
func Announced(ctx context.Context, p Pool, dir string) bool {
	a, ok := p.(announcer)
	return !ok || a.Announced(ctx, dir)
}
