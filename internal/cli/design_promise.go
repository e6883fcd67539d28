package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"tattle/dataset"
	"tattle/internal/file"
	"tattle/internal/progress"
	"tattle/npy"
	"tattle/onnx"
	"tattle/promise"
	"tattle/release"
	"tattle/report"
	"tattle/run"
)

// promiseFlags are a promise about every adversary, and where to look for a release that keeps it.
type promiseFlags struct {
	Identify  string   `help:"Nobody with a list of N candidates names the input more often than this, such as 1%@60000 (default: all training inputs)." placeholder:"SHARE@N"`
	Floor     *float64 `help:"Nobody who knows the distribution of inputs reconstructs the input with a smaller root mean square error: in grey levels for pictures, else in the model's units." placeholder:"X"`
	Bits      *float64 `help:"The release reveals at most so many bits about which candidate the input is." placeholder:"X"`
	AttackRMS *float64 `name:"attack" help:"No attack of tattle reconstructs the input with a smaller root mean square error, in the units of --floor." placeholder:"X"`
	Protect   []string `sep:"none" help:"Nobody infers a sensitive attribute better: 'gender: 60%', 'gender: auc 0.6', or 'gender: 0.1 bits' beyond the target." placeholder:"LIMIT"`
}

// promiseSearch are the flags of the search for a promise.
type promiseSearch struct {
	Methods   []string `help:"How the released numbers are made: isotropic, projected, discriminant, shaped, trained; for comparison only: dFIL, top-k, rounding (default: all)." placeholder:"LIST"`
	Finetune  string   `help:"What is trained under the noise: none, the head (and the layer that is released), or all of the model." enum:"none,head,all" default:"head"`
	Task      []string `sep:"none" help:"Sensitive attribute that the release must answer, beside the target." placeholder:"ATTRIBUTE"`
	Queries   int      `help:"Times that each input is released (default: 1)." default:"1" placeholder:"N"`
	Epochs    int      `help:"Epochs of each training (default: 60, or as many as 3,000 steps take)." placeholder:"N"`
	ListDraws int      `help:"Least number of draws that the final limits are computed from (default: 60000)." placeholder:"N"`
}

// promises reports whether a promise about every adversary is asked for.
func (c *designCmd) promises() bool {
	return c.Identify != "" || c.Floor != nil || c.Bits != nil || c.AttackRMS != nil || len(c.Protect) > 0
}

// onLattice reports whether the answer is measured with noise on a lattice, as tattle guard adds it.
func (c *designCmd) onLattice() bool { return slices.Equal(c.Noise, []string{"lattice"}) }

// defaultDesignDraws is the default of --draws.
const defaultDesignDraws = 2

// promiseOnly returns an error if a flag of the search for a promise is given without a promise.
func (c *designCmd) promiseOnly() error {
	for _, f := range []struct {
		flag  string
		given bool
	}{
		{"--methods", len(c.Methods) > 0}, {"--task", len(c.Task) > 0}, {"--finetune", c.Finetune != string(promise.FinetuneHead)},
		{"--queries", c.Queries != 1}, {"--epochs", c.Epochs != 0}, {"--list-draws", c.ListDraws != 0},
	} {
		if f.given {
			return usage(fmt.Errorf("%s requires a promise about every adversary", f.flag), "give one with --identify, --floor, --bits, --attack or --protect")
		}
	}
	return nil
}

// promiseFlag are the flags behind the options of package promise.
var promiseFlag = map[string]string{
	"Limits": "--identify", "Identify": "--identify", "Floor": "--floor", "Bits": "--bits", "Attack": "--attack", "Protect": "--protect",
	"MaxDrop": "--max-accuracy-drop", "ListDraws": "--list-draws", "Tasks": "--task", "Nodes": "--features", "Methods": "--methods",
}

// promised reads the promise, and what of the search does not depend on the data.
func (c *designCmd) promised() (o promise.Options, err error) {
	o = promise.Options{Queries: c.Queries, Finetune: promise.Finetune(c.Finetune), Epochs: c.Epochs, Tasks: c.Task, ListDraws: c.ListDraws, Seed: c.Seed}
	if c.Resolvable != "" || c.MedianStd != nil || c.AttackMSE != nil {
		return o, usage(errors.New("--resolvable, --median-std and --attack-mse limit unbiased estimators or one attack: they do not go with --identify, --floor, --bits, --attack and --protect, which limit every adversary"), "run tattle design once for each")
	}
	if len(c.Noise) > 0 && !c.onLattice() || len(c.Projection) > 0 {
		return o, usage(errors.New("--noise and --projection choose what is tried for --resolvable, --median-std and --attack-mse; a promise about every adversary is kept by Gaussian noise, or with --noise lattice on a lattice"), "choose with --methods")
	}
	if c.Identify != "" {
		if o.Identify, o.Candidates, err = promise.ParseIdentify(c.Identify); err != nil {
			return o, usage(fmt.Errorf("--identify %w", err), "write it as 1%@60000")
		}
	}
	for _, s := range c.Protect {
		p, err := promise.ParseProtect(s)
		if err != nil {
			return o, usage(fmt.Errorf("--protect %w", err), "")
		}
		o.Protect = append(o.Protect, p)
	}
	if err := positives(positive{"--floor", c.Floor, &o.Floor}, positive{"--bits", c.Bits, &o.Bits}, positive{"--attack", c.AttackRMS, &o.Attack}); err != nil {
		return o, err
	}
	for _, m := range c.Methods {
		o.Methods = append(o.Methods, promise.Method(m))
	}
	switch {
	case c.Draws != defaultDesignDraws:
		return o, usage(errors.New("--draws is for --resolvable, --median-std, --attack-mse and --max-accuracy-drop alone"), "give the draws behind the limits of a promise with --list-draws")
	case c.Queries < 1 || c.Queries > mostQueries:
		return o, usage(fmt.Errorf("--queries %d: must be between 1 and %d", c.Queries, mostQueries), "")
	case c.Epochs < 0:
		return o, usage(fmt.Errorf("--epochs %d: must be at least 1", c.Epochs), "")
	case len(c.Keep) > 1:
		return o, usage(errors.New("--keep: give one number of released values"), "")
	case len(c.Keep) == 1:
		if o.Keep, err = strconv.Atoi(c.Keep[0]); err != nil || o.Keep < 1 {
			return o, usage(fmt.Errorf("--keep: %q is not a number of released values", c.Keep[0]), "")
		}
	}
	o.MaxDrop, err = parseDrop(c.MaxAccuracyDrop)
	return o, err
}

// keepPromise searches for the release that keeps the promise, measures it as tattle bound does, and
// reports.
func (c *designCmd) keepPromise(ctx context.Context, e *env) error {
	o, err := c.promised()
	if err != nil {
		return err
	}
	j := &designJob{designCmd: c}
	if err := j.open(ctx, e); err != nil {
		return err
	}
	if _, err := chooseExamples(c.Examples, j.data.Len(), c.Seed); err != nil {
		return err
	}
	if err := j.learn(ctx, e); err != nil {
		return err
	}
	if j.training == nil {
		return usage(fmt.Errorf("a promise about every adversary needs training data, whose inputs are the candidates: %w", j.missing), "name them with --training-data")
	}
	if o.Candidates == 0 {
		o.Candidates = j.training.Len()
	}
	if levels := float64(j.origin.Data.GreyLevels); levels > 0 {
		o.GreyLevels = levels
		o.Floor /= levels
		o.Attack /= levels
	}
	switch c.Features {
	case "":
	case "all":
		if o.Nodes, err = promise.Cuts(j.model.Graph); err != nil {
			return err
		}
	default:
		o.Nodes = strings.Split(c.Features, ",")
	}
	if o.Identify > 0 {
		if err := j.setApart(ctx, e, &o); err != nil {
			return err
		}
	}
	for _, node := range o.Nodes {
		if _, _, err := cutAt(j.model.Graph, node); err != nil {
			return err
		}
	}
	return c.in(ctx, e, "design", c.Resume, func(dir string) error {
		if exists(filepath.Join(dir, searchDir)) && !c.Resume {
			return interruptedRun(dir)
		}
		return e.unfinished(j.keep(ctx, e, dir, o), dir)
	})
}

// apartShare: one test input in so many is for the search; the final measurement is of the others.
const apartShare = 5

// setApart takes inputs for the search from the test data. j.measured are the indices of the others
// in the data without --limit.
func (j *designJob) setApart(ctx context.Context, e *env, o *promise.Options) error {
	n := j.data.Len()
	if n < 2*apartShare {
		return usage(fmt.Errorf("--data: %s, of which some set the strength of the noise and the others are measured", report.Count(n, "test input")), fmt.Sprintf("give at least %d", 2*apartShare))
	}
	of := dataset.First(n)
	if j.in.Limit != "" {
		all := j.in
		all.Limit = ""
		set, err := readInputs(ctx, e, all, j.model)
		if err != nil {
			return err
		}
		if of, err = dataset.Choose(j.in.Limit, set.Len(), j.Seed); err != nil {
			return err
		}
	}
	order := run.Rand(j.Seed, 0, streamApart).Perm(n)
	apart, rest := order[:n/apartShare], order[n/apartShare:]
	slices.Sort(rest)
	for _, i := range rest {
		j.measured = append(j.measured, int64(of[i]))
	}
	o.Fresh, j.data = j.data.Subset(apart), j.data.Subset(rest)
	j.origin.Data.SHA256 = j.data.SHA256
	return nil
}

// streamApart numbers the random stream that sets inputs apart.
const streamApart = 17

// measuredFile has, in the folder of a run, the indices of the inputs of the final measurement.
const measuredFile = "measured.npy"

// searchDir keeps the search of a promise within the run's folder.
const searchDir = "search"

// keep searches, measures the answer and reports.
func (j *designJob) keep(ctx context.Context, e *env, dir string, o promise.Options) error {
	started := time.Now()
	bars := &progress.Phases{W: e.stderr}
	defer bars.Close()
	o.Dir, o.Resume, o.Pool, o.Progress = filepath.Join(dir, searchDir), j.Resume, e.pool, bars.Set
	o.Hashes = map[string]string{"model": j.model.SHA256, "data": j.data.SHA256, "training data": j.training.SHA256}
	a, err := promise.Search(ctx, j.model.Graph, j.training, j.data, o)
	if err != nil {
		return flagged(err, promiseFlag)
	}
	bars.Close()
	x := report.PromiseRun{Options: o, Answer: a}
	r := newReport(e, report.PromiseTitle, j.Seed)
	r.Model, r.Data, r.Reading = j.origin.Model, j.origin.Data, j.origin.Reading
	if a.Best != nil {
		if r, err = j.measure(ctx, e, dir, &x); err != nil {
			return err
		}
	}
	r.SetPromise(x)
	r.Timing["total"] = seconds(started)
	if err := j.finish(e, dir, r); err != nil {
		return err
	}
	if err := file.RemoveAll(filepath.Join(dir, searchDir)); err != nil || r.Promise.Met {
		return err
	}
	return finding(errors.New("nothing that was tried keeps the promise"), "promise less, or try other methods, nodes (--features all) and numbers of released values (--keep)")
}

// measure writes the model of the answer into dir, and measures it there as tattle bound does.
func (j *designJob) measure(ctx context.Context, e *env, dir string, p *report.PromiseRun) (*report.Report, error) {
	path := filepath.Join(dir, modelFile)
	if err := onnx.Write(path, p.Answer.Model); err != nil {
		return nil, err
	}
	limit := j.in.Limit
	if len(j.measured) > 0 {
		limit = absolute(filepath.Join(dir, measuredFile))
		err := file.Write(limit, func(w io.Writer) error { return npy.Write(w, []int{len(j.measured)}, j.measured) })
		if err != nil {
			return nil, err
		}
	}
	args := j.boundArgs(absolute(path), limit, p)
	p.Command = file.NearCommandLine(append([]string{"tattle", "bound"}, args...))
	if j.onLattice() {
		p.Pack = file.NearCommandLine([]string{"tattle", "guard", "pack", absolute(dir)})
	}
	b := new(boundCmd)
	parser, err := kong.New(b, kong.Exit(func(int) {}))
	if err != nil {
		return nil, err
	}
	if _, err := parser.Parse(args); err != nil {
		return nil, err
	}
	m, err := b.measurement(ctx, e)
	if err != nil {
		return nil, err
	}
	m.resume = j.Resume
	r, err := m.run(ctx, e, dir)
	if err != nil {
		return nil, err
	}
	return r, j.utility(ctx, path, r, p)
}

// utility measures the accuracy of the answer, whose model is at the path, on the test data with
// fresh noise as r has it, and that of the original model.
func (j *designJob) utility(ctx context.Context, path string, r *report.Report, p *report.PromiseRun) error {
	written, err := onnx.Read(path)
	if err != nil {
		return err
	}
	p.Tasks = p.Options.Tasks
	noise := func(values int) (release.Noise, error) {
		return r.MeasuredRelease().Noise(p.Answer.Best.Sigma, values, "")
	}
	u, err := p.Answer.Utility(ctx, j.model.Graph, written, j.data, p.Tasks, noise, j.Seed)
	p.Clean, p.Accuracy, p.Drop, p.TaskAccuracy = u.Clean, u.Released, u.Drop, u.Tasks
	return err
}

// boundArgs are the arguments of the bound command that measures the answer.
func (j *designJob) boundArgs(model, limit string, p *report.PromiseRun) []string {
	a := arguments{"--model", model, "--data", absolute(j.Data)}
	preprocess := j.model.DataPreprocess()
	a.add(!preprocess.IsZero(), "--preprocess", preprocess.String())
	a.add(j.in.Labels != "", "--labels", j.in.Labels)
	a.add(j.in.Target != "", "--target", j.in.Target)
	for _, s := range j.Sensitive {
		a.add(true, "--sensitive", s)
	}
	for _, t := range p.Options.Tasks {
		a.add(true, "--task", t)
	}
	a.add(limit != "", "--limit", limit)
	a.data(j)
	candidates := "all"
	if n := p.Options.Candidates; n < j.training.Len() {
		candidates = strconv.Itoa(n)
	}
	a.add(true, "--features", promise.Node, "--sigma", strconv.FormatFloat(p.Answer.Best.Sigma, 'g', -1, 64))
	a.add(j.onLattice(), "--noise", "lattice")
	a.add(true, "--queries", strconv.Itoa(max(p.Options.Queries, 1)), "--candidates", candidates, "--list-draws", strconv.Itoa(p.Answer.ListDraws),
		// Of the bounds for unbiased estimators, about which nothing is promised, those that take long.
		"--far", "0", "--twins", "0", "--no-van-trees", "--examples", j.chosen(), "--seed", strconv.FormatUint(j.Seed, 10))
	return a
}
