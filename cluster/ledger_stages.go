package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// stageInfo is what a ledger knows of a stage.
type stageInfo struct {
	Number   int    `json:"-"` // in subjects and keys; from 1, in the order of the run
	Name     string `json:"name"`
	Manifest string `json:"manifest"` // SHA-256 of manifest.json
	Shards   int    `json:"shards"`
	Done     bool   `json:"done,omitempty"`     // all its shards are with the submitter
	Replaced bool   `json:"replaced,omitempty"` // by a stage of the same name and another manifest
}

// stages lists the stages of the run that were not replaced, in order.
func (l *ledger) stages(ctx context.Context) ([]stageInfo, error) {
	all, err := l.allStages(ctx)
	return slices.DeleteFunc(all, func(s stageInfo) bool { return s.Replaced }), err
}

func (l *ledger) allStages(ctx context.Context) ([]stageInfo, error) {
	var all []stageInfo
	err := l.list(ctx, "stage.*", func() { all = nil }, func(e jetstream.KeyValueEntry) error {
		s, err := decodeStage(e)
		all = append(all, s)
		return err
	})
	slices.SortFunc(all, func(a, b stageInfo) int { return a.Number - b.Number })
	return all, err
}

func decodeStage(e jetstream.KeyValueEntry) (s stageInfo, err error) {
	if err = json.Unmarshal(e.Value(), &s); err == nil {
		s.Number, err = strconv.Atoi(strings.TrimPrefix(e.Key(), "stage."))
	}
	if err != nil {
		return s, unreadable(e, err)
	}
	return s, nil
}

// unreadableError says that something in the ledger is not what a ledger holds.
type unreadableError struct{ key, why string }

func (e *unreadableError) Error() string {
	return fmt.Sprintf("the ledger's %s is not readable: %s", e.key, e.why)
}

func unreadable(e jetstream.KeyValueEntry, err error) error {
	return &unreadableError{e.Key(), err.Error()}
}

// stage opens the stage of that name and manifest, and makes it where there is none. A
// stage of the same name and another manifest is replaced: what it queued and committed
// is dropped. New stages have nothing in the queue; fill does that.
func (l *ledger) stage(ctx context.Context, name, manifest string, shards int) (*stage, error) {
	want := stageInfo{Name: name, Manifest: manifest, Shards: shards}
	for {
		all, err := l.allStages(ctx)
		if err != nil {
			return nil, err
		}
		for _, s := range all {
			switch {
			case s.Name != name || s.Replaced:
			case s.Manifest == manifest && s.Shards == shards:
				return l.join(ctx, s, true)
			default:
				if err := l.replace(ctx, s); err != nil {
					return nil, err
				}
			}
		}
		want.Number = 1
		if n := len(all); n > 0 {
			want.Number = all[n-1].Number + 1
		}
		err = l.note(ctx, want, true)
		if errors.Is(err, jetstream.ErrKeyExists) {
			continue // somebody else was first, or this is our own, unanswered
		}
		if err != nil {
			return nil, err
		}
		return l.join(ctx, want, true)
	}
}

// note writes what is known of a stage.
func (l *ledger) note(ctx context.Context, s stageInfo, create bool) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	key := "stage." + strconv.Itoa(s.Number)
	return l.retry(ctx, "note a stage", attempt, func(ctx context.Context) error {
		if create {
			_, err = l.kv.Create(ctx, key, data)
		} else {
			_, err = l.kv.Put(ctx, key, data)
		}
		return err
	})
}

// replace drops what a stage queued and committed. Its number is not used again, so
// that a worker who still computes for it harms nobody.
func (l *ledger) replace(ctx context.Context, s stageInfo) error {
	s.Replaced = true
	if err := l.note(ctx, s, false); err != nil {
		return err
	}
	return l.retry(ctx, "drop a stage", attempt, func(ctx context.Context) error {
		if err := l.queue.DeleteConsumer(ctx, consumerName(s.Number)); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
			return err
		}
		if err := l.queue.Purge(ctx, jetstream.WithPurgeSubject(l.subject(s.Number, "*"))); err != nil {
			return err
		}
		return l.purge(ctx, "*", s.Number)
	})
}

// purge drops the keys of a kind ("commit", "fail", "*") of a stage.
func (l *ledger) purge(ctx context.Context, kind string, stage int) error {
	bucket, err := l.js.Stream(ctx, "KV_"+bucketName(l.id))
	if err != nil {
		return err
	}
	return bucket.Purge(ctx, jetstream.WithPurgeSubject(fmt.Sprintf("$KV.%s.%s.%d.*", bucketName(l.id), kind, stage)))
}
