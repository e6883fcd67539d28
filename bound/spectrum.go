package bound

import (
	"context"
	"fmt"
	"slices"
)

// Defaults of SpectrumOptions.
const (
	DefaultProbes        = 8  // the standard error of a count r is at most √(2r/8), half of √r
	DefaultSpectrumSteps = 64 // the largest singular values converge in some dozens
)

// SpectrumOptions says how the spectrum of J is estimated from products with J and
// Jᵀ. Its zero value is the defaults.
type SpectrumOptions struct {
	Probes int    `json:"probes"` // random vectors of an example; by default DefaultProbes, and none where Cramér-Rao figures are not wanted; negative for none
	Steps  int    `json:"steps"`  // of bidiagonalisation from each; by default DefaultSpectrumSteps
	Seed   uint64 `json:"seed"`   // of the vectors
}

// resolve replaces zeros by defaults, and leaves the estimate out where J is
// decomposed or nothing was asked about it.
func (o SpectrumOptions) resolve(e Experiment, asked bool) SpectrumOptions {
	if !e.SkipCramerRao || o.Probes < 0 || o.Probes == 0 && !asked {
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

	ritz, radius []float64 // [examples, steps]: Ritz values, descending, each with a singular value within the radius
	taken        []int32   // [examples]: how many of them, the first ones, the probes leave out
	dimension    []int32   // [examples]: of the space the probes are drawn from
	alpha, beta  []float64 // [examples, probes, steps]: the bidiagonal matrix of each probe, zeros after its end
	mass         []float64 // [examples, probes]: ‖v‖² of what they start from
}

func (s *spectra) columns() columns {
	return columns{
		{"ritz", []int{s.steps}, slice(&s.ritz)},
		{"ritz_radius", []int{s.steps}, slice(&s.radius)},
		{"ritz_taken", nil, slice(&s.taken)},
		{"probe_dimension", nil, slice(&s.dimension)},
		{"probe_alpha", []int{s.probes, s.steps}, slice(&s.alpha)},
		{"probe_beta", []int{s.probes, s.steps}, slice(&s.beta)},
		{"probe_mass", []int{s.probes}, slice(&s.mass)},
	}
}

// Spectrum is what is known of the singular values of the J of one example, without
// a decomposition.
type Spectrum struct {
	Dimension int       // of the space in which directions are counted: at most min(n, p)
	Ritz      []float64 // approximations from one random start, descending
	Radius    []float64 // a singular value of J lies within this of each
	Taken     int       // of these, the first ones, are settled, and none is missed above the last of them but by chance

	probes      int
	alpha, beta []float64 // [probes, steps]: each probe's bidiagonal matrix
	mass        []float64 // [probes]: ‖v‖²
}

// Directions estimates, for threshold t, the median over examples of the directions
// #{i : σ/s_i ≤ t} that an unbiased adversary can estimate to within t: exactly where
// the Jacobians were decomposed, else with the medians of the ends of each example's
// interval. ok is false if the run knows no spectrum.
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
		counts = append(counts, r.Estimated[i].count(sigma/t))
	}
	return counts
}

// spectra compares the estimates of spectra with fresh ones. Rounding grows in them:
// what must agree are the intervals of counts.
func (v *verifier) spectra(ctx context.Context, rec *record) error {
	o := v.experiment.Spectrum
	old, fresh := rec.estimated, v.experiment.newRecord().estimated
	fresh.columns().grow(len(rec.index))
	for i, index := range rec.index {
		if err := fresh.fill(ctx, v.model, rec.theta[i*rec.p:(i+1)*rec.p], int(index), i, o.Seed); err != nil {
			return err
		}
		a, b := old.of(i), fresh.of(i)
		if a.Dimension != b.Dimension {
			v.report("probe_dimension", int(index), -1, a.Dimension, b.Dimension)
		}
		if len(b.Ritz) == 0 {
			continue
		}
		v.compare("ritz", int(index), 0, a.Ritz[0], b.Ritz[0], settledPart)
		for s := b.Ritz[0]; s > lanczosRounding*b.Ritz[0]; s /= 2 {
			if x, y := a.count(s), b.count(s); !(x.Low <= y.High && y.Low <= x.High) {
				v.report(fmt.Sprintf("singular values from %.3g on", s), int(index), -1, fmt.Sprintf("%g to %g", x.Low, x.High), fmt.Sprintf("%g to %g", y.Low, y.High))
			}
		}
	}
	return nil
}

// of returns the spectrum of an example.
func (s *spectra) of(i int) Spectrum {
	all := s.probes * s.steps
	return Spectrum{Dimension: int(s.dimension[i]), Ritz: rowOf(s.ritz, i, s.steps), Radius: rowOf(s.radius, i, s.steps),
		Taken: min(max(int(s.taken[i]), 0), s.steps), probes: s.probes, alpha: rowOf(s.alpha, i, all), beta: rowOf(s.beta, i, all), mass: rowOf(s.mass, i, s.probes)}
}
