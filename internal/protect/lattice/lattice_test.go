package lattice

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/must"
)

var quarter = Lattice{Delta: .25, Sigma: 16, Clip: 8, Dim: 4}

func TestCheck(t *testing.T) {
	must.Do(t, quarter.Check())
	for want, change := range map[string]func(*Lattice){
		"delta 0.3: must be a power":    func(l *Lattice) { l.Delta = .3 },
		"delta 0: ":                     func(l *Lattice) { l.Delta = 0 },
		"delta -1: ":                    func(l *Lattice) { l.Delta = -1 },
		"delta NaN: must be a power":    func(l *Lattice) { l.Delta = math.NaN() },
		"delta +Inf":                    func(l *Lattice) { l.Delta = math.Inf(1) },
		"sigma 0.24 with":               func(l *Lattice) { l.Sigma = .24 },
		"sigma NaN":                     func(l *Lattice) { l.Sigma = math.NaN() },
		"sigma 1e+09":                   func(l *Lattice) { l.Sigma = 1e9 },
		"clip 8.1 with":                 func(l *Lattice) { l.Clip = 8.1 },
		"clip 0 with":                   func(l *Lattice) { l.Clip = 0 },
		"clip 4.194305e+06 with delta":  func(l *Lattice) { l.Clip = 4194305 },
		"0 features":                    func(l *Lattice) { l.Dim = 0 },
		"delta 2.710505431213761e-20: ": func(l *Lattice) { l.Delta = minDelta / 2 },
		"delta 3.6893488147419103e+19: must be a power": func(l *Lattice) { l.Delta = 2 * maxDelta },
		"16777217 features":                             func(l *Lattice) { l.Dim = MaxDim + 1 },
		"norm 0.1 with":                                 func(l *Lattice) { l.Clip, l.Ball = .1, true },
		"norm NaN with":                                 func(l *Lattice) { l.Clip, l.Ball = math.NaN(), true },
	} {
		l := quarter
		change(&l)
		must.Fail(t, l.Check(), want)
	}
	for _, l := range []Lattice{ // at the limits
		{Delta: minDelta, Sigma: minDelta, Clip: minDelta, Dim: 1},
		{Delta: maxDelta, Sigma: maxDelta * MaxRatio, Clip: maxDelta * MaxPoints, Dim: MaxDim},
		{Delta: 1, Sigma: 1, Clip: 1, Dim: 1, Ball: true},
		{Delta: 1, Sigma: 1, Clip: MaxPoints, Dim: 1, Ball: true},
	} {
		must.Do(t, l.Check())
	}
}

// Points allow for the rounding of a − e and a + e: the exact difference is below the tie that float64 rounds it to.
func TestPointsAllowForRounding(t *testing.T) {
	tie, ulp := 1.5*quarter.Delta, math.Nextafter(1.5*quarter.Delta, 1)-1.5*quarter.Delta
	for a, e := range map[float64]float64{tie: ulp / 8, tie + ulp: ulp * (1 + 0x1p-20)} {
		if a-e != tie {
			t.Fatalf("%v − %v is not rounded to the tie", a, e)
		}
		if low, _ := quarter.Points(a, e); low != quarter.Delta {
			t.Errorf("the least point within %v of %v is %v, want %v", e, a, low, quarter.Delta)
		}
		if _, high := quarter.Points(-a, e); high != -quarter.Delta {
			t.Errorf("the largest point within %v of %v is %v, want %v", e, -a, high, -quarter.Delta)
		}
	}
	if _, high := quarter.Points(0, math.Nextafter(quarter.Delta/2, 1)); high != quarter.Delta {
		t.Errorf("the largest point beyond a tie is %v, want %v", high, quarter.Delta)
	}
}

func TestRound(t *testing.T) {
	dst := make([]int64, 4)
	clipped, err := quarter.Round(dst, []float32{.125, -.375, 100, -8})
	if want := []int64{0, -2, 32, -32}; err != nil || clipped != 1 || !slices.Equal(dst, want) {
		t.Errorf("%v, %d clipped, %v; want %v and 1", dst, clipped, err, want)
	}
	if _, err := quarter.Round(dst, []float32{1, 2, float32(math.NaN()), 3}); !errors.Is(err, ErrNaN) || !slices.Equal(dst, make([]int64, 4)) {
		t.Errorf("%v, %v", dst, err)
	}
	must.Panic(t, func() { _, _ = quarter.Round(dst, make([]float32, 3)) })
	values := make([]float32, 4)
	quarter.Values(values, []int64{0, -2, 32, -33})
	if want := []float32{0, -.5, 8, -8.25}; !slices.Equal(values, want) {
		t.Errorf("values %v, want %v", values, want)
	}
}

// Point is Round times Delta, and Points enclose the point of every number near by.
func TestPoints(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	dst := make([]int64, 4)
	for range 10000 {
		a, e := float64(float32(6*r.NormFloat64())), math.Exp(-20*r.Float64())
		if r.IntN(4) == 0 {
			a = .125 * float64(r.IntN(100)-50) // points and ties
		}
		if _, err := quarter.Round(dst, []float32{float32(a), 0, 0, 0}); err != nil || float64(dst[0])*.25 != quarter.Point(a) {
			t.Fatalf("%v: Round gives %d, Point %v", a, dst[0], quarter.Point(a))
		}
		low, high := quarter.Points(a, e)
		for _, b := range []float64{a - e, a, a + e, a + e*(2*r.Float64()-1)} {
			if p := quarter.Point(b); p < low || p > high {
				t.Fatalf("%v is within %v of %v: its point %v is not from %v to %v", b, e, a, p, low, high)
			}
		}
		if high-low > .25*math.Ceil(2*e/.25)*(1+1e-12) {
			t.Fatalf("points within %v of %v: from %v to %v", e, a, low, high)
		}
	}
	if low, high := quarter.Points(3, math.Inf(1)); low != -8 || high != 8 {
		t.Errorf("points of an unknown number: from %v to %v", low, high)
	}
	if !math.IsNaN(quarter.Point(math.NaN())) {
		t.Error("what is no number has a point")
	}
}

// The sums of Half, and the root of Rounded in rational arithmetic.
func TestShift(t *testing.T) {
	for _, s := range []float64{.25, .3, .5, 1, 2, 10} {
		sum := func(shift float64) float64 {
			all := 0.
			for k := -int(40*s) - 2; k <= int(40*s)+2; k++ {
				x := float64(k) + shift
				all += math.Exp(-x * x / 2 / s / s)
			}
			return all
		}
		if want, got := sum(.5)/sum(0), Half(s); !(got <= want && got >= want*(1-1e-11)) {
			t.Errorf("Half(%v) = %v, want at most %v", s, got, want)
		}
	}
	s := math.Sqrt(3)
	for range 9 {
		if τ, _, ok := Rounded(s); ok != (τ > 0) {
			t.Errorf("noise of parameter %v is a Gaussian of %v, rounded: %t", s, τ, ok)
		}
		s = math.Nextafter(s, 2)
	}
	for s := math.Sqrt(3); s < 1e4; s *= 1.01 {
		τ, _, ok := Rounded(s)
		exact := new(big.Rat).SetFloat64(s)
		exact.Sub(exact.Mul(exact, exact), big.NewRat(3, 1))
		got := new(big.Rat).SetFloat64(τ)
		if want, _ := exact.Float64(); ok && (got.Mul(got, got).Cmp(exact) >= 0 || τ < math.Sqrt(want)*(1-1e-12)) || ok != (s > 1.74) {
			t.Errorf("τ = %v for parameter %v, want just below √(s² − 3) = %v", τ, s, math.Sqrt(want))
		}
	}
}

// The radii around the clip are those that their comments derive, in this order from the inside.
func TestRadii(t *testing.T) {
	for n, want := range map[int]float64{1: 1 - 0x1p-12, 1 << 12: 1 - 0x1p-12, 1 << 14: 1 - 0x1p-13 - 0x1p-11} {
		if got := Within(n); got != want {
			t.Errorf("within %v of the norm for %d features, want %v", got, n, want)
		}
	}
	l, dst := Lattice{Delta: 1, Sigma: 2, Clip: MaxPoints, Dim: 1, Ball: true}, make([]int64, 1)
	if !(Within(1) <= reached && l.Inside() < l.Clip*inside && l.Inside() > l.Clip*reached) {
		t.Errorf("within %v, reached %v, inside %v of %v", Within(1), reached, l.Inside(), l.Clip)
	}
	for _, c := range []struct {
		feature float64
		clipped int
	}{{l.Clip * Within(1) * reached * reached, 0}, {l.Clip * Within(1), 1}, {l.Clip, 1}, {4 * l.Clip, 1}} {
		clipped, err := l.Round(dst, []float32{float32(c.feature)})
		must.Do(t, err)
		if float64(dst[0]) > l.Clip*inside || clipped != c.clipped {
			t.Errorf("%v has the point %d of a clip of %v, and %d count as clipped", c.feature, dst[0], l.Clip, clipped)
		}
	}
}

// TestBall counts in integers: whatever the features, no point is outside of the ball, each is toward 0 from its feature, and
// those of features within the ball are the multiples next to them.
func TestBall(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		l := Lattice{Delta: .25, Sigma: 16, Clip: .25 + 40*r.Float64(), Ball: true, Dim: 1 + r.IntN(30)}
		must.Do(t, l.Check())
		a, dst, norm, scale := make([]float32, l.Dim), make([]int64, l.Dim), 0., math.Exp(6*r.NormFloat64())
		for j := range a {
			if a[j] = float32(scale * r.NormFloat64()); r.IntN(5) == 0 {
				a[j] = 0
			}
			norm += float64(a[j]) * float64(a[j])
		}
		norm = math.Sqrt(norm)
		if r.IntN(3) == 0 && norm > 0 { // at the edge, where rounding could push them out
			for j := range a {
				a[j] = float32(float64(a[j]) / norm * l.Clip * (1 + 1e-7*r.NormFloat64()))
			}
			norm = l.Clip
		}
		clipped, err := l.Round(dst, a)
		must.Do(t, err)
		square := int64(0)
		for j, m := range dst {
			square += m * m
			if float64(m)*float64(a[j]) < 0 || math.Abs(float64(m))*l.Delta > math.Abs(float64(a[j])) {
				t.Fatalf("feature %v has the point %d, which is not toward 0", a[j], m)
			}
			if norm < l.Inside() && float64(m)*l.Delta != l.Point(float64(a[j])) {
				t.Fatalf("feature %v of norm %v within %v has the point %d", a[j], norm, l.Clip, m)
			}
		}
		if float64(square) > l.Clip/l.Delta*(l.Clip/l.Delta) {
			t.Fatalf("%v of norm %v: the square of the norm of its points is %d, the clip %v", a, norm, square, l.Clip/l.Delta)
		}
		if is := norm > l.Clip*.999; is != (clipped > 0) && math.Abs(norm/l.Clip-1) > .002 {
			t.Fatalf("norm %v, clip %v: %d clipped", norm, l.Clip, clipped)
		}
		if point := float64(dst[0]) * l.Delta; point > l.Box() || -point > l.Box() {
			t.Fatalf("the point %v is outside of the box %v", point, l.Box())
		}
	}
	l, dst := Lattice{Delta: .25, Sigma: 16, Clip: 2, Ball: true, Dim: 2}, make([]int64, 2)
	for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(1))} {
		if _, err := l.Round(dst, []float32{bad, 1}); !errors.Is(err, ErrNaN) || dst[1] != 0 {
			t.Errorf("%v: %v, %v", bad, dst, err)
		}
	}
	if _, err := l.Round(dst, []float32{-math.MaxFloat32, math.MaxFloat32}); err != nil || dst[0] != -5 || dst[1] != 5 {
		t.Errorf("the largest numbers have the points %v, %v", dst, err)
	}
}
