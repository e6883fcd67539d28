package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/alecthomas/kong"

	"tattle/cluster"
	"tattle/internal/file"
	"tattle/run"
)

// finishTimeout is how long a cluster may take to forget a run that is done.
const finishTimeout = 30 * time.Second

type workerCmd struct {
	dialFlags
	Run_    string        `name:"run" help:"Compute shards of this run only (default: of any run, the oldest first)." placeholder:"ID"`
	Idle    time.Duration `help:"End after this time without work; 0: never (default: 10m)." default:"10m" placeholder:"TIME"`
	Scratch string        `help:"Folder for temporary files (default: in the user's cache)." placeholder:"DIR"`
	Name    string        `help:"Name of this worker (default: its host and process)." placeholder:"NAME"`
	Folder  string        `help:"Folder of a run prepared with --prepare, on a shared file system." placeholder:"DIR" group:"Where connections are forbidden"`
	Index   int           `help:"Number of this worker, from 0 on." default:"-1" placeholder:"I" group:"Where connections are forbidden"`
	Of      int           `help:"Number of workers N: shard k is computed by worker k mod N." placeholder:"N" group:"Where connections are forbidden"`
}

func (workerCmd) Help() string {
	return `Example: tattle worker --cluster nats://127.0.0.1:4222

Computes shards of runs that were submitted with --cluster, one at a time, by running the submitter's command line. Version and inputs must be the same as the submitter's. Ctrl-C gives the shard back at once.

Where connections are forbidden, prepare the run with --prepare, start workers on its folder, and end with tattle merge DIR:

  tattle worker --folder DIR --index 0 --of 3

docs/cluster.md explains both.

Exit status: 0 nothing left to do, 2 wrong usage, 3 refused, stopped or failed.`
}

// Run works until there is nothing left.
func (c *workerCmd) Run(ctx context.Context, e *env) error {
	switch {
	case c.Folder != "" && (c.Of < 1 || c.Index < 0 || c.Index >= c.Of):
		return usage(errors.New("--folder requires --index and --of, with --index at least 0 and below --of"), "the first of 3 workers is: tattle worker --folder DIR --index 0 --of 3")
	case c.Folder != "":
		return c.array(ctx, e)
	case c.Index >= 0 || c.Of != 0:
		return usage(errors.New("--index and --of require --folder"), "workers of a cluster have no number")
	case c.Cluster == "":
		return usage(errors.New("one of --cluster and --folder must be given"), "tattle worker --help shows both")
	}
	return c.serve(ctx, e)
}

// serve takes shards of a cluster's runs.
func (c *workerCmd) serve(ctx context.Context, e *env) error {
	conn, err := cluster.Connect(ctx, c.dial(e))
	if err != nil {
		return err
	}
	defer conn.Close()
	if c.Name == "" {
		host, _ := os.Hostname()
		c.Name = fmt.Sprintf("%s-%d", host, os.Getpid())
	}
	o := cluster.WorkerOptions{
		Name: c.Name, Run: c.Run_, Idle: c.Idle, Scratch: c.Scratch, Log: e.say,
		Execute: func(ctx context.Context, t cluster.Task) error {
			t.Pool = &run.Logged{Pool: t.Pool, Log: e.say, Who: fmt.Sprintf("worker %s: run %s", file.Name(c.Name), t.ID)}
			return carryOut(ctx, t)
		},
	}
	if o.Program, err = program().Exact(); err != nil {
		return err
	}
	return conn.Work(ctx, o)
}

// array does this worker's shards of a run in files.
func (c *workerCmd) array(ctx context.Context, e *env) error {
	begun, err := readRunFile(c.Folder)
	if err != nil {
		return err
	}
	if exists(filepath.Join(c.Folder, reportJSON)) {
		e.say("%s holds a finished run: nothing is left to do", file.Quote(c.Folder))
		return nil
	}
	release, err := file.Confine(c.Folder)
	if err != nil {
		return err
	}
	defer release()
	dir, err := os.MkdirTemp(c.Scratch, "tattle-worker-*")
	if err != nil {
		return hinted(err, "choose a folder that can be written with --scratch")
	}
	defer os.RemoveAll(dir)
	a := run.Array{Index: c.Index, Of: c.Of, Root: absolute(c.Folder), Scratch: filepath.Join(dir, "out"), Log: e.say}
	if err := a.Prepare(ctx); err != nil {
		return err
	}
	t := cluster.Task{Job: cluster.Job{Args: begun.Args, Cwd: begun.Cwd}, Root: a.Scratch}
	t.Pool = &run.Logged{Pool: a, Log: e.say, Who: fmt.Sprintf("worker %d of %d", c.Index, c.Of)}
	switch err := carryOut(ctx, t); {
	case err == nil:
		e.say("nothing is left to do: tattle merge %s", file.Quote(c.Folder))
		return nil
	case errors.Is(err, run.ErrServed):
		return nil
	default:
		var s *statusError
		if errors.As(err, &s) {
			s.hint = "" // it is the submitter's
		}
		return err
	}
}

// allowed returns an error if a command line, which comes from elsewhere, is not one
// that spreads shards over machines, keeps its results anywhere but in the task's
// folder, or names files here that its submitter did not have.
func allowed(k *kong.Context, t cluster.Task) error {
	command := k.Selected()
	if spreadOf(k) == nil {
		return fmt.Errorf("tattle %s is no work that workers share", command.Name)
	}
	for _, f := range command.Flags {
		if f.Name == "out" && f.Target.String() != t.Root || f.Name == "resume" && !f.Target.Bool() {
			return fmt.Errorf("--%s is not as this worker set it", f.Name)
		}
	}
	if t.ID == "" {
		return nil // the folder says what it is of
	}
	sent := map[string]bool{}
	for _, i := range t.Inputs {
		sent[filepath.Clean(i.Path)] = true
	}
	var err error
	eachInput(k, func(flag, _, path string) string {
		abs := path
		if !filepath.IsAbs(path) {
			abs = filepath.Join(t.Cwd, path)
		}
		if !sent[filepath.Clean(abs)] && exists(abs) {
			err = fmt.Errorf("%s: %s is here, and is none of the run's inputs", flag, file.Name(path))
		}
		return path
	})
	return err
}

// carryOut runs a task's command line in this process, up to the shards that its pool
// does. What the command would print is the submitter's to print.
func carryOut(ctx context.Context, t cluster.Task) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &run.PanicError{Value: p}
		}
	}()
	if err := os.MkdirAll(t.Root, 0o700); err != nil {
		return err
	}
	args := withFlags(t.Args, "--out", t.Root, "--resume")
	k, err := parse(args, io.Discard, io.Discard)
	if err != nil {
		return fmt.Errorf("the run's command line: %w", err)
	}
	if err := allowed(k, t); err != nil {
		return fmt.Errorf("the run's command line: %w", err)
	}
	dir, err := os.MkdirTemp(filepath.Dir(t.Root), ".inputs-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := settlePaths(k, t.Cwd, t.Inputs, t.Paths, dir); err != nil {
		return fmt.Errorf("lay out the inputs: %w", err)
	}
	for _, f := range k.Selected().Flags {
		if f.Name != "out" && f.Tag.Get("writes") != "" { // the submitter writes these
			f.Target.SetString("")
		}
	}
	e := newEnv(k, args, io.Discard, io.Discard)
	e.pool, e.serve = paced(t.Pool), true
	return runParsed(ctx, k, e)
}
