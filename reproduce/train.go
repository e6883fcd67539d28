package reproduce

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"

	"tattle/curious"
	"tattle/dataset"
	"tattle/nn/zoo"
)

// TrainOptions are the settings of Train.
type TrainOptions struct {
	Epochs   int
	Seed     uint64
	Progress func(steps int) // called with the steps of training done, a student's after its teacher's
}

// Trained is a training that has finished.
type Trained struct {
	Measured
	Epochs []curious.Epoch
	Best   int
	Models []string // files below the folder
	Failed string   // why there are no measures: the loss was no longer finite, for one
}

// Check returns an error if a training cannot be done on these data.
func (x *Experiment) Check(t Training, p *dataset.Parts, o TrainOptions) error {
	n := p.Train.Len()
	if student := int(curious.StudentShare * float64(n)); t.Distill && student < curious.DefaultBatch {
		return fmt.Errorf("the student's share of %d training examples is %d, less than a batch of %d: use more data", n, student, curious.DefaultBatch)
	}
	return x.options(t, p, o).Check(p)
}

// steps counts the steps of the classifier's training, which take nearly all the time;
// a teacher and its student share them. Fewer examples than a batch are one batch.
func steps(p *dataset.Parts, epochs int) int64 {
	n := p.Train.Len()
	return int64(epochs) * int64(n/min(n, curious.DefaultBatch))
}

// Train does one training on the data, measures it and saves its models below dir. A
// training whose loss is no longer finite is no error: Failed says why.
func (x *Experiment) Train(ctx context.Context, t Training, p *dataset.Parts, dir string, o TrainOptions) (*Trained, error) {
	c := &trainer{x: x, t: t, parts: p, dir: dir, o: o, result: &Trained{Measured: Measured{Counts: map[string][][]int{}, Measures: map[string]*Measure{}}}}
	for _, s := range t.Sensitive {
		c.result.Counts[s] = jointCounts(p.Train, x.index(t, s))
	}
	return c.result, c.run(ctx)
}

// index is the position of a sensitive attribute among those of the target's data.
func (x *Experiment) index(t Training, sensitive string) int {
	return slices.Index(x.Sensitive(t.Target), sensitive)
}

// jointCounts counts the examples by class of s and class of y.
func jointCounts(set *dataset.Set, index int) [][]int {
	s := set.Sensitive[index]
	n := make([][]int, len(s.Values))
	for i := range n {
		n[i] = make([]int, len(set.YNames))
	}
	for i, y := range set.Y {
		n[s.Labels[i]][y]++
	}
	return n
}

// trainer does one training.
type trainer struct {
	x      *Experiment
	t      Training
	parts  *dataset.Parts
	dir    string
	o      TrainOptions
	result *Trained
}

// options are those of the classifier's training.
func (x *Experiment) options(t Training, p *dataset.Parts, of TrainOptions) curious.Options {
	o := curious.Options{Attack: t.Kind, Outputs: t.Outputs[0], Beta: t.Beta, Epochs: of.Epochs, Seed: of.Seed}
	if t.Kind == curious.Standard {
		o.Outputs = curious.Raw // soft ones are made of them
	}
	if t.Kind != curious.Standard {
		o.Attributes = []int{x.index(t, t.Sensitive[0])}
	}
	o.Net = zoo.CuriousOf(p.Train.Shape, t.Widths)
	return o
}

// progress reports the steps of a training that follows others.
func (c *trainer) progress(before int) func(done, total int, loss float64) {
	return func(done, _ int, _ float64) {
		if c.o.Progress != nil {
			c.o.Progress(before + done)
		}
	}
}

// run trains, measures and saves the models.
func (c *trainer) run(ctx context.Context) error {
	parts, student := c.parts, (*dataset.Parts)(nil)
	if c.t.Distill {
		parts, student = curious.SplitTeacher(c.parts, c.o.Seed)
	}
	o := c.x.options(c.t, c.parts, c.o)
	o.Progress = c.progress(0)
	f, err := curious.Train(ctx, parts, o)
	if err != nil {
		return c.failed(ctx, err)
	}
	c.result.Epochs, c.result.Best = f.Epochs, f.Best
	if c.t.Kind == curious.Standard {
		return c.overlearn(ctx, parts, f)
	}
	if err := c.measure(ctx, string(o.Outputs), f); err != nil || !c.t.Distill {
		return err
	}
	return c.distill(ctx, student, f)
}

// failed keeps why a cell has no figures, unless somebody interrupted it.
func (c *trainer) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	c.result.Failed = err.Error()
	return nil
}

// overlearn fits attacks to the outputs of the standard net f, of each kind asked for
// and on each sensitive attribute (B section 5.1.3).
func (c *trainer) overlearn(ctx context.Context, p *dataset.Parts, f *curious.Result) error {
	attributes := make([]int, len(c.t.Sensitive))
	for i, s := range c.t.Sensitive {
		attributes[i] = c.x.index(c.t, s)
	}
	for _, o := range c.t.Outputs {
		released := *f
		released.Classifier = curious.Release(f.Classifier, o)
		var err error
		released.Attacks, err = curious.FitAttacks(ctx, released.Classifier, p, attributes, curious.Options{Epochs: c.o.Epochs, Seed: c.o.Seed})
		if err != nil {
			return c.failed(ctx, err)
		}
		if err := c.measure(ctx, string(o), &released); err != nil {
			return err
		}
	}
	return nil
}

// distill trains the student on the outputs of the teacher f and tries the teacher's
// attacks on it (B section 5.8).
func (c *trainer) distill(ctx context.Context, p *dataset.Parts, f *curious.Result) error {
	d, err := curious.Distill(ctx, f.Classifier, p, curious.DistillOptions{
		Epochs: c.o.Epochs, Seed: c.o.Seed, Progress: c.progress(f.Steps),
		Net: zoo.CuriousOf(p.Train.Shape, curious.StudentWidths),
	})
	if err != nil {
		return c.failed(ctx, err)
	}
	student := *f
	student.Classifier = d.Student
	return c.measure(ctx, Student, &student)
}

// measure evaluates a classifier with its attacks, and saves them: the first in the
// cell's folder, others below it.
func (c *trainer) measure(ctx context.Context, name string, f *curious.Result) error {
	m := new(Measure)
	var err error
	if m.Evaluation, err = curious.Evaluate(ctx, f.Classifier, f.Attacks, c.parts.Train, c.parts.Test); err != nil {
		return err
	}
	for _, a := range f.Attacks {
		m.Taus = append(m.Taus, a.Tau)
	}
	// what is left after pruning (B section 5.7)
	if m.Pruned, err = curious.EvaluatePruned(ctx, f.Classifier, f.Attacks, c.parts.Test, c.x.Pruned, curious.PruneOptions{}, nil); err != nil {
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
		c.result.Models = append(c.result.Models, path.Join(below, file))
	}
	return curious.Save(filepath.Join(c.dir, below), f)
}
