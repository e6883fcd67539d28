package cli

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"tattle/curious"
	"tattle/dataset"
	"tattle/internal/file"
	"tattle/reproduce"
	"tattle/run"
)

// cellName is the folder of a cell, below the run's.
func cellName(t reproduce.Training, seed uint64) string {
	return fmt.Sprintf("%s/%s/%s%d", cellsDir, t.Key, seedPrefix, seed)
}

// of is the cell of a name; nil for no such.
func (g *grid) of(name string) (*reproduce.Training, uint64) {
	key, text, _ := strings.Cut(strings.TrimPrefix(name, cellsDir+"/"), "/"+seedPrefix)
	seed, err := strconv.ParseUint(text, 10, 64)
	t := g.x.Training(key)
	if err != nil || t == nil || cellName(*t, seed) != name {
		return nil, 0
	}
	return t, seed
}

// label implements trainingSet.
func (g *grid) label(name string) string {
	t, seed := g.of(name)
	if t == nil {
		return ""
	}
	return fmt.Sprintf("%s, seed %d", t.Key, seed)
}

// manifest implements trainingSet.
func (g *grid) manifest(e *env, names []string) (run.Manifest, error) {
	m := run.Manifest{Command: "reproduce", Shards: len(names), Settings: stageSettings{g.settings(), names}, Hashes: map[string]string{}}
	for _, name := range names {
		t, _ := g.of(name)
		if err := g.know(e, t.Target); err != nil {
			return m, err
		}
		m.Hashes[dataOf(t.Target)] = g.data[t.Target].digest
	}
	return m, nil
}

// finished implements trainingSet.
func (g *grid) finished(name, dir string) (*trained, error) {
	t, seed := g.of(name)
	r, err := g.cellIn(dir, *t, seed)
	if r == nil {
		return nil, err
	}
	return &r.trained, nil
}

// cellIn returns the cell in a folder, nil where it is not finished.
func (g *grid) cellIn(dir string, t reproduce.Training, seed uint64) (*cellResult, error) {
	r, want := new(cellResult), g.want(t, seed)
	if ok, err := want.finished(dir, r); !ok || err != nil {
		return nil, err
	}
	return r, nil
}

// onUnpacked implements trainingSet.
func (g *grid) onUnpacked(string) error { return nil }

// onDone implements trainingSet.
func (g *grid) onDone(e *env, name string, took time.Duration) {
	t, _ := g.of(name)
	g.trained(e, g.data[t.Target].steps, took)
}

// make implements trainingSet.
func (g *grid) make(ctx context.Context, e *env, name, dir string) error {
	t, seed := g.of(name)
	if err := g.open(e, t.Target); err != nil {
		return err
	}
	if err := file.MkdirAll(dir); err != nil {
		return err
	}
	c := &cellRun{grid: g, ctx: ctx, t: *t, seed: seed, dir: dir, result: g.newResult(*t, seed)}
	if err := c.run(); err != nil {
		return err
	}
	return keep(dir, c.result, c.models)
}

// cellRun trains one cell.
type cellRun struct {
	*grid
	ctx    context.Context
	t      reproduce.Training
	seed   uint64
	dir    string
	result *cellResult
	models []string // files below dir
}

// options are those of F's training.
func (g *grid) options(t reproduce.Training, seed uint64) curious.Options {
	o := curious.Options{Attack: t.Kind, Outputs: t.Outputs[0], Beta: t.Beta, Epochs: g.epochs, Seed: seed}
	if t.Kind == curious.Standard {
		o.Outputs = curious.Raw // soft ones are made of them
	}
	if t.Kind != curious.Standard {
		o.Attributes = []int{g.index(t, t.Sensitive[0])}
	}
	o.Net = curiousNet(g.parts.Train.Shape, t.Widths)
	return o
}

// progress moves the bar of the whole grid.
func (c *cellRun) progress(before int) func(done, total int, loss float64) {
	return func(done, _ int, _ float64) { c.at(int64(before + done)) }
}

// run trains, measures and saves the models. A training whose loss is no longer
// finite fails by itself: the grid goes on without it.
func (c *cellRun) run() error {
	parts, student := c.parts, (*dataset.Parts)(nil)
	if c.t.Distill {
		parts, student = curious.SplitTeacher(c.parts, c.seed)
	}
	o := c.options(c.t, c.seed)
	o.Progress = c.progress(0)
	f, err := curious.Train(c.ctx, parts, o)
	if err != nil {
		return c.failed(err)
	}
	c.result.Epochs, c.result.Best = f.Epochs, f.Best
	if c.t.Kind == curious.Standard {
		return c.overlearn(parts, f)
	}
	if err := c.measure(string(o.Outputs), f); err != nil || !c.t.Distill {
		return err
	}
	return c.distill(student, f)
}

// failed keeps why a cell has no figures, unless somebody interrupted it.
func (c *cellRun) failed(err error) error {
	if c.ctx.Err() != nil {
		return c.ctx.Err()
	}
	c.result.Failed = err.Error()
	return nil
}

// overlearn fits attacks to the outputs of the standard net f, of each kind asked for
// and on each sensitive attribute (B section 5.1.3).
func (c *cellRun) overlearn(p *dataset.Parts, f *curious.Result) error {
	attributes := make([]int, len(c.t.Sensitive))
	for i, s := range c.t.Sensitive {
		attributes[i] = c.index(c.t, s)
	}
	for _, o := range c.t.Outputs {
		released := *f
		released.Classifier = curious.Release(f.Classifier, o)
		var err error
		released.Attacks, err = curious.FitAttacks(c.ctx, released.Classifier, p, attributes, curious.AttackOptions{Epochs: c.epochs, Seed: c.seed})
		if err != nil {
			return c.failed(err)
		}
		if err := c.measure(string(o), &released); err != nil {
			return err
		}
	}
	return nil
}

// distill trains the student on the outputs of the teacher f and tries the teacher's
// attacks on it (B section 5.8).
func (c *cellRun) distill(p *dataset.Parts, f *curious.Result) error {
	d, err := curious.Distill(c.ctx, f.Classifier, p, curious.DistillOptions{
		Epochs: c.epochs, Seed: c.seed, Progress: c.progress(f.Steps),
		Net: curiousNet(p.Train.Shape, curious.StudentWidths),
	})
	if err != nil {
		return c.failed(err)
	}
	student := *f
	student.Classifier = d.Student
	return c.measure(reproduce.Student, &student)
}

// measure evaluates a classifier with its attacks, and saves them: the first in the
// cell's folder, others below it.
func (c *cellRun) measure(name string, f *curious.Result) error {
	m := new(cellMeasure)
	var err error
	if m.Evaluation, err = curious.Evaluate(c.ctx, f.Classifier, f.Attacks, c.parts.Train, c.parts.Test); err != nil {
		return err
	}
	for _, a := range f.Attacks {
		m.Taus = append(m.Taus, a.Tau)
	}
	if m.Pruned, err = c.prune(f); err != nil {
		return err
	}
	below := "."
	if len(c.result.Measures) > 0 {
		below = name
	}
	c.result.Measures[name] = m
	models, err := f.Files()
	if err != nil {
		return err
	}
	for _, file := range models {
		c.models = append(c.models, path.Join(below, file))
	}
	return curious.Save(filepath.Join(c.dir, below), f)
}

// prune measures what is left after pruning (B section 5.7).
func (c *cellRun) prune(f *curious.Result) (out []prunedMeasure, err error) {
	for _, fraction := range c.x.Pruned {
		g, err := curious.Prune(f.Classifier, fraction, curious.PruneOptions{})
		if err != nil {
			return nil, err
		}
		e, err := curious.Evaluate(c.ctx, g, f.Attacks, nil, c.parts.Test) // its baselines are not used
		if err != nil {
			return nil, err
		}
		m := prunedMeasure{Fraction: fraction, Honesty: e.Honesty}
		for _, s := range e.Sensitive {
			m.Curiosity = append(m.Curiosity, s.Curiosity)
		}
		out = append(out, m)
	}
	return out, nil
}
