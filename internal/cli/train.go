package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn/train"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/file"
	"tattle/internal/protect/measure"
	"tattle/internal/report"
	"tattle/internal/reveal/curious/training"
)

type trainCmd struct {
	Task         string  `arg:"" enum:"mnist,cifar10,glyphs,utkface,celeba,fairface,images,adult,table" help:"mnist, cifar10 or glyphs (generated): paper A's training, or paper B's with --target, --sensitive or --curious; utkface, celeba, fairface, images (a folder or zip with a CSV of labels), adult or table (any CSV): paper B's training."`
	Data         string  `help:"Data set: a folder, a zip or a CSV file." placeholder:"PATH" input:"data"`
	Epochs       int     `help:"Passes over the training data (default: paper A: 6 or 7, paper B: 50)." placeholder:"N" range:"[1,100000]"`
	Batch        int     `help:"Examples per step (default: paper A: 32, paper B: 100)." placeholder:"N" more:"" range:"[1,65536]"`
	LearningRate float64 `help:"Learning rate of AdamW (paper A) or Adam (paper B)." default:"0.001" more:"" range:"(0,1)"`
	Net          string  `help:"Another net for mnist, cifar10 and glyphs: resnet20, resnet18, swin-t, mnist or cifar10." placeholder:"NAME"`
	Size         int     `help:"Resize pictures to this width and height, a multiple of 16 (default: paper B 64; else as they are)." placeholder:"PIXELS" more:"" range:"[1,1024]"`
	SigmaScale   float64 `help:"Train with Gaussian noise on the features, the input of the last affine layer: X times their root mean square in each batch." placeholder:"X" range:"(0,1000000]"`
	BitsPenalty  float64 `help:"With --sigma-scale: add to the loss WEIGHT times an upper limit on the information in the features, in bits." placeholder:"WEIGHT" more:"" range:"(0,1000000]"`
	limitFlag    `kong:"set='listed=training',set='limit=all'"`
	curiousFlags `group:"Curious classifiers (paper B)"`
	sharedRun
}

func (trainCmd) Help() string {
	return `Example: tattle train mnist --data mnist --out mnist-net

This trains an honest classifier as paper A does. With --sigma-scale 5 it learns to answer although noise of five times the root mean square of the features is added to them before its last layer; tattle bound --sigma-scale 5 then measures what they reveal:

  tattle train mnist --data mnist --sigma-scale 5 --out noisy-net

The next classifier is honest but curious: it answers whether a face is younger than 30 and encodes the gender in its scores:

  tattle train fairface --data fairface64.zip --target "age: <30, >=30" --sensitive gender --out curious

After Ctrl-C, the same command with --resume continues from the last finished epoch.`
}

// MoreHelp implements detailed.
func (trainCmd) MoreHelp() string {
	return "Writes model.onnx, report.json and report.html, and attack.onnx if there is an attack. With --seeds, each seed has its own folder. --resume trains the seeds that are missing.\n\n" +
		"The noise of --sigma-scale follows the features: its strength is set anew for each batch. --bits-penalty 0.01 also makes the net remove from the features what the task does not need."
}

func (c *trainCmd) Run(ctx context.Context, e *env) error {
	if c.curious(c.Task) {
		return c.trainCurious(ctx, e)
	}
	if flags := given(c.curiousFlags); len(flags) > 0 {
		return usage(fmt.Errorf("--%s: requires --sensitive, --target or --curious", flags[0]), "they choose the training of paper B")
	}
	if err := cmp.Or(c.check(), refused(c.Prepare, "start it without --prepare", "--prepare: one training of paper A has no parts for several workers")); err != nil {
		return err
	}
	c.Batch = cmp.Or(c.Batch, train.DefaultBatch)
	if c.BitsPenalty > 0 && c.Batch > training.MostPenalized {
		return usage(fmt.Errorf("--batch %d: must be at most %d with --bits-penalty", c.Batch, training.MostPenalized), "")
	}
	if c.Task == glyphsName {
		c.Data = glyphsName
	}
	train, test, err := c.load()
	if err != nil {
		return err
	}
	return c.compute(ctx, e, "train-"+c.Task, func(dir string) (*report.Report, error) {
		recipe := c.recipe(e.files)
		recipe.Unfinished = dir
		t, err := fit(ctx, e, dir, recipe, train, test)
		if err != nil {
			return nil, err
		}
		return trainedReport(ctx, e, dir, recipe, t, absolute(c.Data))
	})
}

// mostEpochs limits --epochs.
const mostEpochs = 100000

// check checks the flags of both papers' trainings.
func (c *trainCmd) check() error {
	drawn := c.Task == glyphsName
	return cmp.Or(
		refused(c.Net != "" && zoo.Nets()[c.Net].About == "", "choose from "+strings.Join(zoo.Names(), ", "), "--net %q: unknown", c.Net),
		refused(c.Size%16 != 0, "such as 64", "--size %d: must be a multiple of 16", c.Size),
		refused(c.SigmaScale == 0 && c.BitsPenalty > 0, "without noise, the features have no limit", "--bits-penalty requires --sigma-scale"),
		refused(drawn && c.Data != "", "", "train glyphs generates its data and takes no --data"),
		refused(!drawn && c.Data == "", whereFrom(c.Task), "train %s requires --data, the folder of the data set", c.Task),
	)
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

// load returns the training and the test set.
func (c *trainCmd) load() (train, test *dataset.Set, err error) {
	in := measure.Inputs{Path: c.Data, Part: string(dataset.Test), Limit: c.Limit.Others(), Seed: c.Seed}
	if test, err = openAlone(in); err != nil {
		return nil, nil, err
	}
	in.Part, in.Limit = string(dataset.Train), c.limit()
	train, err = openAlone(in)
	return train, test, err
}

// recipe returns paper A's training as the flags change it; files writes what it keeps.
func (c *trainCmd) recipe(files *file.Dir) training.Recipe {
	r, _ := training.RecipeOf(c.Task)
	r.Side = c.Size
	r.Net = cmp.Or(c.Net, r.Net)
	r.Epochs = cmp.Or(c.Epochs, r.Epochs)
	r.Batch, r.LearningRate, r.Seed, r.Files = c.Batch, c.LearningRate, c.Seed, files
	r.Noise, r.BitsPenalty = c.SigmaScale, c.BitsPenalty
	return r
}

// fit trains a net in the run's folder.
func fit(ctx context.Context, e *env, dir string, r training.Recipe, data, test *dataset.Set) (*training.Fitted, error) {
	g, err := r.Build(data.Shape)
	if err != nil {
		return nil, usage(fmt.Errorf("--data: %w", err), "")
	}
	copies := 1
	if r.Unfinished != "" {
		copies += training.UnfinishedRoom
	}
	if err := roomForModel(e.files, dir, copies*g.ParamCount()); err != nil {
		return nil, err
	}
	return r.Train(ctx, g, data, test, e.bars.Begin("training"))
}

// roomForModel fails early where the folder does not take a model of so many
// parameters.
func roomForModel(files *file.Dir, dir string, parameters int) error {
	if err := files.Room(dir, 4*int64(parameters)); err != nil {
		return hinted(fmt.Errorf("the model would not fit: %w", err), "make room, or choose another folder with --out")
	}
	return nil
}

// trainedReport saves the net, measures its accuracy and reports on it.
func trainedReport(ctx context.Context, e *env, dir string, r training.Recipe, t *training.Fitted, data string) (*report.Report, error) {
	x := newReport(e, "A classifier of "+t.Test.Name, r.Seed)
	if err := r.Report(ctx, x, dir, t, data, e.bars.Begin("measuring accuracy")); err != nil {
		return nil, err
	}
	return x, nil
}
