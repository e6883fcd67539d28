package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"tattle/bound"
	"tattle/dataset"
	"tattle/nn"
	"tattle/report"
	"tattle/stat"
)

type reproduceCmd struct {
	Experiment string `arg:"" enum:"figure1,figure2" help:"figure1 (histograms of the bounds over MNIST's test set) or figure2 (reconstructions of three of its images)."`
	Data       string `required:"" help:"Folder of MNIST's idx files." placeholder:"DIR"`
	Model      string `help:"A trained net (default: train paper A's, 6 epochs)." placeholder:"FILE"`
	Examples   string `help:"How many test images, or an .npy file of indices (default: all for figure1, 3 for figure2)." placeholder:"N|FILE"`
	Published  int    `help:"figure1: also run the authors' own procedure, on this many images; 0 for none." default:"500"`
	Resume     bool   `help:"Go on with the interrupted run in --out."`
	output
}

func (reproduceCmd) Help() string {
	return "Example: tattle reproduce figure1 --data mnist --out figure1\n\nPrints the paper's figures beside ours. Interrupted, the same command with --out and --resume goes on."
}

// figureSizes are those of A's Figures 1 and 2.
var figureSizes = []float64{1. / 200, 1. / 1000}

// publishedDir holds the run with the authors' procedure.
const publishedDir = "as-published"

// What A prints or plots for MNIST (section 3.1, Figure 1): accuracies, and the
// peak of each histogram.
const (
	publishedClean    = 0.979
	publishedDithered = 0.951
)

var publishedPeaks = []struct {
	size     float64
	all, low float64
}{{1. / 200, 0.16, 0.41}, {1. / 1000, 0.20, 0.47}}

func (c *reproduceCmd) Run(e *env) error {
	if c.Published < 0 {
		return usage(fmt.Errorf("--published: %d is negative", c.Published), "")
	}
	test, err := dataset.Open(c.Data, dataset.Test)
	if err != nil {
		return fmt.Errorf("--data: %w", err)
	}
	dir, err := c.folder(c.Experiment, c.Resume)
	if err != nil {
		return err
	}
	m := &measurement{data: test, dataPath: absolute(c.Data), split: "test", scale: 1, draws: 1, seed: c.Seed, resume: c.Resume, bar: c.Experiment}
	if err := c.model(e, m, dir); err != nil {
		return err
	}
	spec := c.Examples
	if spec == "" {
		spec = map[string]string{"figure1": "all", "figure2": "3"}[c.Experiment]
	}
	if m.indices, err = chooseExamples(spec, test.Len(), c.Seed); err != nil {
		return err
	}
	m.title = map[string]string{
		"figure1": "Figure 1: the bounds over MNIST's test set",
		"figure2": "Figure 2: the best unbiased reconstructions of MNIST's digits",
	}[c.Experiment]
	m.experiment = bound.Experiment{Sizes: figureSizes, Coordinates: bound.DCT(test.Shape), Band: lowBand, Search: bound.SearchOptions{Seed: c.Seed}}
	done, err := m.run(e, dir)
	if err != nil {
		return err
	}
	compareAccuracy(done.report)
	if c.Experiment == "figure1" {
		if err := c.figure1(e, m, dir, done); err != nil {
			return err
		}
	} else if err := done.report.SavePictures(dir); err != nil {
		return err
	}
	return c.finish(e, dir, done.report)
}

// model reads the net, or trains it where none is given and none is left by an
// interrupted run.
func (c *reproduceCmd) model(e *env, m *measurement, dir string) (err error) {
	path := c.Model
	if path == "" {
		path = filepath.Join(dir, modelFile)
		if _, err := os.Stat(path); !c.Resume || errors.Is(err, os.ErrNotExist) {
			return c.train(e, m, dir)
		}
	}
	m.modelPath = absolute(path)
	m.graph, m.modelHash, err = openModel(path)
	return err
}

func (c *reproduceCmd) train(e *env, m *measurement, dir string) error {
	train, err := dataset.Open(c.Data, dataset.Train)
	if err != nil {
		return fmt.Errorf("--data: %w", err)
	}
	task := trainCmd{Task: "mnist", Data: c.Data, Epochs: recipes["mnist"].epochs, Batch: nn.DefaultBatch, LearningRate: 0.001, output: c.output}
	g, r, err := task.train(e, train, m.data)
	if err != nil {
		return err
	}
	if err := saveModel(dir, g, r); err != nil {
		return err
	}
	m.graph, m.modelPath, m.modelHash = g, r.Model.Path, r.Model.SHA256
	return nil
}

func compareAccuracy(r *report.Report) {
	r.Published = append(r.Published,
		report.Comparison{Quantity: "accuracy, clean", Published: publishedClean, Ours: r.Utility.CleanAccuracy, Note: "one training run each"},
		report.Comparison{Quantity: "accuracy, dithered", Published: publishedDithered, Ours: r.Utility.ReleasedAccuracy, Note: "σ is the root mean square of the features"})
}

// figure1 sets the peaks of the histograms beside the paper's, and runs the
// authors' procedure on some of the images.
func (c *reproduceCmd) figure1(e *env, m *measurement, dir string, done *measured) error {
	comparePeaks(done, "", "the paper's program solves one LSQR for a stack of images and stops it early, which damps the small singular values: its bounds are smaller")
	if c.Published == 0 {
		return nil
	}
	dir = filepath.Join(dir, publishedDir)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	p := *m
	p.title = "Figure 1 by the authors' procedure"
	p.indices = m.indices[:min(c.Published, len(m.indices))]
	p.experiment.Search.Search = bound.Published
	p.bar = publishedDir
	theirs, err := p.run(e, dir)
	if err != nil {
		return err
	}
	comparePeaks(theirs, fmt.Sprintf(", authors' procedure, %d images", len(p.indices)), "the same procedure on other weights and images")
	done.report.Published = append(done.report.Published, theirs.report.Published...)
	done.report.Timing["as published"] = theirs.report.Timing["bounds"]
	return output{Seed: c.Seed}.save(dir, theirs.report)
}

// comparePeaks adds the peaks of both histograms of each size.
func comparePeaks(d *measured, what, note string) {
	x := d.result.Experiment
	low := x.Coordinates.Band(x.Band)
	for i, p := range publishedPeaks {
		all := d.result.Sizes[i].Std
		name := "s = " + report.Fraction(p.size) + what
		add := func(q string, published float64, values []float64) {
			d.report.Published = append(d.report.Published, report.Comparison{Quantity: q + name, Published: report.Number(published), Ours: report.Number(peak(values)), Note: note})
		}
		add("peak, all modes, ", p.all, all)
		add("peak, 8×8 modes, ", p.low, pick(all, low, x.Coordinates.Len()))
	}
}

// peakWidth is the bin in which a histogram's peak is looked for: A's Figure 1
// can be read to about this.
const peakWidth = 0.02

// peak returns the middle of the fullest bin.
func peak(x []float64) float64 {
	h := stat.NewHistogram(stat.Edges(0, 4, int(4/peakWidth)))
	h.Add(x...)
	return fullest(h)
}
