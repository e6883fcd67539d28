package paper

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"tattle/internal/data/dataset"
	"tattle/internal/file"
	"tattle/internal/protect/measure"
	"tattle/internal/report"
	"tattle/internal/reveal/curious"
	"tattle/internal/reveal/curious/training"
	"tattle/internal/run"
)

// GridOptions are the settings of a grid of trainings. The zero value is the paper's
// procedure.
type GridOptions struct {
	Data        string   // absolute path of the folder or zip of the experiment's data
	SkipMissing bool     // as in dataset.Options
	Epochs      int      // of each training; 0 is the paper's
	Seeds       int      // trainings of each kind; 0 is the paper's
	Seed        uint64   // the first
	Only        []string // keys of the trainings to run; * stands for any letters; nil is all
	Quick       bool     // by default few epochs, seeds and examples, and small pictures

	Limit dataset.Limit // without indices

	Dir   string    // of the run
	Files *file.Dir // changes the files in Dir; nil: any files
	Pool  run.Pool

	Say      func(format string, a ...any)      // prints a line for people
	Progress func(what string, done, total int) // steps of training, and pictures decoded
}

// What GridOptions.Quick makes of the paper's procedure: minutes instead of days.
const (
	quickSeeds    = 1
	quickEpochs   = 2
	quickSide     = 32
	quickExamples = 5000
)

// mostSeeds bounds seeds and epochs.
const mostSeeds = 100000

// Folders of a grid's run, below its own.
const (
	shardsFolder = "shards"
	cellsFolder  = "cells"
)

// A Grid is one of paper B's experiments being run: every training with every seed is a
// cell, kept in a folder of its own.
type Grid struct {
	*Experiment
	o      GridOptions
	chosen map[string]bool // keys of the trainings to run
	cells  []cell
	data   training.Data
	done   []*training.Result // by cell
}

// A cell is one training with one seed.
type cell struct {
	*Training
	training.Seed
}

// NewGrid returns the grid of trainings of the experiment: all with the first seed first, so
// that a table is whole early. Options that cannot be used are a *measure.OptionError.
func (x *Experiment) NewGrid(o GridOptions) (*Grid, error) {
	g := &Grid{Experiment: x, o: o, chosen: map[string]bool{}}
	seeds, epochs, side := Seeds, curious.DefaultEpochs, dataset.DefaultSide
	if o.Quick {
		seeds, epochs, side, g.o.Limit = quickSeeds, quickEpochs, quickSide, cmp.Or(o.Limit, dataset.Limit{Most: quickExamples})
	}
	g.o.Seeds, g.o.Epochs = cmp.Or(o.Seeds, seeds), cmp.Or(o.Epochs, epochs)
	switch {
	case g.o.Seeds < 0 || g.o.Seeds > mostSeeds:
		return nil, measure.WrongOption("Seeds", "%d is not between 1 and %d", g.o.Seeds, mostSeeds)
	case g.o.Epochs < 0 || g.o.Epochs > mostSeeds:
		return nil, measure.WrongOption("Epochs", "%d is not between 1 and %d", g.o.Epochs, mostSeeds)
	}
	sources := map[string]*training.Source{} // one for each target
	for _, t := range x.Trainings {
		sources[t.Target] = &training.Source{Path: o.Data, HoldOut: t.Student, Options: dataset.Options{
			Kind: string(x.Data), SkipMissing: o.SkipMissing, Target: t.Target, Sensitive: x.Sensitive(t.Target),
			Side: side, Seed: o.Seed, Limit: g.o.Limit,
		}}
	}
	for i := range g.o.Seeds {
		for k, t := range x.Trainings {
			c := cell{&x.Trainings[k], x.request(t, sources[t.Target], g.o.Epochs)}
			c.Options.Seed = o.Seed + uint64(i)
			c.Folder = path.Join(cellsFolder, t.Key, training.SeedFolder(c.Options.Seed))
			g.cells = append(g.cells, c)
		}
	}
	g.data.Progress = func(done, total int) { o.Progress("decoding pictures", done, total) }
	return g, g.choose()
}

// choose marks the trainings that Only names, all where it is nil.
func (g *Grid) choose() error {
	only := g.o.Only
	if len(only) == 0 {
		only = []string{"*"}
	}
	for _, pattern := range only {
		found := false
		for _, t := range g.Trainings {
			ok, err := path.Match(pattern, t.Key)
			if err != nil {
				return measure.WrongOption("Only", "%s: %w", pattern, err)
			}
			if ok {
				g.chosen[t.Key], found = true, true
			}
		}
		if !found {
			return &measure.OptionError{Option: "Only", Err: fmt.Errorf("%s: %s has no such training", pattern, g.Name), Hint: "tattle reproduce " + g.Name + " --list names them; a * stands for any letters"}
		}
	}
	return nil
}

// Run trains what is not there yet. Report reports on it.
func (g *Grid) Run(ctx context.Context) error {
	var seeds []training.Seed
	for _, c := range g.cells {
		seeds = append(seeds, c.Seed)
	}
	t, err := training.Train(ctx, seeds, &g.data, training.Options{
		Dir: g.o.Dir, Stage: filepath.Join(g.o.Dir, shardsFolder), Pool: g.o.Pool, Files: g.o.Files,
		Want:     func(s training.Seed) bool { return g.chosen[path.Base(path.Dir(s.Folder))] },
		Start:    g.start,
		Progress: func(done, total int) { g.o.Progress(g.Name+": training", done, total) },
	})
	if err != nil {
		return err
	}
	g.done = t.Results
	return nil
}

// start says how much there is to do. It removes the report of a run that is continued: that
// marks it as finished.
func (g *Grid) start(missing []string, steps int) error {
	all, finished := len(g.chosen)*g.o.Seeds, ""
	if found := all - len(missing); found > 0 {
		finished = fmt.Sprintf("; finished already: %d of %d", found, all)
	}
	g.o.Say("%s: %s%s; %d steps of %d examples to do", g.Name, g.plan(), finished, steps, curious.DefaultBatch)
	if len(missing) == 0 {
		return nil
	}
	for _, name := range []string{report.FileJSON, report.FileHTML} {
		if err := g.o.Files.Remove(filepath.Join(g.o.Dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Finished reports whether dir holds a finished run of a grid, which can be continued for
// more seeds or other trainings.
func Finished(dir string) bool {
	return file.Exists(filepath.Join(dir, report.FileJSON)) && file.Exists(filepath.Join(dir, cellsFolder))
}

// String says how much there is to train, and how.
func (g *Grid) String() string {
	return fmt.Sprintf("%s: %s; %s, batches of %d, Adam with learning rate %g, %d×%d pictures",
		g.Name, g.plan(), g.most(), curious.DefaultBatch, curious.DefaultLearningRate, g.side(), g.side())
}

// plan is how much there is to train.
func (g *Grid) plan() string {
	return fmt.Sprintf("%s × %s × %s", report.Many(len(g.chosen), "training"), report.Many(g.o.Seeds, "seed"), report.Many(g.o.Epochs, "epoch"))
}

// most says how many examples are read.
func (g *Grid) most() string {
	if !g.limited() {
		return "all examples"
	}
	return fmt.Sprintf("at most %v examples of each part", g.o.Limit)
}

func (g *Grid) limited() bool { return g.o.Limit.String() != dataset.Limit{}.String() }

// side is that of the pictures.
func (g *Grid) side() int { return g.cells[0].Source.Side }

// reduced says how the run departs from the paper's procedure, "" if it does not.
func (g *Grid) reduced() string {
	var s []string
	if g.o.Epochs != curious.DefaultEpochs {
		s = append(s, report.Many(g.o.Epochs, "epoch")+" instead of 50")
	}
	if side := g.side(); side != dataset.DefaultSide {
		s = append(s, fmt.Sprintf("%d×%d pictures instead of 64×64", side, side))
	}
	if g.limited() {
		s = append(s, g.most())
	}
	if len(s) > 0 && g.o.Seeds == 1 {
		s = append(s, "one seed")
	}
	if g.o.Quick && len(s) > 0 {
		return "quick: " + strings.Join(s, ", ")
	}
	return strings.Join(s, ", ")
}

// Report sets what the cells came to beside the paper's figures.
func (g *Grid) Report(ctx context.Context, r *report.Report) error {
	res := &results{Experiment: g.Experiment, Trained: map[string][]*training.Result{}, Labels: map[string]*dataset.Set{}, Wanted: g.o.Seeds, Reduced: g.reduced()}
	var all []*training.Result
	var last *training.Source
	var files []string
	for i, c := range g.cells {
		if g.done[i] == nil {
			continue
		}
		p, err := g.data.Labels(ctx, c.Source)
		if err != nil {
			return err
		}
		res.Labels[c.Target], last = p.Train, c.Source
		res.Trained[c.Key] = append(res.Trained[c.Key], g.done[i])
		all = append(all, g.done[i])
		files = append(files, g.done[i].Paths(c.Folder)...)
	}
	parts, _, err := g.data.Open(ctx, last)
	if err == nil {
		r.Files, err = report.Digests(g.o.Dir, files)
	}
	if err != nil {
		return err
	}
	if g.o.Quick {
		r.Title += " (quick)"
	}
	r.SetRequest(map[string]string{
		"experiment": g.Name, "epochs": strconv.Itoa(g.o.Epochs), "batch": strconv.Itoa(curious.DefaultBatch),
		"learning rate": strconv.FormatFloat(curious.DefaultLearningRate, 'g', -1, 64), "side": strconv.Itoa(g.side()),
		"examples": g.o.Limit.String(), "data seed": strconv.FormatUint(g.o.Seed, 10), "seeds": strconv.Itoa(g.o.Seeds),
	})
	r.Data = measure.DataOf(parts.Test, g.o.Data, string(dataset.Test))
	r.Data.SHA256 = parts.Sum()
	res.TestExamples, res.Notes = parts.Test.Len(), g.data.Notes
	res.Report(r)
	for _, w := range training.OtherPrograms(all) {
		r.Warn(w)
	}
	return nil
}
