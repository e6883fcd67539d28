package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"time"

	"tattle/curious"
	"tattle/dataset"
	"tattle/npy"
	"tattle/report"
	"tattle/run"
)

// trainCurious trains paper B's classifiers, one for each seed.
func (c *trainCmd) trainCurious(ctx context.Context, e *env) error {
	if err := c.checkCurious(); err != nil {
		return err
	}
	runs, err := c.trainings()
	if err != nil {
		return err
	}
	if err := c.interrupted(c.Resume); err != nil {
		return err
	}
	return c.in(ctx, e, "train-"+c.Task, c.Resume, func(dir string) error {
		parts, _, err := runs[0].source.open(ctx, e)
		if err != nil {
			return err
		}
		if err := otherwiseKept(dir, len(runs)); err != nil {
			return err
		}
		if err := runs[0].fits(dir, parts, toKeep(e, dir, runs)); err != nil {
			return err
		}
		return c.stoppedAt(e, c.trainInto(ctx, e, dir, runs, parts), dir)
	})
}

// trainInto trains what is missing in dir, and reports on all of it.
func (c *trainCmd) trainInto(ctx context.Context, e *env, dir string, runs []seedRun, parts *dataset.Parts) error {
	started := time.Now()
	s := &seeds{runs: runs, parts: parts, steps: map[string]int{}, unit: 1, took: map[string]time.Duration{}}
	results, err := s.train(ctx, e, dir)
	if err != nil {
		return err
	}
	r, err := curiousReport(ctx, e, dir, runs, results, parts)
	if err != nil {
		return err
	}
	for name, took := range s.took {
		r.Timing[s.label(name)] = report.Number(took.Seconds())
	}
	r.Timing["total"] = seconds(started)
	return c.finish(e, dir, r)
}

// toKeep is how many trainings the run's folder has to take: each that is missing, and
// once more as a shard. A worker's takes but those under way.
func toKeep(e *env, dir string, runs []seedRun) (n int) {
	for i := range runs {
		if !exists(filepath.Join(seedDir(dir, runs, i), resultFile)) {
			n += 2
		}
	}
	if e.serve {
		return min(n, 2)
	}
	return n
}

// interrupted refuses a folder with trainings unless they are to be gone on with.
func (o output) interrupted(resume bool) error {
	if o.Out == "" || resume || exists(filepath.Join(o.Out, reportJSON)) {
		return nil
	}
	found, err := filepath.Glob(filepath.Join(escapeGlob(o.Out), "seed-*", resultFile))
	if err != nil || len(found) == 0 && !exists(filepath.Join(o.Out, resultFile)) && !begun(o.Out) {
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
	if err == nil || errors.As(err, &s) || errors.Is(err, run.ErrServed) || o.interrupted(false) == nil {
		return err
	}
	return hinted(err, "go on with: "+e.goOn(dir))
}

// seedDir is where a seed's training is kept: in a folder of its own unless it is
// the only one.
func seedDir(dir string, runs []seedRun, i int) string { return filepath.Join(dir, seedName(runs, i)) }

// seedName is that folder's name.
func seedName(runs []seedRun, i int) string {
	if len(runs) == 1 {
		return "."
	}
	return seedFolder(runs[i].options.Seed)
}

const seedPrefix = "seed-"

func seedFolder(seed uint64) string { return seedPrefix + strconv.FormatUint(seed, 10) }

// otherwiseKept refuses a folder that keeps one training as one of several, or several
// as the only one: they would be done again, beside what is there.
func otherwiseKept(dir string, seeds int) error {
	several, err := filepath.Glob(filepath.Join(escapeGlob(dir), seedPrefix+"*", resultFile))
	switch {
	case err != nil:
		return err
	case seeds > 1 && exists(filepath.Join(dir, resultFile)):
		return usage(fmt.Errorf("--out %s: holds the training of one seed, which has no folder of its own", dir), "go on with it by --seeds 1, or choose another folder")
	case seeds == 1 && len(several) > 0:
		return usage(fmt.Errorf("--out %s: holds trainings of several seeds", dir), "go on with them by --seeds of at least 2, or choose another folder")
	}
	return nil
}

// keepOutputs writes the outputs of a classifier on the test part, with the labels,
// into the run's folder: what an audit needs.
func keepOutputs(ctx context.Context, e *env, dir string, t *curious.Result, test *dataset.Set) (report.Arrays, error) {
	a := report.Arrays{File: arraysFile}
	outputs, err := curious.Predict(ctx, t.Classifier, test)
	if err != nil {
		return a, err
	}
	path := filepath.Join(dir, arraysFile)
	n := test.Len()
	err = run.WriteFile(path, func(f io.Writer) error {
		w := npy.NewWriter(f)
		if err := w.Add("outputs", []int{n, len(outputs) / n}, outputs); err != nil {
			return err
		}
		if err := w.Add("y", []int{n}, int64s(test.Y)); err != nil {
			return err
		}
		for i, s := range test.Sensitive {
			name := "s"
			if len(test.Sensitive) > 1 {
				name += strconv.Itoa(i + 1)
			}
			if err := w.Add(name, []int{n}, int64s(s.Labels)); err != nil {
				return err
			}
		}
		return w.Close()
	})
	if err != nil {
		return a, err
	}
	a.SHA256, err = run.Digest(path)
	return a, err
}

// int64s is what .npy has for whole numbers.
func int64s(v []int) []int64 {
	out := make([]int64, len(v))
	for i, x := range v {
		out[i] = int64(x)
	}
	return out
}
