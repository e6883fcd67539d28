package cli

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tattle/bound"
	"tattle/dataset"
	"tattle/measure"
	"tattle/report"
)

// searchFlags choose witnesses and coordinates.
type searchFlags struct {
	Method       string   `help:"How witnesses are sought: auto, direct, algorithm1." enum:"auto,direct,algorithm1" default:"auto"`
	AsPublished  bool     `help:"The authors' procedure instead: one LSQR over a stack of examples with its stopping rule."`
	Size         []string `help:"Size s of the perturbations, such as 1/200; several with commas." default:"1/200"`
	Repeats      int      `help:"Repeats of LSQR in Algorithm 1." default:"10"`
	Restarts     int      `help:"Independent starts, over which bounds are maximised." default:"25"`
	Iteration    string   `help:"paper: as Algorithm 1 says; inverse: alternate with the transposed pseudoinverse, for the least singular value." enum:"paper,inverse" default:"paper"`
	Relinearize  bool     `help:"Algorithm 1 only: take the Jacobian at the last repeat's point."`
	Coordinates  string   `help:"What is reconstructed: dct (cosine modes), pixels, or an .npz or .npy file of vectors [m, inputs]." default:"dct" placeholder:"dct|pixels|FILE" input:"file"`
	Domain       string   `help:"Where estimators are held to be unbiased. stored: inputs as the data can hold them, such as pixels of 8 bits, integers and categories, or float32 numbers where that is not known. legal: any real numbers within the data's range. free: any real numbers, as in the paper. Near witnesses are too small for stored, and mostly prove nothing there. With free, far witnesses and twins are still stored, or legal where it is not known how the data are stored." enum:"free,legal,stored" default:"free"`
	RuntimeError *float64 `help:"How far each released feature may lie from its value in real arithmetic, because a runtime computes it in float32. 0 is real arithmetic (default: derived from float32's rounding, or else measured)." placeholder:"X"`
	CramerRao    bool     `help:"Cramér-Rao figures beside the certificates." default:"true" negatable:""`
}

// experiment turns the flags into what is bounded.
func (f searchFlags) experiment(set *dataset.Set, seed uint64) (bound.Experiment, *report.Arrays, error) {
	x := bound.Experiment{SkipCramerRao: !f.CramerRao, Band: measure.LowBand(set.Shape)}
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
	if x.Domain, err = measure.DomainOf(set, f.Domain); err != nil {
		return x, nil, err
	}
	if f.RuntimeError != nil {
		if !(*f.RuntimeError >= 0 && *f.RuntimeError <= math.MaxFloat32) {
			return x, nil, usage(fmt.Errorf("--runtime-error: %g is not 0 or more", *f.RuntimeError), "")
		}
		x.Runtime = bound.Runtime{Error: *f.RuntimeError, From: bound.RuntimeGiven}
	}
	c, vectors, err := coordinates(f.Coordinates, set.Shape)
	x.Coordinates = c
	return x, vectors, err
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
