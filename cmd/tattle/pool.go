package main

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
	"tattle/run"
)

// newEnv is what the command that was parsed works with.
func newEnv(ctx context.Context, k *kong.Context, args []string, stdout, stderr io.Writer) *env {
	return &env{
		ctx: ctx, stdout: stdout, stderr: stderr, args: withoutAside(args), given: args,
		keeps: slices.ContainsFunc(k.Flags(), func(f *kong.Flag) bool { return f.Name == "resume" }),
		ships: spreadOf(k),
	}
}

// say tells a person something in a line.
func (e *env) say(format string, a ...any) {
	line := "tattle: " + fmt.Sprintf(format, a...) + "\n"
	if onTerminal(e.stderr) != nil {
		line = "\r\x1b[K" + line // over what a bar has left there
	}
	io.WriteString(e.stderr, line)
}

// compute does the work of a run in dir, its shards wherever the flags say.
func (e *env) compute(dir string, resume bool, work func() error) error {
	if e.pool != nil { // a worker's, or one that merges
		return work()
	}
	pool, end, err := e.choose(dir, resume)
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
		os.Remove(filepath.Join(dir, runFile))
	}
	return err
}

// choose says who computes the shards of the run in dir; end is told how the work went,
// and returns that or what else went wrong.
func (e *env) choose(dir string, resume bool) (p run.Pool, end func(error) error, err error) {
	asItIs := func(err error) error { return err }
	switch f := e.ships; {
	case f != nil && f.Prepare && slices.ContainsFunc(e.given, func(a string) bool { return strings.HasPrefix(a+"=", "--cluster=") }):
		return nil, nil, usage(errors.New("--cluster and --prepare are two ways: choose one"), "--prepare is for workers that share nothing but a folder")
	case f != nil && f.Cluster == "" && (f.Shared || f.Replicas != 0):
		return nil, nil, usage(errors.New("--shared and --replicas are of --cluster"), "")
	case f == nil || f.Cluster == "" && !f.Prepare:
		return cluster.Embedded{Log: e.say}, asItIs, nil
	case f.Prepare: // whatever TATTLE_CLUSTER says
		m := &run.Merge{Root: dir, Prepare: true}
		return m, func(err error) error { return e.prepared(m, dir, err) }, nil
	default:
		s := &submitting{env: e, dir: dir, resume: resume, crowd: &crowd{Writer: e.stderr}}
		e.stderr = s.crowd
		if s.conn, err = cluster.Connect(e.ctx, f.dial(e)); err != nil {
			return nil, nil, err
		}
		return s, s.end, nil
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
	crowd  *crowd
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
		Root: s.dir, Resume: s.resume, Replicas: s.env.ships.Replicas, Lease: s.env.ships.Lease, Log: s.env.say,
	})
	if err == nil && onTerminal(s.env.stderr) != nil {
		go s.count(ctx)
	}
	return err
}

// countEvery is how often workers are counted, for a person to see.
const countEvery = 5 * time.Second

// count keeps the crowd's number until ctx ends or the cluster cannot be asked.
func (s *submitting) count(ctx context.Context) {
	for every := time.NewTicker(countEvery); ; {
		workers, err := s.run.Workers(ctx)
		if err != nil {
			every.Stop()
			return
		}
		s.crowd.workers.Store(int64(workers))
		select {
		case <-ctx.Done():
			every.Stop()
			return
		case <-every.C:
		}
	}
}

// end ends the run in the cluster where it is done; an interrupted one stays there.
func (s *submitting) end(err error) error {
	defer s.conn.Close()
	if s.run == nil {
		return err
	}
	defer s.run.Close()
	if !exists(filepath.Join(s.dir, reportJSON)) {
		url := quote(s.env.ships.Cluster)
		s.env.say("workers go on with run %s: tattle runs --cluster %s shows it, and --remove %s ends it", s.run.ID(), url, s.run.ID())
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.env.ctx), finishTimeout)
	defer cancel()
	if finish := s.run.Finish(ctx); finish != nil && err == nil {
		s.env.say("the run is done, but the cluster was not told: %v; tattle runs --cluster %s --remove %s does it", finish, quote(s.env.ships.Cluster), s.run.ID())
	}
	return err
}
