package cli

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"tattle/internal/data/dataset"
	"tattle/internal/protect/measure"
	"tattle/internal/report"
	"tattle/internal/reveal/curious/training"
	"tattle/internal/run"
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
		return nil, err
	}
	moved := c.Data
	if moved != "" {
		moved = absolute(moved)
	}
	return t, openError(ctx, t.OpenData(ctx, moved, e.bars.Begin("reading the data")))
}

// compute opens the run and has work make the report of what is done with it.
func (c *taught) compute(ctx context.Context, e *env, o output, command string, work func(dir string, t *training.Teacher) (*report.Report, error)) error {
	return o.compute(ctx, e, command, func(dir string) (*report.Report, error) {
		t, err := c.open(ctx, e)
		if err != nil {
			return nil, err
		}
		return work(dir, t)
	})
}

// modelOf notes a model beside the report.
func modelOf(r *report.Report, dir, file string) error {
	hash, err := run.Digest(filepath.Join(dir, file))
	r.Model = report.Model{Path: file, SHA256: hash}
	return err
}

// openError names the flag behind an error of reading labelled data, which is wrong usage
// unless a file is to blame.
func openError(ctx context.Context, err error) error {
	var format *dataset.FormatError
	var path *fs.PathError
	var option *measure.OptionError
	switch {
	case err == nil || ctx.Err() != nil || errors.As(err, &option):
		return err
	case errors.As(err, &format) || errors.As(err, &path) || errors.Is(err, fs.ErrNotExist):
		return &measure.InputError{Option: "Data", Err: err}
	}
	return usage(err, "")
}
