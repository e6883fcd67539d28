package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tattle/curious"
	"tattle/dataset"
)

// curiousFlags are those of `train` for paper B's classifiers.
type curiousFlags struct {
	Target     string   `help:"What the classifier answers: a column, or a rule that makes classes of one, as \"age: <=30, >30\" (default: the data's own)." placeholder:"RULE"`
	Sensitive  []string `sep:"none" help:"What is hidden in the answer: a column or a rule, as \"race: White; *\". Several times: all of them at once (default: the data's own, with an --attack on them)." placeholder:"RULE"`
	Attack     string   `help:"standard, overlearning, regularized, parameterized or mixture (default: parameterized with --sensitive, else standard)." placeholder:"KIND"`
	Outputs    string   `help:"What is released: raw or soft (default: raw; soft for regularized and mixture)." placeholder:"KIND"`
	Beta       string   `help:"The multipliers: x,y,s or y,s (default: 0,.7,.3; soft 0,.5,.5; mixture 0,.8,.2)." placeholder:"X,Y,S"`
	Seeds      *int     `help:"Trainings, with the seeds --seed, --seed+1 and so on (default: 5 with an attack, else 1)." placeholder:"N"`
	Normal     bool     `help:"Of the mixture: add probabilities, not their hard maxima."`
	PerExample bool     `help:"Of the regularized attack: eq. (3) as it is printed, a sum over examples in place of class means."`
	Size       int      `help:"Side to which pictures are resized, a multiple of 16 (default: 64; glyphs 28)." placeholder:"PIXELS"`
	Widths     string   `help:"Of paper B's net, its four convolutions and its first affine layer (default: 128-128-64-64-128)." placeholder:"A-B-C-D-E"`
	HoldOut    bool     `help:"Leave out the fifth of the training part that distill gives to a student."`
	Labels     string   `help:"CSV with the labels of images (default: labels.csv among them); of mnist, the folder of QMNIST's." placeholder:"PATH" input:"file"`
	FileColumn string   `help:"Column of --labels that names the files (default: file, filename, path, image or the first)." placeholder:"NAME"`
	Cache      string   `help:"Where decoded pictures are kept: a folder, or none (default: beside the data)." placeholder:"DIR|none"`
	Resume     bool     `help:"Go on with the interrupted run in --out."`
}

// kinds are those of package dataset that tasks read.
var kinds = map[string]string{
	"mnist": dataset.KindMNIST, "cifar10": dataset.KindMNIST, glyphsName: dataset.KindGlyphs,
	"utkface": dataset.KindUTKFace, "celeba": dataset.KindCelebA, "fairface": dataset.KindFairFace,
	"images": dataset.KindImages, "adult": dataset.KindAdult, "table": dataset.KindTable,
}

// curious says whether it is paper B's training that is asked for.
func (f *curiousFlags) curious(task string) bool {
	_, paperA := recipes[task]
	return !paperA || f.Target != "" || len(f.Sensitive) > 0 || f.Attack != ""
}

// stray names a flag of paper B's that paper A's training has no use for.
func (f *curiousFlags) stray() string {
	for _, x := range []struct {
		name  string
		given bool
	}{
		{"outputs", f.Outputs != ""}, {"beta", f.Beta != ""}, {"seeds", f.Seeds != nil}, {"normal", f.Normal}, {"per-example", f.PerExample},
		{"size", f.Size != 0}, {"widths", f.Widths != ""}, {"hold-out", f.HoldOut}, {"labels", f.Labels != ""},
		{"file-column", f.FileColumn != ""}, {"cache", f.Cache != ""}, {"resume", f.Resume},
	} {
		if x.given {
			return x.name
		}
	}
	return ""
}

// attack is the kind that is asked for.
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

// options are what is asked of a training; zero where it is left open.
func (f *curiousFlags) options() (o curious.Options, err error) {
	if o.Attack, err = f.attack(); err != nil {
		return o, err
	}
	if o.Outputs = curious.Outputs(f.Outputs); o.Outputs != "" && o.Outputs != curious.Raw && o.Outputs != curious.Soft {
		return o, usage(fmt.Errorf("--outputs: %q is neither raw nor soft", f.Outputs), "")
	}
	if f.Beta != "" {
		if o.Beta, err = curious.ParseBeta(f.Beta); err != nil {
			return o, usage(fmt.Errorf("--%w", err), "as in --beta .7,.3")
		}
		if o.Beta == (curious.Beta{}) {
			return o, usage(errors.New("--beta: all are 0, so that nothing would be learned"), "as in --beta .7,.3")
		}
	}
	if o.Normal = f.Normal; o.Normal && o.Attack != curious.MixtureKind {
		return o, usage(errors.New("--normal: it is of the mixture"), "add --attack mixture")
	}
	if o.PerExample = f.PerExample; o.PerExample && o.Attack != curious.Regularized {
		return o, usage(errors.New("--per-example: it is of the regularized attack"), "add --attack regularized")
	}
	return o, nil
}

// parseWidths reads A-B-C-D-E; zeros for none.
func parseWidths(flag, s string) (w [5]int, err error) {
	if s == "" {
		return w, nil
	}
	words := strings.Split(s, "-")
	if len(words) != len(w) {
		return w, usage(fmt.Errorf("--%s: %q is not five numbers", flag, s), "as in --"+flag+" 128-128-64-64-128")
	}
	for i, word := range words {
		if w[i], err = strconv.Atoi(word); err != nil || w[i] < 1 || w[i] > mostWidth {
			return w, usage(fmt.Errorf("--%s: %q is not a number from 1 to %d", flag, word, mostWidth), "as in --"+flag+" 128-128-64-64-128")
		}
	}
	return w, nil
}

// The most that is believed to be meant.
const (
	mostWidth = 4096
	mostSide  = 1024
	mostSeeds = 1000
)

// checkCurious refuses flags that make no sense together.
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
		return usage(fmt.Errorf("--seeds: %d is not between 1 and %d", *c.Seeds, mostSeeds), "")
	case c.EpochsGiven != nil && c.Epochs == 0:
		return usage(errors.New("--epochs: 0 would train nothing"), "")
	case c.Seed > math.MaxUint64-mostSeeds:
		return usage(fmt.Errorf("--seed: %d leaves no room for further ones", c.Seed), "")
	}
	return c.checkInputs()
}

// checkInputs refuses flags that the task's data have no use for, or miss.
func (c *trainCmd) checkInputs() error {
	table := c.Task == "adult" || c.Task == "table"
	fixed := c.Task == "mnist" || c.Task == "cifar10"
	switch {
	case c.Size != 0 && (table || fixed):
		return usage(fmt.Errorf("--size: %s has no pictures that are resized", c.Task), "")
	case c.Size < 0 || c.Size > mostSide || c.Size%16 != 0 && c.Task != glyphsName:
		return usage(fmt.Errorf("--size: %d is no multiple of 16 up to %d", c.Size, mostSide), "paper B's pictures have 64")
	case c.Labels != "" && c.Task != "images" && c.Task != "mnist":
		return usage(fmt.Errorf("--labels: %s has its own", c.Task), "it is for images and for mnist")
	case c.FileColumn != "" && c.Task != "images":
		return usage(fmt.Errorf("--file-column: %s has no such column", c.Task), "it is for images")
	case c.Task == "table" && c.Target == "":
		return usage(errors.New("train table needs --target, the column to predict"), "")
	}
	return nil
}

// trainings are the seeds' trainings, and how their data are read.
func (c *trainCmd) trainings() ([]seedRun, error) {
	o, err := c.options()
	if err != nil {
		return nil, err
	}
	widths, err := parseWidths("widths", c.Widths)
	if err != nil {
		return nil, err
	}
	src := &opened{
		Kind: kinds[c.Task], Path: c.Data, Labels: c.Labels, FileColumn: c.FileColumn, Target: c.Target, Sensitive: c.Sensitive,
		Side: c.Size, Seed: c.Seed, Limit: c.Examples, HoldOut: c.HoldOut, Cache: cacheFolder(c.Cache),
	}
	if c.Data != "" {
		src.Path = absolute(c.Data)
	}
	if c.Labels != "" {
		src.Labels = absolute(c.Labels)
	}
	o.Epochs, o.Batch, o.LearningRate = c.Epochs, c.Batch, c.LearningRate
	runs := make([]seedRun, c.seeds(o.Attack))
	for i := range runs {
		o.Seed = c.Seed + uint64(i)
		runs[i] = seedRun{options: o, widths: widths, source: src}
	}
	return runs, nil
}

// defaultSeeds is the paper's number of repetitions.
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
