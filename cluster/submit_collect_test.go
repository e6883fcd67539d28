package cluster

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tattle/internal/must"
	"tattle/internal/shared"
	"tattle/run"
)

// TestCollectPassedOver commits what is damaged, and has a server say that nothing was:
// the submitter waits for another result, and asks again as none comes.
func TestCollectPassedOver(t *testing.T) {
	t.Parallel()
	c := dialed(t)
	root := t.TempDir()
	s := must.Get(c.Submit(SubmitOptions{Job: jobOf(Job{}), Root: root}))(t)
	defer s.Close()
	must.Do(t, s.submit(t.Context()))
	w := run.Work{Dir: filepath.Join(root, "shards"), Manifest: run.Manifest{Command: "test", Shards: 2}}
	f, unlock := must.Get2(w.Open())(t)
	defer unlock()
	st, err := s.announce(t.Context(), f)
	if err == nil {
		_, err = st.fill(t.Context())
	}
	must.Do(t, err)
	commit := func(data string) { // as a worker does
		l, err := st.lease(t.Context())
		if err != nil {
			t.Error(err)
			return
		}
		r := commitRecord{Digest: hexSum("true"), Size: 4, Worker: "w", Attempt: l.Attempt}
		if data != "" {
			err = s.blobs.put(t.Context(), resultBlob(1, l.Shard, r.Digest), strings.NewReader(data))
		}
		if won, err1 := l.commit(t.Context(), r); err1 != nil || !won || err != nil {
			t.Error(won, err, err1)
		}
		if err := l.done(t.Context()); err != nil {
			t.Error(err)
		}
	}
	commit("")
	commit("true")
	late := *st.l
	asked := make(chan bool, 100)
	late.kv = &listener{&answers{KeyValue: st.l.kv, late: 1}, asked}
	theirs := &stage{stageInfo: st.stageInfo, l: &late, consumer: st.consumer, held: map[int]*lease{}}
	end := make(chan error, 1)
	go func() {
		col := &collector{s: s, w: w, f: f, st: theirs, aside: map[int]failure{}, damages: map[int][]string{}}
		end <- col.collect(t.Context())
	}()
	<-asked
	select {
	case <-asked:
		t.Fatal("what was said to be gone was asked for at once")
	case <-time.After(50 * time.Millisecond):
	}
	commit("true") // once it is queued again
	must.Do(t, <-end)
	for i := range 2 {
		if data, err := os.ReadFile(f.Path(i)); err != nil || string(data) != "true" {
			t.Errorf("shard %d: %q, %v", i, data, err)
		}
	}
}

// listener reports each key that is requested.
type listener struct {
	*answers
	asked chan bool
}

func (l *listener) Get(ctx context.Context, key string) (jetstream.KeyValueEntry, error) {
	e, err := l.answers.Get(ctx, key)
	l.asked <- true
	return e, err
}

// TestUnreadableLedger has somebody else write to the ledger: the mend is said, and works.
func TestUnreadableLedger(t *testing.T) {
	t.Parallel()
	shared.Long(t, "a ledger that somebody else wrote to")
	c := dialed(t)
	for _, key := range []string{"commit.1.0", "fail.1.0", "stage.1"} {
		root := t.TempDir()
		w := run.Work{Manifest: run.Manifest{Command: "test", Shards: 0}}
		s, end := submitting(t, c, root, Job{}, w, false)
		must.Do(t, <-end, key)
		must.Get(s.l.kv.Put(t.Context(), key, []byte("}")))(t, key)
		s.Close()
		s, end = submitting(t, c, root, Job{}, w, true)
		err := <-end
		s.Close()
		id, url := SubmittedTo(root)
		if want := "tattle runs --cluster " + url + " --remove " + id + ", then --resume"; err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), key+" is not readable") {
			t.Fatalf("%s: %v, not %q", key, err, want)
		}
		must.Do(t, c.Remove(t.Context(), id), key)
		s, end = submitting(t, c, root, Job{}, w, true)
		if err := <-end; err != nil {
			t.Errorf("%s: after what mends it: %v", key, err)
		}
		s.Close()
	}
}

// TestSweptWhileWritten removes what a worker writes into a shared folder, as a submitter
// that resumes does.
func TestSweptWhileWritten(t *testing.T) {
	t.Parallel()
	for _, sweeps := range []int{0, 1, 2} {
		dir, tries := t.TempDir(), 0
		s := &service{home: &home{}, f: must.Get(run.Create(dir, run.Manifest{Command: "test", Shards: 1}))(t)}
		s.Do = func(_ context.Context, _ int, w io.Writer) error {
			tries++
			half, _ := filepath.Glob(filepath.Join(dir, ".shard-*"))
			if len(half) != 1 {
				t.Errorf("half-written are %v", half)
			} else if tries <= sweeps {
				os.Remove(half[0])
			}
			_, err := io.WriteString(w, "data")
			return err
		}
		_, err := s.compute(t.Context(), &lease{})
		data, _ := os.ReadFile(s.f.DataPath(0, hexSum("data")))
		var store *run.StoreError
		switch {
		case sweeps < 2 && (err != nil || string(data) != "data" || tries != sweeps+1):
			t.Errorf("swept %d times: %q after %d tries, %v", sweeps, data, tries, err)
		case sweeps == 2 && !errors.As(err, &store): // nobody resumes that often
			t.Errorf("error %v", err)
		}
	}
}
