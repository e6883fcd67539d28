package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"tattle/curious"
	"tattle/curious/training"
	"tattle/dataset"
	"tattle/internal/progress"
	"tattle/internal/report"
)

// trainCurious trains paper B's classifiers, one for each seed.
func (c *trainCmd) trainCurious(ctx context.Context, e *env) error {
	if err := c.checkCurious(); err != nil {
		return err
	}
	seeds, err := c.trainings()
	if err != nil {
		return err
	}
	if err := c.interrupted(c.Resume); err != nil {
		return err
	}
	return c.in(ctx, e, "train-"+c.Task, c.Resume, func(dir string) error {
		if err := otherwiseKept(dir, len(seeds)); err != nil {
			return err
		}
		return c.stoppedAt(e, c.trainInto(ctx, e, dir, seeds), dir)
	})
}

// trainInto trains what is missing in dir, and reports on all of it.
func (c *trainCmd) trainInto(ctx context.Context, e *env, dir string, seeds []training.Seed) error {
	started := time.Now()
	reading := progress.New(e.stderr, "reading the data", 0)
	defer reading.Close()
	data := &training.Data{Progress: reading.Set}
	parts, _, err := data.Open(ctx, seeds[0].Source)
	if err != nil {
		return openError(ctx, err)
	}
	reading.Close()
	t, err := trainMissing(ctx, e, dir, seeds, data, parts)
	if err != nil {
		return trainingError(err)
	}
	r, err := curiousReport(ctx, e, dir, seeds, t.Results, parts)
	if err != nil {
		return err
	}
	for name, took := range t.Took {
		r.Timing[name] = took.Seconds()
	}
	r.Timing["total"] = seconds(started)
	return c.finish(e, dir, r)
}

// trainMissing trains what is missing in dir, if there is room for the models: in the folders, and once
// more as shards.
func trainMissing(ctx context.Context, e *env, dir string, seeds []training.Seed, data *training.Data, parts *dataset.Parts) (*training.Trained, error) {
	bar := progress.New(e.stderr, "training", 0)
	defer bar.Close()
	t, err := training.Train(ctx, seeds, data, training.Options{
		Dir: dir, Stage: filepath.Join(dir, shardsDir), Pool: e.pool,
		Start: func(missing []string, _ int) error {
			if len(seeds) > 1 {
				bar.Name(fmt.Sprintf("training %d seeds", len(missing)))
			}
			return roomForModel(dir, 2*len(missing)*seeds[0].Parameters(parts))
		},
		Progress: bar.Set,
	})
	if err == nil {
		err = t.Failed()
	}
	return t, err
}

// curiousReport is the report of trainings that differ in their seed. The outputs of the
// first are kept beside it.
func curiousReport(ctx context.Context, e *env, dir string, seeds []training.Seed, results []*training.Result, parts *dataset.Parts) (*report.Report, error) {
	r := newReport(e, "A "+training.Title(parts.Train), seeds[0].Options.Seed)
	first := seeds[0].Folder
	model, err := curious.Open(filepath.Join(dir, first))
	if err != nil {
		return nil, err
	}
	if err := modelOf(r, dir, filepath.Join(first, modelFile)); err != nil {
		return nil, err
	}
	arrays := filepath.Join(dir, arraysFile)
	if err := training.WriteOutputs(ctx, arrays, model, parts.Test); err != nil {
		return nil, err
	}
	if r.Files, err = report.Digests(dir, []string{arraysFile}); err != nil {
		return nil, err
	}
	training.ReportSeeds(r, seeds, results, parts)
	return r, nil
}

// interrupted refuses a folder with trainings unless they are to be gone on with.
func (o output) interrupted(resume bool) error {
	if o.Out == "" || resume || exists(filepath.Join(o.Out, reportJSON)) {
		return nil
	}
	found, err := training.Several(o.Out)
	if err != nil || len(found) == 0 && !exists(filepath.Join(o.Out, training.ResultFile)) && !begun(o.Out) {
		return err
	}
	return usage(fmt.Errorf("--out %s: holds an interrupted run", o.Out), "go on with it by --resume, or choose another folder")
}

// stoppedAt adds to what stopped a run how to go on, where something is kept and
// nothing else is to be done.
func (o output) stoppedAt(e *env, err error, dir string) error {
	err = e.unfinished(err, dir)
	o.Out = dir
	var s *statusError
	if err == nil || errors.As(err, &s) || e.isPrepared() || o.interrupted(false) == nil {
		return err
	}
	return hinted(err, "go on with: "+e.goOn(dir))
}

// otherwiseKept refuses a folder that keeps one training as one of several, or several
// as the only one: they would be done again, beside what is there.
func otherwiseKept(dir string, seeds int) error {
	several, err := training.Several(dir)
	switch {
	case err != nil:
		return err
	case seeds > 1 && exists(filepath.Join(dir, training.ResultFile)):
		return usage(fmt.Errorf("--out %s: holds the training of one seed, which has no folder of its own", dir), "go on with it by --seeds 1, or choose another folder")
	case seeds == 1 && len(several) > 0:
		return usage(fmt.Errorf("--out %s: holds trainings of several seeds", dir), "go on with them by --seeds of at least 2, or choose another folder")
	}
	return nil
}
