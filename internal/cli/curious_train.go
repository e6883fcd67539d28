package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"tattle/internal/data/dataset"
	"tattle/internal/report"
	"tattle/internal/reveal/curious"
	"tattle/internal/reveal/curious/training"
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
	return c.compute(ctx, e, "train-"+c.Task, func(dir string) (*report.Report, error) {
		if err := otherwiseKept(dir, len(seeds)); err != nil {
			return nil, err
		}
		return c.trainInto(ctx, e, dir, seeds)
	})
}

// trainInto trains what is missing in dir, and reports on all of it.
func (c *trainCmd) trainInto(ctx context.Context, e *env, dir string, seeds []training.Seed) (*report.Report, error) {
	data := &training.Data{Progress: e.bars.Begin("reading the data")}
	parts, _, err := data.Open(ctx, seeds[0].Source)
	if err != nil {
		return nil, openError(ctx, err)
	}
	what := "training"
	t, err := training.Train(ctx, seeds, data, training.Options{
		Dir: dir, Files: e.files, Stage: filepath.Join(dir, shardsDir), Pool: e.pool,
		Start: func(missing []string, _ int) error { // there must be room in the folders, and once more as shards
			if len(seeds) > 1 {
				what = fmt.Sprintf("training %d seeds", len(missing))
			}
			return roomForModel(e.files, dir, (2+training.UnfinishedRoom)*len(missing)*seeds[0].Parameters(parts))
		},
		Progress: func(done, total int) { e.bars.Set(what, done, total) },
	})
	if err == nil {
		err = t.Failed()
	}
	if err != nil {
		return nil, err
	}
	r, err := curiousReport(ctx, e, dir, seeds, t.Results, parts)
	if err != nil {
		return nil, err
	}
	for name, took := range t.Took {
		r.Timing[name] = took.Seconds()
	}
	return r, nil
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
	if err := training.WriteOutputs(ctx, e.files, arrays, model, parts.Test); err != nil {
		return nil, err
	}
	if r.Files, err = report.Digests(dir, []string{arraysFile}); err != nil {
		return nil, err
	}
	training.ReportSeeds(r, seeds, results, parts)
	return r, nil
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
