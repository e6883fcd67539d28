package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"tattle/bound"
	"tattle/dataset"
	"tattle/design"
	"tattle/internal/file"
	"tattle/internal/progress"
	"tattle/measure"
	"tattle/nn"
	"tattle/report"
	"tattle/run"
	"tattle/stat"
)

// designCmd looks for the cheapest release that keeps a promise.
type designCmd struct {
	modelFlags
	Data         string `required:"" help:"MNIST, CIFAR-10 or pictures (folder, zip), .npz file, CSV table, or glyphs (generated)." placeholder:"PATH" input:"data"`
	Split        string `help:"Part of the data on which accuracy is measured: test or train." enum:"test,train" default:"test"`
	Features     string `help:"Node or tensor whose output is released; with a promise also several: A,B or all (default: the input of the last affine layer)." placeholder:"NODE"`
	TrainingData string `help:"Data that principal projections and the linear attack learn from (default: the training part of --data)." placeholder:"PATH" input:"data" more:""`

	inputFlags

	promiseFlags  `group:"A promise about every adversary"`
	designTarget  `group:"Targets for unbiased estimators and one attack, or a limit on the cost"`
	promiseSearch `group:"Search for a promise"`
	designSweep   `group:"Search for a target"`
	Resume        bool `help:"Continue the interrupted search in --out."`
	output

	clusterFlags `group:"Runs over several machines"`
}

// designTarget are the flags of the target.
type designTarget struct {
	Resolvable      string   `help:"For half of the examples, an unbiased adversary resolves at most N directions to within STD, such as 10@0.5." placeholder:"N@STD"`
	MedianStd       *float64 `help:"The certified standard deviation of unbiased reconstructions is at least STD for half of the coordinates." placeholder:"STD"`
	AttackMSE       *float64 `name:"attack-mse" help:"The linear attack's mean-square error is at least X." placeholder:"X"`
	MaxAccuracyDrop string   `help:"Accuracy drops by at most this much, such as 1% or 0.01 (upper 95 % limit of the drop)." placeholder:"DROP"`
}

// designSweep are the flags of the search.
type designSweep struct {
	Noise      []string `help:"Families of noise, as in tattle bound --noise (default: gaussian,laplace,logistic). With a promise: lattice, to measure the answer as tattle guard releases it." placeholder:"LIST" input:"table"`
	Keep       []string `help:"Numbers of released features, or all (default: all, then half as many each time, down to about ten)." placeholder:"LIST"`
	Projection []string `help:"How fewer features are chosen: first, random, principal (default: principal if there are training data, and random)." placeholder:"LIST"`
	Examples   string   `help:"Number of examples for bounds, drawn by the seed; an .npy file of indices; or all (default: 100)." default:"100" placeholder:"N|FILE" input:"file"`
	Draws      int      `help:"Draws of the noise per example when accuracy is measured (default: 2)." default:"2" placeholder:"N"`
}

func (designCmd) Help() string {
	return `Example: tattle design --model mnist-net/model.onnx --data mnist --identify 1%@60000

Finds the release that keeps a promise about every adversary at the lowest cost in accuracy. This promise says: nobody who has a list of 60,000 candidates names the right input from one release with a probability above 1 %. Several limits are promised together. The candidates are training inputs. With --noise lattice the answer is measured with the noise of tattle guard, and the report ends with the command that packs it.

After an interruption, the same command with --out and --resume continues.`
}

// MoreHelp implements detailed.
func (designCmd) MoreHelp() string {
	return `Exit status: 0 if the promise is kept or the target met, 1 if not (the report then names the nearest release), 2 for wrong usage, 3 if the search could not finish.

The search tries, at each node of --features, several methods: noise of one strength on all features, principal directions, discriminants, and layers that are learned under the noise together with a new head. It measures on training data, and sets the strength of the noise with a fifth of the test data. The answer is then measured on the other test data as tattle bound does, with fresh noise: how often candidates are identified, and new inputs hidden among them; the bits revealed; the floor for adversaries without a list; and accuracy. The promise is kept if the limits of these figures, of 99.9 % confidence each, keep it. --attack limits the attacks that ran; another attack may do better.

Writes model.onnx with the new layers and head (noise is added to the output of its node release), report.html, report.json and the arrays of the bounds. The report ends with a tattle bound command that examines the release further.

Targets for unbiased estimators are older and weaker:

    tattle design --model mnist-net/model.onnx --data mnist --resolvable 10@0.5

tries families of noise, numbers of features and strengths. --resolvable and --median-std limit unbiased estimators only, and --attack-mse the linear attack only: a target that is met does not limit an adversary who knows what inputs look like. With --max-accuracy-drop alone, the answer is the release within the drop from which unbiased estimators resolve the fewest directions.`
}

// Run searches and reports.
func (c *designCmd) Run(ctx context.Context, e *env) error {
	if c.promises() {
		return c.keepPromise(ctx, e)
	}
	if err := c.promiseOnly(); err != nil {
		return err
	}
	j, err := c.job(ctx, e)
	if err != nil {
		return err
	}
	return c.in(ctx, e, "design", c.Resume, func(dir string) error {
		if begun(dir) && !c.Resume {
			return interruptedRun(dir)
		}
		return e.unfinished(j.answer(ctx, e, dir), dir)
	})
}

// answer searches, reports, and clears away what the search kept.
func (j *designJob) answer(ctx context.Context, e *env, dir string) error {
	started := time.Now()
	a, err := j.search(ctx, e, dir)
	if err != nil {
		return err
	}
	r := newReport(e, "What to release of "+filepath.Base(j.Model), j.Seed)
	r.Model, r.Data, r.Reading = j.origin.Model, j.origin.Data, j.origin.Reading
	d := report.DesignRun{Options: j.options, Answer: a, Labelled: j.data.Len(), TrainingPath: j.trainPath, Missing: j.missing}
	if a.Best != nil {
		d.Command = j.command(a.Best)
	}
	r.SetDesign(d)
	r.Timing["total"] = seconds(started)
	if err := j.finish(e, dir, r); err != nil {
		return err
	}
	if err := file.RemoveAll(filepath.Join(dir, shardsDir)); err != nil || a.Met {
		return err
	}
	return finding(fmt.Errorf("nothing that was tried meets the target for %s", r.Design.For()), "lower the target, allow a larger drop, or try other families, projections and numbers of features")
}

// A designJob is a search whose flags are checked and whose files are open.
type designJob struct {
	*designCmd
	model     *measure.Model
	origin    report.Origin
	node      string
	in        measure.Inputs
	data      *dataset.Set
	measured  []int64      // of the data without a limit: indices of the inputs of the final measurement; nil: those that are read
	training  *dataset.Set // nil if there is none
	trainPath string
	missing   error // why there is none
	options   design.Options
}

// job checks the flags and opens model and data.
func (c *designCmd) job(ctx context.Context, e *env) (*designJob, error) {
	j := &designJob{designCmd: c}
	var err error
	if j.options, err = c.asked(); err != nil {
		return nil, err
	}
	if err := c.swept(&j.options); err != nil {
		return nil, err
	}
	if err := j.open(ctx, e); err != nil {
		return nil, err
	}
	n, err := j.shapes()
	if err != nil {
		return nil, err
	}
	for _, k := range j.options.Keeps {
		if k > n {
			return nil, usage(fmt.Errorf("--keep: %d of %d features cannot be kept", k, n), "")
		}
	}
	if err := j.learn(ctx, e); err != nil {
		return nil, err
	}
	if j.options.Indices, err = chooseExamples(c.Examples, j.data.Len(), c.Seed); err != nil {
		return nil, err
	}
	slices.Sort(j.options.Indices)
	j.options.Indices = slices.Compact(j.options.Indices)
	j.options.Coordinates, j.options.Band = bound.DCT(j.data.Shape), measure.LowBand(j.data.Shape)
	j.options.Legal, err = measure.LegalDomain(j.data)
	return j, err
}

// open opens model and data.
func (j *designJob) open(ctx context.Context, e *env) (err error) {
	if j.model, err = j.readFlags.open(j.Model); err != nil {
		return err
	}
	if err := differentiable(j.model, j.model.Graph); err != nil {
		return err
	}
	j.in = j.inputFlags.of(j.Data, j.Split, j.Seed)
	var notes []string
	if j.data, notes, err = openInputs(ctx, e, j.in, j.model); err != nil {
		return err
	}
	j.origin = originOf(j.model, j.in, j.data, notes)
	if !j.data.Labelled() {
		return usage(fmt.Errorf("%s: the examples have no labels, and design weighs confidentiality against accuracy", j.Data), "name the labels with --labels and --target")
	}
	return e.checkFit(ctx, j.model, j.in, j.data, true)
}

// asked reads target and constraint.
func (c *designCmd) asked() (o design.Options, err error) {
	o = design.Options{Seed: c.Seed, Draws: c.Draws}
	if c.Resolvable == "" && c.MedianStd == nil && c.AttackMSE == nil && c.MaxAccuracyDrop == "" {
		return o, usage(errors.New("no promise and no target is given"), "promise something about every adversary, such as --identify 1%, or limit the cost with --max-accuracy-drop 1%")
	}
	if c.Resolvable != "" {
		if o.Target.Directions, o.Target.Within, err = design.ParseResolvable(c.Resolvable); err != nil {
			return o, usage(fmt.Errorf("--%w", err), "")
		}
	}
	if err := positives(positive{"--median-std", c.MedianStd, &o.Target.MedianStd}, positive{"--attack-mse", c.AttackMSE, &o.Target.AttackMSE}); err != nil {
		return o, err
	}
	o.MaxDrop, err = parseDrop(c.MaxAccuracyDrop)
	return o, err
}

// A positive is a flag with a positive number, which may be missing, and where to put it.
type positive struct {
	flag string
	from *float64
	to   *float64
}

func positives(flags ...positive) error {
	for _, f := range flags {
		if f.from == nil {
			continue
		}
		if *f.to = *f.from; !(*f.to > 0) || math.IsInf(*f.to, 0) {
			return usage(fmt.Errorf("%s: %g is not a positive number", f.flag, *f.to), "")
		}
	}
	return nil
}

// parseDrop reads the value of --max-accuracy-drop: 1% or 0.01, or nothing. A number of 1 and more
// without the sign could be meant either way, and is refused.
func parseDrop(s string) (float64, error) {
	if s == "" {
		return 0, nil
	}
	v, percent, err := stat.ParseShare(s)
	switch {
	case err != nil:
	case !percent && v >= 1:
		err = fmt.Errorf("%s without %% would be %g of a hundred points", s, 100*v)
	case !(v > 0 && v < 1):
		err = fmt.Errorf("%s is not between 0%% and 100%%", s)
	}
	if err != nil {
		return 0, usage(fmt.Errorf("--max-accuracy-drop: %w", err), "one point of a hundred is 1% or 0.01")
	}
	return v, nil
}

// swept reads what is tried.
func (c *designCmd) swept(o *design.Options) error {
	for _, k := range c.Keep {
		n, err := strconv.Atoi(k)
		if k != "all" && (err != nil || n < 1) {
			return usage(fmt.Errorf("--keep: %q features cannot be kept", k), "give numbers from 1, or all")
		}
		o.Keeps = append(o.Keeps, n)
	}
	if c.Draws < 1 || c.Draws > mostAttackDraws {
		return usage(fmt.Errorf("--draws: %d is not between 1 and %d", c.Draws, mostAttackDraws), "")
	}
	for _, kind := range c.Projection {
		if !slices.Contains([]string{"first", "random", "principal"}, kind) {
			return usage(fmt.Errorf("--projection: there is no %q", kind), "choose from first, random, principal")
		}
	}
	for _, family := range c.Noise {
		if path, ok := strings.CutPrefix(family, measure.TablePrefix); ok {
			family = measure.TablePrefix + absolute(path)
		}
		o.Families = append(o.Families, family)
	}
	o.Projections = c.Projection
	return nil
}

// shapes finds the features and their number, and checks that the model takes the
// data.
func (j *designJob) shapes() (n int, err error) {
	if j.node = j.Features; j.node == "" {
		if j.node, err = j.model.Graph.FeatureNode(); err != nil {
			return 0, usage(fmt.Errorf("%s: %w", j.Model, err), "name the node whose output is released with --features")
		}
	}
	f, h, err := cutAt(j.model.Graph, j.node)
	if err != nil {
		return 0, err
	}
	split, err := measure.NewSplit(j.node, f, h, nil)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", j.Model, err)
	}
	p, n := split.Front.Dims()
	if have := nn.Size(j.data.Shape); have != p {
		return 0, usage(fmt.Errorf("%s takes inputs of shape %v, %s has examples of shape %v", j.Model, f.InputShape, j.Data, j.data.Shape), "choose the data the model was trained on")
	}
	return n, nil
}

// learn opens the training data, which may be missing unless something needs them.
func (j *designJob) learn(ctx context.Context, e *env) (err error) {
	needed := ""
	switch {
	case j.AttackMSE != nil:
		needed = "--attack-mse"
	case slices.Contains(j.Projection, "principal"):
		needed = "--projection principal"
	}
	j.training, j.trainPath, j.missing, err = openTraining(j.TrainingData, needed, j.in, j.data, func(in measure.Inputs) (*dataset.Set, error) { return readInputs(ctx, e, in, j.model) })
	return err
}

// search runs the search, whose stages are kept in a folder of their own in dir.
func (j *designJob) search(ctx context.Context, e *env, dir string) (*design.Answer, error) {
	hashes, err := j.hashes()
	if err != nil {
		return nil, err
	}
	bars := &progress.Phases{W: e.stderr}
	defer bars.Close()
	o := j.options
	o.Dir, o.Resume, o.Hashes, o.Pool, o.Progress = filepath.Join(dir, shardsDir), j.Resume, hashes, e.pool, bars.Set
	var train nn.Source
	if j.training != nil {
		train = j.training
	}
	a, err := design.Search(ctx, j.model.Graph, j.node, train, j.data, o)
	return a, flagged(err, designFlags)
}

// hashes are what a resumed search must share besides its settings.
func (j *designJob) hashes() (map[string]string, error) {
	h := map[string]string{"model": j.model.SHA256, "data": j.data.SHA256}
	if j.training != nil {
		h["training data"] = j.training.SHA256
	}
	for i, family := range j.options.Families {
		if path, ok := strings.CutPrefix(family, measure.TablePrefix); ok {
			digest, err := run.Digest(path)
			if err != nil {
				return nil, usage(fmt.Errorf("--noise: %w", err), "")
			}
			h[fmt.Sprintf("noise %d", i+1)] = digest
		}
	}
	return h, nil
}

// designFlags are the flags behind the options of a search.
var designFlags = map[string]string{
	"Target": "--resolvable, --median-std, --attack-mse", "MaxDrop": "--max-accuracy-drop", "Families": "--noise", "Keeps": "--keep",
	"Projections": "--projection", "Draws": "--draws", "Examples": "--examples", "Indices": "--examples", "Coordinates": "--data",
}
