package release

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"strconv"
	"sync"
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
	near    *studentRule
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
	return StudentT{sigma, nu, sigma * math.Sqrt((nu-2)/nu), nearRule(nu)}, nil
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

// Sample overwrites dst with independent deviates √(ν(U^(−2/ν) − 1))·cos(2πV), U and
// V uniform (R. W. Bailey, Mathematics of Computation 62, 1994).
func (s StudentT) Sample(dst []float64, r *rand.Rand) {
	root := s.Scale * math.Sqrt(s.Freedom)
	for i := range dst {
		u := (float64(r.Uint64()>>11) + .5) * 0x1p-53
		dst[i] = root * math.Sqrt(math.Expm1(-2/s.Freedom*math.Log(u))) * math.Cos(2*math.Pi*r.Float64())
	}
}

// excess is g(t) − 1 = ∫ f·(f(x−t)/f(x) − 1)² dx, with the ratio's logarithm as
// −(ν+1)/2·log1p(τ(τ−2y)/(1+y²)), y and τ in units of √ν·scale, so that nothing
// cancels. In y = sinh(v) the measure f dx is cosh(v)^(−ν) dv, times
// Γ((ν+1)/2)/(√π·Γ(ν/2)),, and the
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
	if τ <= nearStudent {
		return s.near.excess(s.Freedom, τ)
	}
	return newStudentRule(s.Freedom, τ).excess(s.Freedom, τ)
}

// nearStudent is the shift, in the same units, up to which one rule, kept, serves.
const nearStudent = .25

// studentRule is the two trapezoidal rules: the even points are the one, the odd
// ones the other.
type studentRule struct{ y, weight []float64 }

// nearRules keeps the rules of nearStudent, by ν.
var nearRules sync.Map

func nearRule(nu float64) *studentRule {
	if r, ok := nearRules.Load(nu); ok {
		return r.(*studentRule)
	}
	r, _ := nearRules.LoadOrStore(nu, newStudentRule(nu, nearStudent))
	return r.(*studentRule)
}

// newStudentRule serves shifts up to τ. Beyond its ends less than e⁻⁴⁰ of the
// measure, or of the ratio's peak near τ, is left.
func newStudentRule(nu, τ float64) *studentRule {
	a, _ := math.Lgamma((nu + 1) / 2)
	b, _ := math.Lgamma(nu / 2)
	h := imag(cmplx.Asinh(complex(τ, 1))) / 12
	scale := math.Exp(a-b) / math.SqrtPi * h
	tail := 40/nu + 1
	r := &studentRule{}
	for k := math.Floor(-tail / h); k*h <= tail+math.Asinh(τ) || len(r.y)%2 != 0; k++ {
		r.y = append(r.y, math.Sinh(k*h))
		r.weight = append(r.weight, scale*math.Exp(-nu*math.Log(math.Cosh(k*h))))
	}
	return r
}

func (r *studentRule) excess(nu, τ float64) (value, relative float64) {
	var sum [2]float64
	for i, y := range r.y {
		ratio := math.Expm1(-(nu + 1) / 2 * math.Log1p(τ*(τ-2*y)/(1+y*y)))
		sum[i%2] += r.weight[i] * ratio * ratio
	}
	value = sum[0] + sum[1]
	return value, math.Abs(sum[0]-sum[1])/value + 1e-12
}

// ratio returns the largest f(x−t)/f(x), which is at least g(t), the mean of that
// ratio under f(x−t).
func (s StudentT) ratio(τ float64) float64 {
	return math.Pow(1+(τ*τ+τ*math.Sqrt(τ*τ+4))/2, (s.Freedom+1)/2)
}

// ChiSquared returns the product over features of g(z_j), less 1, by quadrature;
// an upper bound where a feature moves by more than farStudent scales.
func (s StudentT) ChiSquared(z []float64) float64 { return productChiSquared(z, s.excess) }

// Bound returns an estimate, the quadrature's estimated error added, of the largest
// ChiSquared within e of z: g increases with |t|.
func (s StudentT) Bound(z, e []float64) float64 { return productBound(z, e, s.excess) }
