package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"tattle/bound"
	"tattle/dataset"
	"tattle/nn"
	"tattle/report"
	"tattle/stat"
)

type reproduceCmd struct {
	Experiment string   `arg:"" enum:"figure1,figure2,ladder,table1,table2,table3,table4,table5,table6,table7,table8,table9,figure4,figure7,figure8,figure9,convex" help:"Of paper A: figure1 (histograms of the bounds over MNIST's test set), figure2 (reconstructions of three of its images), ladder (every bound and attack beside the paper's method). Of paper B: table1, table2, table6 (CelebA), table3 to table5, table7 to table9, figure7, figure8, figure9 (UTKFace), figure4 and convex (no data)."`
	Data       string   `help:"Folder of MNIST's idx files; for paper B folder or zip of CelebA or UTKFace." placeholder:"DIR"`
	Model      string   `help:"Paper A: a trained net (default: train the paper's, 6 epochs)." placeholder:"FILE"`
	Examples   string   `help:"Paper A: how many test images, or an .npy file of indices (default: all for figure1, 3 for figure2, 100 for ladder). Paper B: the most training examples (default: all)." placeholder:"N|FILE"`
	Published  int      `help:"figure1 and ladder: also run the authors' own procedure, on this many images; 0 for none." default:"500"`
	Twins      string   `help:"ladder: images for which inputs with exactly the same features are sought, the first so many or all." default:"20" placeholder:"N|all"`
	Quick      bool     `help:"Paper B: 2 epochs, 32×32 pictures, at most 5000 training examples, one seed. Not comparable with the paper."`
	Seeds      int      `help:"Paper B: trainings of each kind, with seeds from --seed on (default: 5)." placeholder:"N"`
	Epochs     int      `help:"Paper B: passes over the training data (default: 50)." placeholder:"N"`
	Only       []string `help:"Paper B: run these trainings only; a * stands for any letters." placeholder:"KEY"`
	List       bool     `help:"Paper B: list the trainings and end."`
	Cache      string   `help:"Paper B: folder for the decoded pictures, or none (default: beside the data)." placeholder:"DIR|none"`
	Resume     bool     `help:"Go on with the interrupted run in --out."`
	output
}

func (reproduceCmd) Help() string {
	return "Example: tattle reproduce figure1 --data mnist --out figure1\n\nExample: tattle reproduce table3 --data UTKFace --quick --out table3\n\n" +
		"Prints the papers' figures beside ours. Interrupted, the same command with --out and --resume goes on; the tables go on cell by cell, where also --seeds and --only may change."
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
	if c.ofPaperB() {
		return c.curious(e)
	}
	if err := c.ofPaperA(); err != nil {
		return err
	}
	if c.Published < 0 {
		return usage(fmt.Errorf("--published: %d is negative", c.Published), "")
	}
	test, err := openData(c.Data, string(dataset.Test), c.Seed)
	if err != nil {
		return err
	}
	spec := c.Examples
	if spec == "" {
		spec = map[string]string{"figure1": "all", "figure2": "3", "ladder": "100"}[c.Experiment]
	}
	m := &measurement{data: test, dataPath: absolute(c.Data), split: "test", released: released{family: "gaussian", scale: 1}, draws: 1, seed: c.Seed, resume: c.Resume, bar: c.Experiment}
	if m.indices, err = chooseExamples(spec, test.Len(), c.Seed); err != nil {
		return err
	}
	m.title = map[string]string{
		"figure1": "Figure 1: the bounds over MNIST's test set",
		"figure2": "Figure 2: the best unbiased reconstructions of MNIST's digits",
	}[c.Experiment]
	m.experiment = bound.Experiment{Sizes: figureSizes, Coordinates: bound.DCT(test.Shape), Band: lowBand, Search: bound.SearchOptions{Seed: c.Seed}}
	if c.Experiment == "ladder" {
		if err := c.climb(m); err != nil {
			return err
		}
	}
	return c.in(c.Experiment, c.Resume, func(dir string) error { return e.unfinished(c.reproduce(e, m, dir), dir) })
}

// reproduce makes the figure in dir.
func (c *reproduceCmd) reproduce(e *env, m *measurement, dir string) error {
	if err := c.model(e, m, dir); err != nil {
		return err
	}
	done, err := m.run(e, dir)
	if err != nil {
		return err
	}
	var theirs *measured
	if c.Experiment != "figure2" {
		if theirs, err = c.asPublished(e, m, filepath.Join(dir, publishedDir)); err != nil {
			return err
		}
	} else if err := done.report.SavePictures(dir); err != nil {
		return err
	}
	if theirs != nil {
		done.report.Timing["as published"] = theirs.report.Timing["bounds"]
		if err := c.save(filepath.Join(dir, publishedDir), theirs.report); err != nil {
			return err
		}
	}
	c.compare(done, theirs)
	return c.finish(e, dir, done.report)
}

// compare sets ours beside the paper's figures, or beside its method; theirs is nil
// where the authors' procedure did not run.
func (c *reproduceCmd) compare(ours, theirs *measured) {
	var other *bound.Result
	if theirs != nil {
		other = theirs.result
	}
	if c.Experiment != "ladder" {
		compareAccuracy(ours.report)
	}
	switch c.Experiment {
	case "figure1":
		comparePeaks(ours.report, ours.result, other)
	case "ladder":
		x := ours.result.Experiment
		var bounds []bound.Summary
		note := ""
		if other != nil {
			bounds, note = other.Summaries, fewer(len(other.Indices), len(ours.result.Indices))
		}
		ours.report.Ladder = ladder(ours.report, bounds, note, ours.ceilings, x.Coordinates, x.Band)
	}
}

// model reads the net, or trains it where none is given and none is left by an
// interrupted run.
func (c *reproduceCmd) model(e *env, m *measurement, dir string) (err error) {
	path := c.Model
	if path == "" {
		if path = filepath.Join(dir, modelFile); !c.Resume || !exists(path) {
			if err := c.train(e, m, dir); err != nil {
				return err
			}
		}
		m.modelPath = modelFile // beside the report
	} else {
		m.modelPath = absolute(path)
	}
	m.graph, m.modelHash, err = openModel(path)
	return err
}

func (c *reproduceCmd) train(e *env, m *measurement, dir string) error {
	train, err := openData(c.Data, string(dataset.Train), c.Seed)
	if err != nil {
		return err
	}
	task := trainCmd{Task: "mnist", Data: c.Data, Epochs: recipes["mnist"].epochs, Batch: nn.DefaultBatch, LearningRate: defaultLearningRate, output: c.output}
	g, t, err := task.fit(e, dir, train, m.data)
	if err != nil && t != nil {
		return fmt.Errorf("training starts again next time: %w", err)
	}
	if err != nil {
		return err
	}
	return saveModel(dir, g, &report.Report{Seed: c.Seed, Training: t})
}

func compareAccuracy(r *report.Report) {
	none := report.Number(math.NaN())
	r.Published = append(r.Published,
		report.Comparison{Quantity: "accuracy, clean", Published: publishedClean, Ours: r.Utility.CleanAccuracy, AsPublished: none},
		report.Comparison{Quantity: "accuracy, dithered", Published: publishedDithered, Ours: r.Utility.ReleasedAccuracy, AsPublished: none})
}

// whyDifferent explains what the figures show; MATH and the paper's program have
// the details.
const whyDifferent = "the weights differ; and the paper's program solves one LSQR for a whole stack of images and stops it early, " +
	"which damps the small singular values: the peak moves little, the median and the upper tail much " +
	"(less at s = 1/1000, where its tolerance is smaller by as much). " +
	"Its exp(x) - 1 in float32 is off by up to 3.5 % at s = 1/1000, and the maximum over restarts turns that upward."

// comparePeaks sets the peaks of the histograms beside the paper's, and beside
// those of the authors' procedure on some of the images (theirs, unless nil).
func comparePeaks(r *report.Report, ours, theirs *bound.Result) {
	x := ours.Experiment
	all := x.Coordinates.Len()
	low := x.Coordinates.Band(x.Band)
	for i, p := range publishedPeaks {
		std, size := ours.Sizes[i].Std, "s = "+report.Fraction(p.size)
		same, other := std, []float64(nil)
		if theirs != nil {
			other = theirs.Sizes[i].Std
			same = std[:len(other)]
			size += " (theirs: " + report.Count(len(theirs.Indices), "image") + ")"
		}
		compare(r, "peak, all modes, "+size, p.all, peak(std), peak(other))
		compare(r, "peak, 8×8 modes, "+size, p.low, peak(pick(std, low, all)), peak(pick(other, low, all)))
		if theirs != nil {
			size = strings.Replace(size, "theirs", "both", 1)
			compare(r, "median, all modes, "+size, math.NaN(), median(same), median(other))
			compare(r, "median, 8×8 modes, "+size, math.NaN(), median(pick(same, low, all)), median(pick(other, low, all)))
		}
	}
}

func compare(r *report.Report, quantity string, published, ours, theirs float64) {
	r.Published = append(r.Published, report.Comparison{
		Quantity: quantity, Published: report.Number(published), Ours: report.Number(ours), AsPublished: report.Number(theirs), Note: whyDifferent,
	})
}

// asPublished runs the authors' procedure on the first of the images, as a run
// of its own in dir: nil where it was not asked for.
func (c *reproduceCmd) asPublished(e *env, m *measurement, dir string) (*measured, error) {
	if c.Published == 0 {
		return nil, nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	p := *m
	p.title = "Figure 1 by the authors' procedure"
	p.indices = m.indices[:min(c.Published, len(m.indices))]
	p.experiment, p.rungs = alone(m.experiment), nil
	p.bar = publishedDir
	if !filepath.IsAbs(p.modelPath) {
		p.modelPath = filepath.Join("..", p.modelPath)
	}
	return p.run(e, dir)
}

func median(x []float64) float64 { return stat.Quantiles(x, .5)[0] }

// peakWidth is the bin in which a histogram's peak is looked for: A's Figure 1
// can be read to about this.
const peakWidth = 0.02

// peak returns the middle of the fullest bin, NaN for no values.
func peak(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	h := stat.NewHistogram(stat.Edges(0, 4, int(4/peakWidth)))
	h.Add(x...)
	return fullest(h)
}
