package reproduce

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"tattle/curious/training"
	"tattle/dataset"
	"tattle/internal/file"
	"tattle/internal/report"
	"tattle/measure"
	"tattle/run/folders"
)

// Folders of a grid's run, below its own.
const (
	shardsFolder = "shards"
	cellsFolder  = "cells"
)

// A Grid is one of paper B's experiments being run: every training with every seed is a
// cell, kept in a folder of its own.
type Grid struct {
	*Experiment
	o       GridOptions
	chosen  map[string]bool // keys of the trainings to run
	epochs  int
	side    int // of pictures
	limit   int // largest number of training examples; 0 is all
	seeds   []uint64
	target  string // whose data are open
	parts   *dataset.Parts
	data    map[string]openedTarget
	notes   []string // on the data
	results []*cellResult

	mu    sync.Mutex
	done  int // steps of training that were done for them
	total int
}

// openedTarget is what is known of a target's data once they were open.
type openedTarget struct {
	digest string
	steps  int // of a training
}

// Run trains what is not there yet. Report reports on it.
func (g *Grid) Run(ctx context.Context) error {
	if err := g.sameSettings(); err != nil {
		return err
	}
	if err := g.prepare(ctx); err != nil {
		return err
	}
	if err := g.cells().Run(ctx, g.start); err != nil {
		return err
	}
	return g.collect(ctx)
}

// cells are the trainings that were chosen, all with the first seed first: a table is
// whole early. Those on one target stand together. They are trained one at a time:
// their nets use all cores, and each target's data are large.
func (g *Grid) cells() *folders.Stage {
	t := &folders.Stage{Dir: filepath.Join(g.o.Dir, shardsFolder), Root: g.o.Dir, AtOnce: 1, Pool: g.o.Pool, Set: cells{g}}
	for _, seed := range g.seeds {
		for _, x := range g.Trainings {
			if g.chosen[x.Key] {
				t.Names = append(t.Names, cellName(x, seed))
			}
		}
	}
	return t
}

// start says what there is to do for the cells that are missing, and keeps the settings.
func (g *Grid) start(missing []string) error {
	for _, name := range missing {
		t, _ := g.of(name)
		g.total += g.data[t.Target].steps
	}
	g.announce(len(missing))
	if err := g.keepSettings(); err != nil || len(missing) == 0 {
		return err
	}
	return g.unreport()
}

// collect reads what the cells came to. Those that an earlier run with another choice
// left are taken along. The data of the last of them are open then.
func (g *Grid) collect(ctx context.Context) error {
	last := ""
	for _, seed := range g.seeds {
		for _, t := range g.Trainings {
			r, err := g.result(ctx, t, seed)
			if err != nil {
				return err
			}
			if r != nil {
				g.results = append(g.results, r)
				last = t.Target
			}
		}
	}
	return g.open(ctx, last)
}

// result returns what a cell came to, nil if it is neither there nor asked for.
func (g *Grid) result(ctx context.Context, t Training, seed uint64) (*cellResult, error) {
	dir := filepath.Join(g.o.Dir, filepath.FromSlash(cellName(t, seed)))
	if !g.chosen[t.Key] && !file.Exists(filepath.Join(dir, training.ResultFile)) {
		return nil, nil
	}
	if err := g.know(ctx, t.Target); err != nil {
		return nil, err
	}
	r, err := g.cellIn(dir, t, seed)
	if err == nil && r == nil && g.chosen[t.Key] {
		err = fmt.Errorf("%s: its files were changed as they were written", dir)
	}
	return r, err
}

// prepare opens the data of every target, so that an error does not come after hours of
// training. The first target's data stay open.
func (g *Grid) prepare(ctx context.Context) error {
	for _, t := range slices.Backward(g.Trainings) {
		if !g.chosen[t.Key] {
			continue
		}
		if err := g.open(ctx, t.Target); err != nil {
			return err
		}
		if err := g.Check(t, g.parts, g.trainOptions(g.seeds[0])); err != nil {
			return measure.WrongOption("Data", "%s: %w", t.Key, err)
		}
	}
	return nil
}

// open reads the data for a target, with all sensitive attributes that the
// experiment has for it.
func (g *Grid) open(ctx context.Context, target string) error {
	if g.target == target {
		return nil
	}
	g.target, g.parts = "", nil // one at a time: they are large
	p, err := dataset.OpenParts(ctx, g.o.Data, dataset.LabelledOptions{
		Kind: string(g.Data), Target: target, Sensitive: g.Sensitive(target),
		Side: g.side, Seed: g.o.Seed, Limit: g.limit, SkipMissing: g.o.SkipMissing,
		Progress: func(done, total int) { g.progress("decoding pictures", done, total) },
	})
	if err != nil {
		return err
	}
	for _, n := range p.Notes {
		if !slices.Contains(g.notes, n) {
			g.notes = append(g.notes, n)
		}
	}
	digest := p.Sum()
	if was := g.data[target].digest; was != "" && was != digest {
		return fmt.Errorf("%s: the data of %s are not those that the run began with: SHA-256 %.16s…, not %.16s…", g.o.Data, target, digest, was)
	}
	g.target, g.parts = target, p
	g.data[target] = openedTarget{digest, int(steps(g.parts, g.epochs))}
	return nil
}

// know finds out the sizes and hashes of a target's data, unless they are known.
func (g *Grid) know(ctx context.Context, target string) error {
	if _, known := g.data[target]; known {
		return nil
	}
	return g.open(ctx, target)
}

// dataOf is what the manifest of a stage calls the data of a target.
func dataOf(target string) string { return "data of " + target }

// Report sets what the cells came to beside the paper's figures. path is where the data are.
func (g *Grid) Report(r *report.Report, path string) {
	if g.o.Quick {
		r.Title += " (quick)"
	}
	settings := g.settings()
	settings["seeds"] = fmt.Sprint(len(g.seeds))
	r.SetRequest(settings)
	r.Data = measure.DataOf(g.parts.Test, path, string(dataset.Test))
	r.Data.SHA256 = g.parts.Sum()
	res := &results{
		Experiment: g.Experiment, Trained: map[string][]seedResult{}, Wanted: len(g.seeds),
		TestExamples: g.parts.Test.Len(), Reduced: g.reduced(), Notes: g.notes,
	}
	var all []*training.Record
	for _, c := range g.results {
		res.Trained[c.Key] = append(res.Trained[c.Key], seedResult{Seed: c.Settings["seed"], Failed: c.Failed, Measured: &c.Measured})
		all = append(all, &c.Record)
	}
	res.Report(r)
	for _, w := range training.OtherPrograms(all) {
		r.Warn(w)
	}
}
