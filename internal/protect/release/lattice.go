package release

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"tattle/internal/engine/nn"
	"tattle/internal/protect/lattice"
)

// Lattice is the noise of package guard: features are clipped and rounded to multiples of Δ, and
// discrete Gaussian noise is added to them (lattice.Lattice). NewLattice makes it.
//
// The changes z of the features that Bound, Overlap, PairShare and AffinityLow speak of
// are those of the rounded features, multiples of Δ. For integers u and v,
//
//	Σ_k p(k−u)·p(k−v)/p(k) = exp(uv/s²), p(k) ∝ exp(−k²/2s²),
//
// since −(k−u)² − (k−v)² + k² = −(k−u−v)² + 2uv, and the sum over all integers does not change with a shift by
// u+v. So χ² and the overlaps are exactly those of Gaussian noise of the same σ. So are the
// logarithms of the densities up to a constant, because all shifts have the same sum.
type Lattice struct {
	lattice.Lattice
	sampler *lattice.Sampler
}

var _ Overlapper = Lattice{}

// latticeRatio is how much smaller than σ the default Δ is, at least. Rounding then adds no more than
// Δ²/12, one part in 49,000, to the variance σ² of the noise, and a number of the release
// takes some ten bits.
const latticeRatio = 64

// defaultDelta returns the largest power of two that is at most σ/latticeRatio.
func defaultDelta(sigma float64) float64 {
	_, exp := math.Frexp(sigma / latticeRatio)
	return math.Ldexp(.5, exp)
}

// CompleteLattice fills in what a spec of lattice noise leaves open: Δ by defaultDelta, and CLIP
// by the smallest power of two that no feature exceeds, the largest one being given, and at least Δ. It
// returns other specs as they are.
func CompleteLattice(spec string, sigma, largest float64) string {
	name, settings, _ := strings.Cut(spec, ":")
	if name != latticeFamily {
		return spec
	}
	delta, clip, _ := strings.Cut(settings, ":")
	delta = cmp.Or(delta, fmt.Sprint(defaultDelta(sigma)))
	if clip == "" {
		frac, exp := math.Frexp(largest)
		if frac == .5 {
			exp--
		}
		d, _ := strconv.ParseFloat(delta, 64)
		clip = fmt.Sprint(max(math.Ldexp(1, exp), d))
	}
	return name + ":" + delta + ":" + clip
}

const (
	latticeFamily = "lattice"
	ball          = ":norm" // behind the clip: it is that of the norm
)

// ClippedNorm returns the spec of noise for features whose norm was clipped (Spec.ClipNorm): lattice noise with Δ as the spec has it
// clips its integers to the same ball. It returns other specs as they are.
func ClippedNorm(spec string, norm float64) string {
	name, settings, _ := strings.Cut(spec, ":")
	if name != latticeFamily || norm == 0 {
		return spec
	}
	delta, _, _ := strings.Cut(settings, ":")
	return fmt.Sprintf("%s:%s:%v%s", name, delta, norm, ball)
}

// NewLattice returns lattice noise. It returns the errors of NewGaussian for the σ, and of
// lattice.Lattice.Check.
func NewLattice(l lattice.Lattice) (Lattice, error) {
	if err := checkSigma(l.Sigma); err != nil {
		return Lattice{}, err
	}
	if err := l.Check(); err != nil {
		return Lattice{}, err
	}
	sampler, err := lattice.NewSampler(l.Ratio())
	return Lattice{l, sampler}, err
}

// String returns "lattice:Δ:CLIP", and with Ball "lattice:Δ:CLIP:norm".
func (l Lattice) String() string {
	if l.Ball {
		return fmt.Sprintf("lattice:%v:%v%s", l.Delta, l.Clip, ball)
	}
	return fmt.Sprintf("lattice:%v:%v", l.Delta, l.Clip)
}

// Std returns Sigma, which the standard deviation of the noise does not exceed.
func (l Lattice) Std() float64 { return l.Sigma }

// Fisher returns 1/Sigma², that of Gaussian noise, by which searches choose witnesses. The
// rounded features have no derivative, so no bound follows from it.
func (l Lattice) Fisher() float64 { return 1 / (l.Sigma * l.Sigma) }

// Certain returns true: the bound is a closed form.
func (l Lattice) Certain() bool { return true }

// Sample overwrites dst with multiples of Δ.
func (l Lattice) Sample(dst []float64, r *rand.Rand) {
	for i := range dst {
		dst[i] = float64(l.sampler.Draw(r)) * l.Delta
	}
}

// Bound returns at least expm1(‖z*‖²/σ²).
func (l Lattice) Bound(z, e []float64) float64 { return Gaussian{l.Sigma}.Bound(z, e) }

// Overlap returns expm1(aᵀb/σ²) and its error. With A = |a| + ea and B = |b| + eb, the exact aᵀb differs from
// the computed one by at most δ = Aᵀeb + eaᵀB + (n+8)u·AᵀB, and expm1(q*) − expm1(q) =
// exp(q)·expm1(q* − q); math.Expm1 errs by 2u.
func (l Lattice) Overlap(a, ea, b, eb []float64) (value, err float64) {
	var q, δ, all float64
	for j, x := range a {
		y := b[j]
		q += x * y
		A, B := math.Abs(x)+ea[j], math.Abs(y)+eb[j]
		δ += A*eb[j] + ea[j]*B
		all += A * B
	}
	square := l.Sigma * l.Sigma
	q /= square
	δ = (δ + (float64(len(a))+8)*unit*all + 0x1p-900) / square * (1 + (float64(len(a))+16)*unit)
	value = math.Expm1(q)
	return value, (math.Abs(1+value)+4*unit)*math.Expm1(δ)*(1+16*unit) + 4*unit*math.Abs(value)
}

// LogDensity returns ln f(z) up to a constant, −‖z‖²/2σ².
func (l Lattice) LogDensity(z []float64) float64 { return Gaussian{l.Sigma}.LogDensity(z) }

// pairShare is PairShare: the larger one of two bounds, each for all k·n numbers of k releases. By
// the affinity, as for any noise; and by Gaussian noise that is rounded at random
// (Rounded): h is a concave and homogeneous function of the two densities, increasing
// in each, so that rounding makes it no smaller and densities that differ by a factor of at
// least 1 − t make it smaller by that factor at most.
func (l Lattice) pairShare(z, e []float64, queries float64) float64 {
	h := math.Pow(AffinityLow(l, z, e), 2*queries) / 4 * (1 - 1e-12)
	if g, t, ok := l.Rounded(int(queries)); ok {
		h = max(h, PairShare(g, z, e, int(queries))*(1-t)*(1-4*unit))
	}
	return h
}

// Rounded returns the Gaussian noise that, rounded at random, is the noise of l (lattice.Rounded),
// and the relative difference of their probabilities over all numbers of so many releases.
func (l Lattice) Rounded(queries int) (g Gaussian, difference float64, ok bool) {
	τ, t, ok := lattice.Rounded(l.Ratio())
	return Gaussian{τ * l.Delta}, t * float64(max(queries, 1)) * float64(l.Dim) * (1 + 8*unit), ok
}

// RoundedOf returns Gaussian noise and the relative difference of probabilities up to which the noise of so many releases is that,
// or that rounded at random (Lattice.Rounded). It reports false for other noise.
func RoundedOf(noise Noise, queries int) (g Gaussian, difference float64, ok bool) {
	switch f := noise.(type) {
	case Gaussian:
		return f, 0, true
	case Lattice:
		return f.Rounded(queries)
	}
	return g, 0, false
}

// AsGaussian returns the σ of Gaussian noise, and of Lattice noise, whose log densities and χ² are
// the same on the lattice. It reports false for other noise.
func AsGaussian(noise Noise) (sigma float64, ok bool) {
	switch f := noise.(type) {
	case Gaussian:
		return f.Sigma, true
	case Lattice:
		return f.Sigma, true
	}
	return 0, false
}

// MeanOf returns the noise of the mean of k independent releases, as that of a single one: then k becomes 1. It returns others as
// they are. The mean of Gaussian noise is Gaussian. The sum of k draws of lattice noise of parameter s = σ/Δ is nearly one of
// parameter s√k. Completing the square, the sum of draws of parameters s and s′ is one of √(s² + s′²), but for a factor
//
//	Σ_j exp(−(j − c)²/2τ²)/Σ_j exp(−j²/2τ²), τ² = s²s′²/(s² + s′²) ≥ s²/2,
//
// which by Poisson's summation is within 1 ± 5·exp(−π²s²). Where s ≥ 2 that is 4·10⁻¹⁷ for each number of each release, and
// meanMost of them together change the probability of nothing by more than a part of MeanError. The mean is all that an adversary needs: the density of k
// releases depends on the input through their sum.
func MeanOf(noise Noise, k int) (Noise, int) {
	root := math.Sqrt(float64(k))
	switch n := noise.(type) {
	case Gaussian:
		return Gaussian{n.Sigma / root}, 1
	case Lattice:
		sampler, err := lattice.NewSampler(n.Ratio() * root)
		if err != nil || n.Ratio() < 2 || k > meanMost/n.Dim {
			return noise, k
		}
		n.Sigma, n.Delta, n.sampler = n.Sigma/root, n.Delta/float64(k), sampler
		return n, 1
	}
	return noise, k
}

// MeanError bounds the relative difference between probabilities of the mean of releases on a lattice and those of MeanOf's noise.
const MeanError = 1e-9

const meanMost = 2e7

// Dithered returns the model of the numbers that noise is added to: for Lattice noise the features
// of front on the lattice, for other noise front. The Jacobian stays that of front.
func Dithered(front nn.Model, noise Noise) nn.Model {
	if l, ok := noise.(Lattice); ok {
		return onLattice{front, l}
	}
	return front
}

// onLattice rounds the features of a model.
type onLattice struct {
	nn.Model
	l Lattice
}

// Forward overwrites dst with a(x) on the lattice.
func (m onLattice) Forward(dst, x []float32) {
	m.Model.Forward(dst, x)
	for i, v := range dst {
		dst[i] = float32(m.l.Point(float64(v)))
	}
}

// Forward64 is Forward in float64.
func (m onLattice) Forward64(dst, x []float64) {
	m.Model.Forward64(dst, x)
	for i, v := range dst {
		dst[i] = m.l.Point(v)
	}
}
