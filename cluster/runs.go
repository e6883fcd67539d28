package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tattle/run"
)

// registryBucket lists the runs of a cluster. A message on wakeSubject wakes waiting processes,
// because there may be a change: a run, a stage, shards to compute again, or the end of one.
const (
	registryBucket = "tattle-runs"
	wakeSubject    = "tattle-wake"
)

// finishedFor is how long the entry of a finished run is kept.
const finishedFor = 7 * 24 * time.Hour

// entry is what the registry says of a run, under its ID.
type entry struct {
	Job      Job              `json:"job"`
	Finished time.Time        `json:"finished,omitzero"`
	Stages   []run.StageState `json:"stages,omitempty"` // of a finished run
}

// registry is the list of runs. Only reading and keys of its ledger are used.
type registry struct{ *ledger }

// registry opens the list of runs, and makes it where there is none.
func (c *Conn) registry(ctx context.Context) (registry, error) {
	r := registry{&ledger{js: c.js, o: ledgerOptions{Patience: patience, Log: func(string, ...any) {}}}}
	err := r.retry(ctx, "open the list of runs", attempt, func(ctx context.Context) (err error) {
		r.kv, err = openBucket(ctx, c.js, registryBucket, c.replicas)
		return err
	})
	return r, err
}

// entries returns all entries, the oldest run first.
func (r registry) entries(ctx context.Context) ([]entry, error) {
	var all []entry
	err := r.list(ctx, ">", func() { all = nil }, func(e jetstream.KeyValueEntry) error {
		var one entry
		if err := decode(e, &one); err == nil && one.Job.ID == e.Key() {
			all = append(all, one) // one that is not readable is of another version
		}
		return nil
	})
	slices.SortFunc(all, func(a, b entry) int {
		if by := a.Job.Created.Compare(b.Job.Created); by != 0 {
			return by
		}
		return strings.Compare(a.Job.ID, b.Job.ID)
	})
	return all, err
}

// get returns the entry of a run, if there is one.
func (r registry) get(ctx context.Context, id string) (e entry, ok bool, err error) {
	err = r.retry(ctx, "read the list of runs", attempt, func(ctx context.Context) error {
		kept, err := r.kv.Get(ctx, id)
		if err != nil {
			return err
		}
		return decode(kept, &e)
	})
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return e, false, nil
	}
	return e, err == nil, err
}

func (r registry) put(ctx context.Context, e entry) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return r.retry(ctx, "list the run", attempt, func(ctx context.Context) error {
		_, err := r.kv.Put(ctx, e.Job.ID, data)
		return err
	})
}

func (r registry) remove(ctx context.Context, id string) error {
	return r.retry(ctx, "change the list of runs", attempt, func(ctx context.Context) error { return r.kv.Purge(ctx, id) })
}

// sweep removes what was finished long ago.
func (r registry) sweep(ctx context.Context) error {
	all, err := r.entries(ctx)
	for _, e := range all {
		if err == nil && !e.Finished.IsZero() && time.Since(e.Finished) > finishedFor {
			err = r.remove(ctx, e.Job.ID)
		}
	}
	return err
}

// wake wakes waiting processes. A process that misses the message looks again later.
func (c *Conn) wake() { c.nc.Publish(wakeSubject, nil) }

// Runs lists the runs that the cluster knows, the oldest first.
func (c *Conn) Runs(ctx context.Context) ([]RunState, error) {
	r, err := c.registry(ctx)
	if err != nil {
		return nil, err
	}
	all, err := r.entries(ctx)
	if err != nil {
		return nil, err
	}
	var states []RunState
	for _, e := range all {
		state, there, err := r.state(ctx, e)
		if err != nil {
			return nil, fmt.Errorf("run %s: %w", e.Job.ID, err)
		}
		if there {
			states = append(states, state)
		}
	}
	return states, nil
}

// state says how far a run is, if it is still listed. Without a ledger it was finished or
// removed since its entry was read, or it is still being handed over.
func (r registry) state(ctx context.Context, e entry) (s RunState, there bool, err error) {
	s, err = e.state(ctx, r.js)
	if !errors.Is(err, errGone) {
		return s, true, err
	}
	e, there, err = r.get(ctx, e.Job.ID)
	if !there || err != nil {
		return s, there, err
	}
	if s, err = e.state(ctx, r.js); errors.Is(err, errGone) {
		s, err = RunState{Job: e.Job, State: Submitted}, nil
	}
	return s, true, err
}

// The states of a run.
const (
	Submitted = "submitted" // nobody has taken anything of it
	Running   = "running"
	Finished  = "finished"
)

// state says how far a run is, or returns errGone where it is unfinished and has no ledger.
func (e entry) state(ctx context.Context, js jetstream.JetStream) (RunState, error) {
	s := RunState{Job: e.Job, State: Submitted, Finished: e.Finished, Stages: e.Stages}
	if !e.Finished.IsZero() {
		s.State = Finished
		return s, nil
	}
	l, err := openLedger(ctx, js, e.Job.ID, ledgerOptions{Join: true})
	if err != nil {
		return s, err
	}
	if s.Stages, err = l.states(ctx); err != nil {
		return s, err
	}
	if s.Workers, err = l.workers(ctx); err != nil {
		return s, err
	}
	for _, w := range s.Workers {
		if w.Refused == "" {
			s.State = Running
		}
	}
	return s, nil
}

// states says how far the stages are, reading the keys of commits alone.
func (l *ledger) states(ctx context.Context) ([]run.StageState, error) {
	stages, err := l.stages(ctx)
	if err != nil {
		return nil, err
	}
	states := make([]run.StageState, len(stages))
	of := func(e jetstream.KeyValueEntry) (s *run.StageState, shard int) { // nil for a stage that was replaced
		part := strings.Split(e.Key(), ".")
		number, _ := strconv.Atoi(part[1])
		shard, _ = strconv.Atoi(part[2])
		if k := slices.IndexFunc(stages, func(s stageInfo) bool { return s.Number == number }); k >= 0 {
			return &states[k], shard
		}
		return nil, 0
	}
	again := func() {
		for k, s := range stages {
			states[k] = run.StageState{Name: s.Name, Shards: s.Shards}
		}
	}
	err = l.list(ctx, "commit.*.*", again, func(e jetstream.KeyValueEntry) error {
		if s, _ := of(e); s != nil {
			s.Done++
		}
		return nil
	}, jetstream.MetaOnly())
	if err != nil {
		return nil, err
	}
	again = func() {
		for k := range states {
			states[k].Failed, states[k].Failures = 0, nil
		}
	}
	err = l.list(ctx, "fail.*.*", again, func(e jetstream.KeyValueEntry) error {
		var f failure
		if s, i := of(e); s != nil && decode(e, &f) == nil && f.Aside {
			s.Failed++
			s.Failures = append(s.Failures, run.Failure{Shard: i, Name: fmt.Sprintf("shard %d", i), Causes: f.Causes})
		}
		return nil
	})
	for _, s := range states {
		slices.SortFunc(s.Failures, func(a, b run.Failure) int { return a.Shard - b.Shard })
	}
	return states, err
}

// Remove ends a run and removes all that the cluster keeps of it. Workers stop, and
// the submitter goes on from its folder with --resume.
func (c *Conn) Remove(ctx context.Context, id string) error {
	r, err := c.registry(ctx)
	if err != nil {
		return err
	}
	if _, ok, err := r.get(ctx, id); err != nil {
		return err
	} else if !ok {
		return fmt.Errorf("the cluster knows no run %q", id)
	}
	if err := r.remove(ctx, id); err != nil {
		return err
	}
	defer c.wake()
	return c.clear(ctx, id)
}

// clear removes ledger and data of a run.
func (c *Conn) clear(ctx context.Context, id string) error {
	l := &ledger{id: id, js: c.js, o: ledgerOptions{Patience: patience}}
	if err := l.remove(ctx); err != nil {
		return err
	}
	return blobs{l: l}.remove(ctx)
}
