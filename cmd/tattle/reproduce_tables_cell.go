package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"tattle/curious"
	"tattle/dataset"
	"tattle/tables"
)

func (g *grid) cellDir(t tables.Training, seed uint64) string {
	return filepath.Join(g.dir, cellsDir, t.Key, fmt.Sprintf("seed-%d", seed))
}

// kept returns a cell that is finished, nil where there is none.
func (g *grid) kept(e *env, t tables.Training, seed uint64) (*cellResult, error) {
	dir := g.cellDir(t, seed)
	if !exists(filepath.Join(dir, resultFile)) {
		return nil, nil
	}
	if err := g.open(e, t.Target); err != nil {
		return nil, err
	}
	return g.newResult(t, seed).finished(dir)
}

// cell returns what a cell came to, from its folder where it is finished.
func (g *grid) cell(e *env, t tables.Training, seed uint64) (*cellResult, error) {
	if err := g.open(e, t.Target); err != nil {
		return nil, err
	}
	dir := g.cellDir(t, seed)
	r := g.newResult(t, seed)
	if was, err := r.finished(dir); was != nil || err != nil {
		return was, err
	}
	if err := errors.Join(g.unreport(), os.MkdirAll(dir, 0o777)); err != nil {
		return nil, err
	}
	started := time.Now()
	c := &cellRun{grid: g, env: e, t: t, seed: seed, dir: dir, result: r}
	if err := c.run(); err != nil {
		return nil, fmt.Errorf("%s, seed %d: %w", t.Key, seed, err)
	}
	g.trained(e, g.steps(), time.Since(started))
	return r, r.write(dir)
}

// cellRun trains one cell.
type cellRun struct {
	*grid
	*env
	t      tables.Training
	seed   uint64
	dir    string
	result *cellResult
}

// options are those of F's training.
func (g *grid) options(t tables.Training, seed uint64) curious.Options {
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
	return func(done, _ int, _ float64) { c.bar.set(c.done+int64(before+done), c.total) }
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
	return c.measure(tables.Student, &student)
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
	dir := c.dir
	if len(c.result.Measures) > 0 {
		dir = filepath.Join(c.dir, name)
	}
	c.result.Measures[name] = m
	return curious.Save(dir, f)
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
