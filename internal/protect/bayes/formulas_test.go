package bayes

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/math/stat"
	"tattle/internal/must"
	"tattle/internal/protect/release"
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

// The first tenth of the draws, one more where it is not whole, guesses the variance; limits come from the others.
func TestLimitsKeepAPilot(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 44))
	x := make([]float64, 501)
	for i := range x {
		x[i] = r.Float64()
	}
	_, std := stat.MeanStd(x[:51])
	if got, want := limits(x, 1, 0, 1e-3).Low, stat.BoundedMeanLow(x[51:], std*std, 1e-3); got != want {
		t.Errorf("lower limit %v, want %v", got, want)
	}
}

// A floor is half of the mean of squares, and no more than half of the largest.
func TestFloorOfLargestSquares(t *testing.T) {
	const most = 4
	squares := slices.Repeat([]float64{most}, 500)
	if l := new(Result).Floor(squares, most, 1e-3); l.Mean != most/2 || l.High != most/2 || !(l.Low > .9*most/2) {
		t.Errorf("floor %+v of squares that are all %v", l, most)
	}
}

// Bits are wider by what rounding may do to an entropy, on both sides, and no more than there are.
func TestBitsAllowForRounding(t *testing.T) {
	r := &Result{Candidates: 8, PriorBits: 3}
	for i := range 1000 {
		r.Draws = append(r.Draws, Draw{Entropy: 1 + float64(i%3)/4})
	}
	exact := r.Bits(1e-3)
	r.Rounding = .01
	got, want := r.Bits(1e-3), Limit{exact.Mean, exact.Low - .01*(3+2), exact.High + .01*(3+2)}
	if math.Abs(got.Low-want.Low)+math.Abs(got.High-want.High) > 1e-12 || got.Mean != want.Mean || got.High >= 3 {
		t.Errorf("bits %+v, want %+v", got, want)
	}
	for i := range r.Draws {
		r.Draws[i].Entropy = 0
	}
	if l := r.Bits(1e-3); l.High != 3 {
		t.Errorf("of 3 bits, %v are revealed", l.High)
	}
}

// With prior probabilities, each log-likelihood is rounded once more.
func TestRoundingOfPriors(t *testing.T) {
	list, noise, o := table{1, []float64{-1, 1}}, release.Gaussian{Sigma: 1}, Options{Draws: 20, Queries: 1, Seed: 1, Prior: []float64{.5, .5}}
	d := must.Get(newDraws(t.Context(), list, noise, o))(t)
	l := newLikelihoods(&d.releases, noise)
	l.load(list.a, 2)
	const unit = 0x1p-53
	got, want := must.Get(Run(t.Context(), list, noise, nil, o))(t).Rounding, 2*l.rounding()*(1+1./8)+(4*(2+16)+256)*unit
	if math.Abs(got/want-1) > 1e-9 {
		t.Errorf("rounding %v, want %v", got, want)
	}
}

// People are named by float32 scores only where these err by at most finest: 2⁻²³·‖a‖(‖a‖ + 2σ√n)/σ² for the longest a.
func TestCoarseCrowd(t *testing.T) {
	of := [][]int{{0}, {1}}
	for variance, want := range map[float64]bool{.0021: true, .0018: false} { // the limit is at .00198
		if _, fine := newCrowd([]float32{4, 0, 0, 0, -4, 0, 0, 0}, 4, of, variance); fine != want {
			t.Errorf("variance %v: %t", variance, fine)
		}
	}
	many := make([]float32, 800) // two vectors of 400 features; all but one are 0
	many[0], many[400] = 4, -4
	for variance, want := range map[float64]bool{.0030: true, .0029: false} { // the limit is at .00295
		if _, fine := newCrowd(many, 400, of, variance); fine != want {
			t.Errorf("400 features, variance %v: %t", variance, fine)
		}
	}
}

// A release that is as near to both candidates, which float32 cannot tell, is found to be so in float64.
func TestNearerByRounding(t *testing.T) {
	for _, gap := range []float32{0x1p-20, 0x1p10} {
		r := &rivals{own: []float32{1 + gap}, all: []float32{1}}
		for _, off := range []float32{0, 0x1.8p-21, -0x1.8p-21} { // of the product, rounded to float32
			if d := r.nearer(rival{0, gap * gap}, -gap*gap/2*(1+off), []float32{-gap / 2}); d != 0 {
				t.Errorf("%v apart: distances differ by %v", gap, d)
			}
			want := -float64(gap*gap) * float64(off) // of a release that is off the middle by as much
			if d := r.nearer(rival{0, gap * gap}, -gap*gap/2, []float32{-gap / 2 * (1 + off)}); d != want {
				t.Errorf("%v apart: distances differ by %v, want %v", gap, d, want)
			}
		}
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
