package release

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"tattle/internal/math/stat"
)

const (
	isotropicFamily = "isotropic-laplace"
	isotropicDraws  = 1 << 16
	isotropicSeed   = 0x69736f74726f7079
	isotropicRisk   = 1e-6  // that any Bound is below the truth
	isotropicTail   = 1e-14 // probability of the draws that body leaves out

	// Limits are computed at ‖z‖/b of nearest·finer^k up to farthest.
	isotropicNearest  = 1e-12
	isotropicFarthest = 360
	isotropicFiner    = 1 + 1./32
)

// isotropicLevels is the number of limits that share isotropicRisk.
var isotropicLevels = math.Ceil(math.Log(isotropicFarthest/isotropicNearest)/math.Log(isotropicFiner)) + 2

// IsotropicLaplace is noise of density proportional to exp(−‖x‖/b) on n features together. It is the rotation-invariant noise of
// A's remark after eq. (12): its χ² depends on ‖z‖ alone, and is estimated by Monte Carlo over the norm and the angle. The features are
// uncorrelated but not independent. NewIsotropicLaplace makes one.
type IsotropicLaplace struct {
	Sigma float64 // of each feature, b√(n+1)
	Scale float64 // b
	N     int     // features

	draws  func() []polar
	limits sync.Map // of a level, by the level
}

var _ Noise = (*IsotropicLaplace)(nil)

// NewIsotropicLaplace returns isotropic noise on n features of standard deviation sigma each. It returns the errors of
// NewGaussian, and an error unless n is positive.
func NewIsotropicLaplace(sigma float64, n int) (*IsotropicLaplace, error) {
	if err := checkSigma(sigma); err != nil {
		return nil, err
	}
	if n <= 0 {
		return nil, fmt.Errorf("%s noise on %d features: must be at least 1", isotropicFamily, n)
	}
	l := &IsotropicLaplace{Sigma: sigma, Scale: sigma / math.Sqrt(float64(n+1)), N: n}
	l.draws = sync.OnceValue(func() []polar {
		return drawPolar(n, func(r *rand.Rand) float64 { return distuv.Gamma{Alpha: float64(n), Beta: 1, Src: r}.Rand() })
	})
	return l, nil
}

// String returns "isotropic-laplace".
func (l *IsotropicLaplace) String() string { return isotropicFamily }

// Std returns Sigma.
func (l *IsotropicLaplace) Std() float64 { return l.Sigma }

// Fisher returns 1/(n·b²): the gradient of the log density has the length 1/b and any direction.
func (l *IsotropicLaplace) Fisher() float64 { return 1 / (float64(l.N) * l.Scale * l.Scale) }

// Certain returns false: the bound is a confidence limit.
func (l *IsotropicLaplace) Certain() bool { return false }

// LogDensity returns ln f(z) up to a constant, −‖z‖/b.
func (l *IsotropicLaplace) LogDensity(z []float64) float64 { return -floats.Norm(z, 2) / l.Scale }

// Sample overwrites dst with one draw: any direction, and a length of Gamma(n) distribution. It panics unless dst has n numbers.
func (l *IsotropicLaplace) Sample(dst []float64, r *rand.Rand) {
	if len(dst) != l.N {
		panic(fmt.Sprintf("release: %d numbers, and the noise is on %d", len(dst), l.N))
	}
	for i := range dst {
		dst[i] = r.NormFloat64()
	}
	length := l.Scale * distuv.Gamma{Alpha: float64(l.N), Beta: 1, Src: r}.Rand() / floats.Norm(dst, 2)
	for i := range dst {
		dst[i] *= length
	}
}

// polar is a draw of rotation-invariant noise Y: its norm, and the cosine of its angle with z, without sign.
type polar struct{ norm, cosine float64 }

// drawPolar draws on n features, the same in every process. The law of the norm is given.
func drawPolar(n int, norm func(r *rand.Rand) float64) []polar {
	r := rand.New(rand.NewPCG(isotropicSeed, uint64(n)))
	all := make([]polar, isotropicDraws)
	for i := range all {
		x, others := r.NormFloat64(), 0.
		if n > 1 {
			others = distuv.ChiSquared{K: float64(n - 1), Src: r}.Rand()
		}
		all[i] = polar{norm(r), math.Abs(x) / math.Sqrt(x*x+others)}
	}
	return all
}

// chi is a draw of χ² = E[(f(Y−z)/f(Y) − 1)²] (A eq. 11) for ‖z‖ = t and f ∝ e^(−h(‖x‖)): the mean of those of Y and −Y. fall is
// h(r) − h(√(r²+q)).
func (y polar) chi(t float64, fall func(r, q float64) float64) float64 {
	turn := 2 * y.norm * y.cosine * t
	a, b := math.Expm1(fall(y.norm, t*t-turn)), math.Expm1(fall(y.norm, t*t+turn))
	return (a*a + b*b) / 2
}

// laplaceFall is r − √(r²+q) without cancellation.
func laplaceFall(r, q float64) float64 { return -q / (r + math.Sqrt(max(0, r*r+q))) }

// body returns c and r, so that Y has |cosine| ≤ c and norm ≥ r with a probability of at least 1 − isotropicTail. There chi is at
// most the third number: P(|cosine| > c) ≤ 2e^(−nc²/2) on a sphere, and P(norm < n − x) ≤ e^(−x²/2n). There ‖Y‖ − ‖Y−z‖ is at most
// ct, and at least −ct − t²/2(r−t). It is at least −t everywhere.
func (l *IsotropicLaplace) body(t float64) (c, r, most float64) {
	n, a := float64(l.N), math.Log(3/isotropicTail)
	c, r = min(1, math.Sqrt(2*a/n)), max(0, n-math.Sqrt(2*n*a))
	below := t
	if r > t {
		below = min(t, c*t+t*t/2/(r-t))
	}
	e := max(math.Expm1(c*t), -math.Expm1(-below))
	return c, r, e * e
}

// limit returns a number that χ² at ‖z‖ = t·b exceeds with a probability of at most isotropicRisk/isotropicLevels. Draws outside
// of the body count as 0, and the largest chi times their probability is added.
func (l *IsotropicLaplace) limit(t float64) float64 {
	c, r, most := l.body(t)
	below := make([]float64, isotropicDraws)
	for i, y := range l.draws() {
		below[i] = 1
		if y.cosine <= c && y.norm >= r {
			below[i] = max(0, 1-y.chi(t, laplaceFall)/most)
		}
	}
	share := 1 / (c * c * float64(l.N)) // of most that chi is in the mean, if t is small
	mean := 1 - stat.BoundedMeanLow(below, 2*share*share, isotropicRisk/isotropicLevels)
	return (most*mean + worstChi(t)*isotropicTail) * (1 + 1e-9) // a margin for rounding
}

// worstChi is the largest chi of any Y.
func worstChi(t float64) float64 { return math.Expm1(t) * math.Expm1(t) }

// Bound returns an upper confidence limit of χ² for ‖|z|+e‖. All limits are of the same draws. Each level has its share of the risk, so
// they hold together with a confidence of 99.9999 %, however z was chosen. The draws have a fixed seed. That is why Certain returns false.
//
// χ² increases with ‖z‖ and is convex in it (see Laplace.Bound), and 0 at 0: the limit of the next level, in proportion, serves.
func (l *IsotropicLaplace) Bound(z, e []float64) float64 {
	var s float64
	for j, v := range z {
		x := (math.Abs(v) + e[j]) / l.Scale
		s += x * x
	}
	t := math.Sqrt(s+0x1p-900) * (1 + (float64(l.N)+8)*unit)
	if !(t < isotropicFarthest) {
		return math.Inf(1)
	}
	level := max(0, math.Ceil(math.Log(t/isotropicNearest)/math.Log(isotropicFiner)+1e-9))
	at := isotropicNearest * math.Pow(isotropicFiner, level)
	limit, ok := l.limits.Load(level)
	if !ok {
		limit = l.limit(at)
		l.limits.Store(level, limit)
	}
	return min(worstChi(t), limit.(float64)*min(1, t/at)) * (1 + 1e-9)
}
