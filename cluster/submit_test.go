package cluster_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tattle/cluster"
	"tattle/internal/must"
	"tattle/internal/shared"
	"tattle/run"
)

var usual = size{First: 3, Second: 40, Pace: 20 * time.Millisecond}

// site is a server and a run that is to be submitted to it.
type site struct {
	process
	t    testing.TB
	c    *cluster.Conn
	log  *saying
	end  chan error
	want []byte
}

// newSite starts a server in this process, unless url is given, and computes the run alone.
func newSite(t testing.TB, url string, s size) *site {
	t.Helper()
	dir, store := t.TempDir(), t.TempDir()
	p := process{Role: "submitter", URL: url, Root: filepath.Join(dir, "out"), Model: filepath.Join(dir, "model.bin"), Lease: time.Second, Size: s}
	must.Do(t, os.WriteFile(p.Model, []byte("what was trained"), 0o666))
	if url == "" {
		ctx, cancel := context.WithCancel(context.Background())
		up, end := make(chan string, 1), make(chan error, 1)
		go func() {
			end <- cluster.ListenAndServe(ctx, cluster.ServerOptions{Listen: "127.0.0.1:0", Store: store}, func(url string) { up <- url })
		}()
		t.Cleanup(func() { cancel(); <-end })
		select {
		case p.URL = <-up:
		case err := <-end:
			end <- err
			t.Fatal(err)
		}
	}
	c := must.Get(cluster.Connect(t.Context(), cluster.Dial{URL: p.URL}))(t)
	t.Cleanup(c.Close)
	return &site{process: p, t: t, c: c, log: &saying{}, end: make(chan error, 1), want: alone(t, p)}
}

// alone returns the merged bytes of a run that one process computed.
func alone(t testing.TB, p process) []byte {
	t.Helper()
	s, root := p.Size, t.TempDir()
	s.Pace = 0
	must.Do(t, (process{}).carryOut(t.Context(), root, p.Model, s, false, run.Alone{}))
	return must.Get(os.ReadFile(filepath.Join(root, "merged")))(t)
}

// begin submits in this process.
func (s *site) begin() {
	go func() {
		s.end <- s.submit(s.t.Context(), s.c, func(format string, a ...any) { fmt.Fprintf(s.log, format+"\n", a...) })
	}()
}

// wait waits for the submitter's end.
func (s *site) wait() {
	s.t.Helper()
	select {
	case err := <-s.end:
		if err != nil {
			s.t.Fatalf("submitter: %v\n%s", err, s.log)
		}
	case <-time.After(2 * time.Minute):
		s.t.Fatalf("the submitter does not end\n%s", s.log)
	}
	s.whole()
}

// state returns what the cluster knows of the run.
func (s *site) state() (state cluster.RunState, ok bool) {
	s.t.Helper()
	all := must.Get(s.c.Runs(s.t.Context()))(s.t)
	if len(all) == 0 {
		return state, false
	}
	return all[0], true
}

// id waits for the run to be listed, and returns its ID.
func (s *site) id() (id string) {
	s.t.Helper()
	until(s.t, "the run is listed", func() bool {
		state, ok := s.state()
		id = state.Job.ID
		return ok
	})
	return id
}

// committed waits until so many shards of the second stage are.
func (s *site) committed(n int) {
	s.t.Helper()
	until(s.t, strconv.Itoa(n)+" shards are committed", func() bool {
		state, _ := s.state()
		return len(state.Stages) == 2 && state.Stages[1].Done >= n
	})
}

// whole checks that all was committed, that the cluster keeps nothing but the entry, and
// that the merged bytes are those of a run alone.
func (s *site) whole() {
	s.t.Helper()
	got, err := os.ReadFile(filepath.Join(s.Root, "merged"))
	if err != nil || !bytes.Equal(got, s.want) {
		s.t.Errorf("merged are %d bytes (%v), alone they were %d: equal: %v", len(got), err, len(s.want), bytes.Equal(got, s.want))
	}
	state, ok := s.state()
	if !ok || state.State != cluster.Finished {
		s.t.Fatalf("the run is listed: %v, and %s", ok, state.State)
	}
	if len(state.Stages) != 2 {
		s.t.Fatalf("the list has %d stages", len(state.Stages))
	}
	for k, n := range []int{s.Size.First, s.Size.Second} {
		if g := state.Stages[k]; g.Shards != n || g.Done != n || len(g.Failures) > 0 {
			s.t.Errorf("stage %s: %d of %d committed, %d failed; want %d", g.Name, g.Done, g.Shards, len(g.Failures), n)
		}
	}
	for name := range s.js().StreamNames(s.t.Context()).Name() {
		if strings.Contains(name, state.Job.ID) {
			s.t.Errorf("the cluster still keeps %s", name)
		}
	}
	for _, left := range []string{"cluster.json", ".cluster", "a/shards", "b/shards"} {
		if _, err := os.Stat(filepath.Join(s.Root, left)); err == nil {
			s.t.Errorf("the folder still holds %s", left)
		}
	}
}

// js reaches behind what the package offers.
func (s *site) js() jetstream.JetStream {
	s.t.Helper()
	nc := must.Get(nats.Connect(s.URL))(s.t)
	s.t.Cleanup(nc.Close)
	return must.Get(jetstream.New(nc))(s.t)
}

// TestSubmit submits runs whose workers, submitters and servers are processes that
// suffer. The processes mostly wait: all run at once, whatever -parallel says.
func TestSubmit(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	defer all.Wait()
	for _, c := range []struct {
		name string
		do   func(t *testing.T)
		long bool
	}{
		{"undisturbed", func(t *testing.T) { undisturbed(t, false) }, false},
		{"shared", func(t *testing.T) { undisturbed(t, true) }, true},
		{"worker killed", workerKilled, false},
		{"workers killed at points", func(t *testing.T) { workersKilledAt(t, false) }, true},
		{"workers killed at points, shared", func(t *testing.T) { workersKilledAt(t, true) }, true},
		{"worker interrupted", workerInterrupted, true},
		{"worker without room", workerWithoutRoom, true},
		{"worker paused", workerPaused, true},
		{"submitter killed", submitterKilled, true},
		{"delivered twice", deliveredTwice, true},
		{"server killed", serverKilled, true},
		{"store lost", storeLost, true},
		{"small results damaged", func(t *testing.T) { damaged(t, false, 0) }, true},
		{"large results damaged", func(t *testing.T) { damaged(t, false, 300<<10) }, true},
		{"shared results damaged", func(t *testing.T) { damaged(t, true, 300<<10) }, true},
		{"refused", refused, false},
		{"set aside", setAside, true},
		{"removed", removed, true},
		{"two submitters", twoSubmitters, true},
		{"worker lies", workerLies, false},
	} {
		if !c.long || !testing.Short() {
			all.Go(func() { t.Run(c.name, c.do) })
		}
	}
}

func undisturbed(t *testing.T, shared bool) {
	s := newSite(t, "", usual)
	s.Shared = shared
	worker(t, s.URL, "one")
	w := worker(t, s.URL, "two", func(p *process) { p.Idle = 500 * time.Millisecond })
	s.begin()
	s.wait()
	if status := w.ends(); status != 0 {
		t.Errorf("the idle worker ended with %d", status)
	}
}

func workerKilled(t *testing.T) {
	s := newSite(t, "", usual)
	victim := worker(t, s.URL, "victim", func(p *process) { p.Chaos = map[string]int{"slow 5": 60000, "slow 6": 60000} })
	s.begin()
	until(t, "a slow shard is under way", func() bool { return len(victim.traced(5)) > 0 })
	victim.kill(syscall.SIGKILL)
	worker(t, s.URL, "other")
	s.wait()
}

// workersKilledAt kills -9 workers exactly between the steps of a shard, one after
// another: what was committed nobody computes again.
func workersKilledAt(t *testing.T, shared bool) {
	s := newSite(t, "", size{First: 1, Second: 20, Pace: 5 * time.Millisecond})
	s.Shared = shared
	s.begin()
	points := []string{"before put", "before commit", "after commit", "before ack"}
	if shared {
		points = points[1:] // it is the folder where results are put
	}
	var begun [][]int
	for _, point := range points {
		w := worker(t, s.URL, point, func(p *process) { p.DieAt = point })
		if status := w.ends(); status != -1 {
			t.Errorf("%s: the worker ended with %d", point, status)
		}
		begun = append(begun, w.traced(-1))
	}
	other := worker(t, s.URL, "other")
	s.wait()
	begun = append(begun, other.traced(-1))
	for k, point := range points {
		last := begun[k][len(begun[k])-1]
		again := slices.Contains(slices.Concat(begun[k+1:]...), last)
		if want := strings.HasPrefix(point, "before ") && point != "before ack"; again != want {
			t.Errorf("a worker died %s of shard %d: that was computed again: %v; all began %v", point, last, again, begun)
		}
	}
}

// workerInterrupted interrupts a worker whose lease is long: its shard is another's at once.
func workerInterrupted(t *testing.T) {
	s := newSite(t, "", size{First: 3, Second: 10, Pace: 5 * time.Millisecond})
	s.Lease = time.Hour
	first := worker(t, s.URL, "first", func(p *process) { p.Chaos = map[string]int{"slow 5": 60000} })
	s.begin()
	until(t, "the slow shard is under way", func() bool { return len(first.traced(5)) > 0 })
	first.kill(syscall.SIGINT)
	worker(t, s.URL, "other")
	s.wait()
}

// workerWithoutRoom has two workers whose disks are full, one for results and one for the
// model, and one that has room.
func workerWithoutRoom(t *testing.T) {
	s := newSite(t, "", size{First: 2, Second: 10, Pace: 5 * time.Millisecond, Big: 300 << 10})
	s.Lease = time.Hour
	results := worker(t, s.URL, "results", func(p *process) { p.Room = 200 << 10 })
	model := worker(t, s.URL, "model", func(p *process) { p.Room = 10 })
	s.begin()
	for _, w := range []*running{results, model} {
		if status := w.ends(); status != 3 || !strings.Contains(w.said.String(), "make room there") || strings.Count(w.said.String(), "ended:") != 1 {
			t.Errorf("%s ended with %d:\n%s", w.Name, status, w.said)
		}
	}
	worker(t, s.URL, "other")
	s.wait()
}

func workerPaused(t *testing.T) {
	s := newSite(t, "", usual)
	sleeper := worker(t, s.URL, "sleeper", func(p *process) { p.Chaos = map[string]int{"slow 7": 300} })
	s.begin()
	until(t, "the slow shard is under way", func() bool { return len(sleeper.traced(7)) > 0 })
	sleeper.signal(syscall.SIGSTOP)
	other := worker(t, s.URL, "other")
	until(t, "the other worker took the shard", func() bool { return len(other.traced(7)) > 0 })
	sleeper.signal(syscall.SIGCONT)
	s.wait()
	sleeper.kill(syscall.SIGINT)
	if said := sleeper.said.String(); strings.Contains(said, "deterministic") {
		t.Errorf("the sleeper's shard came out otherwise: %s", said)
	}
}

func submitterKilled(t *testing.T) {
	s := newSite(t, "", usual)
	worker(t, s.URL, "one", func(p *process) { p.Chaos = map[string]int{"slow 20": 1500} })
	submitter := start(t, s.process)
	s.committed(5)
	submitter.kill(syscall.SIGKILL)
	s.committed(usual.Second) // workers go on without it
	s.Resume = true
	s.begin()
	s.wait()
}

// deliveredTwice delivers shards again that are done, and one that is not.
func deliveredTwice(t *testing.T) {
	s := newSite(t, "", usual)
	w := worker(t, s.URL, "one", func(p *process) { p.Chaos = map[string]int{"slow 20": 700} })
	s.begin()
	s.committed(5)
	js, id := s.js(), s.id()
	for i := range usual.Second { // refused if it still queues; at the end there may be no queue any more
		if _, err := js.Publish(t.Context(), fmt.Sprintf("tattle.%s.2.%d", id, i), nil, jetstream.WithRetryAttempts(0)); errors.Is(err, jetstream.ErrNoStreamResponse) {
			break
		}
	}
	s.wait()
	if n := len(w.traced(-1)); n != usual.Second {
		t.Errorf("%d shards were computed, not %d", n, usual.Second)
	}
}

func serverKilled(t *testing.T) {
	store := t.TempDir()
	server := start(t, process{Role: "server", Listen: "127.0.0.1:0", Store: store})
	server.has("up ")
	url := strings.Fields(server.said.String())[1]
	s := newSite(t, url, usual)
	worker(t, url, "one")
	s.begin()
	s.committed(8)
	for k, how := range []syscall.Signal{syscall.SIGKILL, syscall.SIGINT} {
		server.kill(how)
		server = start(t, process{Role: "server", Listen: strings.TrimPrefix(url, "nats://"), Store: store})
		server.has("up ")
		s.committed(16 + 8*k)
	}
	s.wait()
}

// storeLost resumes where the server lost its store.
func storeLost(t *testing.T) {
	server := start(t, process{Role: "server", Listen: "127.0.0.1:0", Store: t.TempDir()})
	server.has("up ")
	url := strings.Fields(server.said.String())[1]
	s := newSite(t, url, usual)
	w := worker(t, url, "one", func(p *process) { p.Chaos = map[string]int{"slow 30": 60000} })
	submitter := start(t, s.process)
	s.committed(8)
	submitter.kill(syscall.SIGKILL)
	w.kill(syscall.SIGKILL)
	server.kill(syscall.SIGKILL)
	server = start(t, process{Role: "server", Listen: strings.TrimPrefix(url, "nats://"), Store: t.TempDir()})
	server.has("up ")
	w = worker(t, url, "two")
	s.Resume = true
	s.begin()
	s.wait()
	if n := len(w.traced(-1)); n > usual.Second-5 {
		t.Errorf("%d shards were computed again, though the folder held some", n)
	}
	if strings.Contains(w.said.String(), "comes first") {
		t.Error("the worker had to compute the first stage itself")
	}
}

// damaged spoils results on their way to the submitter.
func damaged(t *testing.T, shared bool, big int) {
	s := newSite(t, "", size{First: 2, Second: 20, Pace: 15 * time.Millisecond, Big: big})
	s.Shared = shared
	worker(t, s.URL, "one", func(p *process) { p.Chaos = map[string]int{"slow 10": 600} })
	submitter := start(t, s.process)
	s.committed(2)
	submitter.kill(syscall.SIGKILL)
	s.committed(s.Size.Second)
	spoiled := s.spoil(5)
	s.Resume = true
	s.begin()
	s.wait()
	if said := s.log.String(); strings.Count(said, "is damaged") != spoiled || spoiled == 0 {
		t.Errorf("%d results were spoiled, but the submitter says:\n%s", spoiled, said)
	}
}

// spoil damages every so manieth result that is not collected yet, and says how many.
func (s *site) spoil(every int) (spoiled int) {
	s.t.Helper()
	if s.Shared {
		left, _ := filepath.Glob(filepath.Join(s.Root, "b", "shards", "shard-*.????????????????"))
		for k, path := range left {
			number, _, _ := strings.Cut(filepath.Base(path), ".")
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), number+".sha256")); err == nil || k%every != 0 {
				continue
			}
			must.Do(s.t, os.WriteFile(path, []byte("spoiled"), 0o666))
			spoiled++
		}
		return spoiled
	}
	js, bucket := s.js(), "tattle-"+s.id()
	kv := must.Get(js.KeyValue(s.t.Context(), bucket))(s.t)
	obj := must.Get(js.ObjectStore(s.t.Context(), bucket))(s.t)
	keys := must.Get(kv.ListKeysFiltered(s.t.Context(), "blob.result.2.>"))(s.t)
	k := 0
	for key := range keys.Keys() {
		shard, _ := strconv.Atoi(strings.Split(key, ".")[3])
		_, err := os.Stat(filepath.Join(s.Root, "b", "shards", fmt.Sprintf("shard-%06d.sha256", shard)))
		if k++; k%every != 0 || err == nil {
			continue
		}
		spoiled++
		e := must.Get(kv.Get(s.t.Context(), key))(s.t)
		if part := strings.TrimPrefix(key, "blob.") + ".0"; string(e.Value()) == "p1" {
			if spoiled%2 == 0 {
				err = obj.Delete(s.t.Context(), part)
			} else {
				_, err = obj.PutBytes(s.t.Context(), part, []byte("spoiled"))
			}
		} else if spoiled%2 == 0 {
			err = kv.Delete(s.t.Context(), key)
		} else {
			_, err = kv.Put(s.t.Context(), key, []byte("sspoiled"))
		}
		must.Do(s.t, err)
	}
	return spoiled
}

func refused(t *testing.T) {
	s := newSite(t, "", size{First: 1, Second: 4, Pace: time.Millisecond})
	s.Shared = true
	other := run.Program{Version: "v1.2.4", Kernels: "plain"}
	old := worker(t, s.URL, "old", func(p *process) { p.As = other })
	s.begin()
	id := s.id()
	until(t, "the refusal is told", func() bool { return strings.Contains(s.log.String(), "worker old refused") })
	if want := "worker old refused: its program is v1.2.4, the run's v1.2.3\n"; s.log.String() != want {
		t.Errorf("told was %q, not %q", s.log, want)
	}
	state, _ := s.state()
	if len(state.Workers) != 1 || state.Workers[0].Name != "old" || state.Workers[0].Refused == "" || state.State != cluster.Submitted {
		t.Errorf("the list says %+v", state)
	}
	named := worker(t, s.URL, "named", func(p *process) { p.As = run.Program{Version: "v1.2.3", Kernels: "other"}; p.Run = id })
	if status := named.ends(); status != 3 || !strings.Contains(named.said.String(), "computes with other, the run's with plain") {
		t.Errorf("the worker for this run alone ended with %d: %s", status, named.said)
	}
	must.Do(t, os.WriteFile(s.Model, []byte("what was trained on"), 0o666))
	changed := worker(t, s.URL, "changed", func(p *process) { p.Run = id })
	if status := changed.ends(); status != 3 || !strings.Contains(changed.said.String(), "--model") || !strings.Contains(changed.said.String(), "is not what the submitter has") {
		t.Errorf("the worker with another model ended with %d: %s", status, changed.said)
	}
	must.Do(t, os.WriteFile(s.Model, []byte("what was trained"), 0o666))
	otherwise := worker(t, s.URL, "otherwise", func(p *process) { p.Run, p.Chaos = id, map[string]int{"settings": 1} })
	if status := otherwise.ends(); status != 3 || !strings.Contains(otherwise.said.String(), "settings.stage") {
		t.Errorf("the worker that comes to another manifest ended with %d: %s", status, otherwise.said)
	}
	right := worker(t, s.URL, "right", func(p *process) { p.Run = id })
	s.wait()
	if status := right.ends(); status != 0 {
		t.Errorf("the worker that fits ended with %d", status)
	}
	old.kill(syscall.SIGKILL)
}

func setAside(t *testing.T) {
	s := newSite(t, "", size{First: 1, Second: 10, Pace: time.Millisecond})
	w := worker(t, s.URL, "one", func(p *process) { p.Chaos = map[string]int{"panic 3": run.MaxAttempts, "panic 4": run.MaxAttempts - 1} })
	s.begin()
	err := <-s.end
	var failed *run.FailedError
	if !errors.As(err, &failed) || len(failed.Failures) != 1 || failed.Failures[0].Shard != 3 || len(failed.Failures[0].Causes) != run.MaxAttempts {
		t.Fatalf("the run ended with %v", err)
	}
	state, _ := s.state()
	if f := state.Stages[1]; f.Done != 9 || len(f.Failures) != 1 || !strings.Contains(f.Failures[0].Cause(), "as asked for") {
		t.Errorf("the list says %+v", f)
	}
	s.Resume = true
	s.begin()
	s.wait()
	if n := len(w.traced(3)); n != run.MaxAttempts+1 {
		t.Errorf("the shard that was set aside was computed %d times", n)
	}
}

func removed(t *testing.T) {
	s := newSite(t, "", usual)
	w := worker(t, s.URL, "one", func(p *process) { p.Chaos = map[string]int{"slow 9": 60000} })
	s.begin()
	until(t, "the slow shard is under way", func() bool { return len(w.traced(9)) > 0 })
	must.Do(t, s.c.Remove(t.Context(), s.id()))
	must.Fail(t, <-s.end, "--resume") // the submitter
	s.Resume = true
	s.begin()
	s.wait()
}

func twoSubmitters(t *testing.T) {
	s := newSite(t, "", size{First: 1, Second: 3, Pace: time.Millisecond})
	s.begin()
	s.id()
	second := s.process
	second.Resume = true
	must.Fail(t, second.submit(t.Context(), s.c, t.Logf), "another run works in this folder")
	worker(t, s.URL, "one")
	s.wait()
}

// workerLies has a worker with another model, whose shards are valid and false.
func workerLies(t *testing.T) {
	s := newSite(t, "", size{First: 3, Second: 20, Pace: 20 * time.Millisecond})
	liar := worker(t, s.URL, "liar", func(p *process) { p.Chaos = map[string]int{"lies": 1} })
	s.begin()
	var lie *cluster.LieError
	if err := <-s.end; !errors.As(err, &lie) || lie.Worker != "liar" || lie.Dropped == 0 || lie.Earlier || !strings.Contains(err.Error(), "worker liar returned a false result") {
		t.Fatalf("the run ended with %v", err)
	}
	liar.kill(syscall.SIGKILL)
	worker(t, s.URL, "honest")
	s.Resume = true
	for again := true; again; { // what the worker committed before it was stopped is refused once more
		s.begin()
		err := <-s.end
		if again = errors.As(err, &lie); !again && err != nil {
			t.Fatal(err)
		}
	}
	s.whole()
}

// TestSubmitManyShards has two workers compute 500 shards, or 10,000 with TATTLE_FULL=1.
func TestSubmitManyShards(t *testing.T) {
	shared.Long(t, "takes seconds")
	t.Parallel()
	n := 500
	if os.Getenv("TATTLE_FULL") != "" {
		n = 10000
	}
	s := newSite(t, "", size{First: 1, Second: n})
	s.Lease = 0
	worker(t, s.URL, "one")
	worker(t, s.URL, "two")
	s.begin()
	s.wait()
}
