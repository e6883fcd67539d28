package cli

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"tattle/curious"
	"tattle/curious/training"
	"tattle/dataset"
	"tattle/internal/progress"
	"tattle/report"
	"tattle/reproduce"
	"tattle/run"
	"tattle/run/folders"
)

const cellsDir = "cells"

// A grid is one of paper B's experiments being run: every training with every seed is
// a cell, kept in a folder of its own.
type grid struct {
	*reproduceCmd
	x       *reproduce.Experiment
	chosen  map[string]bool // keys of the trainings to run
	epochs  int
	side    int // of pictures
	limit   int // the most training examples; 0 is all
	seeds   []uint64
	dir     string
	target  string // whose data are open
	parts   *dataset.Parts
	data    map[string]openedTarget
	notes   []string // on the data
	path    string   // of the data
	results []*cellResult

	mu      sync.Mutex
	bar     *progress.Bar
	missing int   // cells to train, those that are finished not counted
	done    int64 // steps of training that were done for them
	total   int64
}

// openedTarget is what is known of a target's data once they were open.
type openedTarget struct {
	digest string
	steps  int64 // of a training
}

// grid runs one of paper B's grids of trainings.
func (c *reproduceCmd) grid(ctx context.Context, e *env, x *reproduce.Experiment) error {
	g, err := c.newGrid(x)
	if err != nil {
		return err
	}
	if c.List {
		return g.list(e)
	}
	if c.Data == "" {
		return usage(fmt.Errorf("reproduce %s needs --data, the folder or zip of %s", x.Name, x.Data), "tattle data info "+string(x.Data)+" says where it comes from")
	}
	work := func(dir string) error {
		g.dir = dir
		return e.unfinished(g.run(ctx, e), dir)
	}
	if g.finishedBefore() {
		return e.compute(ctx, c.Out, true, func() error { return work(c.Out) })
	}
	return c.in(ctx, e, c.Experiment, c.Resume, work)
}

// run trains what is not there yet, and reports.
func (g *grid) run(ctx context.Context, e *env) error {
	if begun(g.dir) && !g.Resume {
		return usage(fmt.Errorf("--out %s: holds an interrupted run", g.dir), "go on with it by --resume, or choose another folder")
	}
	if err := g.sameSettings(); err != nil {
		return err
	}
	if err := g.prepare(ctx, e); err != nil {
		return err
	}
	started := time.Now()
	g.bar = progress.New(e.stderr, g.x.Name, 0)
	defer func() { g.bar.Close() }() // others take its place
	err := g.cells(e).Run(ctx, func(missing []string) error { return g.start(e, missing) })
	if err != nil {
		return trainingError(err)
	}
	g.bar.Close()
	if err := g.collect(ctx, e); err != nil {
		return err
	}
	r := g.report(e)
	r.Timing["total"] = seconds(started)
	return g.finish(e, g.dir, r)
}

// cells are the trainings that were chosen, all with the first seed first: a table is
// whole early. Those on one target stand together. They are trained one at a time:
// their nets use all cores, and each target's data are large.
func (g *grid) cells(e *env) *folders.Stage {
	t := &folders.Stage{Dir: filepath.Join(g.dir, shardsDir), Root: g.dir, AtOnce: 1, Pool: e.pool, Serve: e.serve, Set: cells{g, e}}
	for _, seed := range g.seeds {
		for _, x := range g.x.Trainings {
			if g.chosen[x.Key] {
				t.Names = append(t.Names, cellName(x, seed))
			}
		}
	}
	return t
}

// start begins with so many cells.
func (g *grid) start(e *env, missing []string) error {
	g.missing = len(missing)
	if e.serve {
		return nil // a worker shows nothing
	}
	for _, name := range missing {
		t, _ := g.of(name)
		g.total += g.data[t.Target].steps
	}
	g.bar = progress.New(e.stderr, g.x.Name, int(g.total))
	g.announce(e)
	if err := g.keepSettings(); err != nil || len(missing) == 0 {
		return err
	}
	return g.unreport()
}

// collect reads what the cells came to. Those that an earlier run with another choice
// left are taken along. The data of the last of them are open then.
func (g *grid) collect(ctx context.Context, e *env) error {
	last := ""
	for _, seed := range g.seeds {
		for _, t := range g.x.Trainings {
			r, err := g.result(ctx, e, t, seed)
			if err != nil {
				return err
			}
			if r != nil {
				g.results = append(g.results, r)
				last = t.Target
			}
		}
	}
	return g.open(ctx, e, last)
}

// result returns what a cell came to, nil where it is neither there nor asked for.
func (g *grid) result(ctx context.Context, e *env, t reproduce.Training, seed uint64) (*cellResult, error) {
	dir := filepath.Join(g.dir, filepath.FromSlash(cellName(t, seed)))
	if !g.chosen[t.Key] && !exists(filepath.Join(dir, training.ResultFile)) {
		return nil, nil
	}
	if err := g.know(ctx, e, t.Target); err != nil {
		return nil, err
	}
	r, err := g.cellIn(dir, t, seed)
	if err == nil && r == nil && g.chosen[t.Key] {
		err = fmt.Errorf("%s: its files were changed as they were written", dir)
	}
	return r, err
}

// prepare opens the data of every target, so that nothing is refused after hours of
// training. The first target's data stay open. A worker opens these alone: what the
// others are the stage says, and whoever announced it has looked at them.
func (g *grid) prepare(ctx context.Context, e *env) error {
	first := g.x.Trainings[slices.IndexFunc(g.x.Trainings, func(t reproduce.Training) bool { return g.chosen[t.Key] })].Target
	for _, t := range slices.Backward(g.x.Trainings) {
		if !g.chosen[t.Key] || e.serve && t.Target != first {
			continue
		}
		if err := g.open(ctx, e, t.Target); err != nil {
			return err
		}
		if err := g.x.Check(t, g.parts, g.trainOptions(g.seeds[0])); err != nil {
			return usage(fmt.Errorf("%s: %w", t.Key, err), "")
		}
	}
	return nil
}

// open reads the data for a target, with all sensitive attributes that the
// experiment has for it.
func (g *grid) open(ctx context.Context, e *env, target string) error {
	if g.target == target {
		return nil
	}
	g.target, g.parts = "", nil // one at a time: they are large
	bar := progress.New(e.stderr, "decoding pictures", 0)
	defer bar.Close()
	p, err := dataset.OpenParts(ctx, g.Data, dataset.LabelledOptions{
		Kind: string(g.x.Data), Target: target, Sensitive: g.x.Sensitive(target),
		Side: g.side, Seed: g.Seed, Limit: g.limit, Cache: g.Cache,
		Progress: bar.Set,
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
		return fmt.Errorf("%s: the data of %s are not those that the run began with: SHA-256 %.16s…, not %.16s…", g.Data, target, digest, was)
	}
	g.target, g.parts = target, p
	g.data[target] = openedTarget{digest, reproduce.Steps(g.parts, g.epochs)}
	return nil
}

// know learns what the data of a target are: a worker from the stage that it takes part
// in, if they are none that it has open, everybody else by opening them, unless they
// were open before.
func (g *grid) know(ctx context.Context, e *env, target string) error {
	if _, known := g.data[target]; known {
		return nil
	}
	if e.serve {
		digest, err := announced(filepath.Join(g.dir, shardsDir), dataOf(target))
		if digest != "" || err != nil {
			g.data[target] = openedTarget{digest: digest}
			return err
		}
	}
	return g.open(ctx, e, target)
}

// dataOf is what the manifest of a stage calls the data of a target.
func dataOf(target string) string { return "data of " + target }

// announced is a digest in the manifest of a stage, "" where there is none.
func announced(stage, what string) (string, error) {
	if !exists(filepath.Join(stage, manifestFile)) {
		return "", nil
	}
	data, err := run.ReadManifest(stage)
	if err != nil {
		return "", err
	}
	m, err := run.ParseManifest(data)
	return m.Hashes[what], err
}

// report sets what the cells came to beside the paper's figures.
func (g *grid) report(e *env) *report.Report {
	title := g.x.Title
	if g.Quick {
		title += " (quick)"
	}
	r := newReport(e, title, g.Seed)
	maps.Copy(r.Settings, g.settings())
	r.Settings["seeds"] = fmt.Sprint(len(g.seeds))
	r.Data = report.DataOf(g.parts.Test, g.path, "test")
	r.Data.SHA256 = g.parts.Sum()
	res := &reproduce.Results{
		Experiment: g.x, Trained: map[string][]reproduce.SeedResult{}, Seed: g.Seed, Wanted: len(g.seeds),
		TestExamples: g.parts.Test.Len(), Reduced: g.reduced(), Notes: g.notes,
	}
	var all []*training.Record
	for _, c := range g.results {
		res.Trained[c.Key] = append(res.Trained[c.Key], reproduce.SeedResult{Seed: c.Settings["seed"], Failed: c.Failed, Measured: &c.Measured})
		all = append(all, &c.Record)
	}
	res.Fill(r)
	r.Warnings = append(r.Warnings, training.OtherPrograms(all)...)
	return r
}

// reduced says how the run departs from the paper's procedure, "" where it does not.
func (g *grid) reduced() string {
	var s []string
	if g.epochs != curious.DefaultEpochs {
		s = append(s, report.Count(g.epochs, "epoch")+" instead of 50")
	}
	if g.side != dataset.DefaultSide {
		s = append(s, fmt.Sprintf("%d×%d pictures instead of 64×64", g.side, g.side))
	}
	if g.limit > 0 {
		s = append(s, fmt.Sprintf("at most %d training examples", g.limit))
	}
	if len(s) > 0 && len(g.seeds) == 1 {
		s = append(s, "one seed")
	}
	if g.Quick && len(s) > 0 {
		return "quick: " + strings.Join(s, ", ")
	}
	return strings.Join(s, ", ")
}
