package cli

import (
	"context"

	"tattle/reproduce"
)

type reproduceCmd struct {
	Experiment string `arg:"" enum:"figure1,figure2,figure3,figure4,figure5,figure6,comparison,table1,table2,table3,table4,table5,table6,table7,table8,table9,mixtures,figure7,figure8,figure9,convex,detection" help:"Of paper A: figure1 and figure2 (MNIST: histograms of the bounds, reconstructions), figure3 and figure4 (the same for CIFAR-10), figure5 and figure6 (ImageNet with ResNet-18 and Swin-T), comparison (every bound and attack on MNIST beside the paper's method). Of paper B: table1, table2, table6 (CelebA), table3 to table5, table7 to table9, figure7, figure8, figure9 (UTKFace), mixtures (its Figure 4) and convex (no data). Not from the papers: detection (audits of classifiers with known leakage, on glyphs and, with --data and --labels, QMNIST)."`
	Data       string `help:"Folder or zip of MNIST, CIFAR-10, ImageNet (validation), CelebA or UTKFace, as the experiment needs." placeholder:"PATH" input:"data"`
	Examples   string `help:"Paper A: test images, or an .npy file of indices. Paper B: largest number of training examples." placeholder:"N|FILE" input:"file"`
	Published  int    `help:"figure1 and comparison: also run the authors' own procedure, on this many images; 0: none." default:"500"`
	Twins      string `help:"comparison: images for which twins are searched: the first N, or all (default: 20)." default:"20" placeholder:"N|all"`
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
	f, _ := reproduce.GetFigure(c.Experiment)
	if err := c.checkFigure(f); err != nil {
		return err
	}
	m, err := c.start(ctx, e, f)
	if err != nil {
		return err
	}
	return c.in(ctx, e, c.Experiment, c.Resume, func(dir string) error { return e.unfinished(c.figure(ctx, e, m, f, dir), dir) })
}
