package release

import (
	"math"
	"math/rand/v2"
)

// Logistic is independent noise of density 1/(4s·cosh²(x/2s)) in each feature.
// NewLogistic makes one.
type Logistic struct {
	Sigma float64 // the standard deviation, π·Scale/√3
	Scale float64 // s
}

var _ Noise = Logistic{}

// NewLogistic returns logistic noise of standard deviation sigma. It returns the errors of
// NewGaussian.
func NewLogistic(sigma float64) (Logistic, error) {
	if err := checkSigma(sigma); err != nil {
		return Logistic{}, err
	}
	return Logistic{sigma, sigma * math.Sqrt(3) / math.Pi}, nil
}

// String returns "logistic".
func (l Logistic) String() string { return "logistic" }

// Std returns Sigma.
func (l Logistic) Std() float64 { return l.Sigma }

// Fisher returns 1/(3s²).
func (l Logistic) Fisher() float64 { return 1 / (3 * l.Scale * l.Scale) }

// Certain returns true: the bound is a closed form.
func (l Logistic) Certain() bool { return true }

// Sample overwrites dst with independent logistic deviates, ln(p/(1−p)) of p
// uniform.
func (l Logistic) Sample(dst []float64, r *rand.Rand) {
	for i := range dst {
		p := openUniform(r)
		dst[i] = l.Scale * math.Log(p/(1-p))
	}
}

// excess is (4/3)·sinh²(t/2s). The argument x is right to 3u, math.Sinh to 8u (its
// series, or two exponentials), and the condition number of sinh is at most 1+x.
func (l Logistic) excess(t float64) (value, relative float64) {
	x := t / l.Scale / 2
	s := math.Sinh(x)
	return 4 * s * s / 3, (40 + 8*x) * unit
}

// Bound returns at least the product over features of 1 + (4/3)·sinh²(z_j/2s), less 1, of every
// vector within e of z.
func (l Logistic) Bound(z, e []float64) float64 { return productBound(z, e, l.excess) }
