package main

import (
	"fmt"
	"time"

	"tattle/bound"
	"tattle/report"
)

const (
	demoEpochs   = 3   // 90 % accuracy and more: enough to have something to protect
	demoExamples = 100 // of the test set, bounded with the paper's settings
)

type demoCmd struct{ output }

func (demoCmd) Help() string {
	return "Example: tattle demo\n\nTrains a net on generated digits, adds noise to its features and proves how badly any unbiased reconstruction must do. Needs no data and no network."
}

func (c *demoCmd) Run(e *env) error {
	dir, err := c.folder("demo", false)
	if err != nil {
		return err
	}
	started := time.Now()
	task := trainCmd{Task: glyphsName, Epochs: demoEpochs, Batch: 32, LearningRate: 0.001, output: c.output}
	train, test := glyphs(0, c.Seed)
	g, trained, err := task.train(e, train, test)
	if err != nil {
		return err
	}
	if err := saveModel(dir, g, trained); err != nil {
		return err
	}
	m := &measurement{
		title:     "What the features of a small net give away about generated digits",
		modelPath: trained.Model.Path, modelHash: trained.Model.SHA256, graph: g,
		data: test, dataPath: glyphsName, split: "test", scale: 1, draws: 1, seed: c.Seed, bar: "bounding",
		experiment: bound.Experiment{Coordinates: bound.DCT(test.Shape), Band: lowBand, Search: bound.SearchOptions{Seed: c.Seed}},
	}
	if m.indices, err = chooseExamples(fmt.Sprint(demoExamples), test.Len(), c.Seed); err != nil {
		return err
	}
	done, err := m.run(e, dir)
	if err != nil {
		return err
	}
	done.report.Training = trained.Training
	done.report.Timing["total"] = report.Number(time.Since(started).Seconds())
	return c.finish(e, dir, done.report)
}
