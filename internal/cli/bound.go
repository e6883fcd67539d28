package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/measure"
	"tattle/internal/protect/release"
	"tattle/internal/report"
	"tattle/internal/run"
)

type boundCmd struct {
	sourceFlags
	Examples string `help:"How many examples are certified; .npy file of indices; or all (default: 100; large models: 2)." placeholder:"N|FILE" input:"file"`

	inputFlags
	memoryFlag

	releaseFlags `group:"What is released"`
	searchFlags  `group:"Near witnesses"`
	furtherFlags `group:"Further bounds and attacks"`

	sharedRun
}

func (boundCmd) Help() string {
	return "Example: tattle bound --model mnist-net/model.onnx --data mnist --examples 100\n\nThe report begins with what binds every adversary: how often an adversary with a list of candidates identifies the input, and a floor on the error of every reconstruction, beside the attacks that ran. The bounds of paper A follow. They bind only reconstructions that are right on average over the noise. docs/reconstruction.md explains the kinds of bounds.\n\nCtrl-C keeps the bounds of finished examples. The same command with --out and --resume continues; the prior is computed and the attacks run again."
}

func (c *boundCmd) Run(ctx context.Context, e *env) error {
	defer debug.SetGCPercent(debug.SetGCPercent(measure.GarbageShare))
	m, err := c.measurement(ctx, e)
	if err != nil {
		return err
	}
	defer c.collect()()
	return c.compute(ctx, e, "bound", func(dir string) (*report.Report, error) { return m.run(ctx, e, dir) })
}

// mostVectorWitnesses is the most witnesses for each vector, by default.
const mostVectorWitnesses = 512

// complete sets the searches that are not chosen. Of a costly model there are few, and the notes say which.
func (c *boundCmd) complete(costly bool) (notes []string) {
	var reduced []string
	less := func(flag string, usual, few int) int {
		if costly {
			reduced = append(reduced, fmt.Sprintf("%s %d instead of %d", flag, few, usual))
			return few
		}
		return usual
	}
	if c.Examples == "" {
		c.Examples = strconv.Itoa(less("--examples", 100, 2))
	}
	if c.Twins == "" {
		c.Twins = strconv.Itoa(less("--twins", 6, 0))
	}
	for _, of := range []struct {
		flag       string
		value      **int
		usual, few int
	}{{"--restarts", &c.Restarts, bound.DefaultRestarts, 2}, {"--barankin", &c.Barankin, 64, 0}, {"--far", &c.Far, 8, 0}} {
		if *of.value == nil {
			*of.value = new(less(of.flag, of.usual, of.few))
		}
	}
	if costly && c.Memory == 0 {
		c.Memory, reduced = 1<<30, append(reduced, "--memory 1GiB instead of 4GiB")
	}
	if len(reduced) > 0 {
		notes = []string{"an input takes the model more than 100 million multiply-adds, hence " + strings.Join(reduced, ", ")}
	}
	return notes
}

// readFewer reads no more examples of the data than a costly model is applied to, unless the flags say how many or which.
func (c *boundCmd) readFewer(released *nn.Graph, in *measure.Inputs) (notes []string) {
	if !measure.Costly(released) || c.Limit != (dataset.Limit{}) || c.Attack != nil || c.Candidates == measure.CandidatesAll {
		return nil
	}
	n, err := strconv.Atoi(cmp.Or(c.Examples, "0"))
	if err != nil { // all examples, or those of a file, which says their places among all
		return nil
	}
	in.Limit = dataset.Limit{Most: max(n, measure.Affordable(released, c.Candidates))}
	return []string{"the model is large, hence at most " + in.Limit.String() + " examples of each part are read, drawn by the seed; --limit all reads all"}
}

// measurement checks the flags and opens model and data.
func (c *boundCmd) measurement(ctx context.Context, e *env) (*measurement, error) {
	leaves, err := c.release()
	if err != nil {
		return nil, err
	}
	if err := c.furtherFlags.check(); err != nil {
		return nil, err
	}
	read, path, use, err := c.sourceFlags.open()
	if err != nil {
		return nil, err
	}
	in := c.inputFlags.of(path, c.partFlags, c.Seed)
	in.Vectors, in.Columns = c.Vectors != "", c.Columns
	var set *dataset.Set
	var notes []string
	if read.Vectors() { // which have no node that could be wrong
		if leaves.Spec.Node == "" {
			leaves.Spec.Node = zoo.VectorNode
		}
		if leaves.Surface() != release.SurfaceFeatures {
			return nil, usage(errors.New("--surface requires --model: vectors are released themselves"), "")
		}
		if c.Twins = cmp.Or(c.Twins, "0"); c.Far == nil { // far from an input, witnesses prove less than near it
			c.Far = new(0)
		}
		set, notes, err = openInputs(ctx, e, in, read)
	}
	if err != nil {
		return nil, err
	}
	released, err := releasedPart(leaves, read.Graph, c.Model)
	if err != nil {
		return nil, err
	}
	if err := differentiable(read, released); err != nil {
		return nil, err
	}
	chosen := c.Barankin != nil
	less := append(c.complete(measure.Costly(released)), c.readFewer(released, &in)...)
	if set == nil {
		if set, notes, err = openInputs(ctx, e, in, read); err != nil {
			return nil, err
		}
	}
	if read.Vectors() && !chosen { // a witness for each number proves what the noise says of it
		c.Barankin = new(max(*c.Barankin, min(nn.Size(set.Shape), mostVectorWitnesses)))
	}
	if use == nil {
		if use, err = e.useOf(ctx, read, in, set, false); err != nil {
			return nil, err
		}
	}
	views, err := measure.OpenViews(use, in, set, e.opener(ctx, read))
	if err != nil {
		return nil, err
	}
	m := &measurement{
		Request: measure.Request{Graph: read.Graph, Data: set, Release: leaves, Memory: c.bytes(), Seed: c.Seed, Use: use, Views: views, OfVectors: read.OfVectors()},
		origin:  originOf(read, in, set, append(less, notes...)), resume: c.Resume, name: "bounding",
	}
	if m.Indices, err = measure.ChooseExamples("Examples", c.Examples, set.Len(), c.Seed); err != nil {
		return nil, err
	}
	if in.Vectors && c.Coordinates == "" {
		c.Coordinates = measure.CoordinatesPixels
	}
	if m.Experiment, m.origin.Vectors, err = c.experiment(set, c.Seed); err != nil {
		return nil, err
	}
	if err := c.extend(&m.Experiment, set, len(m.Indices), c.Seed); err != nil {
		return nil, err
	}
	needed := ""
	if leaves.Spec.Learned() {
		needed = "--projection " + leaves.Spec.Projection
	}
	m.Adversaries, err = c.adversaries(in, needed, leaves.Unsettled() || leaves.Spec.ClipNorm > 0, set, e.opener(ctx, read))
	if err == nil {
		m.ScaleByTraining()
	}
	return m, err
}

// searchFlags choose the search for near witnesses, and the coordinates.
type searchFlags struct {
	Method       string   `help:"How to search for near witnesses: auto, direct, cholesky or algorithm1." enum:"auto,direct,cholesky,algorithm1" default:"auto"`
	AsPublished  bool     `help:"Search as paper A's authors do: one LSQR for many examples, with its stopping rule."`
	Size         []string `help:"Sizes of the perturbations as fractions of sigma (default: 1/200; 1/2 with --noise lattice)."`
	Repeats      int      `help:"Iterations of Algorithm 1." default:"10" range:"[1,1000]"`
	Restarts     *int     `help:"Random starts per example; the largest bound is kept (default: 25; large models: 2)." placeholder:"N" range:"[1,32767]"`
	Iteration    string   `help:"paper (Algorithm 1) or inverse (toward the smallest singular value)." enum:"paper,inverse" default:"paper"`
	Coordinates  string   `help:"Coordinates: dct (cosine modes), pixels, columns (of a table), or an .npz or .npy file of vectors [m, inputs] (default: columns for tables, else dct)." placeholder:"dct|pixels|columns|FILE" input:"file"`
	Domain       string   `help:"Where estimators must be unbiased: free (any reals), legal (in the data's range) or stored (8-bit pixels)." enum:"free,legal,stored" default:"free"`
	RuntimeError *float64 `help:"Largest float32 error of a released feature; 0: exact (default: derived, else measured)." placeholder:"X" range:"[0,3.4e38]"`
	CramerRao    bool     `help:"Also estimate Cramér-Rao bounds." default:"true" negatable:""`
}

// experiment turns the flags into what is bounded.
func (f searchFlags) experiment(set *dataset.Set, seed uint64) (bound.Experiment, *report.File, error) {
	x := bound.Experiment{Settings: bound.Settings{SkipCramerRao: !f.CramerRao, Band: measure.LowBand(set.Shape)}}
	x.Search = bound.SearchOptions{
		Search: f.Method, Repeats: f.Repeats, Restarts: *f.Restarts,
		Iteration: f.Iteration, Seed: seed,
	}
	if f.AsPublished {
		x.Search.Search = bound.Published
	}
	var err error
	if x.Sizes, err = bound.ParseSizes(f.Size); err != nil {
		return x, nil, usage(fmt.Errorf("--size: %w", err), "write it as 1/200 or 0.005")
	}
	if x.Domain, err = measure.DomainOf(set, f.Domain); err != nil {
		return x, nil, err
	}
	if f.RuntimeError != nil {
		x.Runtime = bound.Runtime{Error: *f.RuntimeError, From: bound.RuntimeGiven}
	}
	c, vectors, err := coordinates(f.Coordinates, set)
	x.Coordinates = c
	return x, vectors, err
}

// coordinates returns what is to be reconstructed, with the file that it was read from, nil
// for none.
func coordinates(spec string, set *dataset.Set) (bound.Coordinates, *report.File, error) {
	columns := measure.Columns(set)
	if spec == "" {
		spec = measure.CoordinatesDCT
		if columns != nil {
			spec = measure.CoordinatesColumns
		}
	}
	c, err := measure.OpenCoordinates(spec, set.Shape, columns)
	if err != nil || spec == measure.CoordinatesDCT || spec == measure.CoordinatesPixels || spec == measure.CoordinatesColumns {
		return c, nil, err
	}
	hash, err := run.Digest(spec)
	return c, &report.File{Name: absolute(spec), SHA256: hash}, err
}
