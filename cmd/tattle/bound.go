package main

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"tattle/bound"
	"tattle/dataset"
	"tattle/nn"
	"tattle/npy"
	"tattle/onnx"
	"tattle/report"
	"tattle/run"
)

type boundCmd struct {
	Model    string `required:"" help:"The model, an ONNX file." placeholder:"FILE"`
	Data     string `required:"" help:"The inputs: a folder of idx files (.gz or not), of CIFAR-10 records, or glyphs (generated)." placeholder:"DIR"`
	Split    string `help:"Part of the data: test or train." enum:"test,train" default:"test"`
	Features string `help:"Node (or tensor) whose output is released (default: the input of the last affine layer)." placeholder:"NODE"`
	Examples string `help:"How many examples, drawn by the seed, or an .npy file of their indices, or all." default:"100" placeholder:"N|FILE"`

	Sigma      *float64 `help:"Standard deviation of the Gaussian noise on every feature." placeholder:"X"`
	SigmaScale *float64 `help:"The same, as a multiple of the features' root mean square (default: 1)." placeholder:"X"`

	searchFlags
	Resume bool `help:"Go on with the interrupted run in --out."`
	output
}

// searchFlags choose witnesses and coordinates.
type searchFlags struct {
	Method      string   `help:"How witnesses are sought: auto, direct, algorithm1." enum:"auto,direct,algorithm1" default:"auto"`
	AsPublished bool     `help:"The authors' procedure instead: one LSQR over a stack of examples with its stopping rule."`
	Size        []string `help:"Size s of the perturbations, such as 1/200; several with commas." default:"1/200"`
	Repeats     int      `help:"Repeats of LSQR in Algorithm 1." default:"10"`
	Restarts    int      `help:"Independent starts, over which bounds are maximised." default:"25"`
	Iteration   string   `help:"paper: as Algorithm 1 says; inverse: alternate with the transposed pseudoinverse, for the least singular value." enum:"paper,inverse" default:"paper"`
	Relinearize bool     `help:"Algorithm 1 only: take the Jacobian at the last repeat's point."`
	Coordinates string   `help:"What is reconstructed: dct (cosine modes), pixels, or an .npz or .npy file of vectors [m, inputs]." default:"dct" placeholder:"dct|pixels|FILE"`
	Domain      string   `help:"Where estimators are held to be unbiased: free (everywhere, as the paper) or legal (the data's range)." enum:"free,legal" default:"free"`
	CramerRao   bool     `help:"Cramér-Rao figures beside the certificates." default:"true" negatable:""`
}

func (boundCmd) Help() string {
	return "Example: tattle bound --model mnist-net/model.onnx --data mnist --examples 100\n\nCtrl-C keeps finished examples; the same command with --out and --resume goes on."
}

func (c *boundCmd) Run(e *env) error {
	m, err := c.measurement()
	if err != nil {
		return err
	}
	return c.in("bound", c.Resume, func(dir string) error {
		done, err := m.run(e, dir)
		if err != nil {
			return e.unfinished(err, dir)
		}
		return e.unfinished(c.finish(e, dir, done.report), dir)
	})
}

// measurement checks the flags and opens model and data.
func (c *boundCmd) measurement() (*measurement, error) {
	sigma, scale, err := c.noise()
	if err != nil {
		return nil, err
	}
	g, hash, err := openModel(c.Model)
	if err != nil {
		return nil, err
	}
	set, err := openData(c.Data, c.Split, c.Seed)
	if err != nil {
		return nil, err
	}
	m := &measurement{
		title:     fmt.Sprintf("What the features of %s give away", filepath.Base(c.Model)),
		modelPath: absolute(c.Model), modelHash: hash, graph: g, features: c.Features,
		data: set, dataPath: absolute(c.Data), split: c.Split,
		sigma: sigma, scale: scale, draws: 1, seed: c.Seed, resume: c.Resume, bar: "bounding",
	}
	if m.indices, err = chooseExamples(c.Examples, set.Len(), c.Seed); err != nil {
		return nil, err
	}
	if m.experiment, m.vectors, err = c.experiment(set, c.Seed); err != nil {
		return nil, err
	}
	return m, nil
}

// noise returns σ, or zero and the multiple of the features' RMS that it is.
func (c *boundCmd) noise() (sigma, scale float64, err error) {
	switch {
	case c.Sigma != nil && c.SigmaScale != nil:
		return 0, 0, usage(errors.New("--sigma and --sigma-scale exclude each other"), "")
	case c.Sigma != nil && !(*c.Sigma > 0):
		return 0, 0, usage(fmt.Errorf("--sigma %g: the noise must be positive, or nothing is hidden", *c.Sigma), "")
	case c.SigmaScale != nil && !(*c.SigmaScale > 0):
		return 0, 0, usage(fmt.Errorf("--sigma-scale %g: the noise must be positive, or nothing is hidden", *c.SigmaScale), "")
	case c.Sigma != nil:
		return *c.Sigma, 0, nil
	case c.SigmaScale != nil:
		return 0, *c.SigmaScale, nil
	}
	return 0, defaultSigmaScale, nil
}

// defaultSigmaScale makes the noise as strong as the features, as A does for
// MNIST (section 3).
const defaultSigmaScale = 1

// absolute makes a path good from any folder; the generated data have none.
func absolute(path string) string {
	if path == glyphsName {
		return path
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// openModel reads a model and its digest.
func openModel(path string) (*nn.Graph, string, error) {
	g, err := onnx.Read(path)
	if err != nil {
		return nil, "", fmt.Errorf("--model: %w", err)
	}
	hash, err := run.Digest(path)
	return g, hash, err
}

// openData opens a data set by its folder, or generates the glyphs.
func openData(path, split string, seed uint64) (*dataset.Set, error) {
	if path == glyphsName {
		train, test := glyphs(0, seed)
		if split == "train" {
			return train, nil
		}
		return test, nil
	}
	set, err := dataset.Open(path, dataset.Split(split))
	if err != nil {
		return nil, fmt.Errorf("--data: %w", err)
	}
	return set, nil
}

// chooseExamples returns sorted indices: a number drawn by the seed without
// replacement, all, or those of an .npy file in their order.
func chooseExamples(spec string, n int, seed uint64) ([]int, error) {
	if spec == "all" {
		return firstIndices(n), nil
	}
	k, err := strconv.Atoi(spec)
	if err != nil {
		return indicesFrom(spec, n)
	}
	if k < 1 {
		return nil, usage(fmt.Errorf("--examples: %d is not a number of examples", k), "")
	}
	if k >= n {
		return firstIndices(n), nil
	}
	idx := rand.New(rand.NewPCG(seed, 1)).Perm(n)[:k]
	slices.Sort(idx)
	return idx, nil
}

func indicesFrom(path string, n int) ([]int, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, usage(fmt.Errorf("--examples: neither a number nor a file: %w", err), "give a number, all, or an .npy file of indices")
	}
	a, err := npy.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("--examples: %w", err)
	}
	if _, flags := a.Data.([]bool); flags || len(a.Shape) != 1 {
		return nil, usage(fmt.Errorf("--examples %s: an array of shape %v and type %T, expected one list of indices", path, a.Shape, a.Data), "numpy.flatnonzero makes indices of a mask")
	}
	idx, err := a.Ints()
	if err != nil {
		return nil, usage(fmt.Errorf("--examples %s: %w", path, err), "give a list of whole numbers")
	}
	if len(idx) == 0 {
		return nil, usage(fmt.Errorf("--examples %s: no indices", path), "")
	}
	for _, i := range idx {
		if i < 0 || i >= n {
			return nil, usage(fmt.Errorf("--examples %s: index %d, but the data set has %d examples", path, i, n), "")
		}
	}
	return idx, nil
}

// experiment turns the flags into what is bounded.
func (f searchFlags) experiment(set *dataset.Set, seed uint64) (bound.Experiment, *report.Arrays, error) {
	x := bound.Experiment{SkipCramerRao: !f.CramerRao, Band: band(set.Shape)}
	x.Search = bound.SearchOptions{
		Search: f.Method, Repeats: f.Repeats, Restarts: f.Restarts,
		Iteration: f.Iteration, Relinearize: f.Relinearize, Seed: seed,
	}
	if f.AsPublished {
		x.Search.Search = bound.Published
	}
	if f.Restarts < 1 || f.Restarts > math.MaxInt16 {
		return x, nil, usage(fmt.Errorf("--restarts: %d is not between 1 and %d", f.Restarts, math.MaxInt16), "")
	}
	if f.Repeats < 1 || f.Repeats > mostRepeats {
		return x, nil, usage(fmt.Errorf("--repeats: %d is not between 1 and %d", f.Repeats, mostRepeats), "")
	}
	var err error
	if x.Sizes, err = sizes(f.Size); err != nil {
		return x, nil, usage(fmt.Errorf("--size: %w", err), "write it as 1/200 or 0.005")
	}
	if f.Domain == "legal" {
		low, high := legalRange(set)
		if x.Domain, err = bound.Legal(low, high); err != nil {
			return x, nil, err
		}
	}
	c, vectors, err := coordinates(f.Coordinates, set.Shape)
	x.Coordinates = c
	return x, vectors, err
}

// band is the low band that is summarised by itself.
func band(shape []int) int {
	if len(shape) == 3 && min(shape[1], shape[2]) >= 2*lowBandLarge {
		return lowBandLarge
	}
	return lowBand
}

// Limits on what is believed to be meant.
const (
	mostRepeats = 1000
	leastSize   = 1e-5 // below, float32 witnesses drown in rounding
)

// sizes reads the sizes of perturbations, which must differ.
func sizes(specs []string) ([]float64, error) {
	var out []float64
	for _, s := range specs {
		v, err := parseFraction(s)
		if err != nil {
			return nil, err
		}
		if slices.Contains(out, v) {
			return nil, fmt.Errorf("%s is given twice", s)
		}
		out = append(out, v)
	}
	return out, nil
}

// parseFraction reads 1/200 or 0.005.
func parseFraction(s string) (float64, error) {
	num, den, ok := strings.Cut(s, "/")
	if !ok {
		den = "1"
	}
	a, errA := strconv.ParseFloat(num, 64)
	b, errB := strconv.ParseFloat(den, 64)
	if errA != nil || errB != nil {
		return 0, fmt.Errorf("%q is not a number", s)
	}
	if v := a / b; v >= leastSize && v <= 1 {
		return v, nil
	}
	return 0, fmt.Errorf("%s is not between %g and 1", s, leastSize)
}

// legalRange gives every input the range of its channel.
func legalRange(set *dataset.Set) (low, high []float64) {
	lo, hi := set.Range()
	plane := nn.Size(set.Shape) / len(lo)
	for c := range lo {
		for range plane {
			low, high = append(low, float64(lo[c])), append(high, float64(hi[c]))
		}
	}
	return low, high
}
