package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"tattle/design"
	"tattle/nn"
	"tattle/report"
)

type designCmd struct {
	Model        string `required:"" help:"The model, an ONNX file." placeholder:"FILE"`
	Data         string `required:"" help:"The inputs: a folder as for bound, or glyphs." placeholder:"DIR"`
	Split        string `help:"Part of the data: test or train." enum:"test,train" default:"test"`
	Features     string `help:"Node (or tensor) whose output is released (default: the input of the last affine layer)." placeholder:"NODE"`
	TrainingData string `help:"What principal projections and the linear attack learn from (default: the training part of --data)." placeholder:"DIR"`

	Resolvable      string  `group:"What must hold" help:"At most N directions of an input may be resolved to within a standard deviation of T, in the model's units: 10@0.5." placeholder:"N@T"`
	MedianStd       float64 `group:"What must hold" help:"Half of the coordinates must be proved to err by at least so much, in the model's units (0: not asked)." default:"0" placeholder:"T"`
	AttackMSE       float64 `name:"attack-mse" group:"What must hold" help:"The linear attack must err by at least this mean square per input (0: not asked)." default:"0" placeholder:"T"`
	MaxAccuracyDrop string  `group:"What must hold" help:"Accuracy may drop by so much: 1% or 0.01." placeholder:"X"`

	Noise      []string `group:"What is tried" help:"Families of noise, as for bound (default: gaussian,laplace,logistic)." placeholder:"LIST"`
	Keep       []string `group:"What is tried" help:"Numbers of features to keep, or all (default: all, and halves of it down to about ten)." placeholder:"LIST"`
	Projection []string `group:"What is tried" help:"How fewer are kept: first, random, principal (default: principal where there are training data, and random)." placeholder:"LIST"`
	Examples   int      `group:"What is tried" help:"Examples whose Jacobians are taken and that are certified." default:"100"`
	Draws      int      `group:"What is tried" help:"Draws of the noise for each example's accuracy." default:"2"`

	output
}

func (designCmd) Help() string {
	return "Example: tattle design --model mnist-net/model.onnx --data mnist --resolvable 10@0.5 --max-accuracy-drop 1%\n\nLooks for the release that keeps a target at the least cost in accuracy, or, with a largest drop alone, for the most confidential one. Prints the answer, the frontier, and the command that bounds the answer. Exit status 1, a finding, where nothing that was tried meets what was asked for: then it says how near it came."
}

func (c *designCmd) Run(e *env) error {
	o, err := c.options()
	if err != nil {
		return err
	}
	q, err := c.question()
	if err != nil {
		return err
	}
	return c.in("design", false, func(dir string) error {
		r := newReport(e, "How much noise, on how many features", c.Seed)
		r.Model, r.Data = q.model, q.data
		if err := c.search(e, r, q, o); err != nil {
			return err
		}
		if err := c.finish(e, dir, r); err != nil || r.Design.Met {
			return err
		}
		return finding(errors.New("nothing that was tried meets what was asked for"), "ask for less, allow a larger drop, or try other families, projections and numbers of features")
	})
}

// question is what a design is about.
type question struct {
	graph       *nn.Graph
	node        string
	train, test nn.Source // train is nil where there is none
	model       report.Model
	data        report.Data
}

// question opens model and data.
func (c *designCmd) question() (*question, error) {
	g, hash, err := openModel(c.Model)
	if err != nil {
		return nil, err
	}
	test, err := openData(c.Data, c.Split, c.Seed)
	if err != nil {
		return nil, err
	}
	if have, want := nn.Size(test.Shape), nn.Size(g.InputShape); have != want {
		return nil, usage(fmt.Errorf("%s takes inputs of shape %v, %s has examples of shape %v", c.Model, g.InputShape, c.Data, test.Shape), "choose the data the model was trained on")
	}
	q := &question{graph: g, node: c.Features, test: test, data: describe(test, absolute(c.Data), c.Split)}
	train, _, missing := openTraining(c.TrainingData, c.Data, c.Seed)
	if missing == nil {
		q.train = train
	} else if c.TrainingData != "" {
		return nil, usage(fmt.Errorf("--training-data: %w", missing), "")
	}
	q.model = report.Model{Path: absolute(c.Model), SHA256: hash}
	return q, q.cut(c.Model)
}

// cut finds the features.
func (q *question) cut(path string) (err error) {
	if q.node == "" {
		if q.node, err = q.graph.FeatureNode(); err != nil {
			return usage(fmt.Errorf("%s: %w", path, err), "name the node whose output is released with --features")
		}
	}
	front, _, err := q.graph.Cut(q.node)
	if err != nil {
		return usage(fmt.Errorf("--features: %w", err), "")
	}
	net, err := nn.NewNet(front)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	q.model.FeatureNode = q.node
	q.model.Inputs, q.model.Features = net.Dims()
	return nil
}

// search runs it and fills in the report.
func (c *designCmd) search(e *env, r *report.Report, q *question, o design.Options) error {
	bar := newMeter(e.stderr, "designing", -1, false)
	defer bar.close()
	o.Progress = func(done, total int, _ string) { bar.set(int64(done), int64(total)) }
	started := time.Now()
	answer, err := interruptible(e.ctx, func() (*design.Answer, error) {
		return design.Search(e.ctx, q.graph, q.node, q.train, q.test, o)
	})
	if err != nil && e.ctx.Err() == nil {
		return usage(err, "")
	}
	if err != nil {
		return err
	}
	lap(r, "design", &started)
	r.Design = c.answer(answer, o)
	for _, left := range answer.Left {
		r.Warnings = append(r.Warnings, "Given up: "+left)
	}
	if answer.Confirmed != nil && answer.Confirmed.Note != "" {
		r.Warnings = append(r.Warnings, answer.Confirmed.Note)
	}
	r.Warnings = append(r.Warnings, "Figures along the frontier are estimates on a sample of the examples; the answer's accuracy was measured again, and its bound proved, as far as its noise allows.")
	r.Verdict = "not met"
	if answer.Met {
		r.Verdict = "met"
	}
	return nil
}

// options checks the flags.
func (c *designCmd) options() (design.Options, error) {
	o := design.Options{Families: c.Noise, Projections: c.Projection, Examples: c.Examples, Draws: c.Draws, Seed: c.Seed}
	o.Target = design.Target{MedianStd: c.MedianStd, AttackMSE: c.AttackMSE}
	var err error
	if c.Resolvable != "" {
		if o.Target.Directions, o.Target.Within, err = design.ParseResolvable(c.Resolvable); err != nil {
			return o, usage(fmt.Errorf("--resolvable: %w", err), "")
		}
	}
	if o.MaxDrop, err = parseDrop(c.MaxAccuracyDrop); err != nil {
		return o, usage(fmt.Errorf("--max-accuracy-drop: %w", err), "write it as 1% or 0.01")
	}
	for _, k := range c.Keep {
		n, err := strconv.Atoi(k)
		if k != allBand && (err != nil || n < 1) {
			return o, usage(fmt.Errorf("--keep: %q is not a number of features", k), "give numbers, or all")
		}
		o.Keeps = append(o.Keeps, n) // 0 for all
	}
	switch {
	case c.Examples < 1:
		return o, usage(fmt.Errorf("--examples: %d is not a number of examples", c.Examples), "")
	case c.Draws < 1 || c.Draws > mostAttackDraws:
		return o, usage(fmt.Errorf("--draws: %d is not between 1 and %d", c.Draws, mostAttackDraws), "")
	case c.MedianStd < 0 || c.AttackMSE < 0 || math.IsNaN(c.MedianStd+c.AttackMSE):
		return o, usage(errors.New("--median-std, --attack-mse: a target cannot be negative"), "")
	case o.Target == design.Target{} && o.MaxDrop == 0:
		return o, usage(errors.New("nothing is asked for"), "give a target (--resolvable, --median-std, --attack-mse), a --max-accuracy-drop, or both")
	}
	return o, nil
}

// parseDrop reads 1% or 0.01; nothing is 0.
func parseDrop(s string) (float64, error) {
	if s == "" {
		return 0, nil
	}
	digits, percent := strings.CutSuffix(s, "%")
	v, err := strconv.ParseFloat(digits, 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v > 0 && v < 1) {
		return 0, fmt.Errorf("%q is not a drop between 0 and 100 %%", s)
	}
	return v, nil
}

// answer turns what was found into the report's values.
func (c *designCmd) answer(a *design.Answer, o design.Options) *report.Design {
	d := &report.Design{
		Target:  report.DesignTarget{Directions: o.Target.Directions, Within: o.Target.Within, MedianStd: o.Target.MedianStd, AttackMSE: o.Target.AttackMSE},
		MaxDrop: o.MaxDrop, Met: a.Met, Near: a.Near, Frontier: []report.DesignPoint{}, Evaluations: a.Evaluations,
	}
	for _, p := range a.Frontier {
		d.Frontier = append(d.Frontier, designPoint(p))
	}
	if a.Best != nil {
		best := designPoint(*a.Best)
		d.Best, d.Reproduce = &best, c.command(*a.Best)
	}
	if k := a.Confirmed; k != nil {
		d.Confirmed = &report.Confirmation{
			Accuracy: report.Number(k.Accuracy.Fraction), Interval: numbers(k.Accuracy.Interval.Low, k.Accuracy.Interval.High),
			Drop: report.Number(k.Drop.Mean), DropInterval: numbers(k.Drop.Interval.Low, k.Drop.Interval.High),
			MedianStd: report.Number(k.MedianStd), Examples: k.Examples, Seed: k.Seed,
		}
	}
	return d
}

func designPoint(p design.Point) report.DesignPoint {
	return report.DesignPoint{
		Family: p.Family, Projection: p.Projection, Keep: p.Keep, Sigma: p.Sigma,
		Accuracy: report.Number(p.Accuracy.Fraction), Drop: report.Number(p.Drop.Mean), DropInterval: numbers(p.Drop.Interval.Low, p.Drop.Interval.High),
		Directions: report.Number(p.Directions), MedianStd: report.Number(p.MedianStd), AttackMSE: report.Number(p.AttackMSE), Meets: p.Meets,
	}
}

func numbers(low, high float64) [2]report.Number {
	return [2]report.Number{report.Number(low), report.Number(high)}
}

// command is the one that bounds a point.
func (c *designCmd) command(p design.Point) string {
	args := []string{"tattle", "bound", "--model", c.Model, "--data", c.Data}
	if c.Split != "test" {
		args = append(args, "--split", c.Split)
	}
	if c.Features != "" {
		args = append(args, "--features", c.Features)
	}
	if c.TrainingData != "" {
		args = append(args, "--training-data", c.TrainingData)
	}
	args = append(args, "--noise", p.Family, "--sigma", strconv.FormatFloat(p.Sigma, 'g', -1, 64))
	if p.Projection != "" {
		args = append(args, "--keep", strconv.Itoa(p.Keep), "--projection", p.Projection)
	}
	return quoted(append(args, "--seed", strconv.FormatUint(c.Seed, 10)))
}
