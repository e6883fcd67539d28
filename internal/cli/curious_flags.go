package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"tattle/curious"
	"tattle/curious/training"
	"tattle/dataset"
	"tattle/reproduce"
)

// curiousFlags are the flags of `train` for paper B's classifiers.
type curiousFlags struct {
	Target     string   `help:"Target attribute: a column, or a rule that makes classes of one, such as \"age: <=30, >30\"." placeholder:"RULE"`
	Sensitive  []string `sep:"none" help:"Attribute to encode in the outputs: a column or a rule, such as \"race: White; *\". Repeatable." placeholder:"RULE"`
	Attack     string   `help:"standard, overlearning, regularized, parameterized or mixture (default: parameterized with --sensitive)." placeholder:"KIND"`
	Outputs    string   `help:"Released outputs: raw (scores) or soft (probabilities) (default: raw; regularized, mixture: soft)." placeholder:"KIND"`
	Beta       string   `help:"Weights βx,βy,βs of the losses (default: 0,.7,.3; soft: 0,.5,.5; mixture: 0,.8,.2)." placeholder:"X,Y,S" more:""`
	Seeds      *int     `help:"Number of trainings, with seeds from --seed on (default: 5 with an attack, else 1)." placeholder:"N"`
	Normal     bool     `help:"mixture: add probabilities instead of one-hot answers." more:""`
	PerExample bool     `help:"regularized: eq. (3) as printed, a sum over examples instead of class means." more:""`
	Size       int      `help:"Resize pictures to this width and height, a multiple of 16 (default: 64; glyphs: 28)." placeholder:"PIXELS" more:""`
	Widths     string   `help:"Widths of four convolutions and an affine layer (default: 128-128-64-64-128)." placeholder:"A-B-C-D-E" more:""`
	HoldOut    bool     `help:"Do not train on a fifth of the training part: tattle distill needs it for the student." more:""`
	Labels     string   `help:"CSV with the labels of pictures (default: labels.csv beside them); mnist: folder of QMNIST labels." placeholder:"PATH" input:"file"`
	FileColumn string   `help:"Column of --labels with file names (default: file, filename, path, image or the first)." placeholder:"NAME" more:""`
	skipFlag
	Resume bool `help:"Continue the interrupted run in --out."`
}

// kinds maps tasks to kinds of package dataset.
var kinds = map[string]string{
	"mnist": dataset.KindMNIST, "cifar10": dataset.KindMNIST, glyphsName: dataset.KindGlyphs,
	"utkface": dataset.KindUTKFace, "celeba": dataset.KindCelebA, "fairface": dataset.KindFairFace,
	"images": dataset.KindImages, "adult": dataset.KindAdult, "table": dataset.KindTable,
}

// curious reports whether the flags ask for paper B's training.
func (f *curiousFlags) curious(task string) bool {
	_, paperA := reproduce.RecipeOf(task)
	return !paperA || f.Target != "" || len(f.Sensitive) > 0 || f.Attack != ""
}

// attack returns the kind of training.
func (f *curiousFlags) attack() (curious.Kind, error) {
	switch {
	case f.Attack == "" && len(f.Sensitive) > 0:
		return curious.Parameterized, nil
	case f.Attack == "":
		return curious.Standard, nil
	}
	all := []curious.Kind{curious.Standard, curious.Overlearning, curious.Regularized, curious.Parameterized, curious.MixtureKind}
	if k := curious.Kind(f.Attack); slices.Contains(all, k) {
		return k, nil
	}
	return "", usage(fmt.Errorf("--attack: no attack is called %q", f.Attack), "standard, overlearning, regularized, parameterized or mixture")
}

// options returns the options of a training; what no flag sets is zero.
func (f *curiousFlags) options() (o curious.Options, err error) {
	if o.Attack, err = f.attack(); err != nil {
		return o, err
	}
	if o.Outputs = curious.Outputs(f.Outputs); o.Outputs != "" && o.Outputs != curious.Raw && o.Outputs != curious.Soft {
		return o, usage(fmt.Errorf("--outputs %q: must be raw or soft", f.Outputs), "")
	}
	if f.Beta != "" {
		if o.Beta, err = curious.ParseBeta(f.Beta); err != nil {
			return o, usage(fmt.Errorf("--%w", err), "as in --beta .7,.3")
		}
		if o.Beta == (curious.Beta{}) {
			return o, usage(errors.New("--beta: all are 0, so nothing would be learned"), "as in --beta .7,.3")
		}
	}
	if o.Normal = f.Normal; o.Normal && o.Attack != curious.MixtureKind {
		return o, usage(errors.New("--normal requires --attack mixture"), "")
	}
	if o.PerExample = f.PerExample; o.PerExample && o.Attack != curious.Regularized {
		return o, usage(errors.New("--per-example requires --attack regularized"), "")
	}
	return o, nil
}

// parseWidths reads the widths that a flag gives.
func parseWidths(flag, s string) (w [5]int, err error) {
	if w, err = training.ParseWidths(s); err != nil {
		err = usage(fmt.Errorf("--%s%w", flag, err), "as in --"+flag+" 128-128-64-64-128")
	}
	return w, err
}

// Upper limits.
const (
	mostSide  = 1024
	mostSeeds = 1000
)

// checkCurious checks the flags of paper B's training.
func (c *trainCmd) checkCurious() error {
	if c.BatchSize != nil {
		c.Batch = *c.BatchSize
	} else {
		c.Batch = curious.DefaultBatch
	}
	if err := c.check(); err != nil {
		return err
	}
	switch {
	case c.Seeds != nil && (*c.Seeds < 1 || *c.Seeds > mostSeeds):
		return usage(fmt.Errorf("--seeds %d: must be between 1 and %d", *c.Seeds, mostSeeds), "")
	case c.EpochsGiven != nil && c.Epochs == 0:
		return usage(errors.New("--epochs 0: must be at least 1"), "")
	case c.Seed > math.MaxUint64-mostSeeds:
		return usage(fmt.Errorf("--seed %d: too large for further seeds", c.Seed), "")
	}
	return c.checkInputs()
}

// checkInputs checks the flags about the task's data.
func (c *trainCmd) checkInputs() error {
	table := c.Task == "adult" || c.Task == "table"
	fixed := c.Task == "mnist" || c.Task == "cifar10"
	switch {
	case c.Size != 0 && (table || fixed):
		return usage(fmt.Errorf("--size: the pictures of %s are not resized", c.Task), "")
	case c.Size < 0 || c.Size > mostSide || c.Size%16 != 0 && c.Task != glyphsName:
		return usage(fmt.Errorf("--size %d: must be a multiple of 16, at most %d", c.Size, mostSide), "paper B uses 64")
	case c.Labels != "" && c.Task != "images" && c.Task != "mnist":
		return usage(fmt.Errorf("--labels: cannot be used with %s, which has its own", c.Task), "it is for images and mnist")
	case c.FileColumn != "" && c.Task != "images":
		return usage(fmt.Errorf("--file-column: cannot be used with %s", c.Task), "it is for images")
	case c.Target == dataset.NoTarget || strings.HasSuffix(c.Target, dataset.NumberSuffix):
		return usage(fmt.Errorf("--target %s: a training requires a target with classes", c.Target), "")
	case c.Task == "table" && c.Target == "":
		return usage(errors.New("train table requires --target, the column to predict"), "")
	}
	return nil
}

// trainings returns the trainings of all seeds, with the source of their data.
func (c *trainCmd) trainings() ([]training.Seed, error) {
	o, err := c.options()
	if err != nil {
		return nil, err
	}
	widths, err := parseWidths("widths", c.Widths)
	if err != nil {
		return nil, err
	}
	src := &training.Source{
		Kind: kinds[c.Task], Path: c.Data, Labels: c.Labels, FileColumn: c.FileColumn, SkipMissing: c.SkipMissing, Target: c.Target, Sensitive: c.Sensitive,
		Side: c.Size, Seed: c.Seed, Limit: c.Examples, HoldOut: c.HoldOut,
	}
	if c.Data != "" {
		src.Path = absolute(c.Data)
	}
	if c.Labels != "" {
		src.Labels = absolute(c.Labels)
	}
	o.Epochs, o.Batch, o.LearningRate = c.Epochs, c.Batch, c.LearningRate
	runs := make([]training.Seed, c.seeds(o.Attack))
	for i := range runs {
		o.Seed = c.Seed + uint64(i)
		runs[i] = training.Seed{Options: o, Widths: widths, Source: src}
	}
	return runs, nil
}

// defaultSeeds is paper B's number of repetitions.
const defaultSeeds = 5

func (c *trainCmd) seeds(k curious.Kind) int {
	switch {
	case c.Seeds != nil:
		return *c.Seeds
	case k == curious.Standard:
		return 1
	}
	return defaultSeeds
}
