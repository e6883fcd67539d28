package cli

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
	"strconv"

	"github.com/alecthomas/kong"

	"tattle/internal/data/dataset"
	"tattle/internal/math/stat"
	"tattle/internal/protect/design"
	"tattle/internal/protect/measure"
	"tattle/internal/report"
)

// designCmd looks for the release that keeps limits at the lowest cost in accuracy.
type designCmd struct {
	sourceFlags
	Features     string `help:"Nodes whose output is released: A,B or all (default: the input of the last affine layer)." placeholder:"NODE"`
	TrainingData string `help:"Data that the release learns from, and whose inputs are the candidates (default: the training part of --data)." placeholder:"PATH" input:"data" more:""`

	inputFlags

	promiseFlags  `group:"A promise about every adversary"`
	promiseSearch `group:"Search for a release"`
	sharedRun
}

func (designCmd) Help() string {
	return `Example: tattle design --model mnist-net/model.onnx --data mnist --identify 1%@60000

Finds the release that keeps a promise about every adversary at the lowest cost in accuracy. This promise says: nobody who has a list of 60,000 candidates names the right input from one release with a probability above 1 %, on average over inputs. Several limits are promised together. The candidates are training inputs. With --noise lattice the answer is measured with the noise of tattle guard, and the report ends with the command that packs it.`
}

// MoreHelp implements detailed.
func (designCmd) MoreHelp() string {
	return `Exit status: 0 if the promise is kept, 1 if not (the report then names the nearest release), 2 for wrong usage, 3 if the search could not finish.

The search tries, at each node of --features, several methods: noise of one strength on all features, principal directions, discriminants, and layers that are learned under the noise together with a new head. It measures on training data, and sets the strength of the noise with a fifth of the test data. The answer is then measured on the other test data as tattle bound does, with fresh noise: how often candidates are identified, and new inputs hidden among them; the bits revealed; the floor for adversaries without a list; and accuracy. The promise is kept if the limits of these figures, of 99.9 % confidence each, keep it. If they do not, the noise is raised in steps that were fixed before, and the looks share the confidence.

Writes model.onnx with the new layers and head (noise is added to the output of its node release), report.html, report.json and the arrays of the bounds. The report ends with a tattle bound command that examines the release further.`
}

// promiseFlags are a promise about every adversary, and where to look for a release that keeps it.
type promiseFlags struct {
	Identify  string   `help:"Nobody with a list of N candidates names the input more often, on average (default: all inputs)." placeholder:"SHARE@N"`
	WorstCase string   `help:"The same for any list of N, whatever the data, by a clip of the norm." placeholder:"SHARE@N"`
	Exposed   string   `help:"At most 1 % of people are named in more than 10 % of releases by one with that list: '10%: 1%'." placeholder:"SHARE: PEOPLE"`
	Floor     float64  `help:"Nobody without a list reconstructs the input with a smaller RMS error, in grey levels if there are." placeholder:"X" range:"(0,)"`
	Bits      float64  `help:"The release reveals at most so many bits about which candidate the input is." placeholder:"X" range:"(0,)"`
	Protect   []string `sep:"none" help:"Nobody infers a sensitive attribute better: 'gender: 60%', 'gender: auc 0.6', 'gender: 0.1 bits' beyond the target, or the least: gender." placeholder:"LIMIT"`

	MaxAccuracyDrop string `name:"max-accuracy-drop" help:"Accuracy drops by at most this (95 % limit): 1%." placeholder:"X"`
}

// promiseSearch are the flags of the search.
type promiseSearch struct {
	Methods   []string `help:"How the released numbers are made: isotropic, projected, discriminant, shaped, trained; of vectors erased, not trained (default: all)." placeholder:"LIST"`
	Task      []string `sep:"none" help:"Sensitive attribute that the release must answer, beside the target." placeholder:"ATTRIBUTE"`
	Keep      int      `help:"Numbers that are released (default: by the number of classes)." placeholder:"N" range:"[1,)" more:""`
	Noise     string   `help:"Noise with which the answer is measured: gaussian, or lattice, as tattle guard adds it (default: gaussian)." enum:"gaussian,lattice" default:"gaussian"`
	Queries   int      `help:"Times that each input is released (default: 1)." default:"1" placeholder:"N" range:"[1,1073741824]"`
	Epochs    int      `help:"Epochs of each training (default: 10 for trained, 30 for shaped; more where there are few examples)." placeholder:"N" range:"[1,100000]"`
	ListDraws int      `help:"Least number of draws that the final limits are computed from (default: 60000)." placeholder:"N" range:"[1,)" more:""`
	Examples  string   `help:"Number of examples for bounds, drawn by the seed; an .npy file of indices; or all (default: 100)." default:"100" placeholder:"N|FILE" input:"file"`
}

// Run searches, measures the answer as tattle bound does, and reports.
func (c *designCmd) Run(ctx context.Context, e *env) error {
	defer debug.SetGCPercent(debug.SetGCPercent(measure.GarbageShare))
	j, err := c.job(ctx, e)
	if err != nil {
		return err
	}
	return c.compute(ctx, e, "design", func(dir string) (*report.Report, error) { return j.keep(ctx, e, dir) })
}

// onLattice reports whether the answer is measured with noise on a lattice, as tattle guard adds it.
func (c *designCmd) onLattice() bool { return c.Noise == "lattice" }

// options reads what is promised, the limit on the cost, and what of the search does not depend on the data.
func (c *designCmd) options() (o design.Options, err error) {
	o = design.Options{Queries: c.Queries, Epochs: c.Epochs, Tasks: c.Task, Keep: c.Keep, ListDraws: c.ListDraws, Seed: c.Seed}
	o.Floor, o.Bits = c.Floor, c.Bits
	for _, m := range c.Methods {
		o.Methods = append(o.Methods, design.Method(m))
	}
	if c.Identify != "" {
		if o.Identify, o.Candidates, err = design.ParseIdentify(c.Identify); err != nil {
			return o, usage(fmt.Errorf("--identify %w", err), "write it as 1%@60000")
		}
	}
	if c.WorstCase != "" {
		if o.Worst, o.Among, err = design.ParseIdentify(c.WorstCase); err != nil {
			return o, usage(fmt.Errorf("--worst-case %w", err), "write it as 1%@60000")
		}
	}
	if c.Exposed != "" {
		if o.Exposed, err = design.ParseExposed(c.Exposed); err != nil {
			return o, usage(fmt.Errorf("--exposed %w", err), "")
		}
	}
	for _, s := range c.Protect {
		p, err := design.ParseProtect(s)
		if err != nil {
			return o, usage(fmt.Errorf("--protect %w", err), "")
		}
		o.Protect = append(o.Protect, p)
	}
	if o.MaxDrop, err = parseDrop(c.MaxAccuracyDrop); err == nil && !o.Promise() {
		err = usage(errors.New("no promise is given"), "promise something about every adversary with --identify, --worst-case, --exposed, --floor, --bits or --protect, such as --identify 1%")
	}
	return o, err
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

// answer is the bound command that measures the answer, whose model is at a path.
func (j *designJob) answer(model string, limit dataset.Limit, p *design.Run) (*boundCmd, error) {
	b := new(boundCmd)
	for _, f := range kong.Must(b).Model.Flags {
		if err := f.Reset(); err != nil { // to its default
			return nil, err
		}
	}
	b.sourceFlags, b.Seed, b.inputFlags = j.sourceFlags, j.Seed, j.inputFlags
	if b.Model, b.readFlags = model, (readFlags{}); b.Vectors != "" {
		b.Vectors = absolute(b.Vectors)
	} else {
		b.Data = absolute(b.Data)
	}
	if j.use != nil {
		b.Utility = j.use.Task
		b.useFlags.Views = j.use.Views
	}
	b.Labels, b.Target, b.Limit, b.Task = j.in.Labels, j.in.Target, limit, p.Options.Tasks
	if j.TrainingData != "" {
		b.TrainingData = absolute(j.TrainingData)
	}
	if preprocess := j.model.DataPreprocess(); !preprocess.IsZero() {
		b.Preprocess = preprocess.String()
	}
	b.releaseFlags.Features, b.Sigma, b.Noise, b.ClipNorm = design.Node, p.Answer.Best.Sigma, "gaussian", p.Answer.Best.Radius
	if j.onLattice() {
		b.Noise = j.Noise
	}
	b.Queries, b.Candidates, b.ListDraws = max(p.Options.Queries, 1), "all", p.Answer.ListDraws
	if n := p.Options.Candidates; n < j.training.Len() {
		b.Candidates = strconv.Itoa(n)
	}
	if x := p.Options.Exposed; x != nil {
		b.ExposedPeople, b.ExposedThan = new(x.People()), []percent{percent(x.Than)}
	}
	b.Far, b.Twins = new(0), "0" // of the bounds for unbiased estimators, those that take long are left out
	b.Examples = j.Examples
	if _, err := strconv.Atoi(j.Examples); err != nil && j.Examples != "all" {
		b.Examples = absolute(j.Examples)
	}
	return b, nil
}

// flagsOf returns the flags of a filled command that differ from their defaults.
func flagsOf(command any) (args []string) {
	for _, f := range kong.Must(command).Model.Flags {
		for _, v := range valuesIn(f.Target) {
			switch text := fmt.Sprint(v); {
			case text == f.Default || f.Default == "" && v.IsZero() && f.Target.Kind() != reflect.Pointer:
			case v.Kind() != reflect.Bool:
				args = append(args, "--"+f.Name, text)
			case v.Bool():
				args = append(args, "--"+f.Name)
			default:
				args = append(args, "--no-"+f.Name)
			}
		}
	}
	return args
}
