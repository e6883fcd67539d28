package cli

import (
	"context"
	"path/filepath"
	"time"

	"tattle/curious/training"
	"tattle/internal/progress"
	"tattle/internal/report"
	"tattle/run"
)

// taught is what distill and prune have in common: a run of `train`, and its data.
type taught struct {
	Run  string `arg:"" help:"Folder of a run of tattle train (paper B's training), or of one of its seeds (default: the first)." placeholder:"RUN" input:"file"`
	Data string `help:"Path of the data, if they have moved." placeholder:"PATH" input:"data"`
}

// open reads the run and then its data.
func (c *taught) open(ctx context.Context, e *env) (*training.Teacher, error) {
	t, err := training.OpenTeacher(c.Run)
	if err != nil {
		return nil, trainingError(err)
	}
	bar := progress.New(e.stderr, "reading the data", 0)
	defer bar.Close()
	moved := c.Data
	if moved != "" {
		moved = absolute(moved)
	}
	return t, openError(ctx, t.OpenData(ctx, moved, bar.Set))
}

// work opens the run and writes the report of what is done with it. stopped is why that is unfinished.
func (c *taught) work(ctx context.Context, e *env, o output, command string, do func(dir string, t *training.Teacher) (r *report.Report, stopped, err error)) error {
	return o.in(ctx, e, command, false, func(dir string) error {
		t, err := c.open(ctx, e)
		if err != nil {
			return err
		}
		started := time.Now()
		r, stopped, err := do(dir, t)
		if err != nil {
			return err
		}
		r.Timing["total"] = seconds(started)
		if err := o.finish(e, dir, r); err != nil || stopped == nil {
			return err
		}
		return hinted(&run.InterruptedError{Kept: "the unfinished student is in " + dir, Cause: stopped}, trainAgain)
	})
}

// modelOf notes a model beside the report.
func modelOf(r *report.Report, dir, file string) error {
	hash, err := run.Digest(filepath.Join(dir, file))
	r.Model = report.Model{Path: file, SHA256: hash}
	return err
}
