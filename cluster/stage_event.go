package cluster

import (
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// What happens to a shard.
type eventKind int

const (
	caughtUp  eventKind = iota // all earlier events were delivered
	committed                  // a shard: the event's Commit describes it
	failed                     // an attempt to compute a shard: Failure has the cause
	aside                      // a shard, after several failures: Failure has the cause
	refilled                   // a commit was withdrawn, or a shard that was set aside is tried again
)

// An event is a change of a shard's state.
type event struct {
	Kind    eventKind
	Shard   int
	Commit  commitRecord
	Failure failure
}

// event decodes a change of a key; ok is false if it is not an event.
func (s *stage) event(e jetstream.KeyValueEntry) (v event, ok bool) {
	if e == nil {
		return v, true
	}
	i, err := s.shardOf(e.Key())
	v.Shard = i
	switch {
	case err != nil:
	case e.Operation() != jetstream.KeyValuePut:
		v.Kind = refilled
	case strings.HasPrefix(e.Key(), "commit."):
		v.Kind, err = committed, decode(e, &v.Commit)
	default:
		if err = decode(e, &v.Failure); v.Failure.Aside {
			v.Kind = aside
		} else if v.Kind = failed; len(v.Failure.Causes) == 0 {
			return v, false // a lease that was given back
		}
	}
	if err != nil {
		s.l.o.Log("%v", err)
	}
	return v, err == nil
}
