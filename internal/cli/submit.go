package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"tattle/cluster"
	"tattle/internal/file"
	"tattle/internal/progress"
	"tattle/report"
	"tattle/run"
)

// submitting is a run that --cluster hands over when there is work.
type submitting struct {
	*cluster.Deferred
	env *env
}

// submit connects to the cluster that the flags name.
func (e *env) submit(ctx context.Context, dir string, resume bool) (*submitting, error) {
	workers := &progress.Workers{Writer: e.stderr}
	s := &submitting{env: e, Deferred: &cluster.Deferred{
		Job: func(ctx context.Context) (cluster.Job, error) { return e.job(ctx, dir) },
		Options: cluster.SubmitOptions{
			Root: dir, Resume: resume, Replicas: e.ships.Replicas, Lease: e.ships.Lease, Check: new(float64(e.ships.Check)), Log: e.say,
		},
	}}
	e.stderr, e.sent = workers, s
	if progress.Shows(workers) {
		s.Workers = workers.Set
	}
	var err error
	s.Conn, err = cluster.Connect(ctx, e.ships.dial(e))
	return s, err
}

// job describes the run in dir to workers.
func (e *env) job(ctx context.Context, dir string) (j cluster.Job, err error) {
	j = cluster.Job{Args: e.args, Program: program(), By: user()}
	if j.Cwd, err = os.Getwd(); err != nil {
		return j, err
	}
	if !j.Program.Definite() {
		if j.Executable, err = run.Executable(); err != nil {
			return j, err
		}
	}
	if e.ships.Shared {
		j.Shared = absolute(dir)
	}
	j.Inputs, err = cluster.Inputs(ctx, j.Cwd, e.inputs)
	return j, err
}

// checks returns how many of the workers' shards this process computed again; nil if no
// workers took part.
func (e *env) checks() *report.Checks {
	if e.sent == nil || e.sent.Submission() == nil {
		return nil
	}
	c := report.Checks(e.sent.Submission().Checked())
	return &c
}

// end removes a finished run from the cluster; an interrupted one stays there.
func (s *submitting) end(ctx context.Context, err error) error {
	defer s.Conn.Close()
	defer s.Close()
	submitted := s.Submission()
	if submitted == nil {
		if err == nil {
			s.env.say("this command has no work for other machines: it ran here")
		}
		return err
	}
	if c := s.env.checks(); c.Shards > 0 {
		s.env.say("%v", c)
	}
	list := "tattle runs " + file.CommandLine(s.env.ships.args())
	if !exists(filepath.Join(s.Options.Root, reportJSON)) {
		said := "stays in the cluster"
		if errors.Is(err, context.Canceled) {
			said += ", and workers go on"
		}
		s.env.say("run %s %s: %s shows it, and --remove %[1]s ends it", submitted.ID(), said, list)
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTimeout)
	defer cancel()
	if finish := submitted.Finish(ctx); finish != nil && err == nil {
		s.env.say("the run is done, but still listed in the cluster: %v; %s --remove %s removes it", finish, list, submitted.ID())
	}
	return err
}
