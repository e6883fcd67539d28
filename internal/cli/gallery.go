package cli

import (
	"math"
	"math/rand/v2"
	"slices"

	"tattle/bound"
	"tattle/measure"
	"tattle/nn"
	"tattle/release"
	"tattle/report"
)

const galleryPictures = 6 // as many as fit a screen beside their reconstructions

// show fills the gallery and the pairs. res and c may be nil.
func (m *measurement) show(r *report.Report, res *bound.Result, c *measure.Attacks) error {
	if len(m.Data.Shape) != 3 || m.Data.Shape[0] != 1 && m.Data.Shape[0] != 3 {
		return nil
	}
	if err := m.gallery(r, res, c); err != nil {
		return err
	}
	if res == nil || res.Twins == nil {
		return nil
	}
	return m.pairs(r, res)
}

// original is the i-th example that was examined.
func (m *measurement) original(i int) report.Original {
	index := m.Indices[i]
	o := report.Original{Index: index, Label: m.Data.Label(index), Shape: m.Data.Shape, Theta: make([]float32, nn.Size(m.Data.Shape)), Denormalize: m.Data.Denormalize}
	if names := m.Data.YNames; o.Label >= 0 && o.Label < len(names) {
		o.Name = names[o.Label]
	}
	m.Data.Examples(o.Theta, []int{index})
	return o
}

// gallery shows the first examples beside their best unbiased reconstructions, and
// what the best attack made of them.
func (m *measurement) gallery(r *report.Report, res *bound.Result, c *measure.Attacks) error {
	rng := rand.New(rand.NewPCG(m.Seed, 2))
	best := c.Best()
	bounds := res != nil && res.Experiment.Coordinates.Name() == "dct"
	attacked := best != nil && len(best.Pictures) > 0
	if !bounds && !attacked {
		return nil
	}
	for i := range min(galleryPictures, len(m.Indices)) {
		o := m.original(i)
		var names []string
		var std [][]float64
		if bounds {
			names, std = shots(res, i, len(o.Theta))
		}
		if err := r.Add(o, names, std, rng); err != nil {
			return err
		}
		if attacked && i < len(best.Pictures) {
			if err := r.Gallery[len(r.Gallery)-1].AddAttack(o, best.Attack+" attack", best.Pictures[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// shots are the bounds with which the i-th example is shown, of p modes.
func shots(res *bound.Result, i, p int) (names []string, std [][]float64) {
	for _, s := range res.Sizes {
		names = append(names, "s = "+report.Fraction(s.Size))
		std = append(std, s.Std[i*p:(i+1)*p])
	}
	if b := res.Barankin; b != nil {
		names = append(names, "Barankin")
		std = append(std, b.Std[i*p:(i+1)*p])
	}
	return names, std
}

// pairs shows the first examples beside their twins.
func (m *measurement) pairs(r *report.Report, res *bound.Result) error {
	for i := range min(galleryPictures, res.Twins.Tried) {
		eps, err := res.Witnesses(res.Twins, i)
		if err != nil {
			return err
		}
		o := m.original(i)
		for k, kind := range []string{"farthest", "nearest to an image of another class"} {
			p := len(o.Theta)
			other := eps[k*p : (k+1)*p]
			if !slices.ContainsFunc(other, func(v float64) bool { return v != 0 }) {
				continue // none was found
			}
			for j, v := range o.Theta {
				other[j] += float64(v)
			}
			at := i*res.Twins.Witnesses + k
			pair := report.Pair{Kind: kind, Domain: res.Experiment.Twins.Domain.String(), ZNorm: report.Number(res.Twins.ZNorm[at]), Allowance: report.Number(res.Twins.Allowance[at])}
			pair.Guessed = report.Number(guessed(res.Experiment, res.Twins.ZNorm[at]+res.Twins.Allowance[at]))
			pairMedian(&pair, res, i)
			if err := r.AddPair(o, other, pair); err != nil {
				return err
			}
		}
	}
	return nil
}

// guessed is the probability with which the best test between two inputs, both as
// likely, is right whose features are ‖z‖ apart: under Gaussian noise Φ(‖z‖√k/2σ), k
// being the queries, rounded up to a hundredth of a percent. It is NaN under other noise,
// where it depends on more than the norm.
func guessed(e bound.Experiment, z float64) float64 {
	if _, ok := e.Noise.(release.Gaussian); !ok {
		return math.NaN()
	}
	return math.Ceil(5e3*(1+math.Erf(z/e.Scale()/(2*math.Sqrt2)))) / 1e4
}

// pairMedian is the median of the bounds that the twins of the i-th example give.
func pairMedian(p *report.Pair, res *bound.Result, i int) {
	m := res.Experiment.Coordinates.Len()
	v := median(res.Twins.Std[i*m : (i+1)*m])
	p.Median, p.Unbounded = report.Number(v), v > bound.UnboundedFrom
}
