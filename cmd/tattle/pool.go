package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

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
	fmt.Fprintf(e.stderr, "tattle: "+format+"\n", a...)
}

// compute does the work of a run in dir, its shards wherever the flags say.
func (e *env) compute(dir string, resume bool, work func() error) error {
	if e.pool != nil { // a worker's
		return work()
	}
	pool, end, err := e.choose(dir, resume)
	if err != nil {
		return err
	}
	if e.keeps {
		if err := writeRunFile(dir, e.args); err != nil {
			return err
		}
	}
	e.pool = pool
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
	case f == nil || f.Cluster == "" && !f.Prepare:
		return cluster.Embedded{Log: e.say}, asItIs, nil
	case f.Prepare:
		return nil, nil, errors.New("--prepare: to come")
	default:
		s := &submitting{env: e, dir: dir, resume: resume}
		if s.conn, err = cluster.Connect(e.ctx, f.dial(e)); err != nil {
			return nil, nil, err
		}
		return s, s.end, nil
	}
}

// keeps says whether anything lies in dir that a run can go on with, or its results.
func keeps(dir string) bool {
	return holds(dir, func(path string, _ fs.DirEntry) bool { return path != filepath.Join(dir, runFile) })
}

// program is the one that is running.
func program() run.Program { return run.Current() }

// A submitting pool hands the run to a cluster when there is work to hand over.
type submitting struct {
	env    *env
	dir    string
	resume bool
	conn   *cluster.Conn
	run    *cluster.Submission // nil before there was any work
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
	return err
}

// end ends the run in the cluster where it is done; an interrupted one stays there.
func (s *submitting) end(err error) error {
	defer s.conn.Close()
	if s.run == nil || !exists(filepath.Join(s.dir, reportJSON)) {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.env.ctx), finishTimeout)
	defer cancel()
	if finish := s.run.Finish(ctx); finish != nil && err == nil {
		s.env.say("the run is done, but the cluster was not told: %v", finish)
	}
	return err
}
