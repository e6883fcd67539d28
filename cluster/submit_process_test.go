package cluster_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tattle/cluster"
	"tattle/internal/must"
	"tattle/run"
)

// process is a role that the test binary plays in a process of its own.
type process struct {
	Role   string // "server", "submitter" or "worker"
	URL    string
	Listen string // of a server
	Store  string // of a server
	Root   string // of a submitter
	Name   string // of a worker
	Dir    string // of a worker: its scratch; its shards leave traces there
	Idle   time.Duration
	Run    string // of a worker
	Room   uint64 // of a worker: bytes that a file may have; 0 is any
	Lease  time.Duration
	Shared bool
	Resume bool
	Size   size
	As     run.Program // of a worker
	Model  string
	Held   func()         `json:"-"` // is called once all is collected, before the cluster forgets the run
	DieAt  string         // of a worker: a point
	Chaos  map[string]int // by shard of stage b: "panic" so many times, "slow": milliseconds
}

// size is the synthetic run: a stage of a few shards, and one whose shards hold what
// the first gave.
type size struct {
	First, Second int
	Pace          time.Duration // of a shard of the second stage, on average
	Big           int           // bytes of a shard of the second stage
	CPU           bool          // computes for that long instead of sleeping
	Gates         string        // unless empty, a folder: shards of the second stage wait for gate there
}

const roleVariable = "TATTLE_TEST_ROLE"

// TestProcess is where a process of a test begins.
func TestProcess(t *testing.T) {
	role := os.Getenv(roleVariable)
	if role == "" {
		t.Skip("for processes that other tests start")
	}
	var p process
	must.Do(t, json.Unmarshal([]byte(role), &p))
	if err := p.play(); err != nil {
		fmt.Fprintln(os.Stderr, "ended:", err)
		os.Exit(3)
	}
	os.Exit(0)
}

func (p process) play() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if p.Role == "server" {
		return cluster.ListenAndServe(ctx, cluster.ServerOptions{Listen: p.Listen, Store: p.Store}, func(url string) { fmt.Println("up", url) })
	}
	c, err := cluster.Connect(ctx, cluster.Dial{URL: p.URL, Name: p.Name, Log: say})
	if err != nil {
		return err
	}
	defer c.Close()
	if p.Role == "submitter" {
		return p.submit(ctx, c, say)
	}
	if p.Room > 0 {
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: p.Room, Max: p.Room}); err != nil {
			return err
		}
	}
	if p.DieAt != "" {
		c.DieAt(p.DieAt)
	}
	return c.Work(ctx, cluster.WorkerOptions{
		Name: p.Name, Run: p.Run, Idle: p.Idle, Scratch: p.Dir, Program: p.As, Log: say,
		Execute: func(ctx context.Context, t cluster.Task) error {
			var s size
			if err := json.Unmarshal([]byte(t.Args[0]), &s); err != nil {
				return err
			}
			return p.carryOut(ctx, t.Root, t.Paths[t.Inputs[0].Path], s, true, t.Pool)
		},
	})
}

func say(format string, a ...any) { fmt.Fprintf(os.Stderr, format+"\n", a...) }

var testProgram = run.Program{Version: "v1.2.3", Kernels: "plain"}

// job is the synthetic run as it is submitted.
func (p process) job(ctx context.Context) (j cluster.Job, err error) {
	args, err := json.Marshal(p.Size)
	if err != nil {
		return j, err
	}
	j = cluster.Job{Args: []string{string(args)}, Cwd: filepath.Dir(p.Model), Program: testProgram, By: "a test"}
	if p.Shared {
		j.Shared = p.Root
	}
	j.Inputs, err = cluster.Inputs(ctx, j.Cwd, []cluster.Input{{Name: "--model", Path: filepath.Base(p.Model)}})
	return j, err
}

// submit submits the run and waits for its end.
func (p process) submit(ctx context.Context, c *cluster.Conn, log func(string, ...any)) error {
	s, err := c.Submit(cluster.SubmitOptions{Job: p.job, Root: p.Root, Resume: p.Resume, Lease: p.Lease, Check: cluster.DefaultCheck, Log: log})
	if err != nil {
		return err
	}
	defer s.Close()
	if err := p.carryOut(ctx, p.Root, p.Model, p.Size, p.Resume, s); err != nil {
		return err
	}
	if p.Held != nil {
		p.Held()
	}
	return s.Finish(ctx)
}

// carryOut is the command line of the synthetic run.
func (p process) carryOut(ctx context.Context, root, model string, s size, resume bool, pool run.Pool) error {
	key, err := os.ReadFile(model)
	if err != nil {
		return err
	}
	if p.Chaos["lies"] > 0 {
		key = []byte("another model")
	}
	a, err := p.stage(ctx, root, "a", s.First, resume, pool, func(_ context.Context, i int, w io.Writer) error {
		_, err := fmt.Fprintf(w, "a %d %x\n", i, sha256.Sum256(fmt.Append(key, i)))
		return err
	})
	if err != nil {
		return err
	}
	sum := sha256.Sum256(a)
	b, err := p.stage(ctx, root, "b", s.Second, resume, pool, func(ctx context.Context, i int, w io.Writer) error {
		if err := p.shard(ctx, s, i); err != nil {
			return err
		}
		fmt.Fprintf(w, "b %d %x\n", i, sum)
		random := rand.NewChaCha8(sha256.Sum256(fmt.Append(sum[:], i)))
		_, err := io.CopyN(w, random, int64(s.Big))
		return err
	})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, "merged"), append(a, b...), 0o666)
}

// stage computes a stage, merges it and discards its shards.
func (p process) stage(ctx context.Context, root, name string, n int, resume bool, pool run.Pool, do func(context.Context, int, io.Writer) error) ([]byte, error) {
	settings := map[string]string{"stage": name + strings.Repeat("'", p.Chaos["settings"])}
	merged := filepath.Join(root, name, "merged")
	if data, err := os.ReadFile(merged); err == nil {
		return data, nil
	}
	f, err := pool.Run(ctx, run.Work{
		Dir: filepath.Join(root, name, "shards"), Resume: resume, Do: do,
		Manifest: run.Manifest{Command: "test", Shards: n, Settings: settings},
	})
	if err != nil {
		return nil, err
	}
	var all bytes.Buffer
	for i := range f.Len() {
		data, err := os.ReadFile(f.Path(i))
		if err != nil {
			return nil, err
		}
		all.Write(data)
	}
	if err := os.WriteFile(merged, all.Bytes(), 0o666); err != nil {
		return nil, err
	}
	return all.Bytes(), f.Discard()
}

// shard takes its time, leaves a trace, and goes wrong as it should.
func (p process) shard(ctx context.Context, s size, i int) error {
	var tries int
	if p.Dir != "" {
		trace, err := os.OpenFile(filepath.Join(p.Dir, "trace"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
		if err != nil {
			return err
		}
		fmt.Fprintln(trace, i)
		trace.Close()
		tries = len(p.traced(i))
	}
	if n := p.Chaos["panic "+strconv.Itoa(i)]; tries <= n && n > 0 {
		panic("as asked for")
	}
	pace := s.Pace/2 + s.Pace*time.Duration(i%11)/10
	if ms := p.Chaos["slow "+strconv.Itoa(i)]; ms > 0 && tries == 1 {
		pace = time.Duration(ms) * time.Millisecond
	}
	for s.Gates != "" && s.Pace > 0 && ctx.Err() == nil {
		if _, err := os.Stat(s.gate(i / perGate)); err == nil {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if s.CPU {
		return spin(ctx, s.Pace)
	}
	select {
	case <-time.After(pace):
	case <-ctx.Done():
	}
	return ctx.Err()
}

const perGate = 4 // shards

// gate is a file: once it is there, its shards are computed.
func (s size) gate(k int) string { return filepath.Join(s.Gates, "gate-"+strconv.Itoa(k)) }

// spin computes until this thread had that much of a core.
func spin(ctx context.Context, d time.Duration) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for begun := threadTime(); threadTime()-begun < d && ctx.Err() == nil; {
	}
	return ctx.Err()
}

// traced returns the shards that a worker began, those with number i, or all for -1.
func (p process) traced(i int) (begun []int) {
	data, _ := os.ReadFile(filepath.Join(p.Dir, "trace"))
	for _, line := range strings.Fields(string(data)) {
		if k, _ := strconv.Atoi(line); i < 0 || k == i {
			begun = append(begun, k)
		}
	}
	return begun
}

// running is a process that plays a role.
type running struct {
	process
	*exec.Cmd
	t    testing.TB
	said *saying
	done chan struct{}
}

// saying gathers what a process says.
type saying struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (s *saying) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.Write(b)
}

func (s *saying) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.String()
}

// start starts a process, which ends with the test at the latest.
func start(t testing.TB, p process) *running {
	t.Helper()
	role := must.Get(json.Marshal(p))(t)
	r := &running{process: p, t: t, said: &saying{}, done: make(chan struct{})}
	r.Cmd = exec.Command(os.Args[0], "-test.run=^TestProcess$")
	r.Env = append(os.Environ(), roleVariable+"="+string(role), "GOMAXPROCS=1")
	r.Stdout, r.Stderr = r.said, r.said
	must.Do(t, r.Start())
	go func() {
		r.Wait()
		close(r.done)
	}()
	t.Cleanup(func() {
		r.kill(syscall.SIGKILL)
		if t.Failed() {
			said, _, _ := strings.Cut(r.said.String(), "\ngoroutine 0 ")
			t.Logf("%s %s said:\n%s", p.Role, p.Name, said)
		}
	})
	return r
}

// worker starts a worker of that name.
func worker(t testing.TB, url, name string, change ...func(*process)) *running {
	t.Helper()
	p := process{Role: "worker", URL: url, Name: name, Dir: t.TempDir(), As: testProgram}
	for _, c := range change {
		c(&p)
	}
	return start(t, p)
}

func (r *running) signal(s syscall.Signal) { r.Process.Signal(s) }

// kill ends a process and waits for it.
func (r *running) kill(s syscall.Signal) {
	r.signal(s)
	if s == syscall.SIGKILL {
		r.signal(syscall.SIGCONT)
	}
	<-r.done
}

// until waits for something that must come.
func until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; {
		asked := time.Now()
		if holds() {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("waited in vain: %s", what)
		}
		time.Sleep(min(max(20*time.Millisecond, 4*time.Since(asked)), 200*time.Millisecond)) // asking costs what is waited for
	}
}

// has waits until a process says something.
func (r *running) has(what string) {
	r.t.Helper()
	until(r.t, r.Role+" says "+what, func() bool { return strings.Contains(r.said.String(), what) })
}

// ends waits for a process's end and returns its status.
func (r *running) ends() int {
	r.t.Helper()
	until(r.t, r.Role+" ends", func() bool {
		select {
		case <-r.done:
			return true
		default:
			return false
		}
	})
	return r.ProcessState.ExitCode()
}
