package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"tattle/curious"
	"tattle/dataset"
	"tattle/nn"
	"tattle/onnx"
	"tattle/report"
)

type pruneCmd struct {
	taught
	Fractions []float64 `help:"Fractions of the weights to set to zero." default:"0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9" placeholder:"F,…"`
	Global    bool      `help:"Rank the weights of all layers together instead of each layer by itself."`
	Keep      float64   `help:"Also write the model pruned by this fraction as model.onnx." default:"-1" placeholder:"F"`
	output
}

func (pruneCmd) Help() string {
	return "Example: tattle prune curious --out pruned\n\nSets the smallest weights of a trained classifier to zero, without further training, and measures its honesty and curiosity at each fraction (paper B, figure 9)."
}

func (c *pruneCmd) Run(ctx context.Context, e *env) error {
	if err := c.check(); err != nil {
		return err
	}
	return c.in(ctx, e, "prune", false, func(dir string) error {
		t, err := c.open(ctx, e)
		if err != nil {
			return err
		}
		started := time.Now()
		r, err := c.prune(ctx, e, dir, t)
		if err != nil {
			return err
		}
		r.Timing["total"] = seconds(started)
		return c.finish(e, dir, r)
	})
}

func (c *pruneCmd) check() error {
	if len(c.Fractions) == 0 {
		return usage(errors.New("--fractions: at least one is required"), "")
	}
	for i, f := range c.Fractions {
		if !(f >= 0 && f <= 1) {
			return usage(fmt.Errorf("--fractions: %g must be between 0 and 1", f), "")
		}
		if i > 0 && f <= c.Fractions[i-1] {
			return usage(fmt.Errorf("--fractions: %g follows %g", f, c.Fractions[i-1]), "give them in ascending order")
		}
	}
	if c.Keep != -1 && !(c.Keep >= 0 && c.Keep <= 1) {
		return usage(fmt.Errorf("--keep %g: must be between 0 and 1", c.Keep), "")
	}
	return nil
}

// prune measures at every fraction, and reports on it.
func (c *pruneCmd) prune(ctx context.Context, e *env, dir string, t *teacher) (*report.Report, error) {
	r := newReport(e, "Pruning a classifier of "+curiousName(t.parts.Train), t.options.Seed)
	r.Data = report.DataOf(t.parts.Test, "", string(dataset.Test))
	r.Settings["run"], r.Settings["global"] = t.here(), strconv.FormatBool(c.Global)
	r.Warnings = append(append(r.Warnings, t.notes...), t.parts.Notes...)
	whole := t.result.Evaluation
	r.Curiosity, r.Utility = headline(whole, t.options, t.result.Taus), honestyOf(whole)
	if err := c.curve(ctx, e, r, t); err != nil {
		return nil, err
	}
	r.Conclude(report.Done, "pruned")
	return r, c.keep(dir, r, t)
}

// curve measures honesty and curiosity at every fraction.
func (c *pruneCmd) curve(ctx context.Context, e *env, r *report.Report, t *teacher) error {
	bar := newMeter(e.stderr, "pruning", int64(len(c.Fractions)), false)
	defer bar.close()
	r.Pruning = curvesOf(t.result.Evaluation)
	for i, f := range c.Fractions {
		g, err := c.pruned(t, f)
		if err != nil {
			return err
		}
		v, err := curious.Evaluate(ctx, g, t.model.Attacks, nil, t.parts.Test)
		if err != nil {
			return err
		}
		for k := range r.Pruning {
			r.Pruning[k].Points = append(r.Pruning[k].Points, pointOf(f, v, k))
		}
		bar.set(int64(i+1), 0)
	}
	return nil
}

// pruned is the classifier with a fraction of its weights set to zero.
func (c *pruneCmd) pruned(t *teacher, fraction float64) (*nn.Graph, error) {
	return curious.Prune(t.model.Classifier, fraction, curious.PruneOptions{Global: c.Global})
}

// curvesOf has a curve without points for each attribute that is attacked, or one
// of honesty alone.
func curvesOf(v *curious.Evaluation) []report.Pruning {
	chance := 0.
	if v.Examples > 0 {
		chance = float64(v.Majority()) / float64(v.Examples)
	}
	if len(v.Sensitive) == 0 {
		return []report.Pruning{{Run: v.Target, Honesty: report.Number(chance)}}
	}
	var all []report.Pruning
	for _, s := range v.Sensitive {
		all = append(all, report.Pruning{Run: v.Target + " / " + s.Attribute, Honesty: report.Number(chance), Baseline: report.Number(s.BaselineValue)})
	}
	return all
}

// pointOf is a point of the k-th curve.
func pointOf(fraction float64, v *curious.Evaluation, k int) report.PruningPoint {
	p := report.PruningPoint{
		Fraction: report.Number(fraction), Honesty: report.Number(v.Honesty.Value), HonestyInterval: report.Between(v.Honesty.Interval),
		Curiosity: unknown,
	}
	if k < len(v.Sensitive) {
		s := v.Sensitive[k].Curiosity
		p.Curiosity, p.CuriosityInterval = report.Number(s.Value), report.Between(s.Interval)
	}
	return p
}

// keep writes the model pruned by --keep, with the run's attacks.
func (c *pruneCmd) keep(dir string, r *report.Report, t *teacher) error {
	if c.Keep == -1 {
		return nil
	}
	g, err := c.pruned(t, c.Keep)
	if err != nil {
		return err
	}
	if err := onnx.Write(filepath.Join(dir, modelFile), g); err != nil {
		return err
	}
	if err := t.copyAttacks(dir); err != nil {
		return err
	}
	return modelOf(r, dir, modelFile, t.parts.Train.Shape, len(t.parts.Train.YNames))
}
