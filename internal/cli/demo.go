package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"tattle/internal/data/dataset"
	"tattle/internal/protect/attack"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/measure"
	"tattle/internal/report"
	"tattle/internal/reveal/curious/training"
	"tattle/internal/run"
)

// demoSize is what takes the demo long: a variable for tests alone.
var demoSize = struct {
	epochs     int // 3 lead to an accuracy of 90 % and more: enough to have something to protect
	training   int // examples of the training part
	examples   int // of the test set
	search     bound.SearchOptions
	further    measure.Further // the defaults of `tattle bound`, with twins for fewer examples
	attacks    []string
	candidates string // as --candidates
	listDraws  int    // as --list-draws
}{epochs: 3, training: 5000, examples: 12, further: measure.Further{Barankin: 64, Far: 8, Twins: 3}, attacks: measure.AttackNames}

// manifestDigestFile lies beside the manifest.
const manifestDigestFile = "manifest.sha256"

type demoCmd struct{ output }

func (demoCmd) Help() string {
	return "Example: tattle demo\n\nTrains a net on generated digits, adds noise to its features, computes limits on every adversary and bounds on unbiased reconstructions, and runs attacks. Needs no data and no network."
}

func (c *demoCmd) Run(ctx context.Context, e *env) error {
	return c.compute(ctx, e, "demo", func(dir string) (*report.Report, error) {
		r, err := c.demo(ctx, e, dir)
		if err == nil {
			return r, nil
		}
		for _, name := range []string{shardsDir, manifestFile, manifestDigestFile, arraysFile, measure.AttacksFile, modelFile} {
			e.files.RemoveAll(filepath.Join(dir, name))
		}
		if errors.Is(err, context.Canceled) {
			return nil, &run.InterruptedError{Kept: "the demo keeps nothing", Cause: err}
		}
		return nil, fmt.Errorf("the demo keeps nothing of what it had begun: %w", err)
	})
}

func (c *demoCmd) demo(ctx context.Context, e *env, dir string) (*report.Report, error) {
	recipe, _ := training.RecipeOf(glyphsName)
	recipe.Epochs, recipe.Seed, recipe.Files = demoSize.epochs, c.Seed, e.files
	train := dataset.Glyphs(dataset.GlyphOptions{N: demoSize.training, Seed: c.Seed})
	test := dataset.Glyphs(dataset.GlyphOptions{N: dataset.GlyphsTest, Seed: c.Seed, Split: dataset.Test})
	t, err := fit(ctx, e, dir, recipe, train, test)
	if err != nil {
		return nil, err
	}
	trained, err := trainedReport(ctx, e, dir, recipe, t, glyphsName)
	if err != nil {
		return nil, err
	}
	search := demoSize.search
	search.Seed = c.Seed
	m := &measurement{
		Request: measure.Request{
			Graph: t.Graph, Data: test, Release: measure.Release{Family: "gaussian", Scale: 1}, Seed: c.Seed,
			Experiment: bound.Experiment{Coordinates: bound.DCT(test.Shape), Settings: bound.Settings{Band: measure.LowBand(test.Shape), Search: search}},
		},
		origin: measure.Origin{Model: report.Model{Path: trained.Model.Path, SHA256: trained.Model.SHA256}, Data: measure.DataOf(test, glyphsName, "test")},
		name:   "bounding",
	}
	m.Adversaries = &measure.Adversaries{
		Attacks: demoSize.attacks, Draws: attack.DefaultDraws, NeedsAttacks: true,
		Training: train, TrainingSHA256: train.SHA256, TrainingPath: glyphsName,
	}
	in := measure.Inputs{Path: glyphsName, Part: string(dataset.Test), Seed: c.Seed}
	if m.Adversaries.Lists, err = in.Lists(demoSize.candidates, train, glyphsName, test, openAlone); err != nil {
		return nil, err
	}
	m.Adversaries.Lists.Draws = demoSize.listDraws
	m.ScaleByTraining()
	if m.Indices, err = measure.ChooseExamples("Examples", fmt.Sprint(demoSize.examples), test.Len(), c.Seed); err != nil {
		return nil, err
	}
	if err := demoSize.further.AddTo(&m.Experiment, test, c.Seed); err != nil {
		return nil, err
	}
	return m.run(ctx, e, dir)
}
