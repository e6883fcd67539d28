package release

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
)

// DefaultFreedom is ν of Student's noise: tails heavy enough to differ from the
// normal's, and a finite fourth moment.
const DefaultFreedom = 5

// The limits of ν. Below minFreedom, most of the variance comes from tails so rare that no sample
// has them; above maxFreedom, Student's distribution is nearly the normal one.
const (
	minFreedom = 2.01
	maxFreedom = 1000
)

// StudentT is independent noise of Student's distribution in each feature. Its χ² is
// only estimated. NewStudentT makes one.
type StudentT struct {
	Sigma   float64 // the standard deviation
	Freedom float64 // ν, above 2
	Scale   float64 // σ√((ν−2)/ν)
}

var _ Noise = StudentT{}

// NewStudentT returns Student's noise of nu degrees of freedom and standard deviation
// sigma; a nu of 0 means DefaultFreedom. It returns the errors of NewGaussian, and an
// error unless nu is from minFreedom to maxFreedom: up to 2 there is no standard
// deviation.
func NewStudentT(sigma, nu float64) (StudentT, error) {
	if err := checkSigma(sigma); err != nil {
		return StudentT{}, err
	}
	if nu == 0 {
		nu = DefaultFreedom
	}
	if !(nu >= minFreedom && nu <= maxFreedom) {
		return StudentT{}, fmt.Errorf("student-t with %v degrees of freedom: give a number from %v, where the variance is finite, to %v", nu, minFreedom, maxFreedom)
	}
	return StudentT{sigma, nu, sigma * math.Sqrt((nu-2)/nu)}, nil
}

// String returns "student-t:ν".
func (s StudentT) String() string { return "student-t:" + strconv.FormatFloat(s.Freedom, 'g', -1, 64) }

// Std returns Sigma.
func (s StudentT) Std() float64 { return s.Sigma }

// Fisher returns (ν+1)/((ν+3)·scale²).
func (s StudentT) Fisher() float64 {
	return (s.Freedom + 1) / (s.Freedom + 3) / (s.Scale * s.Scale)
}

// Certain returns false for every ν: the bound may be a quadrature with an estimate
// of its error. (For odd whole ν it is a polynomial, which is not made use of.)
func (s StudentT) Certain() bool { return false }

// Sample overwrites dst with independent deviates √(ν(U^(−2/ν) − 1))·cos(2πV), U and
// V uniform (R. W. Bailey, Mathematics of Computation 62, 1994).
func (s StudentT) Sample(dst []float64, r *rand.Rand) {
	root := s.Scale * math.Sqrt(s.Freedom)
	for i := range dst {
		u := openUniform(r)
		dst[i] = root * math.Sqrt(math.Expm1(-2/s.Freedom*math.Log(u))) * math.Cos(2*math.Pi*r.Float64())
	}
}

// Bound returns an estimate of the largest product over features of g(z_j), less 1, within e of
// z: by its series or, where a feature moves by more than √ν scales and ν is not an odd whole
// number, by quadrature, with its estimated error; an upper bound where it moves by more than
// farStudent of those.
func (s StudentT) Bound(z, e []float64) float64 { return productBound(z, e, s.excess) }
