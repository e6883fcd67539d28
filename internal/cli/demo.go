package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"tattle/attack"
	"tattle/bound"
	"tattle/nn/train"
	"tattle/report"
)

const (
	demoEpochs   = 3  // 90 % accuracy and more: enough to have something to protect
	demoExamples = 50 // of the test set, bounded with the paper's settings
)

// demoRungs are the defaults of `tattle bound`, with twins for fewer examples.
var demoRungs = rungFlags{Barankin: 64, Far: 8, Twins: "3"}

// manifestDigestFile lies beside the manifest.
const manifestDigestFile = "manifest.sha256"

type demoCmd struct{ output }

func (demoCmd) Help() string {
	return "Example: tattle demo\n\nTrains a net on generated digits, adds noise to its features, proves how badly any unbiased reconstruction must do, and attacks them. Needs no data and no network."
}

func (c *demoCmd) Run(e *env) error {
	return c.in(e, "demo", false, func(dir string) error {
		err := c.demo(e, dir)
		if err == nil || exists(filepath.Join(dir, reportJSON)) {
			return err
		}
		for _, name := range []string{shardsDir, manifestFile, manifestDigestFile, arraysFile, attacksFile, modelFile} {
			os.RemoveAll(filepath.Join(dir, name))
		}
		return fmt.Errorf("the demo keeps nothing of what it had begun: %w", err)
	})
}

func (c *demoCmd) demo(e *env, dir string) error {
	started := time.Now()
	task := trainCmd{Task: glyphsName, Data: glyphsName, Epochs: demoEpochs, Batch: train.DefaultBatch, LearningRate: defaultLearningRate, output: c.output}
	train, test := glyphs(0, c.Seed)
	g, t, err := task.fit(e, dir, train, test)
	if err != nil {
		return err
	}
	trained, err := task.keep(e, dir, g, t, test)
	if err != nil {
		return err
	}
	m := &measurement{
		title:     "What the features of a small net give away about generated digits",
		modelPath: trained.Model.Path, modelHash: trained.Model.SHA256, graph: g,
		data: test, dataPath: glyphsName, split: "test", released: released{family: "gaussian", scale: 1}, draws: 1, seed: c.Seed, bar: "bounding",
		experiment: bound.Experiment{Coordinates: bound.DCT(test.Shape), Band: lowBand, Search: bound.SearchOptions{Seed: c.Seed}},
		rungs:      &rungs{vanTrees: true, attacks: attackNames, attackDraws: attack.DefaultDraws, training: train, trainPath: glyphsName, needsPrior: true, needsAttacks: true},
	}
	if m.indices, err = chooseExamples(fmt.Sprint(demoExamples), test.Len(), c.Seed); err != nil {
		return err
	}
	if err := demoRungs.extend(&m.experiment, test, len(m.indices), c.Seed); err != nil {
		return err
	}
	done, err := m.run(e, dir)
	if err != nil {
		return err
	}
	done.report.Training = t
	done.report.Timing["total"] = report.Number(time.Since(started).Seconds())
	return c.finish(e, dir, done.report)
}
