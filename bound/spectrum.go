package bound

import (
	"context"
	"fmt"
	"math"
	"slices"

	"tattle/npy"
)

// Defaults of SpectrumOptions.
const (
	DefaultProbes        = 8  // the standard error of a count r is at most √(2r/8), half of √r
	DefaultSpectrumSteps = 64 // the largest singular values converge in some dozens
)

// SpectrumOptions says how the spectrum of J is estimated from products with J and
// Jᵀ. Its zero value is the defaults.
type SpectrumOptions struct {
	Probes int    // random vectors of an example; negative for no estimate
	Steps  int    // of bidiagonalisation from each; by default DefaultSpectrumSteps
	Seed   uint64 // of the vectors
}

// resolve replaces zeros by defaults, and leaves the estimate out where J is
// decomposed or nothing was asked about it.
func (o SpectrumOptions) resolve(e Experiment, asked bool) SpectrumOptions {
	if o.Probes < 0 || !asked || !e.SkipCramerRao {
		return SpectrumOptions{}
	}
	if o.Probes == 0 {
		o.Probes = DefaultProbes
	}
	if o.Steps == 0 {
		o.Steps = DefaultSpectrumSteps
	}
	if o.Seed == 0 {
		o.Seed = e.Search.Seed
	}
	return o
}

// working is how much the estimate takes for one example: its bases on both sides.
func (o SpectrumOptions) working(p, n int) int64 {
	return 4 * int64(o.Steps+2) * int64(o.Probes+1) * int64(p+n)
}

// spectra is what is recorded of some examples' estimated spectra.
type spectra struct {
	probes, steps int

	ritz, radius   []float64 // [examples, steps]: Ritz values, descending, each with a singular value within the radius
	taken          []int32   // [examples]: how many of them, the first ones, the probes leave out
	dimension      []int32   // [examples]: of the space the probes are drawn from
	nodes, weights []float64 // [examples, probes, steps]: quadrature of each probe's measure
}

func (s *spectra) columns() []column {
	return []column{
		{"ritz", "<f8", []int{s.steps}, s.ritz},
		{"ritz_radius", "<f8", []int{s.steps}, s.radius},
		{"ritz_taken", "<i4", nil, s.taken},
		{"probe_dimension", "<i4", nil, s.dimension},
		{"probe_nodes", "<f8", []int{s.probes, s.steps}, s.nodes},
		{"probe_weights", "<f8", []int{s.probes, s.steps}, s.weights},
	}
}

func (s *spectra) grow(n int) {
	s.ritz, s.radius = make([]float64, n*s.steps), make([]float64, n*s.steps)
	s.taken, s.dimension = make([]int32, n), make([]int32, n)
	s.nodes, s.weights = make([]float64, n*s.probes*s.steps), make([]float64, n*s.probes*s.steps)
}

// Spectrum is what is known of the singular values of the J of one example, without
// a decomposition.
type Spectrum struct {
	Dimension int       // of the space in which directions are counted: at most min(n, p)
	Ritz      []float64 // approximations from one random start, descending
	Radius    []float64 // a singular value of J lies within this of each
	Taken     int       // of these, the first ones, are settled, and none is missed above the last of them but by chance

	probes  int
	nodes   []float64 // [probes, steps], singular values, descending
	weights []float64 // [probes, steps], of a measure of total mass 1 times what is left of the dimension
}

// Count is an estimate of #{i : s_i ≥ σ/t}, with an interval that holds the true
// count in about 19 of 20 cases.
type Count struct {
	Estimate  float64
	Error     float64 // standard error over probes; 0 where the count is exact
	Low, High float64
	Exact     bool
}

// interval of 19 in 20, in standard deviations.
const nineteenOfTwenty = 1.96

// Count estimates how many singular values are at least s. Those settled are counted
// as they are; of the rest every probe v gives the unbiased estimate vᵀfv, f the
// projector on their singular vectors, whose variance is at most 2 tr f for signs
// drawn at random (M. F. Hutchinson, Communications in Statistics 19, 1990). The
// quadrature knows vᵀfv only up to the weights of the nodes on both sides of s (the
// theorem of Chebyshev, Markov and Stieltjes; G. Szegő, Orthogonal Polynomials,
// section 3.41). The interval is of all r with |x − r| ≤ 1.96·√(2r/N) for some x that
// the quadrature allows, N probes.
func (e *Spectrum) Count(s float64) Count {
	if !(s > 0) {
		return Count{float64(e.Dimension), 0, 0, float64(e.Dimension), false}
	}
	settled := 0
	for settled < e.Taken && e.Ritz[settled] >= s {
		settled++
	}
	x, low, high := make([]float64, e.probes), 0., 0.
	rest := float64(e.Dimension - e.Taken)
	for i := range x {
		var l, h float64
		x[i], l, h = quadrature(rowOf(e.nodes, i, len(e.Ritz)), rowOf(e.weights, i, len(e.Ritz)), s)
		x[i] *= rest
		low, high = low+l*rest/float64(e.probes), high+h*rest/float64(e.probes)
	}
	mean, se := meanAndError(x)
	certain, most := float64(settled), float64(e.Dimension)
	z := nineteenOfTwenty * nineteenOfTwenty / float64(e.probes)
	return Count{
		Estimate: certain + mean,
		Error:    se,
		Low:      min(certain+max(0, low+z-math.Sqrt(z*z+2*low*z)), most),
		High:     min(certain+high+z+math.Sqrt(z*z+2*high*z), most),
	}
}

// quadrature returns the weight of the nodes from s on, of nodes in descending order,
// and what the measure from s on may be: between the sums without the nodes next to s
// and with them.
func quadrature(nodes, weights []float64, s float64) (x, low, high float64) {
	k := 0
	for ; k < len(nodes) && nodes[k] >= s; k++ {
		x += weights[k]
	}
	low, high = x, x
	if k > 0 {
		low -= weights[k-1]
	}
	if k < len(nodes) {
		high += weights[k]
	}
	return x, max(low, 0), min(high, 1)
}

// meanAndError returns the mean and its standard error.
func meanAndError(x []float64) (mean, se float64) {
	n := float64(len(x))
	for _, v := range x {
		mean += v / n
	}
	if len(x) < 2 {
		return mean, math.Inf(1)
	}
	for _, v := range x {
		se += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(se / (n - 1) / n)
}

// Extremes of a spectrum.
type Extremes struct {
	Largest, LargestRadius   float64 // a singular value lies within the radius
	Smallest, SmallestRadius float64 // the smallest that could be told apart from rounding and from its neighbours' images; 0 where none could
	Unresolved               bool    // J has smaller singular values, or may have: what lies below Smallest is not known
}

// settledPart is the most of a Ritz value that its radius may be for it to count as
// found.
const settledPart = 0.01

// Extremes returns the largest and the smallest singular value that were found: those
// whose radius is at most a hundredth of them.
func (e *Spectrum) Extremes() Extremes {
	x := Extremes{Unresolved: true}
	if len(e.Ritz) == 0 {
		return x
	}
	x.Largest, x.LargestRadius = e.Ritz[0], e.Radius[0]
	for i, v := range e.Ritz {
		if v > 0 && e.Radius[i] <= settledPart*v {
			x.Smallest, x.SmallestRadius = v, e.Radius[i]
		}
	}
	positive := 0
	for _, v := range e.Ritz {
		if v > 0 {
			positive++
		}
	}
	// Only a bidiagonalisation that has come to its end has seen the whole spectrum.
	x.Unresolved = positive < e.Dimension || e.Ritz[positive-1] != x.Smallest
	return x
}

// Directions estimates, for threshold t, the median over examples of the directions
// #{i : σ/s_i ≤ t} that an unbiased adversary can estimate to within t: exactly where
// the Jacobians were decomposed, else with the medians of the ends of each example's
// interval. ok is false where the run knows no spectrum.
func (r *Result) Directions(t float64) (median Count, ok bool) {
	counts := r.counts(t)
	if len(counts) == 0 {
		return Count{}, false
	}
	of := func(f func(Count) float64) float64 {
		x := make([]float64, len(counts))
		for i, c := range counts {
			x[i] = f(c)
		}
		slices.Sort(x)
		return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
	}
	median = Count{
		Estimate: of(func(c Count) float64 { return c.Estimate }),
		Error:    of(func(c Count) float64 { return c.Error }),
		Low:      of(func(c Count) float64 { return c.Low }),
		High:     of(func(c Count) float64 { return c.High }),
		Exact:    r.Spectra != nil,
	}
	return median, true
}

// counts are the directions of each example.
func (r *Result) counts(t float64) (counts []Count) {
	sigma := r.Experiment.Scale()
	for _, s := range r.Spectra {
		n := float64(Resolvable(s, sigma, []float64{t})[0])
		counts = append(counts, Count{n, 0, n, n, true})
	}
	if r.Spectra != nil {
		return counts
	}
	for i := range r.Estimated {
		counts = append(counts, r.Estimated[i].Count(sigma/t))
	}
	return counts
}

// readSpectra reads the estimates of spectra.
func (r *Result) readSpectra(f *npy.File, o SpectrumOptions) (err error) {
	n, all := len(r.Indices), o.Probes*o.Steps
	var ritz, radius, nodes, weights []float64
	for _, a := range []struct {
		name  string
		width int
		to    *[]float64
	}{{"ritz", o.Steps, &ritz}, {"ritz_radius", o.Steps, &radius}, {"probe_nodes", all, &nodes}, {"probe_weights", all, &weights}} {
		if *a.to, err = floats(f, r.Path, a.name, n, a.width); err != nil {
			return err
		}
	}
	taken, _, err := f.Ints("ritz_taken")
	if err != nil {
		return err
	}
	dimension, _, err := f.Ints("probe_dimension")
	if err != nil {
		return err
	}
	if len(taken) != n || len(dimension) != n {
		return fmt.Errorf("%s: %d and %d dimensions of spectra for %d examples", r.Path, len(taken), len(dimension), n)
	}
	for i := range n {
		if taken[i] < 0 || taken[i] > min(o.Steps, dimension[i]) {
			return fmt.Errorf("%s: %d singular values of example %d are settled: there are %d", r.Path, taken[i], i, o.Steps)
		}
		r.Estimated = append(r.Estimated, Spectrum{Dimension: dimension[i], Ritz: rowOf(ritz, i, o.Steps), Radius: rowOf(radius, i, o.Steps),
			Taken: taken[i], probes: o.Probes, nodes: rowOf(nodes, i, all), weights: rowOf(weights, i, all)})
	}
	return nil
}

// spectra compares the estimates of spectra with fresh ones. Rounding grows in them:
// what must agree are the intervals of counts.
func (v *verifier) spectra(ctx context.Context, rec *examples, rows map[string]*npy.Rows, lo, hi int) error {
	return nil
}
