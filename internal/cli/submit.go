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
)

// submitting is a run that --cluster hands over when there is work.
type submitting struct {
	*cluster.Submission
	conn *cluster.Conn
	env  *env
	dir  string
}

// submit connects to the cluster that the flags name.
func (e *env) submit(ctx context.Context, dir string, resume bool) (*submitting, error) {
	conn, err := cluster.Connect(ctx, e.ships.dial(e))
	if err != nil {
		return nil, err
	}
	workers := &progress.Workers{Writer: e.stderr}
	e.stderr = workers
	o := cluster.SubmitOptions{
		Job:  func(ctx context.Context) (cluster.Job, error) { return e.job(ctx, dir) },
		Root: dir, Resume: resume, Replicas: e.ships.Replicas, Lease: e.ships.Lease, Check: float64(e.ships.Check), Workers: workers.Set, Log: e.say,
	}
	s, err := conn.Submit(o)
	if err != nil {
		conn.Close()
		return nil, err
	}
	e.sent = &submitting{s, conn, e, dir}
	return e.sent, nil
}

// job describes the run in dir to workers.
func (e *env) job(ctx context.Context, dir string) (j cluster.Job, err error) {
	j = cluster.Job{Args: e.args, By: user()}
	if j.Program, err = program().Exact(); err != nil {
		return j, err
	}
	if j.Cwd, err = os.Getwd(); err != nil {
		return j, err
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
	if e.sent == nil || e.sent.ID() == "" {
		return nil
	}
	c := report.Checks(e.sent.Checked())
	return &c
}

// end removes a finished run from the cluster; an interrupted one stays there.
func (s *submitting) end(ctx context.Context, err error) error {
	defer s.conn.Close()
	defer s.Close()
	if s.ID() == "" {
		if err == nil {
			s.env.say("this command has no work for other machines: it ran here")
		}
		return err
	}
	if c := s.env.checks(); c.Shards > 0 {
		s.env.say("%v", c)
	}
	list := "tattle runs " + file.CommandLine(s.env.ships.args())
	if !exists(filepath.Join(s.dir, reportJSON)) {
		said := "stays in the cluster"
		if errors.Is(err, context.Canceled) {
			said += ", and workers go on"
		}
		s.env.say("run %s %s: %s shows it, and --remove %[1]s ends it", s.ID(), said, list)
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTimeout)
	defer cancel()
	if finish := s.Finish(ctx); finish != nil && err == nil {
		s.env.say("the run is done, but still listed in the cluster: %v; %s --remove %s removes it", finish, list, s.ID())
	}
	return err
}
