package bound

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tattle/nn"
	"tattle/release"
)

// Model is what is bounded: *nn.Net is one.
type Model interface {
	nn.Model
	Net
}

// Source is a data set: *dataset.Set is one.
type Source interface {
	Len() int
	Examples(x []float32, indices []int) // overwrites x, [len(indices), p]
	Label(i int) int
}

// An Experiment says what is bounded and by which witnesses.
type Experiment struct {
	Noise         release.Noise
	Queries       int         // independent releases of one input that the adversary sees; 0 is 1
	Sizes         []float64   // of the perturbations, ‖z‖ ≈ size·σ; by default DefaultSize alone
	Coordinates   Coordinates // what is reconstructed
	Band          int         // low band of Band×Band modes summarised by itself; 0 for none
	Domain        Domain      // where estimators are held to be unbiased
	Search        SearchOptions
	SkipCramerRao bool // no Cramér-Rao figures
}

// Resolve replaces zeros by defaults and the search Auto by the one that suits
// the model and the first examples x, saying why in reason. It errs where the
// experiment makes no sense.
func (e Experiment) Resolve(m Model, x []float32) (_ Experiment, reason string, err error) {
	if len(e.Sizes) == 0 {
		e.Sizes = []float64{DefaultSize}
	}
	if err := e.check(m); err != nil {
		return e, "", err
	}
	e.Search, reason, err = e.Search.resolve(m, x)
	if err == nil && !e.SkipCramerRao && e.Search.Search != Direct {
		if j := sizeUp(m, x); !j.small() {
			e.SkipCramerRao = true
			if strings.Contains(reason, j.String()) {
				reason += "; hence no Cramér-Rao figures"
			} else {
				reason += "; no Cramér-Rao figures: " + j.String()
			}
		}
	}
	return e, reason, err
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

// certifier returns a Certifier of the experiment for witnesses in a domain.
func (e Experiment) certifier(m Net, d Domain) *Certifier {
	return &Certifier{Net: m, Noise: e.Noise, Queries: e.Queries, Domain: d}
}

// The noise a search can follow: its squares, times the sizes of perturbations,
// stay within float32; and those sizes.
const (
	leastSigma, mostSigma = 1e-12, 1e12
	leastSize, mostSize   = 1e-18, 1e3
)

// check errs where the experiment makes no sense for the model.
func (e Experiment) check(m Net) error {
	p, _ := m.Dims()
	switch {
	case e.Noise == nil:
		return fmt.Errorf("no noise: nothing is hidden")
	case !(e.Noise.Std() > 0) || math.IsInf(e.Noise.Std(), 0):
		return fmt.Errorf("sigma is %g: it must be positive and finite, or nothing is hidden", e.Noise.Std())
	case e.Queries < 0 || e.Queries > mostQueries:
		return fmt.Errorf("%d queries: there can be 1 to %d", e.Queries, mostQueries)
	case !(e.Scale() >= leastSigma && e.Scale() <= mostSigma):
		return fmt.Errorf("sigma is %g, which the searches see as %g: in float32 they can follow %g to %g", e.Noise.Std(), e.Scale(), leastSigma, mostSigma)
	case e.Coordinates == nil:
		return fmt.Errorf("no coordinates to bound")
	case e.Coordinates.Inputs() != p:
		return fmt.Errorf("coordinates %q are of %d inputs, the model has %d", e.Coordinates.Name(), e.Coordinates.Inputs(), p)
	case e.Domain.Low != nil && len(e.Domain.Low) != p:
		return fmt.Errorf("the range of legal inputs is for %d inputs, the model has %d", len(e.Domain.Low), p)
	case e.Band < 0:
		return fmt.Errorf("band of %d modes", e.Band)
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
	return nil
}

// layout is the record of no examples.
func (e Experiment) layout(p int) *examples {
	r := &examples{p: p, m: e.Coordinates.Len(), restarts: e.Search.Restarts}
	for _, s := range e.Sizes {
		r.sizes = append(r.sizes, certified{size: s})
	}
	if !e.SkipCramerRao {
		r.rank = []int32{}
	}
	return r
}

// summaries summarises a result: for each size, the bounds of all coordinates and
// of the low band, and the mean-square bounds; then the Cramér-Rao figures.
func (e Experiment) summaries(r *Result) []Summary {
	m := e.Coordinates.Len()
	bands := []band{{name: "all"}}
	if low := e.Coordinates.Band(e.Band); len(low) > 0 && len(low) < m {
		bands = append(bands, band{fmt.Sprintf("%dx%d", e.Band, e.Band), low})
	}
	var todo []func() Summary // each sorts all its values: worth all cores
	for _, s := range r.Sizes {
		of := Summary{Method: MethodHCR, Search: e.Search.Search, Coordinates: e.Coordinates.Name(),
			Domain: e.Domain.String(), Size: s.Size}
		of.Status, of.Note = e.standing()
		for _, b := range bands {
			todo = append(todo, func() Summary { return of.in(b, s.Std, m) })
		}
		todo = append(todo, func() Summary { return of.meanSquare(s.MeanSquare) })
	}
	if r.CramerRao != nil {
		for _, b := range bands {
			todo = append(todo, func() Summary { return e.axis(r.CramerRao, b) }, func() Summary { return e.full(r.CramerRao, b) })
		}
	}
	out := make([]Summary, len(todo))
	parallel(len(todo), func(i int) { out[i] = todo[i]() })
	return out
}

// standing is the status of bounds with a witness, and why it is not the highest.
func (e Experiment) standing() (status, note string) {
	if e.Noise.Certain() {
		return StatusCertified, ""
	}
	return StatusEstimated, fmt.Sprintf("each value has a witness, but for %s noise its divergence is computed by quadrature or Monte Carlo, not proved", e.Noise)
}

// joined joins notes.
func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// in summarises the values of a band.
func (s Summary) in(b band, x []float64, m int) Summary {
	s.Band = b.name
	return s.summarize(b.of(x, m))
}

// meanSquare summarises the roots of bounds on mean squares.
func (s Summary) meanSquare(squares []float64) Summary {
	s.Method, s.Coordinates, s.Band = MethodMeanSquare, "inputs", "all"
	s.Note = joined("root of the bound on the mean-square error per input", s.Note)
	roots := make([]float64, len(squares))
	for i, v := range squares {
		roots[i] = math.Sqrt(v)
	}
	return s.summarize(roots)
}

func (e Experiment) axis(c *CramerRao, b band) Summary {
	s := Summary{Method: MethodCramerRaoAxis, Coordinates: e.Coordinates.Name(), Status: StatusEstimated,
		Note: "for an adversary who knows every other coordinate"}
	return s.in(b, c.Axis, e.Coordinates.Len())
}

func (e Experiment) full(c *CramerRao, b band) Summary {
	s := Summary{Method: MethodCramerRao, Coordinates: e.Coordinates.Name(), Status: StatusEstimated,
		Note: "of the part of each coordinate that the features can see; unbounded_fraction counts coordinates with another part, of which there is no unbiased estimator"}
	s = s.in(b, c.Full, e.Coordinates.Len())
	seen := b.of(c.Seen, e.Coordinates.Len())
	hidden := 0
	for _, v := range seen {
		if v < 1-SeenTolerance {
			hidden++
		}
	}
	s.UnboundedFraction = float64(hidden) / float64(max(1, len(seen)))
	return s
}

// band is a choice of coordinates; all where keep is nil.
type band struct {
	name string
	keep []int
}

// of copies the values of the band from x, [examples, m].
func (b band) of(x []float64, m int) []float64 {
	if b.keep == nil {
		return slices.Clone(x)
	}
	out := make([]float64, 0, len(x)/m*len(b.keep))
	for i := 0; i < len(x); i += m {
		for _, k := range b.keep {
			out = append(out, x[i+k])
		}
	}
	return out
}
