package cli

import (
	"context"
	"path/filepath"

	"tattle/internal/protect/measure"
	"tattle/internal/report"
	"tattle/internal/reveal/curious"
	"tattle/internal/reveal/curious/training"
	"tattle/internal/run"
)

type distillCmd struct {
	taught
	Temperature float64 `help:"Temperature of the softmax of raw outputs in the loss." default:"1" range:"[0.01,1000]"`
	Epochs      int     `help:"Passes over the student's training data." default:"50" range:"[1,100000]"`
	Batch       int     `help:"Examples per step." default:"100" range:"[1,65536]"`
	Widths      string  `help:"Widths of the student's layers (default: 64-64-64-64-64; other nets: the teacher's)." placeholder:"A-B-C-D-E"`
	resumable
}

func (distillCmd) Help() string {
	return "Example: tattle distill curious --out student\n\nTrains a student to mimic the outputs of a trained classifier on a fifth of the training part, without labels (paper B, section 5.8). Then it measures the student's curiosity with the teacher's attack and with an attack fitted to the student. Train the teacher with --hold-out, so that it has not seen that fifth."
}

func (c *distillCmd) Run(ctx context.Context, e *env) error {
	widths, err := parseWidths("widths", c.Widths)
	if err != nil {
		return err
	}
	return c.taught.compute(ctx, e, c.resumable, "distill", func(dir string, t *training.Teacher) (*report.Report, error) {
		o := curious.Options{Temperature: c.Temperature, Epochs: c.Epochs, Batch: c.Batch, Seed: c.Seed}
		s, err := t.Distill(ctx, dir, training.DistillOptions{Files: e.files, Options: o, Widths: widths, Phase: e.bars.Set})
		if err != nil {
			return nil, err
		}
		r := newReport(e, "A student of a "+training.Title(t.Parts.Train), c.Seed)
		r.Timing["distillation"] = s.Took.Seconds()
		if err := s.Report(r, t); err != nil {
			return nil, err
		}
		if r.Files, err = report.Digests(dir, s.Paths(".")); err != nil {
			return nil, err
		}
		return r, modelOf(r, dir, modelFile)
	})
}

// taught is what distill and prune have in common: a run of `train`, and its data.
type taught struct {
	Run  string `arg:"" help:"Folder of a run of tattle train (paper B's training), or of one of its seeds (default: the first)." placeholder:"RUN" input:"file"`
	Data string `help:"Path of the data, if they have moved." placeholder:"PATH" input:"data"`
}

// open reads the run and then its data.
func (c *taught) open(ctx context.Context, e *env) (*training.Teacher, error) {
	t, err := training.OpenTeacher(c.Run)
	if err != nil {
		return nil, err
	}
	moved := c.Data
	if moved != "" {
		moved = absolute(moved)
	}
	return t, measure.WrongData(ctx, "Data", t.OpenData(ctx, moved, e.bars.Begin("reading the data")))
}

// compute opens the run and has work make the report of what is done with it.
func (c *taught) compute(ctx context.Context, e *env, o resumable, command string, work func(dir string, t *training.Teacher) (*report.Report, error)) error {
	return o.compute(ctx, e, command, func(dir string) (*report.Report, error) {
		t, err := c.open(ctx, e)
		if err != nil {
			return nil, err
		}
		return work(dir, t)
	})
}

// modelOf notes a model beside the report.
func modelOf(r *report.Report, dir, file string) error {
	hash, err := run.Digest(filepath.Join(dir, file))
	r.Model = report.Model{Path: file, SHA256: hash}
	return err
}
