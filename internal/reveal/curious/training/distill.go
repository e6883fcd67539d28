package training

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/engine/onnx"
	"tattle/internal/file"
	"tattle/internal/protect/measure"
	"tattle/internal/reveal/curious"
	"tattle/internal/run"
)

// StudentAttack is what the settings of a student's result call its training.
const StudentAttack = "distillation"

// DistillOptions are the settings of Distill.
type DistillOptions struct {
	curious.Options           // the numbers and the seed
	Files           *file.Dir // writes the student; nil: any files
	Widths          [5]int    // of the student's layers; zero is the default net
	// Phase, unless nil, is called with the steps done of each phase, such as
	// "distilling".
	Phase func(phase string, done, total int)
}

// Student is a classifier that was distilled from a teacher.
type Student struct {
	*Result                      // its evaluation is by the teacher's attacks
	Data     *dataset.Parts      // that it was trained on
	Refitted *curious.Evaluation // by attacks fitted to the student; nil without attacks
	Took     time.Duration       // of the distillation
}

// Distill trains a student on the outputs of the teacher, on the part of the data that
// curious.SplitTeacher leaves for it, measures it and writes it into dir: model.onnx, the
// teacher's attacks, the attacks fitted to the student and result.json. It continues after the last
// epoch of a distillation in dir that was interrupted.
func (t *Teacher) Distill(ctx context.Context, dir string, o DistillOptions) (*Student, error) {
	if err := CheckWidths(o.Widths, t.Parts.Train.Shape); err != nil {
		return nil, err
	}
	if o.Widths != [5]int{} {
		o.Net = zoo.CuriousOf(t.Parts.Train.Shape, o.Widths)
	}
	s := &Student{}
	_, s.Data = curious.SplitTeacher(t.Whole, t.Result.Source.Seed)
	started := time.Now()
	teacher, err := run.Digest(filepath.Join(t.Dir, ModelFile))
	if err != nil {
		return nil, err
	}
	kept := newUnfinished(o.Files, dir, []any{teacher, o.Temperature, o.Epochs, o.Batch, o.Seed, o.Widths}, t.Parts.Sum())
	o.Unfinished = kept
	trained, err := curious.Distill(ctx, t.Model.Classifier, s.Data, o.in("distilling"))
	var broken *curious.UnfinishedError
	switch {
	case err != nil && ctx.Err() == nil && !errors.As(err, &broken):
		return nil, &measure.OptionError{Err: err}
	case err != nil && trained != nil:
		return nil, &run.InterruptedError{Kept: KeptEpochs, Cause: err}
	case err != nil:
		return nil, err
	}
	s.Took = time.Since(started)
	trained.Attacks = t.Model.Attacks
	s.Result = &Result{
		Schema: resultSchema, Settings: maps.Clone(t.Result.Settings), Data: t.Parts.Sum(), Learned: t.Parts.Learned(), Source: t.Result.Source,
		Examples: s.Data.Train.Len(),
		Epochs:   trained.Epochs, Best: trained.Best, Steps: trained.Steps, Parameters: trained.Classifier.ParamCount(),
	}
	s.Settings["attack"], s.Settings["seed"] = StudentAttack, strconv.FormatUint(o.Seed, 10)
	s.Settings["temperature"] = strconv.FormatFloat(o.Temperature, 'g', -1, 64)
	s.Settings["teacher"] = teacher
	if err := s.save(ctx, o.Files, dir, ".", trained, t.Parts, nil); err != nil {
		return nil, err
	}
	if err := s.refit(ctx, dir, t, trained, o); err != nil {
		return nil, err
	}
	return s, errors.Join(s.write(o.Files, dir), kept.remove())
}

// in returns the options of a phase.
func (o DistillOptions) in(phase string) curious.Options {
	if o.Phase != nil {
		o.Progress = func(done, total int, _ float64) { o.Phase(phase, done, total) }
	}
	return o.Options
}

// refit fits an attack to the student's outputs for each attribute that the teacher's
// attacks are on, writes it and evaluates it.
func (s *Student) refit(ctx context.Context, dir string, t *Teacher, trained *curious.Result, o DistillOptions) error {
	fitted, err := curious.FitAttacks(ctx, trained.Classifier, t.Parts, attacked(trained), o.in("fitting an attack"))
	if err != nil || len(fitted) == 0 {
		return err
	}
	for i, a := range fitted { // named so that curious.Open does not take them for the attacks
		name := "fitted-attack.onnx"
		if len(fitted) > 1 {
			name = fmt.Sprintf("fitted-attack-%d.onnx", i+1)
		}
		if err := onnx.WriteIn(o.Files, filepath.Join(dir, name), a.Graph); err != nil {
			return err
		}
		s.Files = append(s.Files, File{Name: name})
	}
	if s.Refitted, err = curious.Evaluate(ctx, trained.Classifier, fitted, t.Parts.Train, t.Parts.Test); err != nil {
		return err
	}
	curious.Adjust(s.Evaluation, s.Refitted)
	return nil
}

// best returns the evaluation of the student by the better attack on each attribute: the teacher's, or the one fitted to the
// student.
func (s *Student) best() *curious.Evaluation {
	best := *s.Evaluation
	best.Sensitive = slices.Clone(best.Sensitive)
	for i := range best.Sensitive {
		if x := s.Refitted.Sensitive[i]; x.Stronger(&best.Sensitive[i]) {
			best.Sensitive[i] = x
		}
	}
	return &best
}

// attacked returns the sensitive attributes that the attacks on a classifier are on.
func attacked(t *curious.Result) []int {
	var attributes []int
	for _, a := range t.Attacks {
		attributes = append(attributes, a.Index)
	}
	return attributes
}
