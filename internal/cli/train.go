package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tattle/dataset"
	"tattle/internal/progress"
	"tattle/nn"
	"tattle/nn/train"
	"tattle/nn/zoo"
	"tattle/onnx"
	"tattle/release"
	"tattle/report"
	"tattle/run"
)

// The recipes of paper A, section 3: what `train TASK` does unless told
// otherwise.
var recipes = map[string]recipe{
	"mnist":    {epochs: 6, net: "mnist"},
	"cifar10":  {epochs: 7, net: "cifar10"},
	glyphsName: {epochs: 6, net: "mnist"},
}

// recipeClasses is how many classes the data of every recipe have.
const recipeClasses = 10

// netSetting is where a report of a training says which net it was.
const netSetting = "net"

// defaultLearningRate is AdamW's and the flag's.
const defaultLearningRate = 0.001

type recipe struct {
	epochs int
	net    string // one of zoo.Nets
}

type trainCmd struct {
	Task         string  `arg:"" enum:"mnist,cifar10,glyphs,utkface,celeba,fairface,images,adult,table" help:"mnist, cifar10 or glyphs (generated): paper A's training, or paper B's with --target, --sensitive or --attack; utkface, celeba, fairface, images (a folder or zip with a CSV of labels), adult or table (any CSV): paper B's training."`
	Data         string  `help:"Data set: a folder, a zip or a CSV file." placeholder:"PATH" input:"data"`
	EpochsGiven  *int    `name:"epochs" help:"Passes over the training data (default: paper A: 6 or 7, paper B: 50)." placeholder:"N"`
	Epochs       int     `kong:"-"`
	BatchSize    *int    `name:"batch" help:"Examples per step (default: paper A: 32, paper B: 100)." placeholder:"N"`
	Batch        int     `kong:"-"`
	LearningRate float64 `help:"Learning rate of AdamW (paper A) or Adam (paper B)." default:"0.001"`
	Examples     int     `help:"Train on the first N examples only (default: all; glyphs: 10000)." placeholder:"N"`
	Net          string  `help:"Another net for mnist, cifar10 and glyphs: resnet20, resnet18, swin-t, mnist or cifar10." placeholder:"NAME"`
	curiousFlags `group:"Curious classifiers (paper B)"`
	output

	clusterFlags `group:"Runs over several machines"`
}

func (trainCmd) Help() string {
	return `Example: tattle train mnist --data mnist --out mnist-net

This trains an honest classifier as paper A does. The next one is honest but curious: it answers whether a face is younger than 30 and encodes the gender in its scores:

  tattle train fairface --data fairface64.zip --target "age: <30, >=30" --sensitive gender --out curious

Writes model.onnx, report.json and report.html, and attack.onnx if there is an attack; with --seeds, each seed has its own folder. Ctrl-C stops after the current step and keeps the model, marked as unfinished. --resume trains the seeds that are missing.`
}

func (c *trainCmd) Run(ctx context.Context, e *env) error {
	if c.EpochsGiven != nil {
		c.Epochs = *c.EpochsGiven
	}
	if c.curious(c.Task) {
		if c.Net != "" {
			return usage(errors.New("--net: cannot be used with paper B's training"), "--widths sets the layers of its net")
		}
		return c.trainCurious(ctx, e)
	}
	if flag := c.stray(); flag != "" {
		return usage(fmt.Errorf("--%s: requires paper B's training", flag), "add --sensitive, --target or --attack")
	}
	if err := c.check(); err != nil {
		return err
	}
	c.complete()
	train, test, err := c.load()
	if err != nil {
		return err
	}
	return c.in(ctx, e, "train-"+c.Task, false, func(dir string) error {
		started := time.Now()
		g, t, stopped := c.fit(ctx, e, dir, train, test)
		if t == nil {
			return stopped
		}
		r, err := c.keep(ctx, e, dir, g, t, test)
		if err != nil {
			return err
		}
		r.Timing["total"] = report.Number(time.Since(started).Seconds())
		if err := c.finish(e, dir, r); err != nil || stopped == nil {
			return err
		}
		return fmt.Errorf("the unfinished model is in %s: %w", dir, stopped)
	})
}

// Upper limits.
const (
	mostBatch  = 1 << 16
	mostEpochs = 100000
	mostGlyphs = 1000000
)

func (c *trainCmd) check() error {
	if c.BatchSize != nil {
		c.Batch = *c.BatchSize
	} else if c.Batch == 0 {
		c.Batch = train.DefaultBatch
	}
	if err := c.checkNumbers(); err != nil {
		return err
	}
	switch {
	case c.Task == glyphsName && c.Examples > mostGlyphs:
		return usage(fmt.Errorf("--examples %d: must be at most %d", c.Examples, mostGlyphs), "")
	case c.Task == glyphsName && c.Data != "":
		return usage(errors.New("train glyphs generates its data and takes no --data"), "")
	case c.Task != glyphsName && c.Data == "":
		return usage(fmt.Errorf("train %s requires --data, the folder of the data set", c.Task), whereFrom(c.Task))
	}
	return nil
}

// whereFrom returns a hint on how to get a task's data.
func whereFrom(task string) string {
	switch task {
	case "mnist", "cifar10":
		return "tattle data get " + task + " fetches it"
	case "images", "table":
		return ""
	}
	return "tattle data info " + task + " says what is expected there"
}

// checkNumbers checks the numbers.
func (c *trainCmd) checkNumbers() error {
	switch {
	case c.Epochs < 0 || c.Epochs > mostEpochs:
		return usage(fmt.Errorf("--epochs %d: must be between 1 and %d", c.Epochs, mostEpochs), "")
	case c.Batch < 1 || c.Batch > mostBatch:
		return usage(fmt.Errorf("--batch %d: must be between 1 and %d", c.Batch, mostBatch), "")
	case !(c.LearningRate > 0 && c.LearningRate < 1):
		return usage(fmt.Errorf("--learning-rate %g: must be above 0 and below 1", c.LearningRate), "")
	case c.Examples < 0:
		return usage(fmt.Errorf("--examples %d: must not be negative", c.Examples), "")
	case c.Net != "" && zoo.Nets[c.Net].About == "":
		return usage(fmt.Errorf("--net %q: unknown", c.Net), "choose from "+strings.Join(zoo.Names(), ", "))
	}
	return nil
}

// complete fills in paper A's recipe.
func (c *trainCmd) complete() {
	if c.Task == glyphsName {
		c.Data = glyphsName
	}
	if c.Epochs == 0 {
		c.Epochs = recipes[c.Task].epochs
	}
}

// load returns the training and the test set.
func (c *trainCmd) load() (train, test *dataset.Set, err error) {
	if c.Task == glyphsName {
		train, test = glyphs(c.Examples, c.Seed)
		return train, test, nil
	}
	if train, err = openData(c.Data, string(dataset.Train), c.Seed); err != nil {
		return nil, nil, err
	}
	if test, err = openData(c.Data, string(dataset.Test), c.Seed); err != nil {
		return nil, nil, err
	}
	if c.Examples > 0 && c.Examples < train.Len() {
		train = train.Subset(dataset.First(c.Examples))
	}
	return train, test, nil
}

// fit runs the recipe. Interrupted, it returns the model as far as it came, with
// ctx's error; where there is no model, no training either.
func (c *trainCmd) fit(ctx context.Context, e *env, dir string, data, test *dataset.Set) (*nn.Graph, *report.Training, error) {
	g, err := c.untrained(data.Shape)
	if err != nil {
		return nil, nil, err
	}
	t := c.asked(g, data)
	if err := roomForModel(dir, t.Parameters); err != nil {
		return nil, nil, err
	}
	net, err := nn.NewNet(g)
	if err != nil {
		return nil, nil, err
	}
	bar := progress.New(e.stderr, "training", 0)
	defer bar.Close()
	_, err = train.Fit(ctx, g, data, train.Options{
		Epochs: c.Epochs, Batch: c.Batch, Seed: c.Seed,
		Optimizer: func(ps []*nn.Param) train.Optimizer {
			return train.NewAdamW(ps, train.AdamOptions{LearningRate: c.LearningRate})
		},
		Progress: func(done, total int, _ float64) { bar.Set(done, total) },
		Validate: func(_ int, ep train.Epoch) error {
			a, err := interruptible(ctx, func() (float64, error) { return nn.Accuracy(net, test), nil })
			if err != nil {
				a = math.NaN()
			}
			t.Epochs = append(t.Epochs, report.Epoch{Loss: report.Number(ep.Loss), Accuracy: report.Number(a)})
			return err
		},
	})
	if err != nil && ctx.Err() == nil {
		return nil, nil, err
	}
	return g, t, err
}

// untrained builds the net for inputs of that shape. One that --net names enlarges
// smaller pictures to its own size.
func (c *trainCmd) untrained(shape []int) (*nn.Graph, error) {
	name := cmp.Or(c.Net, recipes[c.Task].net)
	g := zoo.Nets[name].Build(recipeClasses, c.Seed)
	own := g.InputShape
	if slices.Equal(own, shape) {
		return g, nil
	}
	if c.Net != "" && len(shape) == 3 && shape[0] == own[0] && shape[1] <= own[1] && shape[2] <= own[2] {
		return g.Upsampled("linear", shape[1:]...)
	}
	return nil, usage(fmt.Errorf("--data %s: examples of shape %v, but the %s net takes %v", c.Data, shape, name, own), "")
}

// asked is the training before its first epoch.
func (c *trainCmd) asked(g *nn.Graph, train *dataset.Set) *report.Training {
	return &report.Training{
		Task: train.Name, Parameters: g.ParamCount(), Examples: train.Len(), Batch: c.Batch, Asked: c.Epochs,
		Optimizer: fmt.Sprintf("AdamW, learning rate %g", c.LearningRate),
	}
}

// roomForModel fails early where the folder does not take a model of so many
// parameters.
func roomForModel(dir string, parameters int) error {
	if err := room(dir, 4*int64(parameters)); err != nil {
		return hinted(fmt.Errorf("the model would not fit: %w", err), "make room, or choose another folder with --out")
	}
	return nil
}

// keep saves the model, measures its accuracy and reports on it. An interrupted
// training is finished with: this is not interrupted by the same key again.
func (c *trainCmd) keep(ctx context.Context, e *env, dir string, g *nn.Graph, t *report.Training, test *dataset.Set) (*report.Report, error) {
	r := newReport(e, "A classifier of "+test.Name, c.Seed)
	r.Settings[netSetting] = g.Name
	r.Training = t
	r.Conclude(report.Done, "trained")
	if ctx.Err() != nil {
		ctx = context.WithoutCancel(ctx)
		r.Conclude(report.Unfinished, "unfinished")
		r.Warnings = append(r.Warnings, fmt.Sprintf("Training was interrupted: %d of %d epochs were completed. This model is not what its recipe makes.", len(t.Epochs), t.Asked))
	}
	if err := saveModel(dir, g, r); err != nil {
		return nil, err
	}
	net, err := nn.NewNet(g)
	if err != nil {
		return nil, err
	}
	bar := progress.New(e.stderr, "measuring accuracy", test.Len())
	defer bar.Close()
	u, err := release.CleanUtility(ctx, net, progress.Watch(test, bar))
	if err != nil {
		return nil, fmt.Errorf("the model is in %s, without a report: %w", dir, err)
	}
	r.Model.Inputs, r.Model.Features = nn.Size(g.InputShape), u.Classes
	r.Data = report.DataOf(test, absolute(c.Data), "test")
	r.Utility = report.UtilityOf(u)
	return r, nil
}

// saveModel writes a trained graph, with what made it, into the run's folder.
func saveModel(dir string, g *nn.Graph, r *report.Report) error {
	t := r.Training
	g.Metadata = map[string]string{"tattle.task": t.Task, "tattle.net": g.Name, "tattle.optimizer": t.Optimizer, "tattle.seed": fmt.Sprint(r.Seed),
		"tattle.epochs": fmt.Sprintf("%d of %d", len(t.Epochs), t.Asked)}
	path := filepath.Join(dir, modelFile)
	if err := onnx.Write(path, g); err != nil {
		return err
	}
	hash, err := run.Digest(path)
	r.Model.Path, r.Model.SHA256 = modelFile, hash // beside the report
	return err
}
