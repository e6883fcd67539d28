package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"tattle/bound"
	"tattle/dataset"
	"tattle/internal/file"
	"tattle/nn/train"
	"tattle/report"
	"tattle/run"
	"tattle/stat"
)

type reproduceCmd struct {
	Experiment string `arg:"" enum:"figure1,figure2,figure3,figure4,figure5,figure6,ladder,table1,table2,table3,table4,table5,table6,table7,table8,table9,mixtures,figure7,figure8,figure9,convex,detection" help:"Of paper A: figure1 and figure2 (MNIST: histograms of the bounds, reconstructions), figure3 and figure4 (the same for CIFAR-10), figure5 and figure6 (ImageNet with ResNet-18 and Swin-T), ladder (every bound and attack on MNIST beside the paper's method). Of paper B: table1, table2, table6 (CelebA), table3 to table5, table7 to table9, figure7, figure8, figure9 (UTKFace), mixtures (its Figure 4) and convex (no data). Not from the papers: detection (audits of classifiers with known leakage, on glyphs and, with --data and --labels, QMNIST)."`
	Data       string `help:"Folder or zip of MNIST, CIFAR-10, ImageNet (validation), CelebA or UTKFace, as the experiment needs." placeholder:"PATH" input:"data"`
	Examples   string `help:"Paper A: test images, or an .npy file of indices. Paper B: largest number of training examples." placeholder:"N|FILE" input:"file"`
	Published  int    `help:"figure1 and ladder: also run the authors' own procedure, on this many images; 0: none." default:"500"`
	Twins      string `help:"ladder: images for which twins are searched: the first N, or all (default: 20)." default:"20" placeholder:"N|all"`
	figureFlags
	Quick  bool     `help:"Paper B: small and fast, not comparable with the paper. detection: a few small audits."`
	Seeds  int      `help:"Paper B: trainings of each kind, with seeds from --seed on (default: 5)." placeholder:"N"`
	Epochs int      `help:"Passes over the training data (default: paper B: 50; figure3 and figure4: 7)." placeholder:"N"`
	Only   []string `help:"Paper B: run these trainings only; * stands for any letters." placeholder:"KEY"`
	List   bool     `help:"Paper B: list the trainings and end."`
	Cache  string   `help:"Paper B: folder for the decoded pictures, or none (default: beside the data)." placeholder:"DIR|none"`
	Resume bool     `help:"Continue the interrupted run in --out."`
	output

	clusterFlags `group:"Runs over several machines"`
}

// figureFlags are paper A's alone.
type figureFlags struct {
	Model string `help:"Paper A: a trained net (default: train the paper's; figure5 and figure6 need one)." placeholder:"FILE" input:"model"`
	readFlags
	Features string `help:"Paper A: node (or tensor) whose output is released (default: the paper's features)." placeholder:"NODE"`
	Labels   string `help:"figure5, figure6: CSV with labels (default: labels.csv or folder names). detection: folder of QMNIST labels." placeholder:"FILE" input:"file"`
	Target   string `help:"figure5, figure6: column of the labels." placeholder:"COLUMN"`
	Restarts int    `help:"Paper A: random starts per example; the largest bound is kept (default: 25)." placeholder:"N"`
	memoryFlag
}

func (reproduceCmd) Help() string {
	return "Example: tattle reproduce figure1 --data mnist --out figure1\n\nExample: tattle reproduce figure5 --model resnet18.onnx --data val --labels val.csv --target class --out figure5\n\nExample: tattle reproduce table3 --data UTKFace --quick --out table3\n\nExample: tattle reproduce detection --data mnist --labels qmnist --out detection\n\n" +
		"figure5 and figure6 resize pictures to 91×91, unless --preprocess is given, and enlarge them to 224×224 inside the model. " +
		"After an interruption, the same command with --out and --resume continues; for tables, --seeds and --only may change."
}

// publishedDir holds the run with the authors' procedure.
const publishedDir = "as-published"

type peakOf struct {
	size     float64
	all, low float64
}

// publishedPeaks are where A's histograms of MNIST are highest (Figure 1).
var publishedPeaks = []peakOf{{1. / 200, 0.16, 0.41}, {1. / 1000, 0.20, 0.47}}

func (c *reproduceCmd) Run(ctx context.Context, e *env) error {
	if c.ofPaperB() {
		return c.curious(ctx, e)
	}
	if c.Experiment == detectionName {
		return c.detection(ctx, e)
	}
	if err := c.ofPaperA(); err != nil {
		return err
	}
	f := figuresOfA[c.Experiment]
	if err := c.checkFigure(f); err != nil {
		return err
	}
	m, err := c.start(ctx, e, f)
	if err != nil {
		return err
	}
	if c.Experiment == ladderName {
		if err := c.climb(m); err != nil {
			return err
		}
	}
	return c.in(ctx, e, c.Experiment, c.Resume, func(dir string) error { return e.unfinished(c.reproduce(ctx, e, m, f, dir), dir) })
}

// reproduce makes the figure in dir: first the stages that others can share, the net and
// the bounds of every run, then what is made of them.
func (c *reproduceCmd) reproduce(ctx context.Context, e *env, m *measurement, f figure, dir string) error {
	if (begun(dir) || exists(filepath.Join(dir, trainingDir))) && !c.Resume {
		return interruptedRun(dir)
	}
	trained, err := c.model(ctx, e, m, f, dir)
	if err != nil {
		return err
	}
	if err := c.figure(ctx, e, m, f, dir); err != nil || trained == nil {
		return err
	}
	return trained.Discard()
}

// figure makes the figure of a net.
func (c *reproduceCmd) figure(ctx context.Context, e *env, m *measurement, f figure, dir string) error {
	ours, err := m.bounded(ctx, e, dir)
	if err != nil {
		return err
	}
	others, err := c.others(ctx, e, m, f, dir)
	if err != nil {
		return err
	}
	if e.serve {
		return run.ErrServed
	}
	done, err := ours.conclude(ctx, e)
	if err != nil {
		return err
	}
	done.report.Figure = c.Experiment
	c.paperLike(done.report, m, f)
	if f.pictures {
		if err := done.report.SavePictures(dir); err != nil {
			return err
		}
	}
	if len(f.peaks()) == 0 {
		further, err := c.further(ctx, e, f, others)
		if err != nil {
			return err
		}
		compareFigure(done.report, f, append([]*bound.Result{done.result}, further...))
		if err := c.finish(e, dir, done.report); err != nil || c.JSON {
			return err
		}
		return openFurther(e, f, dir)
	}
	var theirs *measured
	if len(others) > 0 {
		if theirs, err = others[0].conclude(ctx, e); err != nil {
			return err
		}
		done.report.Timing["as published"] = theirs.report.Timing["bounds"]
		if err := theirs.report.Save(others[0].dir); err != nil {
			return err
		}
	}
	c.compare(f, done, theirs)
	return c.finish(e, dir, done.report)
}

// others computes the bounds of the figure's other runs, each in a folder within dir: of
// other sizes, or by the authors' procedure.
func (c *reproduceCmd) others(ctx context.Context, e *env, m *measurement, f figure, dir string) (all []*bounded, err error) {
	var runs []*measurement
	switch {
	case len(f.peaks()) == 0:
		runs = furtherRuns(m, f)
	case !f.pictures && c.Published > 0:
		runs = append(runs, c.asPublished(m))
	}
	for _, p := range runs {
		sub := filepath.Join(dir, p.bar)
		if err := file.MkdirAll(sub); err != nil {
			return nil, err
		}
		b, err := p.bounded(ctx, e, sub)
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	return all, nil
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
		var bounds []bound.Summary
		var notes []bound.Note
		if other != nil {
			bounds, notes = other.Summaries, fewer(len(other.Indices), len(ours.result.Indices))
		}
		ours.report.SetLadder(bounds, notes)
	}
}

// trainingDir is where the net of a figure is kept as a shard, until the figure is made.
const trainingDir = "training"

// model trains the net where none is given: as a stage of one shard, so that all who take
// part in the run, now or once it is resumed, go by the same net. It returns the stage.
func (c *reproduceCmd) model(ctx context.Context, e *env, m *measurement, f figure, dir string) (trained *run.Folder, err error) {
	if c.Model != "" {
		return nil, nil // it was read before the data
	}
	work, err := c.training(e, m, f, dir)
	if err != nil {
		return nil, err
	}
	if trained, err = e.pool.Run(ctx, work); err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("training starts again next time: %w", ctx.Err())
		}
		return nil, err
	}
	m.modelPath = modelFile // beside the report
	path := filepath.Join(dir, modelFile)
	err = run.WriteFile(path, func(w io.Writer) error { return copyFrom(w, trained.Path(0)) })
	if err == nil {
		m.Graph, m.modelHash, err = openModel(path)
	}
	return trained, err
}

// training is the stage in which the net is trained.
func (c *reproduceCmd) training(e *env, m *measurement, f figure, dir string) (w run.Work, err error) {
	data, err := openData(c.Data, string(dataset.Train), c.Seed)
	if err != nil {
		return w, err
	}
	task := trainCmd{Task: f.net, Data: c.Data, Epochs: cmp.Or(c.Epochs, recipes[f.net].epochs), Batch: train.DefaultBatch, LearningRate: defaultLearningRate, output: c.output}
	if _, err := task.untrained(data.Shape); err != nil {
		return w, err
	}
	return run.Work{
		Dir: filepath.Join(dir, trainingDir), Resume: c.Resume,
		Manifest: run.Manifest{
			Command: "reproduce", Shards: 1, Hashes: map[string]string{"data": data.SHA256},
			Settings: trainingSettings{task.Task, task.Epochs, task.Batch, task.LearningRate, c.Seed},
		},
		Name: func(int) string { return "training" },
		Do: func(ctx context.Context, _ int, w io.Writer) error {
			g, t, err := task.fit(ctx, e, dir, data, m.Data)
			if err != nil {
				return err
			}
			if err := saveModel(dir, g, &report.Report{Seed: c.Seed, Training: t}); err != nil {
				return err
			}
			return copyFrom(w, filepath.Join(dir, modelFile))
		},
	}, nil
}

// trainingSettings are all that decides a trained net, but for the data.
type trainingSettings struct {
	Net          string  `json:"net"`
	Epochs       int     `json:"epochs"`
	Batch        int     `json:"batch"`
	LearningRate float64 `json:"learning_rate"`
	Seed         uint64  `json:"seed"`
}

// copyFrom writes what is in a file.
func copyFrom(w io.Writer, path string) error {
	f, err := file.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
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
		compare(r, "peak, 8×8 modes, "+size, p.low, peak(bound.Band{Keep: low}.Of(std, all)), peak(bound.Band{Keep: low}.Of(other, all)))
		if theirs != nil {
			size = strings.Replace(size, "theirs", "both", 1)
			compare(r, "median, all modes, "+size, math.NaN(), median(same), median(other))
			compare(r, "median, 8×8 modes, "+size, math.NaN(), median(bound.Band{Keep: low}.Of(same, all)), median(bound.Band{Keep: low}.Of(other, all)))
		}
	}
}

func compare(r *report.Report, quantity string, published, ours, theirs float64) {
	r.Published = append(r.Published, report.Comparison{
		Quantity: quantity, Published: report.Number(published), Ours: report.Number(ours), AsPublished: report.Number(theirs), Note: whyDifferent,
	})
}

// asPublished is the authors' procedure on the first of the images.
func (c *reproduceCmd) asPublished(m *measurement) *measurement {
	p := m.within(publishedDir)
	p.title = "Figure 1 by the authors' procedure"
	p.Indices = m.Indices[:min(c.Published, len(m.Indices))]
	p.Experiment, p.adversaries = alone(m.Experiment), nil
	return p
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
	return h.Mode()
}
