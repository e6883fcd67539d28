package cluster

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tattle/internal/must"
)

// behind is a client of a server that has not caught up: it knows nothing of so many
// streams that it is asked for.
type behind struct {
	jetstream.JetStream
	answers int
}

func (b *behind) Stream(ctx context.Context, name string) (jetstream.Stream, error) {
	if b.answers > 0 {
		b.answers--
		return nil, jetstream.ErrStreamNotFound
	}
	return b.JetStream.Stream(ctx, name)
}

// oneOfSeveral is a server that says that it is part of a cluster.
func oneOfSeveral(t *testing.T) *Conn {
	t.Helper()
	s := must.Get(server.NewServer(&server.Options{
		DontListen: true, NoSigs: true, JetStream: true, StoreDir: t.TempDir(), Cluster: server.ClusterOpts{Name: "tattle"},
	}))(t)
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	nc := must.Get(nats.Connect("", nats.InProcessServer(s)))(t)
	t.Cleanup(nc.Close)
	js := must.Get(jetstream.New(nc))(t)
	return &Conn{nc: nc, js: js, replicas: 1}
}

// TestGone has a server of several say that a run is not there: it is believed where the
// list of runs says so, too, or where nothing else is heard for long enough.
func TestGone(t *testing.T) {
	was := goneAfter
	t.Cleanup(func() { goneAfter = was })
	goneAfter = time.Hour
	c := oneOfSeveral(t)
	if (&ledger{js: c.js}).oneServer() {
		t.Fatal("it does not say that it is part of a cluster")
	}
	id := newID()
	made := must.Get(openLedger(t.Context(), c.js, id, ledgerOptions{}))(t)
	runs := must.Get(c.registry(t.Context()))(t)
	list := func(e entry) {
		e.Job.ID = id
		must.Do(t, runs.put(t.Context(), e))
	}
	join := func(answers int) (took time.Duration, err error) {
		begun := time.Now()
		_, err = openLedger(t.Context(), &behind{c.js, answers}, id, ledgerOptions{Join: true})
		return time.Since(begun), err
	}
	list(entry{})
	if _, err := join(3); err != nil {
		t.Errorf("a run that goes on, of which one server has not heard: %v", err)
	}
	for name, change := range map[string]func(){
		"finished": func() { list(entry{Finished: time.Now()}) },
		"removed":  func() { list(entry{}); runs.remove(t.Context(), id) },
	} {
		change()
		if _, err := join(1e6); !errors.Is(err, errGone) { // otherwise it waits for goneAfter
			t.Errorf("%s: %v", name, err)
		}
	}
	list(entry{})
	goneAfter = 300 * time.Millisecond
	if took, err := join(1e6); !errors.Is(err, errGone) || took < goneAfter {
		t.Errorf("servers that keep to it: %v after %v", err, took)
	}
	st := must.Get(made.stage(t.Context(), "shards", "manifest", 1))(t)
	must.Do(t, made.queue.DeleteConsumer(t.Context(), consumerName(1)))
	begun := time.Now()
	if _, err := made.join(t.Context(), st.stageInfo, false); !errors.Is(err, errNoStage) || time.Since(begun) < goneAfter {
		t.Errorf("a stage's queue that is gone: %v after %v", err, time.Since(begun))
	}
	list(entry{Finished: time.Now()})
	if _, err := made.join(t.Context(), st.stageInfo, false); !errors.Is(err, errGone) || errors.Is(err, errNoStage) {
		t.Errorf("a stage of a run that is finished: %v", err)
	}
	must.Do(t, c.js.DeleteKeyValue(t.Context(), registryBucket))
	goneAfter = time.Hour
	if took, err := join(3); err != nil { // the list is not there either: the same server may say that
		t.Errorf("without a list: %v after %v", err, took)
	}
}

// TestGoneOfOne has one server say that a run is not there: it knows.
func TestGoneOfOne(t *testing.T) {
	h := listen(t)
	must.Get(openLedger(t.Context(), h.js, newID(), ledgerOptions{}))(t)
	js := &behind{h.js, 1}
	if _, err := openLedger(t.Context(), js, newID(), ledgerOptions{Join: true}); !errors.Is(err, errGone) || js.answers > 0 {
		t.Errorf("%v, with %d answers left", err, js.answers)
	}
}
