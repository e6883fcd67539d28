package main

import (
	"cmp"
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
	Experiment string `arg:"" enum:"figure1,figure2,figure3,figure4,figure5,figure6,ladder,table1,table2,table3,table4,table5,table6,table7,table8,table9,mixtures,figure7,figure8,figure9,convex,detection" help:"Of paper A: figure1 and figure2 (MNIST: histograms of the bounds, reconstructions), figure3 and figure4 (the same of CIFAR-10), figure5 and figure6 (ImageNet with ResNet-18 and Swin-T), ladder (every bound and attack on MNIST beside the paper's method). Of paper B: table1, table2, table6 (CelebA), table3 to table5, table7 to table9, figure7, figure8, figure9 (UTKFace), mixtures (its Figure 4) and convex (no data). Of this tool: detection (audits of classifiers of which it is known what they tell, on glyphs and, with --data and --labels, QMNIST)."`
	Data       string `help:"Folder of MNIST's idx files or CIFAR-10's batches; folder or zip of ImageNet's validation pictures; for paper B folder or zip of CelebA or UTKFace; for detection folder of MNIST's pictures (default: glyphs alone)." placeholder:"PATH" input:"data"`
	Examples   string `help:"Paper A: how many test images, or an .npy file of indices (default: all for figure1, 3 for figure2 and figure4, 2500 for figure3, 128 for figure5 and figure6, 100 for ladder). Paper B: the most training examples (default: all)." placeholder:"N|FILE" input:"file"`
	Published  int    `help:"figure1 and ladder: also run the authors' own procedure, on this many images; 0 for none." default:"500"`
	Twins      string `help:"ladder: images for which inputs with exactly the same features are sought, the first so many or all." default:"20" placeholder:"N|all"`
	figureFlags
	Quick  bool     `help:"Paper B: 2 epochs, 32×32 pictures, at most 5000 training examples, one seed. Not comparable with the paper. detection: a few small audits, whose rates say little."`
	Seeds  int      `help:"Paper B: trainings of each kind, with seeds from --seed on (default: 5)." placeholder:"N"`
	Epochs int      `help:"Paper B: passes over the training data (default: 50). figure3 and figure4: the same (default: 7)." placeholder:"N"`
	Only   []string `help:"Paper B: run these trainings only; a * stands for any letters." placeholder:"KEY"`
	List   bool     `help:"Paper B: list the trainings and end."`
	Cache  string   `help:"Paper B: folder for the decoded pictures, or none (default: beside the data)." placeholder:"DIR|none"`
	Resume bool     `help:"Go on with the interrupted run in --out."`
	output

	clusterFlags `group:"Runs over several machines"`
}

// figureFlags are paper A's alone.
type figureFlags struct {
	Model string `help:"Paper A: a trained net (default: train the paper's; figure5 and figure6 need one)." placeholder:"FILE" input:"model"`
	readFlags
	Features string `help:"Paper A: node (or tensor) whose output is released (default: the paper's features)." placeholder:"NODE"`
	Labels   string `help:"figure5, figure6: CSV file with the pictures' labels (default: labels.csv among them, or the names of their folders). detection: folder of QMNIST's labels (default: --data)." placeholder:"FILE" input:"file"`
	Target   string `help:"figure5, figure6: column of the labels." placeholder:"COLUMN"`
	Restarts int    `help:"Paper A: independent starts, over which bounds are maximised (default: 25)." placeholder:"N"`
	memoryFlag
}

func (reproduceCmd) Help() string {
	return "Example: tattle reproduce figure1 --data mnist --out figure1\n\nExample: tattle reproduce figure5 --model resnet18.onnx --data val --labels val.csv --target class --out figure5\n\nExample: tattle reproduce table3 --data UTKFace --quick --out table3\n\nExample: tattle reproduce detection --data mnist --labels qmnist --out detection\n\n" +
		"figure5 and figure6 make pictures 91×91, unless --preprocess says otherwise, and enlarge them to 224×224 inside the model. " +
		"Prints the papers' figures beside ours. Interrupted, the same command with --out and --resume goes on; the tables go on cell by cell, where also --seeds and --only may change; detection goes on audit by audit."
}

// publishedDir holds the run with the authors' procedure.
const publishedDir = "as-published"

type peakOf struct {
	size     float64
	all, low float64
}

// publishedPeaks are where A's histograms of MNIST are highest (Figure 1).
var publishedPeaks = []peakOf{{1. / 200, 0.16, 0.41}, {1. / 1000, 0.20, 0.47}}

func (c *reproduceCmd) Run(e *env) error {
	if c.ofPaperB() {
		return c.curious(e)
	}
	if c.Experiment == detectionName {
		return c.detection(e)
	}
	if err := c.ofPaperA(); err != nil {
		return err
	}
	f := figuresOfA[c.Experiment]
	if err := c.checkFigure(f); err != nil {
		return err
	}
	m, err := c.start(e, f)
	if err != nil {
		return err
	}
	if c.Experiment == ladderName {
		if err := c.climb(m); err != nil {
			return err
		}
	}
	return c.in(e, c.Experiment, c.Resume, func(dir string) error { return e.unfinished(c.reproduce(e, m, f, dir), dir) })
}

// reproduce makes the figure in dir.
func (c *reproduceCmd) reproduce(e *env, m *measurement, f figure, dir string) error {
	if err := c.model(e, m, f, dir); err != nil {
		return err
	}
	done, err := m.run(e, dir)
	if err != nil {
		return err
	}
	done.report.Settings[figureSetting] = c.Experiment
	c.paperLike(done.report, m, f)
	if f.pictures {
		if err := done.report.SavePictures(dir); err != nil {
			return err
		}
	}
	if len(f.peaks()) == 0 {
		others, err := c.further(e, m, f, dir)
		if err != nil {
			return err
		}
		compareFigure(done.report, f, append([]*bound.Result{done.result}, others...))
		if err := c.finish(e, dir, done.report); err != nil || c.JSON {
			return err
		}
		return openFurther(e, f, dir)
	}
	var theirs *measured
	if !f.pictures {
		if theirs, err = c.asPublished(e, m, filepath.Join(dir, publishedDir)); err != nil {
			return err
		}
	}
	if theirs != nil {
		done.report.Timing["as published"] = theirs.report.Timing["bounds"]
		if err := c.save(filepath.Join(dir, publishedDir), theirs.report); err != nil {
			return err
		}
	}
	c.compare(f, done, theirs)
	return c.finish(e, dir, done.report)
}

// compare sets ours beside the paper's figures of MNIST, or beside its method; theirs is
// nil where the authors' procedure did not run.
func (c *reproduceCmd) compare(f figure, ours, theirs *measured) {
	var other *bound.Result
	if theirs != nil {
		other = theirs.result
	}
	if c.Experiment != ladderName {
		compareAccuracy(ours.report, f)
	}
	switch c.Experiment {
	case "figure1":
		comparePeaks(ours.report, ours.result, other)
	case ladderName:
		x := ours.result.Experiment
		var bounds []bound.Summary
		note := ""
		if other != nil {
			bounds, note = other.Summaries, fewer(len(other.Indices), len(ours.result.Indices))
		}
		ours.report.Ladder = ladder(ours.report, bounds, note, ours.ceilings, x.Coordinates, x.Band)
	}
}

// model trains the net where none is given and none is left by an interrupted run.
func (c *reproduceCmd) model(e *env, m *measurement, f figure, dir string) (err error) {
	if c.Model != "" {
		return nil // it was read before the data
	}
	path := filepath.Join(dir, modelFile)
	if !c.Resume || !exists(path) {
		if err := c.train(e, m, f, dir); err != nil {
			return err
		}
	}
	m.modelPath = modelFile // beside the report
	m.graph, m.modelHash, err = openModel(path)
	return err
}

func (c *reproduceCmd) train(e *env, m *measurement, f figure, dir string) error {
	train, err := openData(c.Data, string(dataset.Train), c.Seed)
	if err != nil {
		return err
	}
	task := trainCmd{Task: f.net, Data: c.Data, Epochs: cmp.Or(c.Epochs, recipes[f.net].epochs), Batch: nn.DefaultBatch, LearningRate: defaultLearningRate, output: c.output}
	g, t, err := task.fit(e, dir, train, m.data)
	if err != nil && t != nil {
		return fmt.Errorf("training starts again next time: %w", err)
	}
	if err != nil {
		return err
	}
	return saveModel(dir, g, &report.Report{Seed: c.Seed, Training: t})
}

func compareAccuracy(r *report.Report, f figure) {
	none := report.Number(math.NaN())
	r.Published = append(r.Published,
		report.Comparison{Quantity: "accuracy, clean", Published: report.Number(f.clean), Ours: r.Utility.CleanAccuracy, AsPublished: none},
		report.Comparison{Quantity: "accuracy, dithered", Published: report.Number(f.dithered), Ours: r.Utility.ReleasedAccuracy, AsPublished: none})
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
	p := m.within(publishedDir)
	p.title = "Figure 1 by the authors' procedure"
	p.indices = m.indices[:min(c.Published, len(m.indices))]
	p.experiment, p.rungs = alone(m.experiment), nil
	return c.inside(e, p, dir)
}

// within is the measurement again, as a run in a folder of that name within its own.
func (m *measurement) within(name string) *measurement {
	p := *m
	p.bar = name
	if !filepath.IsAbs(p.modelPath) {
		p.modelPath = filepath.Join("..", p.modelPath)
	}
	return &p
}

// inside runs a measurement in dir, which is made.
func (c *reproduceCmd) inside(e *env, m *measurement, dir string) (*measured, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	return m.run(e, dir)
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
