package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"tattle/curious"
	"tattle/dataset"
	"tattle/report"
	"tattle/run"
	"tattle/tables"
)

// Paper B's procedure, and what --quick makes of it: minutes instead of days.
const (
	gridSeeds     = 5
	quickSeeds    = 1
	quickEpochs   = 2
	quickSide     = 32
	quickExamples = 5000
)

const (
	cellsDir   = "cells"
	gridSchema = "tattle/grid/1"
)

// A grid is one of paper B's experiments being run: every training with every seed is
// a cell, kept in a folder of its own.
type grid struct {
	*reproduceCmd
	x       *tables.Experiment
	chosen  map[string]bool // keys of the trainings to run
	epochs  int
	side    int // of pictures
	limit   int // the most training examples; 0 is all
	seeds   []uint64
	dir     string
	bar     *meter
	done    int64 // steps of training
	total   int64
	target  string // whose data are open
	parts   *dataset.Parts
	notes   []string // on the data
	path    string   // of the data
	results map[string][]*cellResult
}

// ofPaperB says whose experiment is asked for.
func (c *reproduceCmd) ofPaperB() bool { return slices.Contains(tables.Names(), c.Experiment) }

// curious runs one of paper B's experiments.
func (c *reproduceCmd) curious(e *env) error {
	x, err := tables.Get(c.Experiment)
	if err != nil {
		return err
	}
	if c.Model != "" {
		return c.noUse("--model")
	}
	if x.Data == tables.Plane {
		return c.plane(e, x)
	}
	return c.grid(e, x)
}

// ofPaperA refuses the flags of paper B's experiments.
func (c *reproduceCmd) ofPaperA() error {
	switch {
	case c.Data == "":
		return usage(fmt.Errorf("reproduce %s needs --data, the folder of MNIST's idx files", c.Experiment), "tattle data get mnist fetches them")
	case c.Quick:
		return c.noUse("--quick")
	case c.List:
		return c.noUse("--list")
	}
	return c.noGrid()
}

// onPlane refuses the flags that figure4 and convex have no use for.
func (c *reproduceCmd) onPlane(x *tables.Experiment) error {
	switch {
	case c.Data != "":
		return c.noUse("--data")
	case c.Examples != "":
		return c.noUse("--examples")
	case c.Resume:
		return c.noUse("--resume")
	}
	return c.noGrid()
}

// noGrid refuses the flags of a grid of trainings.
func (c *reproduceCmd) noGrid() error {
	switch {
	case c.Seeds != 0:
		return c.noUse("--seeds")
	case c.Epochs != 0:
		return c.noUse("--epochs")
	case len(c.Only) > 0:
		return c.noUse("--only")
	case c.Cache != "":
		return c.noUse("--cache")
	}
	return nil
}

func (c *reproduceCmd) noUse(flag string) error {
	return usage(fmt.Errorf("reproduce %s has no use for %s", c.Experiment, flag), "leave it out")
}

// grid runs one of paper B's grids of trainings.
func (c *reproduceCmd) grid(e *env, x *tables.Experiment) error {
	if c.List {
		for _, t := range x.Trainings {
			fmt.Fprintln(e.stdout, t.Key)
		}
		return nil
	}
	g, err := c.newGrid(x)
	if err != nil {
		return err
	}
	work := func(dir string) error {
		g.dir = dir
		return e.unfinished(g.run(e), dir)
	}
	if g.finishedBefore() {
		return work(c.Out)
	}
	return c.in(c.Experiment, c.Resume, work)
}

// newGrid settles what is run, and how.
func (c *reproduceCmd) newGrid(x *tables.Experiment) (*grid, error) {
	g := &grid{reproduceCmd: c, x: x, chosen: map[string]bool{}, results: map[string][]*cellResult{}, path: absolute(c.Data)}
	seeds := gridSeeds
	g.epochs, g.side = curious.DefaultEpochs, dataset.DefaultSide
	if c.Quick {
		seeds, g.epochs, g.side, g.limit = quickSeeds, quickEpochs, quickSide, quickExamples
	}
	seeds, g.epochs = cmp.Or(c.Seeds, seeds), cmp.Or(c.Epochs, g.epochs)
	switch {
	case c.Data == "":
		return nil, usage(fmt.Errorf("reproduce %s needs --data, the folder or zip of %s", x.Name, x.Data), "")
	case seeds < 0 || seeds > mostEpochs:
		return nil, usage(fmt.Errorf("--seeds: %d is not between 1 and %d", seeds, mostEpochs), "")
	case g.epochs < 0 || g.epochs > mostEpochs:
		return nil, usage(fmt.Errorf("--epochs: %d is not between 1 and %d", g.epochs, mostEpochs), "")
	}
	if c.Examples != "" {
		n, err := strconv.Atoi(c.Examples)
		if err != nil || n < 1 {
			return nil, usage(fmt.Errorf("--examples %s: want the most training examples, a number above 0", c.Examples), "")
		}
		g.limit = n
	}
	for i := range seeds {
		g.seeds = append(g.seeds, c.Seed+uint64(i))
	}
	return g, g.choose()
}

// choose marks the trainings that --only names, all where it is not given.
func (g *grid) choose() error {
	for _, pattern := range g.Only {
		found := false
		for _, t := range g.x.Trainings {
			ok, err := path.Match(pattern, t.Key)
			if err != nil {
				return usage(fmt.Errorf("--only %s: %w", pattern, err), "")
			}
			if ok {
				g.chosen[t.Key], found = true, true
			}
		}
		if !found {
			return usage(fmt.Errorf("--only %s: %s has no such training", pattern, g.x.Name), "tattle reproduce "+g.x.Name+" --list names them; a * stands for any letters")
		}
	}
	if len(g.Only) == 0 {
		for _, t := range g.x.Trainings {
			g.chosen[t.Key] = true
		}
	}
	return nil
}

// run trains what is not there yet, and reports.
func (g *grid) run(e *env) error {
	if begun(g.dir) && !g.Resume {
		return usage(fmt.Errorf("--out %s: holds an interrupted run", g.dir), "go on with it by --resume, or choose another folder")
	}
	if err := g.sameSettings(); err != nil {
		return err
	}
	if err := g.prepare(e); err != nil {
		return err
	}
	if err := g.keepSettings(); err != nil {
		return err
	}
	started := time.Now()
	g.bar = newMeter(e.stderr, g.x.Name, g.total, false)
	defer g.bar.close()
	if err := g.cells(e); err != nil {
		return err
	}
	g.bar.close()
	r, err := g.report(e)
	if err != nil {
		return err
	}
	r.Timing["total"] = seconds(started)
	return g.finish(e, g.dir, r)
}

// cells trains those that were chosen, all with the first seed first: a table is
// whole early. Those that an earlier run with another choice left are taken along.
func (g *grid) cells(e *env) error {
	for _, seed := range g.seeds {
		for _, t := range g.x.Trainings {
			take := g.cell
			if !g.chosen[t.Key] {
				take = g.kept
			}
			r, err := take(e, t, seed)
			if err != nil {
				return err
			}
			if r != nil {
				g.results[t.Key] = append(g.results[t.Key], r)
			}
		}
	}
	return nil
}

// prepare opens the data of every target, so that nothing is refused after hours of
// training, and counts the steps. The first target's data stay open.
func (g *grid) prepare(e *env) error {
	for _, t := range slices.Backward(g.x.Trainings) {
		if !g.chosen[t.Key] {
			continue
		}
		if err := g.open(e, t.Target); err != nil {
			return err
		}
		if err := g.options(t, g.seeds[0]).Check(g.parts); err != nil {
			return usage(fmt.Errorf("%s: %w", t.Key, err), "")
		}
		g.total += int64(len(g.seeds)) * g.steps(t)
	}
	return nil
}

// steps counts the steps of F, which take nearly all the time.
func (g *grid) steps(t tables.Training) int64 {
	return int64(g.epochs) * int64(g.parts.Train.Len()/curious.DefaultBatch)
}

// open reads the data for a target, with all sensitive attributes that the
// experiment has for it.
func (g *grid) open(e *env, target string) error {
	if g.target == target {
		return nil
	}
	g.parts = nil // one at a time: they are large
	bar := newMeter(e.stderr, "decoding pictures", 0, false)
	defer bar.close()
	p, err := dataset.OpenParts(e.ctx, g.Data, dataset.LabelledOptions{
		Kind: string(g.x.Data), Target: target, Sensitive: g.x.Sensitive(target),
		Side: g.side, Seed: g.Seed, Limit: g.limit, Cache: g.Cache,
		Progress: func(done, total int) { bar.set(int64(done), int64(total)) },
	})
	if err != nil {
		return err
	}
	for _, n := range p.Notes {
		if !slices.Contains(g.notes, n) {
			g.notes = append(g.notes, n)
		}
	}
	g.target, g.parts = target, p
	return nil
}

// gridManifest is what all cells of a folder share: the seeds and the choice of cells
// may change from one run to the next.
type gridManifest struct {
	Schema   string            `json:"schema"`
	Settings map[string]string `json:"settings"`
}

func (g *grid) settings() map[string]string {
	examples := "all"
	if g.limit > 0 {
		examples = strconv.Itoa(g.limit)
	}
	return map[string]string{
		"experiment": g.x.Name, "epochs": strconv.Itoa(g.epochs), "batch": strconv.Itoa(curious.DefaultBatch),
		"learning rate": strconv.FormatFloat(curious.DefaultLearningRate, 'g', -1, 64),
		"side":          strconv.Itoa(g.side), "examples": examples, "data seed": strconv.FormatUint(g.Seed, 10),
	}
}

// sameSettings holds the run to those that the folder was begun with.
func (g *grid) sameSettings() error {
	was, err := readManifest(g.dir)
	if err != nil || was == nil {
		return err
	}
	if d := differences(was.Settings, g.settings()); len(d) > 0 {
		return &run.MismatchError{Folder: g.dir, Fields: d}
	}
	return nil
}

// keepSettings writes them into the folder, unless they are there.
func (g *grid) keepSettings() error {
	file := filepath.Join(g.dir, manifestFile)
	if exists(file) {
		return nil
	}
	return run.WriteFile(file, func(w io.Writer) error {
		return indented(w, gridManifest{gridSchema, g.settings()})
	})
}

// readManifest returns nil where there is none of a grid.
func readManifest(dir string) (*gridManifest, error) {
	file := filepath.Join(dir, manifestFile)
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	m := new(gridManifest)
	if err := json.Unmarshal(b, m); err != nil || m.Schema != gridSchema {
		return nil, usage(fmt.Errorf("%s: not the settings of one of paper B's tables", file), "choose another folder with --out")
	}
	return m, nil
}

// finishedBefore says whether a finished run of paper B's tables is to be gone on
// with, for more seeds or other cells.
func (g *grid) finishedBefore() bool {
	if !g.Resume || g.Out == "" || !exists(filepath.Join(g.Out, reportJSON)) {
		return false
	}
	was, err := readManifest(g.Out)
	return err == nil && was != nil
}

// unreport takes away the report of a run that is gone on with.
func (g *grid) unreport() error {
	for _, name := range []string{reportJSON, reportHTML} { // the first marks the run as finished
		if err := os.Remove(filepath.Join(g.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// differences lists the settings in which two runs differ.
func differences(was, is map[string]string) []run.Difference {
	all := maps.Clone(was)
	maps.Copy(all, is)
	var out []run.Difference
	for _, k := range slices.Sorted(maps.Keys(all)) {
		if was[k] != is[k] {
			out = append(out, run.Difference{Field: k, Have: cmp.Or(was[k], "nothing"), Want: cmp.Or(is[k], "nothing")})
		}
	}
	return out
}

func indented(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "\t")
	e.SetEscapeHTML(false)
	return e.Encode(v)
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
	if g.Quick {
		return "quick: " + strings.Join(s, ", ")
	}
	return strings.Join(s, ", ")
}
