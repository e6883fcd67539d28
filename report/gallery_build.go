package report

import (
	"math"
	"math/rand/v2"
	"slices"

	"tattle/bound"
	"tattle/internal/simd"
	"tattle/measure"
	"tattle/nn"
	"tattle/release"
)

// GalleryPictures is how many inputs are shown: as many as fit a screen beside their
// reconstructions.
const GalleryPictures = 6

// setGallery shows the first inputs that were examined, and their twins, if they are
// pictures. res and c may be nil: no bounds, no attacks.
func (r *Report) setGallery(m measure.Request, res *bound.Result, c *measure.Attacks) error {
	if !shownAsPicture(m.Data.Shape) {
		return nil
	}
	if err := r.addReconstructions(m, res, c); err != nil {
		return err
	}
	if res == nil || res.Twins == nil && res.Pairs == nil {
		return nil
	}
	return r.addPairs(m, res)
}

// SetOriginals shows the first inputs alone, without reconstructions.
func (r *Report) SetOriginals(m measure.Request) error {
	if !shownAsPicture(m.Data.Shape) {
		return nil
	}
	for i := range min(GalleryPictures, len(m.Indices)) {
		if err := r.addPicture(originalOf(m, i), nil, nil, nil); err != nil {
			return err
		}
	}
	return nil
}

// shownAsPicture reports whether inputs of a shape are pictures: of one channel or three.
func shownAsPicture(shape []int) bool { return len(shape) == 3 && (shape[0] == 1 || shape[0] == 3) }

// originalOf is the i-th example that was examined.
func originalOf(m measure.Request, i int) original {
	index := m.Indices[i]
	o := original{index: index, label: m.Data.Label(index), shape: m.Data.Shape, theta: make([]float32, nn.Size(m.Data.Shape)), denormalize: m.Data.Denormalize}
	if names := m.Data.YNames; o.label >= 0 && o.label < len(names) {
		o.name = names[o.label]
	}
	m.Data.Examples(o.theta, []int{index})
	return o
}

// addReconstructions shows the first examples beside their best unbiased reconstructions, and
// what the best attack made of them.
func (r *Report) addReconstructions(m measure.Request, res *bound.Result, c *measure.Attacks) error {
	rng := rand.New(rand.NewPCG(m.Seed, 2))
	best := c.Best()
	bounds := res != nil && res.Experiment.Coordinates.Name() == "dct"
	attacked := best != nil && len(best.Pictures) > 0
	if !bounds && !attacked {
		return nil
	}
	for i := range min(GalleryPictures, len(m.Indices)) {
		o := originalOf(m, i)
		var names []string
		var std [][]float64
		if bounds {
			names, std = shots(res, i, len(o.theta))
		}
		if err := r.addPicture(o, names, std, rng); err != nil {
			return err
		}
		if attacked && i < len(best.Pictures) {
			if err := r.Gallery[len(r.Gallery)-1].addAttack(o, best.Attack+" attack", best.Pictures[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// shots are the bounds with which the i-th example is shown, of p modes.
func shots(res *bound.Result, i, p int) (names []string, std [][]float64) {
	for _, s := range res.Sizes {
		names = append(names, "s = "+Fraction(s.Size))
		std = append(std, s.Std[i*p:(i+1)*p])
	}
	if b := res.Barankin; b != nil {
		names = append(names, "Barankin")
		std = append(std, b.Std[i*p:(i+1)*p])
	}
	return names, std
}

// pairKinds are the witnesses of an example that are shown.
var pairKinds = []struct {
	search string
	kind   string
	at     int // of its kind; the one with the largest floor where negative
}{
	{bound.SearchTwins, "farthest", 0},
	{bound.SearchTwins, "nearest to an image of another class", 1},
	{bound.SearchPairs, "largest floor for every adversary", -1},
}

// addPairs shows the first examples beside other inputs with nearly the same features.
func (r *Report) addPairs(m measure.Request, res *bound.Result) error {
	for i := range min(GalleryPictures, len(res.Indices)) {
		o := originalOf(m, i)
		for _, k := range pairKinds {
			b, domain := res.Twins, res.Experiment.Twins.Domain
			if k.search == bound.SearchPairs {
				b, domain = res.Pairs, res.Experiment.Pairs.Domain
			}
			if b == nil || i >= b.Tried {
				continue
			}
			eps, err := res.Witnesses(b, i)
			if err != nil {
				return err
			}
			at := k.at
			if at < 0 {
				at = bestWitness(b, eps, i)
			}
			p := len(o.theta)
			other := eps[at*p : (at+1)*p]
			if !slices.ContainsFunc(other, func(v float64) bool { return v != 0 }) {
				continue // none was found
			}
			for j, v := range o.theta {
				other[j] += float64(v)
			}
			at += i * b.Witnesses
			pair := Pair{Search: k.search, Kind: k.kind, Domain: domain.String(), ZNorm: Number(b.ZNorm[at]), Allowance: Number(b.Allowance[at])}
			pair.Guessed = Number(guessed(res.Experiment, b.ZNorm[at]+b.Allowance[at]))
			if err := r.addPair(o, other, b.Pair.Share[at], pair); err != nil {
				return err
			}
		}
		if err := r.addPlausible(o); err != nil {
			return err
		}
	}
	return nil
}

// bestWitness returns the witness of example i with the largest floor of the whole input.
func bestWitness(b *bound.Bounds, eps []float64, i int) (best int) {
	p, most := len(eps)/b.Witnesses, 0.
	for k := range b.Witnesses {
		if v := simd.SumSquares(eps[k*p:(k+1)*p]) * b.Pair.Share[i*b.Witnesses+k]; v > most {
			best, most = k, v
		}
	}
	return best
}

// guessed is the probability with which the best test between two inputs, both as
// likely, is right whose features are ‖z‖ apart: under Gaussian noise Φ(‖z‖√k/2σ), k
// being the queries, rounded up to a hundredth of a percent, and at most that of the Gaussian
// noise which is rounded under Lattice noise. It is NaN under other noise,
// where it depends on more than the norm.
func guessed(e bound.Experiment, z float64) float64 {
	switch n := e.Noise.(type) {
	case release.Gaussian:
	case release.Lattice:
		g, _, ok := n.Rounded(e.Queries) // the difference is far below a hundredth of a percent
		if !ok {
			return math.NaN()
		}
		e.Noise = g
	default:
		return math.NaN()
	}
	return math.Ceil(5e3*(1+math.Erf(z/e.Scale()/(2*math.Sqrt2)))) / 1e4
}
