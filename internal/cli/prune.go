package cli

import (
	"context"
	"errors"
	"fmt"

	"tattle/internal/report"
	"tattle/internal/reveal/curious"
	"tattle/internal/reveal/curious/training"
)

type pruneCmd struct {
	taught
	Fractions []float64 `help:"Fractions of the weights to set to zero, ascending (default: 0, 0.1 … 0.9)." default:"0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9" placeholder:"F" range:"[0,1]"`
	Keep      *float64  `help:"Also write the model pruned by this fraction as model.onnx." placeholder:"F" range:"[0,1]"`
	output
}

func (pruneCmd) Help() string {
	return "Example: tattle prune curious --out pruned\n\nSets the smallest weights of a trained classifier to zero, without further training, and measures its honesty and curiosity at each fraction (paper B, figure 9)."
}

func (c *pruneCmd) Run(ctx context.Context, e *env) error {
	if len(c.Fractions) == 0 {
		return usage(errors.New("--fractions: at least one is required"), "")
	}
	for i, f := range c.Fractions[1:] {
		if f <= c.Fractions[i] {
			return usage(fmt.Errorf("--fractions: %g follows %g", f, c.Fractions[i]), "give them in ascending order")
		}
	}
	return c.taught.compute(ctx, e, resumable{output: c.output}, "prune", func(dir string, t *training.Teacher) (*report.Report, error) {
		r := newReport(e, "Pruning a "+training.Title(t.Parts.Train), t.Options.Seed)
		bar := e.bars.Begin("pruning")
		points, err := curious.EvaluatePruned(ctx, t.Model.Classifier, t.Model.Attacks, t.Parts.Test, c.Fractions, func(done int) { bar(done, len(c.Fractions)) })
		if err == nil {
			err = t.ReportPruned(r, points)
		}
		if err == nil && c.Keep != nil {
			err = t.KeepPruned(e.files, dir, *c.Keep)
		}
		if err == nil && c.Keep != nil {
			err = modelOf(r, dir, modelFile)
		}
		if err != nil {
			return nil, err
		}
		return r, nil
	})
}
