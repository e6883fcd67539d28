package release

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"

	"gonum.org/v1/gonum/stat/distuv"
)

const (
	isotropicDraws = 1 << 17 // of length and angle: the limit for ‖z‖ of a few hundredths of σ is then some 8 % above the mean
	isotropicSeed  = 0x69736f74726f7079
	isotropicRisk  = 1e-6  // that any Bound at all is below the truth
	isotropicTail  = 1e-14 // probability of what is bounded and not drawn

	// The limits are worked out at ‖z‖/b of nearest·finer^k up to farthest, all of them
	// at once, so that a search may choose z by them: beyond, (e^‖z‖/b − 1)² overflows.
	isotropicNearest  = 1e-12
	isotropicFarthest = 360
	isotropicFiner    = 1 + 1./256
)

// isotropicLevels is how many limits there are.
var isotropicLevels = math.Ceil(math.Log(isotropicFarthest/isotropicNearest)/math.Log(isotropicFiner)) + 2

// IsotropicLaplace is noise of density proportional to exp(−‖x‖/b) on R^n: its
// features have no correlation and yet depend on one another, so that χ² is no
// product. Its χ² is only estimated, by Monte Carlo. NewIsotropicLaplace makes one.
type IsotropicLaplace struct {
	Sigma float64 // of each feature, b√(n+1)
	Scale float64 // b
	N     int     // features

	once   sync.Once
	radius []float64 // ‖X‖/b
	cosine []float64 // of the angle between X and z, without sign
	limits sync.Map  // limit of a level, by the level
}

var _ Noise = (*IsotropicLaplace)(nil)

// NewIsotropicLaplace returns isotropic noise on n features of standard deviation sigma
// each. It returns the errors of NewGaussian, and an error unless n is positive.
func NewIsotropicLaplace(sigma float64, n int) (*IsotropicLaplace, error) {
	if err := checkSigma(sigma); err != nil {
		return nil, err
	}
	if n <= 0 {
		return nil, fmt.Errorf("isotropic-laplace noise on %d features: must be at least 1", n)
	}
	return &IsotropicLaplace{Sigma: sigma, Scale: sigma / math.Sqrt(float64(n+1)), N: n}, nil
}

// String returns "isotropic-laplace".
func (l *IsotropicLaplace) String() string { return "isotropic-laplace" }

// Std returns Sigma.
func (l *IsotropicLaplace) Std() float64 { return l.Sigma }

// Fisher returns 1/(n·b²): the gradient of the log density has length 1/b and any
// direction.
func (l *IsotropicLaplace) Fisher() float64 { return 1 / (float64(l.N) * l.Scale * l.Scale) }

// Certain returns false: the bound is an upper confidence limit, and by draws of a
// fixed seed, which a probability speaks of only as if they had been drawn afresh.
func (l *IsotropicLaplace) Certain() bool { return false }

// Sample overwrites dst with one draw: a direction, and a length of Gamma(n)
// distribution. It panics unless dst has n features.
func (l *IsotropicLaplace) Sample(dst []float64, r *rand.Rand) {
	checkLength(dst, l.N)
	var s float64
	for i := range dst {
		dst[i] = r.NormFloat64()
		s += dst[i] * dst[i]
	}
	length := l.Scale * distuv.Gamma{Alpha: float64(l.N), Beta: 1, Src: r}.Rand() / math.Sqrt(s)
	for i := range dst {
		dst[i] *= length
	}
}

// draw fills the lengths and angles, the same in every process.
func (l *IsotropicLaplace) draw() {
	r := rand.New(rand.NewPCG(isotropicSeed, uint64(l.N)))
	length := distuv.Gamma{Alpha: float64(l.N), Beta: 1, Src: r}
	rest := distuv.Gamma{Alpha: float64(l.N-1) / 2, Beta: .5, Src: r}
	l.radius, l.cosine = make([]float64, isotropicDraws), make([]float64, isotropicDraws)
	for i := range l.radius {
		l.radius[i] = length.Rand()
		x, others := r.NormFloat64(), 0.
		if l.N > 1 {
			others = rest.Rand()
		}
		l.cosine[i] = math.Abs(x) / math.Sqrt(x*x+others)
	}
}

// squared returns (f(X−z)/f(X) − 1)², X of length r and at an angle of cosine c to
// z of length t, in units of b: the ratio's logarithm r − ‖X−z‖ is
// (2rct − t²)/(r + ‖X−z‖).
func squared(r, c, t float64) float64 {
	distance := math.Sqrt(max(0, r*r-2*r*c*t+t*t))
	e := math.Expm1((2*r*c*t - t*t) / (r + distance))
	return e * e
}

// body bounds what squared can be, but for a probability of at most isotropicTail:
// |cosine| ≤ c and length ≥ r, by P(cosine > c) ≤ exp(−nc²/2) on the sphere and
// P(length < n − x) ≤ exp(−x²/2n). The ratio's logarithm is then at most ct, and at
// least −ct − t²/2(r−t), and −t in any case.
func (l *IsotropicLaplace) body(t float64) (c, r, most float64) {
	n := float64(l.N)
	a := math.Log(4 / isotropicTail)
	c, r = min(1, math.Sqrt(2*a/n)), max(0, n-math.Sqrt(2*n*a))
	below := t
	if r > t {
		below = min(t, c*t+t*t/(2*(r-t)))
	}
	e := max(math.Expm1(c*t), -math.Expm1(-below))
	return c, r, e * e
}

// estimate returns the mean of squared over the draws, each angle with its opposite,
// and the limit that the expectation exceeds with a probability of at most
// isotropicRisk over isotropicLevels, by the empirical Bernstein bound (A. Maurer and M. Pontil, COLT
// 2009, theorem 4) for draws in [0, most] and by the worst case for the others.
func (l *IsotropicLaplace) estimate(t float64) (mean, limit float64) {
	l.once.Do(l.draw)
	worst := math.Expm1(t) * math.Expm1(t)
	c, r, most := l.body(t)
	var all, kept, keptSquares float64
	for i, length := range l.radius {
		cosine := l.cosine[i]
		v := (squared(length, cosine, t) + squared(length, -cosine, t)) / 2
		all += v
		if cosine <= c && length >= r {
			v = min(v, most)
			kept += v
			keptSquares += (v / most) * (v / most)
		}
	}
	m := float64(isotropicDraws)
	mean, kept = all/m, kept/m
	variance := max(0, keptSquares-m*(kept/most)*(kept/most)) / (m - 1) * most * most
	a := math.Log(2 * isotropicLevels / isotropicRisk)
	limit = kept + math.Sqrt(2*variance*a/m) + 7*most*a/(3*(m-1)) + worst*isotropicTail
	return min(mean, worst), min(limit, worst) * (1 + 1e-9) // a margin for rounding
}

// ChiSquared returns a Monte Carlo estimate, the same on every call: it depends on
// ‖z‖ alone. It panics unless z has n features.
func (l *IsotropicLaplace) ChiSquared(z []float64) float64 {
	checkLength(z, l.N)
	var s float64
	for _, v := range z {
		s += v / l.Scale * (v / l.Scale)
	}
	if s == 0 {
		return 0
	}
	mean, _ := l.estimate(math.Sqrt(s))
	return mean
}

// Bound returns the upper confidence limit of ChiSquared at the level next above
// ‖|z|+e‖, and never more than the largest (e^(‖z‖/b) − 1)² that there is.
//
// All bounds come of the same draws, so that they are right or wrong together. χ²
// depends on ‖z‖ alone and increases with it (1/f is convex and even, as in
// productBound), and each level takes its share of isotropicRisk: but for that
// probability all bounds hold at once, for all z, however they were chosen.
func (l *IsotropicLaplace) Bound(z, e []float64) float64 {
	checkLength(z, l.N)
	var s float64
	for j, v := range z {
		x := (math.Abs(v) + e[j]) / l.Scale
		s += x * x
	}
	t := math.Sqrt(s+0x1p-900) * (1 + (float64(l.N)+8)*unit)
	if !(t < isotropicFarthest) {
		return math.Inf(1)
	}
	worst := math.Expm1(t) * math.Expm1(t) * (1 + 1e-9)
	return min(worst, l.limit(level(t)))
}

// level returns the least k with nearest·finer^k ≥ t, or one above it.
func level(t float64) int {
	k := math.Ceil(math.Log(t/isotropicNearest)/math.Log(isotropicFiner) + 1e-9)
	return int(max(0, k))
}

// limit returns the limit of one level, worked out once.
func (l *IsotropicLaplace) limit(k int) float64 {
	if v, ok := l.limits.Load(k); ok {
		return v.(float64)
	}
	_, v := l.estimate(isotropicNearest * math.Pow(isotropicFiner, float64(k)))
	if math.IsNaN(v) {
		v = math.Inf(1)
	}
	l.limits.Store(k, v)
	return v
}
