package release

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"strconv"

	"gonum.org/v1/gonum/stat/distuv"
)

// DefaultFreedom is ν of Student's noise: tails heavy enough to differ from the
// normal's, and a finite fourth moment.
const DefaultFreedom = 5

// MaxFreedom is the largest ν: beyond it Student's distribution is the normal one.
const MaxFreedom = 1000

// farStudent is the shift, in units of √ν·scale, beyond which χ² is replaced by an
// upper bound: the quadrature would take too many points.
const farStudent = 256

// StudentT is independent noise of Student's distribution in each feature.
// NewStudentT makes one.
type StudentT struct {
	Sigma   float64 // the standard deviation
	Freedom float64 // ν, above 2
	Scale   float64 // σ√((ν−2)/ν)
	weight  float64 // Γ((ν+1)/2)/(√π·Γ(ν/2))
}

var _ Noise = StudentT{}

// NewStudentT returns Student's noise of nu degrees of freedom and standard
// deviation sigma; a nu of 0 means DefaultFreedom. It errs as NewGaussian does, and
// unless 2 < nu ≤ MaxFreedom: otherwise there is no standard deviation to speak of.
func NewStudentT(sigma, nu float64) (StudentT, error) {
	if err := checkSigma(sigma); err != nil {
		return StudentT{}, err
	}
	if nu == 0 {
		nu = DefaultFreedom
	}
	if !(nu >= 2.01 && nu <= MaxFreedom) {
		return StudentT{}, fmt.Errorf("student-t with %v degrees of freedom: give a number from 2.01, where the variance is finite, to %d", nu, MaxFreedom)
	}
	a, _ := math.Lgamma((nu + 1) / 2)
	b, _ := math.Lgamma(nu / 2)
	return StudentT{sigma, nu, sigma * math.Sqrt((nu-2)/nu), math.Exp(a-b) / math.SqrtPi}, nil
}

// String returns "student-t:ν".
func (s StudentT) String() string { return "student-t:" + strconv.FormatFloat(s.Freedom, 'g', -1, 64) }

// Std returns Sigma.
func (s StudentT) Std() float64 { return s.Sigma }

// Fisher returns (ν+1)/((ν+3)·scale²).
func (s StudentT) Fisher() float64 {
	return (s.Freedom + 1) / (s.Freedom + 3) / (s.Scale * s.Scale)
}

// Certain returns false: the bound is a quadrature with an estimate of its error.
func (s StudentT) Certain() bool { return false }

// Sample overwrites dst with independent deviates, normal over the root of a
// chi-squared one.
func (s StudentT) Sample(dst []float64, r *rand.Rand) {
	g := distuv.Gamma{Alpha: s.Freedom / 2, Beta: s.Freedom / 2, Src: r}
	for i := range dst {
		dst[i] = s.Scale * r.NormFloat64() / math.Sqrt(g.Rand())
	}
}

// excess is g(t) − 1 = ∫ f·(f(x−t)/f(x) − 1)² dx, with the ratio's logarithm as
// −(ν+1)/2·log1p(τ(τ−2y)/(1+y²)), y and τ in units of √ν·scale, so that nothing
// cancels. In y = sinh(v) the measure f dx is weight·cosh(v)^(−ν) dv, and the
// trapezoidal rule converges as exp(−2πd/h), d being the imaginary part of the
// nearest singularity, asinh(τ + i). The mean of two rules, one between the points
// of the other, is the value; their difference, far more than its error, is
// reported.
func (s StudentT) excess(t float64) (value, relative float64) {
	τ := t / s.Scale / math.Sqrt(s.Freedom)
	if τ == 0 {
		return 0, 0
	}
	if τ > farStudent {
		return s.ratio(τ), 64 * (1 + s.Freedom) * unit
	}
	h := imag(cmplx.Asinh(complex(τ, 1))) / 6
	lo, hi := s.reach(τ)
	even, odd := 0., 0.
	for k := math.Floor(lo / h); k*h <= hi; k++ {
		even += s.integrand(k*h, τ)
		odd += s.integrand((k+.5)*h, τ)
	}
	value = h / 2 * (even + odd)
	return value, math.Abs(even-odd)/(even+odd) + 1e-12
}

// reach returns the ends of the quadrature in v: beyond them less than e⁻⁴⁰ of the
// measure, or of the ratio's peak near τ, is left.
func (s StudentT) reach(τ float64) (lo, hi float64) {
	tail := 40/s.Freedom + 1
	return -tail, tail + math.Asinh(τ)
}

func (s StudentT) integrand(v, τ float64) float64 {
	y := math.Sinh(v)
	ratio := math.Expm1(-(s.Freedom + 1) / 2 * math.Log1p(τ*(τ-2*y)/(1+y*y)))
	return s.weight * math.Exp(-s.Freedom*math.Log(math.Cosh(v))) * ratio * ratio
}

// ratio returns the largest f(x−t)/f(x), which is at least g(t) = E[f(X)/f(X+…)].
func (s StudentT) ratio(τ float64) float64 {
	return math.Pow(1+(τ*τ+τ*math.Sqrt(τ*τ+4))/2, (s.Freedom+1)/2)
}

// ChiSquared returns the product over features of g(z_j), less 1, by quadrature;
// an upper bound where a feature moves by more than farStudent scales.
func (s StudentT) ChiSquared(z []float64) float64 { return productChiSquared(z, s.excess) }

// Bound returns an estimate, the quadrature's estimated error added, of the largest
// ChiSquared within e of z.
func (s StudentT) Bound(z, e []float64) float64 { return productBound(z, e, s.excess) }
