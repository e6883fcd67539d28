package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"strconv"
	"time"

	"tattle/curious"
	"tattle/dataset"
	"tattle/nn"
	"tattle/nn/zoo"
	"tattle/onnx"
	"tattle/report"
)

// unknown is a figure that was not measured.
var unknown = report.Number(math.NaN())

// Limits of the temperature: beyond them float32 cannot represent the loss.
const (
	leastTemperature = .01
	mostTemperature  = 1000.
)

// studentAttack is what result.json calls the making of a student.
const studentAttack = "distillation"

type distillCmd struct {
	taught
	Temperature float64 `help:"Temperature of the softmax of raw outputs in the loss." default:"1"`
	Epochs      int     `help:"Passes over the student's training data." default:"50"`
	Batch       int     `help:"Examples per step." default:"100"`
	Widths      string  `help:"Widths of the student's layers (default: 64-64-64-64-64; other nets: the teacher's)." placeholder:"A-B-C-D-E"`
	output
}

func (distillCmd) Help() string {
	return "Example: tattle distill curious --out student\n\nTrains a student to mimic the outputs of a trained classifier on a fifth of the training part, without labels (paper B, section 5.8). Then it measures the student's curiosity with the teacher's attack and with an attack fitted to the student. Train the teacher with --hold-out, so that it has not seen that fifth."
}

func (c *distillCmd) Run(ctx context.Context, e *env) error {
	widths, err := c.check()
	if err != nil {
		return err
	}
	return c.in(ctx, e, "distill", false, func(dir string) error {
		t, err := c.open(ctx, e)
		if err != nil {
			return err
		}
		if err := (seedRun{widths: widths}).checkWidths(t.parts); err != nil {
			return err
		}
		started := time.Now()
		r, stopped := c.distill(ctx, e, dir, t, widths)
		if r == nil {
			return stopped
		}
		r.Timing["total"] = seconds(started)
		if err := c.finish(e, dir, r); err != nil || stopped == nil {
			return err
		}
		return fmt.Errorf("the unfinished student is in %s: %w", dir, stopped)
	})
}

func (c *distillCmd) check() (widths [5]int, err error) {
	numbers := trainCmd{Epochs: c.Epochs, Batch: c.Batch, LearningRate: defaultLearningRate}
	if err := numbers.checkNumbers(); err != nil {
		return widths, err
	}
	if c.Epochs == 0 {
		return widths, usage(errors.New("--epochs 0: must be at least 1"), "")
	}
	if !(c.Temperature >= leastTemperature && c.Temperature <= mostTemperature) {
		return widths, usage(fmt.Errorf("--temperature %g: must be between %g and %g", c.Temperature, leastTemperature, mostTemperature), "paper B's is 1")
	}
	return parseWidths("widths", c.Widths)
}

// distill trains the student, attacks it twice, and reports on it beside the teacher.
// Interrupted, it reports on the best epoch so far, with ctx's error; nil where there
// is none.
func (c *distillCmd) distill(ctx context.Context, e *env, dir string, t *teacher, widths [5]int) (*report.Report, error) {
	r := newReport(e, "A student of a classifier of "+curiousName(t.parts.Train), c.Seed)
	_, data := curious.SplitTeacher(t.whole, t.result.Source.Seed)
	stop := timed(r, "distillation")
	d, stopped := c.train(ctx, e, t, data, widths)
	if d == nil {
		return nil, stopped
	}
	stop()
	var fitted []curious.Attack
	if stopped == nil {
		fitted, stopped = c.refit(ctx, e, d.Student, t)
	}
	if stopped != nil && ctx.Err() == nil {
		return nil, stopped
	}
	if err := c.measure(context.WithoutCancel(ctx), dir, r, t, d, fitted); err != nil {
		return nil, err
	}
	if stopped != nil {
		r.Outcome, r.Verdict = report.Unfinished, "unfinished"
		r.Warnings = append(r.Warnings, fmt.Sprintf("Distillation was interrupted: %d of %d epochs were completed, and no attack was fitted to the student.", len(d.Epochs), c.Epochs))
	}
	r.Training = c.training(d, data)
	r.Data = report.DataOf(t.parts.Test, "", string(dataset.Test))
	r.Settings["teacher"], r.Settings["temperature"] = t.here(), strconv.FormatFloat(c.Temperature, 'g', -1, 64)
	r.Warnings = append(append(r.Warnings, t.notes...), t.parts.Notes...)
	if !t.result.Source.HoldOut || t.options.Attack == studentAttack {
		r.Warnings = append(r.Warnings, "The teacher was trained on the student's examples, too: train it with --hold-out to keep them from it.")
	}
	return r, stopped
}

func (c *distillCmd) train(ctx context.Context, e *env, t *teacher, data *dataset.Parts, widths [5]int) (*curious.DistillResult, error) {
	bar := newMeter(e.stderr, "distilling", 0, false)
	defer bar.close()
	o := curious.DistillOptions{
		Temperature: c.Temperature, Epochs: c.Epochs, Batch: c.Batch, Seed: c.Seed,
		Progress: func(done, total int, _ float64) { bar.set(int64(done), int64(total)) },
	}
	if widths != [5]int{} {
		o.Net = zoo.CuriousOf(t.parts.Train.Shape, widths)
	}
	d, err := curious.Distill(ctx, t.model.Classifier, data, o)
	if err != nil && ctx.Err() == nil {
		err = usage(err, "")
	}
	return d, err
}

// refit fits an attack to the student's outputs for each attribute that the
// teacher's attacks are on.
func (c *distillCmd) refit(ctx context.Context, e *env, student *nn.Graph, t *teacher) ([]curious.Attack, error) {
	bar := newMeter(e.stderr, "fitting an attack", 0, false)
	defer bar.close()
	attributes := make([]int, len(t.model.Attacks))
	for i, a := range t.model.Attacks {
		attributes[i] = a.Index
	}
	fitted, err := curious.FitAttacks(ctx, student, t.parts, attributes, curious.AttackOptions{
		Epochs: c.Epochs, Batch: c.Batch, Seed: c.Seed,
		Progress: func(done, total int, _ float64) { bar.set(int64(done), int64(total)) },
	})
	if err != nil {
		return nil, err
	}
	return fitted, nil
}

// measure evaluates teacher and student, and keeps the student.
func (c *distillCmd) measure(ctx context.Context, dir string, r *report.Report, t *teacher, d *curious.DistillResult, fitted []curious.Attack) error {
	own, err := evaluate(ctx, d.Student, t.model.Attacks, t.parts)
	if err != nil {
		return err
	}
	teachers := t.result.Evaluation
	r.Curiosity, r.Utility = headline(own, t.options, t.result.Taus), honestyOf(own)
	if r.Curiosity != nil {
		r.Curiosity.Attack = "student" // it was trained for nothing but its teacher's outputs
	}
	told := report.Run{Attack: string(t.options.Attack), Outputs: string(t.options.Outputs), Beta: t.options.Beta, Seed: t.options.Seed}
	addRuns(r, teachers, told, "teacher")
	student := report.Run{Attack: "student", Outputs: told.Outputs, Beta: told.Beta, Seed: c.Seed}
	addRuns(r, own, student, "student, the teacher's attack")
	addCurves(r, teachers, "teacher")
	addCurves(r, own, "student")
	r.Conclude(report.Done, "distilled")
	if len(fitted) > 0 {
		refitted, err := evaluate(ctx, d.Student, fitted, t.parts)
		if err != nil {
			return err
		}
		student.Attack = "refitted"
		addRuns(r, refitted, student, "student, an attack fitted to it")
		_, byTeacher := standing(own)
		_, byFitted := standing(refitted)
		r.Verdict += "; of the student's outputs: " + byTeacher + " by the teacher's attack, " + byFitted + " by one fitted to them"
	}
	if err := c.keep(dir, t, d, fitted); err != nil {
		return err
	}
	models, err := filepath.Glob(filepath.Join(escapeGlob(dir), "*.onnx"))
	if err != nil {
		return err
	}
	for i := range models {
		models[i] = filepath.Base(models[i])
	}
	if err := c.result(t, d, own).write(dir, models); err != nil {
		return err
	}
	return modelOf(r, dir, modelFile, t.parts.Train.Shape, len(t.parts.Train.YNames))
}

// result is what prune reads of the student.
func (c *distillCmd) result(t *teacher, d *curious.DistillResult, own *curious.Evaluation) *seedResult {
	x := &seedResult{
		trained: trained{Schema: resultSchema, Settings: maps.Clone(t.result.Settings), Data: t.result.Data, Best: d.Best, Unfinished: d.Stopped},
		Source:  t.result.Source, Parameters: parameters(d.Student), Steps: d.Steps,
		Taus: t.result.Taus, Evaluation: own,
	}
	x.Settings["attack"], x.Settings["seed"] = studentAttack, strconv.FormatUint(c.Seed, 10)
	x.Settings["temperature"], x.Settings["teacher"] = strconv.FormatFloat(c.Temperature, 'g', -1, 64), t.result.Files[len(t.result.Files)-1].SHA256
	return x
}

func evaluate(ctx context.Context, f *nn.Graph, attacks []curious.Attack, p *dataset.Parts) (*curious.Evaluation, error) {
	return curious.Evaluate(ctx, f, attacks, p.Train, p.Test)
}

// keep writes the student, the teacher's attacks and those fitted to the student.
func (c *distillCmd) keep(dir string, t *teacher, d *curious.DistillResult, fitted []curious.Attack) error {
	if err := onnx.Write(filepath.Join(dir, modelFile), d.Student); err != nil {
		return err
	}
	if err := t.copyAttacks(dir); err != nil {
		return err
	}
	for i, a := range fitted { // named so that the student's own attacks stay its teacher's
		name := "fitted-attack.onnx"
		if len(fitted) > 1 {
			name = fmt.Sprintf("fitted-attack-%d.onnx", i+1)
		}
		if err := onnx.Write(filepath.Join(dir, name), a.Graph); err != nil {
			return err
		}
	}
	return nil
}

func (c *distillCmd) training(d *curious.DistillResult, data *dataset.Parts) *report.Training {
	x := &report.Training{
		Task: data.Train.Name + " by its teacher", Parameters: parameters(d.Student), Examples: data.Train.Len(), Asked: c.Epochs, Batch: c.Batch,
		Optimizer: fmt.Sprintf("Adam, learning rate %g", curious.DefaultLearningRate),
	}
	for _, ep := range d.Epochs {
		x.Epochs = append(x.Epochs, report.Epoch{Loss: report.Number(ep.Loss), Accuracy: report.Number(ep.Validation)})
	}
	return x
}
