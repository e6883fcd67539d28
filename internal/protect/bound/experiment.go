package bound

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"tattle/internal/engine/nn"
	"tattle/internal/protect/release"
)

// Model is what is bounded: *nn.Net is one.
type Model interface {
	nn.Model
	Net
	Graph() *nn.Graph
	// ForwardWide64 is ForwardError64 with a sum of two float64, about 106 bits, for every number on the way.
	ForwardWide64(dst, bound, x, xerr []float64)
	// ForwardError32 overwrites bound with bounds on the errors of a float32 pass, to first order.
	ForwardError32(dst, bound, x []float64)
	// SetMemory sets the most bytes that the float32 buffers may take, and the same for the float64 buffers.
	SetMemory(bytes int64)
	// Memory estimates the bytes for linearising so many examples in float32, with products of so many vectors each. In
	// float64 it is twice as much.
	Memory(examples, vectors int) int64
}

// An Experiment says what is bounded and by which witnesses.
type Experiment struct {
	Settings
	Noise       release.Noise
	Queries     int         // independent releases of one input that the adversary has; 0 is 1
	Coordinates Coordinates // what is reconstructed
	// Features is the number of the model's features, filled in when the experiment is
	// resolved.
	Features int
	// Memory is the budget of the run in bytes, by default DefaultMemory. It decides how
	// much is done at once and, before a run begins, whether there is room to decompose
	// Jacobians; nothing else of the outcome.
	Memory int64
}

// resolve replaces zeros by defaults and the search Auto by the one that suits the model
// and its first examples, with Reasons. leftOut says which further bounds are not possible, and why. Of a run that had
// begun, where begun is not nil, what it had chosen by memory, or measured, stays. It returns an error if the experiment
// makes no sense.
func (e Experiment) resolve(f *front, begun *settings) (_ Experiment, leftOut []string, err error) {
	if err := Differentiable(f.Graph()); err != nil {
		return e, nil, err
	}
	if e.smooth(f) != nil {
		e.SkipCramerRao = true
	}
	_, e.Features = f.Dims()
	if len(e.Sizes) == 0 {
		e.Sizes = []float64{DefaultSize}
		if e.lattice() {
			e.Sizes[0] = latticeSize
		}
	}
	if err := e.check(f); err != nil {
		return e, nil, err
	}
	o := &e.Search
	o.Search, o.Iteration = cmp.Or(o.Search, Auto), cmp.Or(o.Iteration, PaperIteration)
	o.Repeats, o.Restarts, o.Stack = cmp.Or(o.Repeats, DefaultRepeats), cmp.Or(o.Restarts, DefaultRestarts), cmp.Or(o.Stack, DefaultStack)
	if o.Iteration == InverseIteration && o.Search == Published {
		return e, nil, fmt.Errorf("the inverse iteration is for J at θ: not for %s", Published)
	}
	e, reason := e.resolveSearch(f, begun)
	e, leftOut = e.resolveFurther(f, begun)
	if e.Rounding == "" {
		e.Rounding = e.rounding(f)
	}
	switch {
	case e.Runtime.From != "":
	case begun != nil && begun.Runtime.From != "":
		e.Runtime = begun.Runtime
	default:
		e.Runtime = e.runtime(f)
	}
	if e.Reasons = append([]string{reason}, leftOut...); begun != nil && len(begun.Reasons) > 0 {
		e.Reasons = begun.Reasons
	}
	return e, leftOut, nil
}

// resolveSearch replaces Auto by a search, and Direct by Cholesky where memory does not allow a
// decomposition. It leaves Cramér-Rao figures out where there is none.
func (e Experiment) resolveSearch(f *front, begun *settings) (_ Experiment, reason string) {
	auto, direct, figures := e.Search.Search == Auto, e.Search.Search == Direct, !e.SkipCramerRao
	if !auto {
		reason = "as asked"
	}
	if !auto && !figures && !direct {
		return e, reason
	}
	var c choice
	switch j := f.jacobian(); {
	case e.Search.Search == Cholesky:
		c = choice{Cholesky, "a Cholesky factor does not give them"}
	case begun != nil && min(j.rows, j.cols) > eigenSmall: // the reason is kept, too
		c = choice{search: begun.Search.Search}
		if !auto && !direct && !begun.SkipCramerRao {
			c.search = Direct
		}
	case direct:
		c = e.chooseDirect(j)
	default:
		c = e.choose(f, j)
	}
	if auto || direct && c.search != Direct {
		e.Search.Search, reason = c.search, c.why
	}
	if figures && c.search != Direct {
		e.SkipCramerRao = true
		if auto || direct {
			reason += "; hence no Cramér-Rao figures"
		} else {
			reason += "; no Cramér-Rao figures: " + c.why
		}
	}
	return e, reason
}

// resolveFurther leaves out the further bounds that the model or the noise does not allow,
// and says so.
func (e Experiment) resolveFurther(f *front, begun *settings) (_ Experiment, notes []string) {
	err := e.smooth(f)
	if err != nil {
		notes = append(notes, "no Cramér-Rao figures and no count of resolvable directions: "+err.Error())
	}
	if e.Barankin.Witnesses > 0 && !combines(e.Noise) {
		e.Barankin = BarankinOptions{}
		notes = append(notes, fmt.Sprintf("no combined witnesses: for %s noise their overlaps have no closed form", noiseName(e.Noise)))
	}
	if e.Barankin.Witnesses > 0 && e.SkipCramerRao && e.Search.Search != Direct && e.Search.Search != Cholesky && !e.decomposes(f.jacobian(), begun) {
		notes = append(notes, "the witnesses to combine are the search's, without a decomposition to take singular directions from")
	}
	if e.Twins.Examples > 0 {
		if f.finder, err = newTwinFinder(f.Graph(), e.Twins.Domain); err != nil {
			e.Twins = TwinOptions{}
			notes = append(notes, "no twins: "+strings.TrimPrefix(err.Error(), "twins: "))
		}
	}
	return e, notes
}

// mostQueries keeps a number of queries exact in float64, with room to spare.
const mostQueries = 1 << 30

// Scale is the standard deviation σ of the Gaussian noise that says as much about a
// small change of the features as all queries together, 1/√(Fisher·queries): σ
// itself for one query under Gaussian noise. Searches and Cramér-Rao figures use it.
func (e Experiment) Scale() float64 {
	scale := 1 / math.Sqrt(e.Noise.Fisher())
	if g, ok := e.Noise.(release.Gaussian); ok {
		scale = g.Sigma
	}
	return scale / math.Sqrt(float64(max(1, e.Queries)))
}

// certifier returns a Certifier of the experiment, its domain and runtime to be filled in.
func (e Experiment) certifier(m Net) *Certifier {
	return &Certifier{Net: m, Noise: e.Noise, Queries: e.Queries, Rounding: e.Rounding}
}

// The noise a search can follow: its squares, times the sizes of perturbations,
// stay within float32; and those sizes.
const (
	leastSigma, mostSigma = 1e-12, 1e12
	leastSize, mostSize   = 1e-18, 1e3
)

// check returns an error if the experiment makes no sense for the model.
func (e Experiment) check(m Net) error {
	p, _ := m.Dims()
	switch {
	case e.Noise == nil:
		return fmt.Errorf("no noise: nothing is hidden")
	case !(e.Noise.Std() > 0) || math.IsInf(e.Noise.Std(), 0):
		return fmt.Errorf("sigma is %g: it must be positive and finite, or nothing is hidden", e.Noise.Std())
	case e.Queries < 0 || e.Queries > mostQueries:
		return fmt.Errorf("%d queries: must be from 1 to %d", e.Queries, mostQueries)
	case !(e.Scale() >= leastSigma && e.Scale() <= mostSigma):
		return fmt.Errorf("sigma is %g, for the searches %g: in float32 it must be from %g to %g", e.Noise.Std(), e.Scale(), leastSigma, mostSigma)
	case e.Coordinates == nil:
		return fmt.Errorf("no coordinates to bound")
	case e.Coordinates.Inputs() != p:
		return fmt.Errorf("coordinates %q are of %d inputs, the model has %d", e.Coordinates.Name(), e.Coordinates.Inputs(), p)
	case e.Memory < 0:
		return fmt.Errorf("memory of %d bytes: must not be negative", e.Memory)
	case !slices.Contains([]string{"", RoundingProved, RoundingPairs, RoundingMeasured}, e.Rounding):
		return fmt.Errorf("unknown rounding %q: must be %q, %q or %q", e.Rounding, RoundingProved, RoundingPairs, RoundingMeasured)
	case e.Band < 0:
		return fmt.Errorf("band of %d modes: must not be negative", e.Band)
	}
	for _, d := range []Domain{e.Domain, e.Far.Domain, e.Twins.Domain, e.Pairs.Domain} {
		if err := d.check(p); err != nil {
			return err
		}
	}
	if err := e.Runtime.check(); err != nil {
		return err
	}
	for i, s := range e.Sizes {
		if !(s >= leastSize && s <= mostSize) {
			return fmt.Errorf("size %g of the perturbation: it must be from %g to %g", s, leastSize, mostSize)
		}
		if slices.ContainsFunc(e.Sizes[:i], func(t float64) bool { return SizeName(t) == SizeName(s) }) {
			return fmt.Errorf("size %g is given twice", s)
		}
	}
	if e.Search.Restarts > math.MaxInt16 {
		return fmt.Errorf("%d restarts: at most %d", e.Search.Restarts, math.MaxInt16)
	}
	return e.checkFurther(p)
}

// mostWitnesses is the most witnesses of one kind: more make an example's arrays unreasonable.
const mostWitnesses = 4096

// checkFurther returns an error if the options of the further bounds make no sense for p
// inputs.
func (e Experiment) checkFurther(p int) error {
	switch {
	case min(e.Far.Starts, e.Barankin.Witnesses) < 0 || max(e.Far.Starts, e.Barankin.Witnesses) > mostWitnesses:
		return fmt.Errorf("%d far and %d combined witnesses: each must be from 0 to %d", e.Far.Starts, e.Barankin.Witnesses, mostWitnesses)
	case e.Pairs.Witnesses < 0 || e.Pairs.Witnesses > MostPairs:
		return fmt.Errorf("%d witnesses of pair floors: must be from 0 to %d", e.Pairs.Witnesses, MostPairs)
	case e.Pairs.Groups < 0 || e.Pairs.Groups > MostPairGroups || e.Pairs.Groups > 0 && e.Pairs.Witnesses == 0:
		return fmt.Errorf("%d groups of coordinates for pair floors: must be from 0 to %d, and 0 without witnesses for the whole input", e.Pairs.Groups, MostPairGroups)
	case e.Twins.Examples < 0:
		return fmt.Errorf("twins of %d examples: must not be negative", e.Twins.Examples)
	case e.Twins.Examples > 0 && len(e.Twins.Domain.Low) != p:
		return fmt.Errorf("twins need the range of all %d inputs", p)
	}
	return nil
}
