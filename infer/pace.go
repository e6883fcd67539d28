package infer

import (
	"context"
	"sync"
	"time"
)

// clock is the time; tests have one of their own.
type clock struct {
	now   func() time.Time
	sleep func(ctx context.Context, d time.Duration) error
}

var realClock = clock{now: time.Now, sleep: sleep}

// sleep waits, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// pace keeps requests a time apart.
type pace struct {
	clock
	apart time.Duration
	mu    sync.Mutex
	next  time.Time // when the next request may go
}

// wait returns when the request may go.
func (p *pace) wait(ctx context.Context) error {
	if p.apart == 0 {
		return ctx.Err()
	}
	p.mu.Lock()
	now := p.now()
	at := now
	if p.next.After(now) {
		at = p.next
	}
	p.next = at.Add(p.apart)
	p.mu.Unlock()
	return p.sleep(ctx, at.Sub(now))
}
