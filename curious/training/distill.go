package training

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"tattle/curious"
	"tattle/dataset"
	"tattle/measure"
	"tattle/nn"
	"tattle/nn/zoo"
	"tattle/onnx"
)

// StudentAttack is what the settings of a student's result call its training.
const StudentAttack = "distillation"

// DistillOptions are the settings of Distill. Zeros stand for the defaults of package
// curious.
type DistillOptions struct {
	Temperature float64 // of the softmax of raw outputs in the loss
	Epochs      int
	Batch       int
	Widths      [5]int // of the student's layers; zero is the default net
	Seed        uint64
	// Progress, unless nil, is called with the steps done of each phase, such as
	// "distilling".
	Progress func(phase string, done, total int)
}

// Student is a classifier that was distilled from a teacher.
type Student struct {
	*curious.DistillResult
	Data       *dataset.Parts // that it was trained on
	Parameters int
	Own        *curious.Evaluation // by the teacher's attacks
	Refitted   *curious.Evaluation // by attacks fitted to the student; nil without attacks
	Took       time.Duration       // of the distillation
}

// Distill trains a student on the outputs of the teacher, on the part of the data that
// curious.SplitTeacher leaves for it, measures it and writes it into dir: model.onnx, the
// teacher's attacks, the attacks fitted to the student and result.json. Interrupted, it
// keeps the best epoch so far, and returns it with ctx's error; nil if there is none.
func (t *Teacher) Distill(ctx context.Context, dir string, o DistillOptions) (*Student, error) {
	if err := CheckWidths(o.Widths, t.Parts.Train.Shape); err != nil {
		return nil, err
	}
	_, data := curious.SplitTeacher(t.Whole, t.Result.Source.Seed)
	started := time.Now()
	d, stopped := t.train(ctx, data, o)
	if d == nil {
		return nil, stopped
	}
	s := &Student{DistillResult: d, Data: data, Parameters: d.Student.ParamCount(), Took: time.Since(started)}
	var fitted []curious.Attack
	if stopped == nil {
		fitted, stopped = t.refit(ctx, d.Student, o)
	}
	if stopped != nil && ctx.Err() == nil {
		return nil, stopped
	}
	if err := t.measure(context.WithoutCancel(ctx), s, fitted); err != nil {
		return nil, err
	}
	if err := t.keep(dir, s, fitted, o); err != nil {
		return nil, err
	}
	return s, stopped
}

// phase returns the progress function of a phase.
func (o DistillOptions) phase(name string) func(done, total int, loss float64) {
	if o.Progress == nil {
		return nil
	}
	return func(done, total int, _ float64) { o.Progress(name, done, total) }
}

// train trains the student.
func (t *Teacher) train(ctx context.Context, data *dataset.Parts, o DistillOptions) (*curious.DistillResult, error) {
	c := curious.DistillOptions{Temperature: o.Temperature, Epochs: o.Epochs, Batch: o.Batch, Seed: o.Seed, Progress: o.phase("distilling")}
	if o.Widths != [5]int{} {
		c.Net = zoo.CuriousOf(t.Parts.Train.Shape, o.Widths)
	}
	d, err := curious.Distill(ctx, t.Model.Classifier, data, c)
	if err != nil && ctx.Err() == nil {
		err = &measure.OptionError{Err: err}
	}
	return d, err
}

// refit fits an attack to the student's outputs for each attribute that the teacher's
// attacks are on.
func (t *Teacher) refit(ctx context.Context, student *nn.Graph, o DistillOptions) ([]curious.Attack, error) {
	attributes := make([]int, len(t.Model.Attacks))
	for i, a := range t.Model.Attacks {
		attributes[i] = a.Index
	}
	return curious.FitAttacks(ctx, student, t.Parts, attributes, curious.Options{
		Epochs: o.Epochs, Batch: o.Batch, Seed: o.Seed, Progress: o.phase("fitting an attack"),
	})
}

// measure evaluates the student under both attacks.
func (t *Teacher) measure(ctx context.Context, s *Student, fitted []curious.Attack) (err error) {
	evaluate := func(attacks []curious.Attack) (*curious.Evaluation, error) {
		return curious.Evaluate(ctx, s.Student, attacks, t.Parts.Train, t.Parts.Test)
	}
	if s.Own, err = evaluate(t.Model.Attacks); err == nil && len(fitted) > 0 {
		s.Refitted, err = evaluate(fitted)
	}
	return err
}

// keep writes the student, the teacher's attacks, those fitted to the student and the
// result.
func (t *Teacher) keep(dir string, s *Student, fitted []curious.Attack, o DistillOptions) error {
	if err := onnx.Write(filepath.Join(dir, modelFile), s.Student); err != nil {
		return err
	}
	if err := t.copyAttacks(dir); err != nil {
		return err
	}
	for i, a := range fitted { // named so that curious.Open does not take them for the attacks
		name := "fitted-attack.onnx"
		if len(fitted) > 1 {
			name = fmt.Sprintf("fitted-attack-%d.onnx", i+1)
		}
		if err := onnx.Write(filepath.Join(dir, name), a.Graph); err != nil {
			return err
		}
	}
	models, err := fs.Glob(os.DirFS(dir), "*.onnx")
	if err != nil {
		return err
	}
	return t.studentResult(s, o).write(dir, models)
}

// studentResult returns the result of a student, which Prune reads.
func (t *Teacher) studentResult(s *Student, o DistillOptions) *Result {
	r := &Result{
		Record: Record{Schema: resultSchema, Settings: maps.Clone(t.Result.Settings), Data: t.Result.Data, Best: s.Best, Unfinished: s.Stopped},
		Source: t.Result.Source, Parameters: s.Parameters, Steps: s.Steps, Taus: t.Result.Taus, Evaluation: s.Own,
	}
	r.Settings["attack"], r.Settings["seed"] = StudentAttack, strconv.FormatUint(o.Seed, 10)
	r.Settings["temperature"], r.Settings["teacher"] = strconv.FormatFloat(o.Temperature, 'g', -1, 64), t.Result.Files[len(t.Result.Files)-1].SHA256
	return r
}
