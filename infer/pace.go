package infer

import (
	"context"
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

// turn is what one at a time has, and who waits for it may give up.
type turn chan struct{}

func newTurn() turn { return make(turn, 1) }

func (t turn) take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (t turn) give() { <-t }

// pace keeps requests a time apart.
type pace struct {
	clock
	apart time.Duration
	turn  turn
	next  time.Time // when the next request may go; of whose turn it is
}

func newPace(apart time.Duration) *pace {
	return &pace{clock: realClock, apart: apart, turn: newTurn()}
}

// wait returns when the request may go. A request that is given up before takes no time
// from others.
func (p *pace) wait(ctx context.Context) error {
	if p.apart == 0 {
		return ctx.Err()
	}
	if err := p.turn.take(ctx); err != nil {
		return err
	}
	defer p.turn.give()
	now := p.now()
	delay := min(max(p.next.Sub(now), 0), p.apart) // no longer, even where the clock was set back
	if err := p.sleep(ctx, delay); err != nil {
		return err
	}
	p.next = now.Add(delay + p.apart)
	return nil
}
