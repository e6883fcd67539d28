package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"tattle/internal/data/dataset"
	"tattle/internal/paper"
	"tattle/internal/protect/measure"
	"tattle/internal/report"
	"tattle/internal/reveal/curious"
)

type reproduceCmd struct {
	Experiment string `arg:"" optional:"" default:"" enum:",figure1,figure2,figure3,figure4,figure5,figure6,comparison,table1,table2,table3,table4,table5,table6,table7,table8,table9,mixtures,figure7,figure8,figure9,convex" help:"Paper A: figure1, figure2 (MNIST), figure3, figure4 (CIFAR-10), figure5, figure6 (ImageNet), comparison (MNIST). Paper B: table1, table2, table6 (CelebA), table3 to table5, table7 to table9, figure7 to figure9 (UTKFace), mixtures and convex (no data)."`
	Data       string `help:"Folder or zip of MNIST, CIFAR-10, ImageNet (validation), CelebA or UTKFace, as the experiment needs." placeholder:"PATH" input:"data"`
	Examples   string `help:"Paper A: how many test images are bounded, or an .npy file of their indices." placeholder:"N|FILE" input:"file"`
	Published  int    `help:"figure1 and comparison: also run the authors' own procedure, on this many images; 0: none." default:"500" more:"" range:"[0,)"`
	Twins      string `help:"comparison: images for which twins are searched: the first N, or all (default: 20)." default:"20" placeholder:"N|all" more:""`
	figureFlags
	Limit  int      `help:"Paper B: read at most N examples of each part, drawn by the seed (default: all; with --quick: 5000)." placeholder:"N" range:"[1,)"`
	Quick  bool     `help:"Paper B: small and fast, not comparable with the paper."`
	Seeds  int      `help:"Paper B: trainings of each kind, with seeds from --seed on (default: 5)." placeholder:"N" range:"[1,100000]"`
	Epochs int      `help:"Passes over the training data (default: paper B: 50; figure3 and figure4: 7)." placeholder:"N" range:"[1,100000]"`
	Only   []string `help:"Paper B: run these trainings only; * stands for any letters." placeholder:"KEY"`
	List   bool     `help:"List the experiments; of a given one, the published figures and the estimated time of each training."`
	skipFlag
	sharedRun
}

// figureFlags are paper A's alone.
type figureFlags struct {
	Model string `help:"Paper A: a trained net (default: train the paper's; figure5 and figure6 need one)." placeholder:"FILE" input:"model"`
	readFlags
	Features string `help:"Paper A: node (or tensor) whose output is released (default: the paper's features)." placeholder:"NODE" more:""`
	Labels   string `help:"figure5, figure6: CSV with labels (default: labels.csv or folder names)." placeholder:"FILE" input:"file"`
	Target   string `help:"figure5, figure6: column of the labels." placeholder:"COLUMN" more:""`
	Restarts int    `help:"Paper A: random starts per example; the largest bound is kept (default: 25)." placeholder:"N" more:"" range:"[1,32767]"`
	memoryFlag
}

func (reproduceCmd) Help() string {
	return "Example: tattle reproduce figure1 --data mnist --out figure1\n\nExample: tattle reproduce figure5 --model resnet18.onnx --data val --labels val.csv --target class --out figure5\n\nExample: tattle reproduce table3 --data UTKFace --quick --out table3\n\n" +
		"After an interruption, the same command with --out and --resume continues."
}

// MoreHelp implements detailed.
func (reproduceCmd) MoreHelp() string {
	return "Histograms of the bounds: figure1, figure3 and figure5. Reconstructions: figure2, figure4 and figure6. figure5 is about ResNet-18 and figure6 about Swin-T, or another ImageNet classifier that --model names. comparison has every bound and attack beside the paper's method. mixtures is Figure 4 of paper B. " +
		"figure5 and figure6 resize pictures to 91×91, unless --preprocess is given, and enlarge them to 224×224 inside the model. A table may be resumed with other --seeds and --only."
}

func (c *reproduceCmd) Run(ctx context.Context, e *env) error {
	switch {
	case c.Experiment == "" && c.List:
		return paper.WriteList(e.stdout)
	case c.Experiment == "":
		return usage(errors.New("reproduce needs the name of an experiment"), "tattle reproduce --list names them")
	case c.ofPaperB():
		return c.curious(ctx, e)
	}
	if err := c.ofPaperA(); err != nil {
		return err
	}
	f, _ := paper.GetFigure(c.Experiment)
	if c.List {
		return paper.WritePublished(e.stdout, f.Title, f.ListPublished())
	}
	if err := c.checkFigure(f); err != nil {
		return err
	}
	m, err := c.start(ctx, e, f)
	if err != nil {
		return err
	}
	return c.compute(ctx, e, c.Experiment, func(dir string) (*report.Report, error) { return c.figure(ctx, e, m, f, dir) })
}

// ofPaperB says whose experiment is asked for.
func (c *reproduceCmd) ofPaperB() bool { return slices.Contains(paper.Names(), c.Experiment) }

// curious runs one of paper B's experiments.
func (c *reproduceCmd) curious(ctx context.Context, e *env) error {
	x, err := paper.Get(c.Experiment)
	if err != nil {
		return err
	}
	if err := cmp.Or(
		c.refuse(figureOnly, []string{"--labels"}),
		refused(c.Examples != "", "how many examples are read is given with --limit", "reproduce %s has no use for --examples", c.Experiment),
	); err != nil {
		return err
	}
	if x.Data == paper.Plane {
		return c.plane(ctx, e, x)
	}
	return c.grid(ctx, e, x)
}

// plane runs the mixtures of figure 4 or the convex case, for which nothing has to be trained long.
func (c *reproduceCmd) plane(ctx context.Context, e *env, x *paper.Experiment) error {
	if err := c.onPlane(); err != nil {
		return err
	}
	if c.List {
		return paper.WritePublished(e.stdout, x.Title, x.ListPublished())
	}
	return c.compute(ctx, e, c.Experiment, func(string) (*report.Report, error) {
		r := newReport(e, x.Title, c.Seed)
		p := curious.Plane(curious.DefaultPlane, c.Seed)
		r.Data = measure.DataOf(p.Test, "", "test")
		r.Data.SHA256 = p.Sum()
		if err := x.OnPlane(ctx, p, r); err != nil {
			return nil, err
		}
		return r, nil
	})
}

// grid runs one of paper B's grids of trainings.
func (c *reproduceCmd) grid(ctx context.Context, e *env, x *paper.Experiment) error {
	o := paper.GridOptions{
		Epochs: c.Epochs, Seeds: c.Seeds, Seed: c.Seed, Only: c.Only, SkipMissing: c.SkipMissing, Quick: c.Quick,
		Limit: dataset.Limit{Most: c.Limit}, Say: e.say,
	}
	if c.Data != "" {
		o.Data = absolute(c.Data)
	}
	if c.List {
		g, err := x.NewGrid(o)
		if err != nil {
			return err
		}
		e.say("%v", g)
		return g.WritePlan(ctx, e.stdout)
	}
	if _, err := x.NewGrid(o); err != nil {
		return err
	}
	if c.Data == "" {
		return usage(fmt.Errorf("reproduce %s needs --data, the folder or zip of %s", x.Name, x.Data), "tattle data info "+string(x.Data)+" says where it comes from")
	}
	c.Extends = c.Resume && paper.Finished(c.Out)
	return c.compute(ctx, e, c.Experiment, func(dir string) (*report.Report, error) {
		if exists(filepath.Join(dir, manifestFile)) {
			return nil, usage(fmt.Errorf("--out %s: holds a run that is not one of paper B's tables", dir), "choose another folder with --out")
		}
		o.Dir, o.Files, o.Pool, o.Progress = dir, e.files, e.pool, e.bars.Set
		g, err := x.NewGrid(o)
		if err == nil {
			err = g.Run(ctx)
		}
		if err != nil {
			return nil, err
		}
		r := newReport(e, x.Title, c.Seed)
		return r, g.Report(ctx, r)
	})
}

// figureOnly are the flags of paper A's figures but --labels, and gridOnly those of a grid of
// trainings.
var (
	figureOnly = []string{"--model", "--input-shape", "--model-output", "--preprocess", "--features", "--target", "--restarts", "--memory"}
	gridOnly   = []string{"--seeds", "--only", "--limit"}
)

// refuse returns an error for the first of the flags that is given.
func (c *reproduceCmd) refuse(lists ...[]string) error {
	used := given(*c)
	for _, flags := range lists {
		for _, flag := range flags {
			if slices.Contains(used, strings.TrimPrefix(flag, "--")) {
				return usage(fmt.Errorf("reproduce %s has no use for %s", c.Experiment, flag), "leave it out")
			}
		}
	}
	return nil
}

// ofPaperA refuses the flags of paper B's experiments.
func (c *reproduceCmd) ofPaperA() error {
	f, _ := paper.GetFigure(c.Experiment)
	unused := []string{"--quick"}
	if f.Net != "cifar10" || c.Model != "" {
		unused = append(unused, "--epochs")
	}
	if !f.Small {
		unused = append(unused, "--labels", "--target", "--skip-missing")
	}
	return c.refuse(unused, gridOnly)
}

// onPlane refuses the flags that mixtures and convex have no use for.
func (c *reproduceCmd) onPlane() error {
	return c.refuse([]string{"--data", "--skip-missing", "--resume", "--epochs"}, gridOnly)
}
