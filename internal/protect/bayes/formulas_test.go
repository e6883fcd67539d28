package bayes

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Limits move outward by the rounding of the values.
func TestLimitsAllowForRounding(t *testing.T) {
	const relative = .125
	r := rand.New(rand.NewPCG(41, 42))
	x := make([]float64, 500)
	for i := range x {
		x[i] = .2 + .2*r.Float64()
	}
	exact, rounded := limits(x, 1, 0, 1e-3), limits(x, 1, relative, 1e-3)
	if !(0 < exact.Low && exact.High < .8) || rounded.Low != exact.Low*(1-relative) || rounded.High != exact.High*(1+relative) {
		t.Errorf("limits %+v, with a rounding of %v %+v", exact, relative, rounded)
	}
}

// Beyond a list of nearly all the population, bits are what the list shows, and the mixing with the uniform distribution.
func TestBitsOfPopulation(t *testing.T) {
	const left, entropy = .5, 1
	p := Population{N: 1 << 50, Alpha: 1e-3}
	if got, want := p.Bits(left, entropy, 2), entropy-left-math.Log2(1-smoothing); !(want <= got && got < want+1e-5) {
		t.Errorf("%v bits, want %v", got, want)
	}
}

// The error of likelihoods is that of the longest release and candidate, whichever comes first.
func TestRoundingOfProducts(t *testing.T) {
	const dim, sigma = 2, .5
	d := &releases{[]float64{3, 4, -3, -4, 0, 0}, dim, 1} // about a centre of 0
	p := newProducts(d, sigma)
	p.load([]float64{6, 8, 0, 1}, 2)
	if got, want := p.rounding(), (dim+8)*0x1p-53*(5+10)*10/sigma/sigma; math.Abs(got/want-1) > 1e-12 {
		t.Errorf("rounding %v, want %v", got, want)
	}
}
