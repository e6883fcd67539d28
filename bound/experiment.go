package bound

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tattle/nn"
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
	Sigma         float64     // standard deviation of the noise on each feature
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
	p, _ := m.Dims()
	if len(e.Sizes) == 0 {
		e.Sizes = []float64{DefaultSize}
	}
	switch {
	case !(e.Sigma > 0) || math.IsInf(e.Sigma, 0):
		return e, "", fmt.Errorf("sigma is %g: it must be positive and finite, or nothing is hidden", e.Sigma)
	case e.Coordinates == nil:
		return e, "", fmt.Errorf("no coordinates to bound")
	case e.Domain.Low != nil && len(e.Domain.Low) != p:
		return e, "", fmt.Errorf("the range of legal inputs is for %d inputs, the model has %d", len(e.Domain.Low), p)
	case e.Band < 0:
		return e, "", fmt.Errorf("band of %d modes", e.Band)
	}
	for i, s := range e.Sizes {
		if !(s > 0) || math.IsInf(s, 0) {
			return e, "", fmt.Errorf("size %g of the perturbation: it must be positive and finite", s)
		}
		if slices.ContainsFunc(e.Sizes[:i], func(t float64) bool { return SizeName(t) == SizeName(s) }) {
			return e, "", fmt.Errorf("size %g is given twice", s)
		}
	}
	e.Search, reason, err = e.Search.resolve(m, x)
	if err == nil && e.Search.Restarts > math.MaxInt16 {
		err = fmt.Errorf("%d restarts: at most %d", e.Search.Restarts, math.MaxInt16)
	}
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

// summaries summarises std, [sizes][examples·m], the mean squares and the
// Cramér-Rao figures.
func (e Experiment) summaries(r *Result) []Summary {
	m := e.Coordinates.Len()
	bands := []band{{name: "all"}}
	if low := e.Coordinates.Band(e.Band); len(low) > 0 && len(low) < m {
		bands = append(bands, band{fmt.Sprintf("%dx%d", e.Band, e.Band), low})
	}
	var out []Summary
	for _, s := range r.Sizes {
		of := Summary{Method: MethodHCR, Search: e.Search.Search, Coordinates: e.Coordinates.Name(),
			Domain: e.Domain.String(), Size: s.Size, Status: StatusCertified}
		for _, b := range bands {
			of.Band = b.name
			out = append(out, of.summarize(b.of(s.Std, m)))
		}
		of.Method, of.Coordinates, of.Band = MethodMeanSquare, "inputs", "all"
		of.Note = "root of the bound on the mean-square error per input"
		roots := make([]float64, len(s.MeanSquare))
		for i, v := range s.MeanSquare {
			roots[i] = math.Sqrt(v)
		}
		out = append(out, of.summarize(roots))
	}
	if r.CramerRao == nil {
		return out
	}
	for _, b := range bands {
		of := Summary{Method: MethodCramerRaoAxis, Coordinates: e.Coordinates.Name(), Band: b.name, Status: StatusEstimated,
			Note: "for an adversary who knows every other coordinate"}
		out = append(out, of.summarize(b.of(r.CramerRao.Axis, m)))
		of.Method = MethodCramerRao
		of.Note = "of the part of each coordinate that the features can see; unbounded_fraction counts coordinates with another part, of which there is no unbiased estimator"
		of = of.summarize(b.of(r.CramerRao.Full, m))
		hidden := 0
		seen := b.of(r.CramerRao.Seen, m)
		for _, v := range seen {
			if v < 1-SeenTolerance {
				hidden++
			}
		}
		of.UnboundedFraction = float64(hidden) / float64(max(1, len(seen)))
		out = append(out, of)
	}
	return out
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
