package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"tattle/cluster"
	"tattle/internal/file"
	"tattle/internal/progress"
	"tattle/report"
	"tattle/run"
)

// newEnv is what the command that was parsed works with.
func newEnv(k *kong.Context, args []string, stdout, stderr io.Writer) *env {
	return &env{
		stdout: stdout, stderr: stderr, args: withoutAside(args), given: args,
		keeps: slices.ContainsFunc(k.Flags(), func(f *kong.Flag) bool { return f.Name == "resume" }),
		ships: spreadOf(k),
	}
}

// say tells a person something in a line.
func (e *env) say(format string, a ...any) {
	if t := progress.Terminal(e.stderr); t != nil {
		io.WriteString(t, "\r\x1b[K") // over what a bar has left there
	}
	fmt.Fprintf(e.stderr, "tattle: "+format+"\n", a...)
}

// compute does the work of a run in dir, its shards wherever the flags say.
func (e *env) compute(ctx context.Context, dir string, resume bool, work func() error) error {
	if e.pool != nil { // a worker's, or one that merges
		return work()
	}
	pool, end, err := e.choose(ctx, dir, resume)
	if err != nil {
		return err
	}
	if e.keeps {
		if err := e.writeRunFile(dir, resume); err != nil {
			return err
		}
	}
	e.pool = paced(pool)
	err = end(work())
	if err != nil && e.keeps && !keeps(dir) {
		file.Remove(filepath.Join(dir, runFile))
	}
	return err
}

// choose says who computes the shards of the run in dir; end is told how the work went,
// and returns that or what else went wrong.
func (e *env) choose(ctx context.Context, dir string, resume bool) (p run.Pool, end func(error) error, err error) {
	asItIs := func(err error) error { return err }
	switch f := e.ships; {
	case f != nil && f.Prepare && slices.ContainsFunc(e.given, func(a string) bool { return strings.HasPrefix(a+"=", "--cluster=") }):
		return nil, nil, usage(errors.New("--cluster and --prepare are mutually exclusive"), "--prepare is for workers that share a folder and no connection")
	case f != nil && f.Cluster == "" && (f.Shared || f.Replicas != 0):
		return nil, nil, usage(errors.New("--shared and --replicas require --cluster"), "")
	case f != nil && !slices.Contains([]int{0, 1, 3, 5}, f.Replicas):
		return nil, nil, usage(fmt.Errorf("--replicas %d: must be 1, 3 or 5", f.Replicas), "without --replicas, as many servers keep the run as the site has, up to 3")
	case f != nil && f.Lease < shortestLease:
		return nil, nil, usage(fmt.Errorf("--lease %v: must be at least %v", f.Lease, shortestLease), "a worker that sends nothing for this long is presumed lost")
	case f == nil || f.Cluster == "" && !f.Prepare:
		e.leave(dir, resume)
		return run.Alone{}, asItIs, nil
	case f.Prepare: // whatever TATTLE_CLUSTER says
		e.leave(dir, resume)
		m := &run.Merge{Root: dir, Prepare: true}
		return m, func(err error) error { return e.prepared(m, dir, err) }, nil
	default:
		s := &submitting{env: e, dir: dir, resume: resume, crowd: &progress.Workers{Writer: e.stderr}, stop: func() {}}
		e.stderr, e.sent = s.crowd, s
		if s.conn, err = cluster.Connect(ctx, f.dial(e)); err != nil {
			return nil, nil, err
		}
		return s, func(err error) error { return s.end(ctx, err) }, nil
	}
}

// shortestLease is what a person may ask for.
const shortestLease = time.Second

// leave says that a run which was submitted goes on without its cluster.
func (e *env) leave(dir string, resume bool) {
	if id, url := cluster.SubmittedTo(dir); resume && id != "" {
		e.say("run %s was submitted to %s and goes on without it: --cluster collects what workers computed there, and tattle runs --cluster %[2]s --remove %[1]s ends it there", id, quote(url))
	}
}

// What tests replace: the program that is running, and the pool that does the work.
var (
	program = run.Current
	paced   = func(p run.Pool) run.Pool { return p }
)

// prepared says how to go on where a stage waits for workers on the folder.
func (e *env) prepared(m *run.Merge, dir string, err error) error {
	var p *run.PreparedError
	switch {
	case err == nil:
		return m.Finish()
	case !errors.As(err, &p):
		return err
	}
	e.say("%v", p)
	e.say("%s", howToWork(dir))
	return nil
}

// A submitting pool hands the run to a cluster when there is work to hand over.
type submitting struct {
	env    *env
	dir    string
	resume bool
	conn   *cluster.Conn
	run    *cluster.Submission // nil before there was any work
	crowd  *progress.Workers
	stop   context.CancelFunc // of the count
}

// Run implements run.Pool.
func (s *submitting) Run(ctx context.Context, w run.Work) (*run.Folder, error) {
	if s.run == nil {
		if err := s.submit(ctx); err != nil {
			return nil, err
		}
	}
	return s.run.Run(ctx, w)
}

// submit tells the cluster of the run.
func (s *submitting) submit(ctx context.Context) error {
	cwd, err := os.Getwd()
	if err != nil {
		return err
	}
	j := cluster.Job{Args: s.env.args, Cwd: cwd, Program: program(), By: user()}
	if !j.Program.Definite() {
		if j.Executable, err = run.Executable(); err != nil {
			return err
		}
	}
	if s.env.ships.Shared {
		j.Shared = absolute(s.dir)
	}
	if j.Inputs, err = cluster.Inputs(ctx, cwd, s.env.inputs); err != nil {
		return err
	}
	s.run, err = s.conn.Submit(ctx, j, cluster.SubmitOptions{
		Root: s.dir, Resume: s.resume, Replicas: s.env.ships.Replicas, Lease: s.env.ships.Lease, Check: new(float64(s.env.ships.Check)), Log: s.env.say,
	})
	if err == nil && progress.Terminal(s.env.stderr) != nil {
		ctx, s.stop = context.WithCancel(ctx)
		go s.count(ctx)
	}
	return err
}

// countEvery is how often workers are counted, for a person to see.
const countEvery = 5 * time.Second

// checks returns how many of the workers' shards this process computed again; nil where no
// workers took part.
func (e *env) checks() *report.Checks {
	if e.sent == nil || e.sent.run == nil {
		return nil
	}
	c := report.Checks(e.sent.run.Checked())
	return &c
}

// count keeps the crowd's number until ctx ends.
func (s *submitting) count(ctx context.Context) {
	every := time.NewTicker(countEvery)
	defer every.Stop()
	for ctx.Err() == nil {
		if workers, err := s.run.Workers(ctx); err == nil { // a server that is away comes back
			s.crowd.Set(workers)
		}
		select {
		case <-ctx.Done():
		case <-every.C:
		}
	}
}

// end ends the run in the cluster where it is done; an interrupted one stays there.
func (s *submitting) end(ctx context.Context, err error) error {
	defer s.conn.Close()
	if s.run == nil {
		if err == nil {
			s.env.say("nothing of this is spread over machines: it was done here")
		}
		return err
	}
	s.stop()
	defer s.run.Close()
	if c := s.env.checks(); c.Shards > 0 {
		s.env.say("%v", c)
	}
	list := "tattle runs " + quoted(s.env.ships.args())
	if !exists(filepath.Join(s.dir, reportJSON)) {
		said := "stays in the cluster"
		if errors.Is(err, context.Canceled) {
			said += ", and workers go on"
		}
		s.env.say("run %s %s: %s shows it, and --remove %[1]s ends it", s.run.ID(), said, list)
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTimeout)
	defer cancel()
	if finish := s.run.Finish(ctx); finish != nil && err == nil {
		s.env.say("the run is done, but the cluster was not told: %v; %s --remove %s does it", finish, list, s.run.ID())
	}
	return err
}
