package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"tattle/cluster"
	"tattle/internal/file"
	"tattle/internal/progress"
	"tattle/run"
)

// newEnv returns the environment of the command that was parsed.
func newEnv(k *kong.Context, args []string, stdout, stderr io.Writer) *env {
	return &env{
		stdout: stdout, stderr: stderr, args: withoutAside(args), given: args,
		keeps: slices.ContainsFunc(k.Flags(), func(f *kong.Flag) bool { return f.Name == "resume" }),
		ships: spreadOf(k),
	}
}

// say prints a line on standard error.
func (e *env) say(format string, a ...any) {
	if t := progress.Terminal(e.stderr); t != nil {
		io.WriteString(t, "\r\x1b[K") // erases a progress bar on that line
	}
	fmt.Fprintf(e.stderr, "tattle: "+format+"\n", a...)
}

// compute does the work of a run in dir. The flags decide which pool computes its shards.
func (e *env) compute(ctx context.Context, dir string, resume bool, work func() error) error {
	if e.pool != nil { // set by tattle worker and tattle merge
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

// choose returns the pool that computes the shards of the run in dir. When the work is done,
// end must be called with its error; it returns that error or one of its own.
func (e *env) choose(ctx context.Context, dir string, resume bool) (p run.Pool, end func(error) error, err error) {
	unchanged := func(err error) error { return err }
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
		return run.Alone{}, unchanged, nil
	case f.Prepare: // takes precedence over TATTLE_CLUSTER
		e.leave(dir, resume)
		m := &run.Merge{Root: dir, Prepare: true}
		return m, func(err error) error { return e.prepared(m, dir, err) }, nil
	default:
		s, err := e.submit(ctx, dir, resume)
		if err != nil {
			return nil, nil, err
		}
		return s, func(err error) error { return s.end(ctx, err) }, nil
	}
}

// shortestLease is the smallest value of --lease.
const shortestLease = time.Second

// leave prints a note if a run that is resumed without a cluster was submitted to one.
func (e *env) leave(dir string, resume bool) {
	if id, url := cluster.SubmittedTo(dir); resume && id != "" {
		e.say("run %s was submitted to %s and goes on without it: --cluster collects what workers computed there, and tattle runs --cluster %[2]s --remove %[1]s ends it there", id, file.Quote(url))
	}
}

// Tests replace these: the program that is running, and the pool that does the work.
var (
	program = run.Current
	paced   = func(p run.Pool) run.Pool { return p }
)

// prepared returns err, or finishes the merge if err is nil. If err says that a stage was
// prepared for workers on the folder, it prints how to go on and returns nil.
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
