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

	"tattle/internal/data/dataset"
	"tattle/internal/protect/measure"
	"tattle/internal/report"
	"tattle/internal/reveal/curious"
	"tattle/internal/reveal/curious/training"
)

// trainCurious trains paper B's classifiers, one for each seed.
func (c *trainCmd) trainCurious(ctx context.Context, e *env) error {
	if err := c.checkCurious(); err != nil {
		return err
	}
	seeds, err := c.trainings()
	if err != nil {
		return err
	}
	return c.compute(ctx, e, "train-"+c.Task, func(dir string) (*report.Report, error) {
		if err := otherwiseKept(dir, seeds); err != nil {
			return nil, err
		}
		return c.trainInto(ctx, e, dir, seeds)
	})
}

// trainInto trains what is missing in dir, and reports on all of it.
func (c *trainCmd) trainInto(ctx context.Context, e *env, dir string, seeds []training.Seed) (*report.Report, error) {
	data := &training.Data{Progress: e.bars.Begin("reading the data")}
	parts, _, err := data.Open(ctx, seeds[0].Source)
	if err != nil {
		return nil, measure.WrongData(ctx, "Data", err)
	}
	what := "training"
	t, err := training.Train(ctx, seeds, data, training.Options{
		Dir: dir, Files: e.files, Stage: filepath.Join(dir, shardsDir), Pool: e.pool,
		Start: func(missing []string, _ int) error { // there must be room in the folders, and once more as shards
			if len(seeds) > 1 {
				what = fmt.Sprintf("training %d seeds", len(missing))
			}
			return roomForModel(e.files, dir, (2+training.UnfinishedRoom)*len(missing)*seeds[0].Parameters(parts))
		},
		Progress: func(done, total int) { e.bars.Set(what, done, total) },
	})
	if err == nil {
		err = t.Failed()
	}
	if err != nil {
		return nil, err
	}
	r, err := curiousReport(ctx, e, dir, seeds, t.Results, parts)
	if err != nil {
		return nil, err
	}
	for name, took := range t.Took {
		r.Timing[name] = took.Seconds()
	}
	return r, nil
}

// curiousReport is the report of trainings that differ in their seed. The outputs of the
// worst are kept beside it.
func curiousReport(ctx context.Context, e *env, dir string, seeds []training.Seed, results []*training.Result, parts *dataset.Parts) (*report.Report, error) {
	r := newReport(e, "A "+training.Title(parts.Train), seeds[0].Options.Seed)
	worst := training.WorstSeed(results)
	folder := seeds[worst].Folder
	model, err := curious.Open(filepath.Join(dir, folder))
	if err != nil {
		return nil, err
	}
	if err := modelOf(r, dir, filepath.Join(folder, modelFile)); err != nil {
		return nil, err
	}
	arrays := filepath.Join(dir, arraysFile)
	if err := training.WriteOutputs(ctx, e.files, arrays, model, parts.Test); err != nil {
		return nil, err
	}
	names := []string{arraysFile}
	for i, x := range results {
		names = append(names, x.Paths(seeds[i].Folder)...)
	}
	if r.Files, err = report.Digests(dir, names); err != nil {
		return nil, err
	}
	training.ReportSeeds(r, seeds, results, worst, parts)
	return r, nil
}

// otherwiseKept refuses a folder that keeps one training as one of several, several
// as the only one, or trainings of other seeds: they would be done again, beside what is there.
func otherwiseKept(dir string, seeds []training.Seed) error {
	several, err := training.Several(dir)
	other := slices.IndexFunc(several, func(result string) bool {
		return !slices.ContainsFunc(seeds, func(s training.Seed) bool { return filepath.Join(dir, s.Folder, training.ResultFile) == result })
	})
	switch {
	case err != nil:
		return err
	case len(seeds) > 1 && exists(filepath.Join(dir, training.ResultFile)):
		return usage(fmt.Errorf("--out %s: holds the training of one seed, which has no folder of its own", dir), "go on with it by --seeds 1, or choose another folder")
	case len(seeds) == 1 && len(several) > 0:
		return usage(fmt.Errorf("--out %s: holds trainings of several seeds", dir), "go on with them by --seeds of at least 2, or choose another folder")
	case other >= 0:
		return usage(fmt.Errorf("--out %s: holds %s, which is not of the seeds of this command", dir, filepath.Base(filepath.Dir(several[other]))), "give the --seed and --seeds of the run, or choose another folder")
	}
	return nil
}

// curiousFlags are the flags of `train` for paper B's classifiers.
type curiousFlags struct {
	Target      string   `help:"Target attribute: a column, or a rule that makes classes of one, such as \"age: <=30, >30\"." placeholder:"RULE"`
	Sensitive   []string `sep:"none" help:"Attribute to encode in the outputs: a column or a rule, such as \"race: White; *\". Repeatable." placeholder:"RULE"`
	Curious     string   `help:"How the outputs are made curious: standard (not at all), overlearning, regularized, parameterized or mixture (default: parameterized with --sensitive)." placeholder:"KIND" choice:"standard,overlearning,regularized,parameterized,mixture"`
	OutputsKind string   `help:"Released outputs: raw (scores) or soft (probabilities) (default: raw; regularized, mixture: soft)." placeholder:"KIND" choice:"raw,soft"`
	Beta        string   `help:"Weights βx,βy,βs of the losses (default: 0,.7,.3; soft: 0,.5,.5; mixture: 0,.8,.2)." placeholder:"X,Y,S" more:""`
	Seeds       int      `help:"Number of trainings, with seeds from --seed on (default: 5 with an attack, else 1)." placeholder:"N" range:"[1,1000]"`
	Normal      bool     `help:"mixture: add probabilities instead of one-hot answers." more:""`
	PerExample  bool     `help:"regularized: eq. (3) as printed, a sum over examples instead of class means." more:""`
	Widths      string   `help:"Widths of four convolutions and an affine layer (default: 128-128-64-64-128)." placeholder:"A-B-C-D-E" more:""`
	HoldOut     bool     `help:"Do not train on a fifth of the training part: tattle distill needs it for the student." more:""`
	Labels      string   `help:"CSV of pictures' labels; mnist: folder of QMNIST's." placeholder:"PATH" input:"file"`
	FileColumn  string   `help:"Column of --labels with file names (default: file, filename, path, image or the first)." placeholder:"NAME" more:""`
	groupFlag
	skipFlag
}

// kinds maps tasks to kinds of package dataset.
var kinds = map[string]string{
	"mnist": dataset.KindMNIST, "cifar10": dataset.KindMNIST, glyphsName: dataset.KindGlyphs,
	"utkface": dataset.KindUTKFace, "celeba": dataset.KindCelebA, "fairface": dataset.KindFairFace,
	"images": dataset.KindImages, "adult": dataset.KindAdult, "table": dataset.KindTable,
}

// curious reports whether the flags ask for paper B's training.
func (f *curiousFlags) curious(task string) bool {
	_, paperA := training.RecipeOf(task)
	return !paperA || f.Target != "" || len(f.Sensitive) > 0 || f.Curious != ""
}

// attack returns the kind of training.
func (f *curiousFlags) attack() curious.Kind {
	if f.Curious == "" && len(f.Sensitive) > 0 {
		return curious.Parameterized
	}
	return cmp.Or(curious.Kind(f.Curious), curious.Standard)
}

// options returns the options of a training; what no flag sets is zero.
func (f *curiousFlags) options() (o curious.Options, err error) {
	o = curious.Options{Attack: f.attack(), Outputs: curious.Outputs(f.OutputsKind), Normal: f.Normal, PerExample: f.PerExample}
	if f.Beta != "" {
		if o.Beta, err = curious.ParseBeta(f.Beta); err != nil {
			return o, usage(fmt.Errorf("--%w", err), "as in --beta .7,.3")
		}
		if o.Beta == (curious.Beta{}) {
			return o, usage(errors.New("--beta: all are 0, so nothing would be learned"), "as in --beta .7,.3")
		}
	}
	return o, cmp.Or(
		requires(o.Normal && o.Attack != curious.MixtureKind, "--normal", "--curious mixture"),
		requires(o.PerExample && o.Attack != curious.Regularized, "--per-example", "--curious regularized"),
	)
}

// parseWidths reads the widths that a flag gives.
func parseWidths(flag, s string) (w [5]int, err error) {
	if w, err = training.ParseWidths(s); err != nil {
		err = usage(fmt.Errorf("--%s%w", flag, err), "as in --"+flag+" 128-128-64-64-128")
	}
	return w, err
}

// checkCurious checks the flags of paper B's training.
func (c *trainCmd) checkCurious() error {
	if err := c.check(); err != nil {
		return err
	}
	resized := c.Task != "adult" && c.Task != "table" && c.Task != "mnist" && c.Task != "cifar10" && c.Task != glyphsName
	return cmp.Or(
		refused(c.SigmaScale > 0 || c.BitsPenalty > 0, "they are for mnist, cifar10 and glyphs without --target, --sensitive and --curious", "--sigma-scale and --bits-penalty: cannot be used with paper B's training"),
		refused(c.Net != "", "--widths sets the layers of its net", "--net: cannot be used with paper B's training"),
		refused(c.Seed > math.MaxUint64-mostSeeds, "", "--seed %d: too large for further seeds", c.Seed),
		refused(c.Size != 0 && !resized, "", "--size: the pictures of %s are not resized", c.Task),
		refused(c.Labels != "" && c.Task != "images" && c.Task != "mnist", "it is for images and mnist", "--labels: cannot be used with %s, which has its own", c.Task),
		refused(c.FileColumn != "" && c.Task != "images", "it is for images", "--file-column: cannot be used with %s", c.Task),
		refused(c.Target == dataset.NoTarget || strings.HasSuffix(c.Target, dataset.NumberSuffix), "", "--target %s: a training requires a target with classes", c.Target),
		refused(c.Task == "table" && c.Target == "", "", "train table requires --target, the column to predict"),
	)
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
	src := &training.Source{Path: c.Data, HoldOut: c.HoldOut, Options: dataset.Options{
		Kind: kinds[c.Task], Labels: c.Labels, FileColumn: c.FileColumn, SkipMissing: c.SkipMissing, Target: c.Target, Sensitive: c.Sensitive, Group: c.Group,
		Side: c.Size, Seed: c.Seed, Part: dataset.Train, Limit: c.limit(),
	}}
	if c.Data != "" {
		src.Path = absolute(c.Data)
	}
	if c.Labels != "" {
		src.Labels = absolute(c.Labels)
	}
	o.Epochs, o.Batch, o.LearningRate = c.Epochs, cmp.Or(c.Batch, curious.DefaultBatch), c.LearningRate
	seeds := c.Seeds
	if seeds == 0 && o.Attack != curious.Standard {
		seeds = defaultSeeds
	}
	runs := make([]training.Seed, max(seeds, 1))
	for i := range runs {
		o.Seed = c.Seed + uint64(i)
		runs[i] = training.Seed{Folder: ".", Options: o, Widths: widths, Source: src}
		if len(runs) > 1 {
			runs[i].Folder = training.SeedFolder(o.Seed)
		}
	}
	return runs, nil
}

// Numbers of trainings: paper B's, and the most.
const (
	defaultSeeds = 5
	mostSeeds    = 1000
)
