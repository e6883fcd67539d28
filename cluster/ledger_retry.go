package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// retry does an operation until it succeeds, fails for good, or the server has been away
// for longer than there is patience. Each attempt has a limited time, the first ones less.
func (l *ledger) retry(ctx context.Context, what string, limit time.Duration, do func(ctx context.Context) error) error {
	began, wait, patient := time.Now(), 20*time.Millisecond, limit/8 // an answer may be lost with a server
	var since time.Time                                              // it is not there, as far as was answered
	for {
		err := within(ctx, patient, do)
		if !l.missing(ctx, err) {
			since = time.Time{}
		} else if since.IsZero() {
			since = time.Now()
		}
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case !since.IsZero():
			if sure := l.surelyGone(ctx, err, time.Since(since)); sure != nil {
				return fmt.Errorf("%s: %w", what, sure)
			}
		case noRoom(err) && time.Since(began) < placing: // nodes that come or go are heard of within seconds
		case definite(err):
			return fmt.Errorf("%s: %w", what, err)
		case time.Since(began) > l.o.Patience:
			return fmt.Errorf("%s: the server has not answered for %v (%w): is it running, and can it be reached?", what, l.o.Patience, err)
		}
		pause(ctx, wait)
		wait, patient = min(2*wait, time.Second), min(2*patient, limit)
	}
}

func within(ctx context.Context, limit time.Duration, do func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return do(ctx)
}

// pause waits, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// noRoom says that a cluster has too few servers for the copies that are wanted, as far
// as the one that leads it knows: it must have heard of each once.
func noRoom(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.ErrorCode == 10005 || api.ErrorCode == 10074)
}

// passing are the refusals of a server that is busy.
var passing = []int{http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests}

// definite says that trying again is no use.
func definite(err error) bool {
	var bad *unreadableError
	if errors.As(err, &bad) {
		return true
	}
	for _, e := range []error{nats.ErrConnectionClosed, nats.ErrAuthorization, nats.ErrPermissionViolation, nats.ErrMaxPayload, jetstream.ErrKeyNotFound, jetstream.ErrKeyExists, jetstream.ErrKeyDeleted} {
		if errors.Is(err, e) {
			return true
		}
	}
	var api *jetstream.APIError
	return errors.As(err, &api) && api.Code >= 400 && api.Code < 500 && !slices.Contains(passing, api.Code)
}
