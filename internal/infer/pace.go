package infer

import (
	"context"
	"time"

	"golang.org/x/time/rate"
)

// pace keeps requests apart, and waits between attempts. Tests have a clock of their own.
type pace struct {
	*rate.Limiter
	now   func() time.Time
	sleep func(ctx context.Context, d time.Duration) error
}

// newPace returns a pace with the given limit of requests per second; 0 means no limit.
func newPace(requests float64) *pace {
	limit := rate.Inf
	if requests > 0 {
		limit = rate.Limit(requests)
	}
	return &pace{Limiter: rate.NewLimiter(limit, 1), now: time.Now, sleep: sleep}
}

// sleep waits, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return ctx.Err()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// wait returns when the next request may go.
func (p *pace) wait(ctx context.Context) error {
	now := p.now()
	return p.sleep(ctx, p.ReserveN(now, 1).DelayFrom(now))
}
