package release

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/must"
	"tattle/internal/protect/lattice"
	"tattle/internal/shared"
)

// precision of the references, in bits: cancellation leaves more than enough.
const precision = 400

func exact(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

func add(x ...*big.Float) *big.Float {
	s := exact(0)
	for _, v := range x {
		s.Add(s, v)
	}
	return s
}

func mul(x ...*big.Float) *big.Float {
	p := exact(1)
	for _, v := range x {
		p.Mul(p, v)
	}
	return p
}

func div(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(precision).Quo(x, y) }
func neg(x *big.Float) *big.Float    { return mul(exact(-1), x) }

// bigExp is e^x: Taylor's series of x/2ᵏ, squared k times.
func bigExp(x *big.Float) *big.Float {
	k := max(0, x.MantExp(nil)+20)
	y := new(big.Float).SetPrec(precision).SetMantExp(x, -k)
	sum, term := exact(1), exact(1)
	for i := 1; i < 40; i++ {
		term = div(mul(term, y), exact(float64(i)))
		sum = add(sum, term)
	}
	for range k {
		sum = mul(sum, sum)
	}
	return sum
}

// off returns |got/want − 1|.
func off(got float64, want *big.Float) float64 {
	d, _ := add(div(exact(got), want), exact(-1)).Float64()
	return math.Abs(d)
}

// The relative errors that closed forms claim, against arithmetic of 400 bits.
func TestClosedFormsErrNoMoreThanTheySay(t *testing.T) {
	laplace, _ := NewLaplace(1.7)
	r := rand.New(rand.NewPCG(21, 22))
	for range 1000 {
		x := math.Pow(10, -7+9*r.Float64())
		τ := div(exact(x), exact(laplace.Scale))
		want := add(div(mul(exact(2), bigExp(τ)), exact(3)), div(bigExp(mul(exact(-2), τ)), exact(3)), exact(-1))
		if got, relative := laplace.excess(x); off(got, want) > relative {
			t.Fatalf("laplace: g(%v) − 1 = %v is off by %v, not %v", x, got, off(got, want), relative)
		}
	}
}

// Overlaps and affinities keep what they claim, of numbers as far off as their errors allow.
func TestProductsAreExact(t *testing.T) {
	shared.Long(t, "products over features against exact arithmetic")
	r := rand.New(rand.NewPCG(25, 26))
	draw := func() (x, e []float64, far []*big.Float) {
		for range 3 {
			v, by := math.Pow(10, 6*r.Float64()-4)*float64(2*r.IntN(2)-1), 0.
			switch r.IntN(3) {
			case 0:
				by = math.Abs(v) * math.Pow(10, -8*r.Float64())
			case 1:
				v, by = 0, r.Float64()
			}
			x, e, far = append(x, v), append(e, by), append(far, add(exact(v), exact(math.Copysign(by, v))))
		}
		return x, e, far
	}
	for range 300 {
		scale, one := math.Pow(10, 2*r.Float64()-1), exact(1)
		a, ea, A := draw()
		b, eb, B := draw()
		overlap, inner, path, square, affinity := one, exact(0), exact(0), exact(0), one
		for j := range A {
			s, u := div(A[j], exact(scale)), div(B[j], exact(scale))
			inner, square = add(inner, mul(s, u)), add(square, mul(s, s))
			apart := s.Signbit() != u.Signbit()
			s, u = s.Abs(s), u.Abs(u)
			path, affinity = add(path, s), mul(affinity, add(one, div(s, exact(2))))
			if s.Cmp(u) > 0 {
				s, u = u, s
			}
			h := add(bigExp(s), neg(div(bigExp(add(s, s, neg(u))), exact(3))), div(bigExp(neg(add(s, u))), exact(3)))
			if apart {
				h = add(bigExp(neg(s)), bigExp(neg(u)), neg(bigExp(neg(add(s, u)))))
			}
			overlap = mul(overlap, h)
		}
		laplace, l := Laplace{Scale: scale}, Lattice{Lattice: lattice.Lattice{Delta: 1, Sigma: scale}}
		for name, want := range map[Overlapper]*big.Float{laplace: overlap, l: bigExp(inner)} {
			value, err := name.Overlap(a, ea, b, eb)
			if d := add(want, neg(one), exact(-value)); !math.IsInf(err, 0) && d.Abs(d).Cmp(exact(err)) > 0 {
				t.Fatalf("%v: overlap of %v ± %v and %v ± %v is %v, off by %v, not %v", name, a, ea, b, eb, value, d, err)
			}
		}
		affinity = mul(affinity, bigExp(neg(div(path, exact(2)))))
		cube := mul(affinity, affinity, affinity)
		for got, want := range map[float64]*big.Float{
			AffinityLow(Gaussian{scale}, a, ea): bigExp(neg(div(square, exact(8)))), AffinityLow(laplace, a, ea): affinity,
			PairShare(laplace, a, ea, 3): div(mul(cube, cube), exact(4)),
		} {
			if exact(got).Cmp(want) > 0 || got > 1e-290 && off(got, want) > 1e-10 {
				t.Fatalf("%v ± %v beside noise of %v: %v is not at most %v, or far from it", a, ea, scale, got, want)
			}
		}
	}
}

// The series near 0 are right to 4u up to their ends, and growth is at least e^m.
func TestSeriesNearZero(t *testing.T) {
	for _, x := range []float64{0x1p-9, -0x1p-9, 0x1p-18, -0x1p-18} {
		for _, by := range []float64{1e-3, .5, 1 - 1e-9, 1, 2} {
			if got, want := smallExpm1(x*by), add(bigExp(exact(x*by)), exact(-1)); off(got, want) > 4*unit {
				t.Errorf("exp(%v) − 1 = %v, want %v", x*by, got, want)
			}
			if got, want := smallLog1p(x*by), math.Log1p(x*by); math.Abs(got/want-1) > 4*unit {
				t.Errorf("ln(1 + %v) = %v, want %v", x*by, got, want)
			}
		}
	}
	for m := 0.; m < 40; m = 1.1*m + .01 {
		if got, want := growth(m), bigExp(exact(m)); exact(got).Cmp(want) < 0 || off(got, want) > min(m*m, .5) {
			t.Errorf("growth(%v) = %v, want at least %v", m, got, want)
		}
	}
}

// Near 0 an overlap is ab/b² for Laplace noise and ab/σ² on a lattice, and moves with its arguments as their product does. The error
// that is claimed is at most twice that, times the growth of both, and little more where the arguments are exact.
func TestOverlapsClaimLittle(t *testing.T) {
	const scale = 3.
	for _, c := range [][4]float64{
		{1e-6, 0, 1e-6, 0}, {-1e-6, 0, 1e-5, 0}, {0, 1e-5, 0, 1e-4}, {1e-6, 1e-7, 1e-5, 1e-7}, {1e-4, 1e-6, 20, 1e-3}, {20, 0, -1e-4, 1e-7}, {6, 0, 6, 0}, {.5, 0, .5, 0},
	} {
		a, ea, b, eb := c[0]*scale, c[1]*scale, c[2]*scale, c[3]*scale
		A, B := math.Abs(c[0])+c[1], math.Abs(c[2])+c[3]
		moves := 2.01*(A*B-math.Abs(c[0]*c[2])) + 1e-12*A*B
		for noise, grows := range map[Overlapper]float64{Laplace{Scale: scale}: 2 * math.Exp(min(A, B)), Lattice{Lattice: lattice.Lattice{Delta: 1, Sigma: scale}}: math.Exp(A * B)} {
			if _, err := noise.Overlap([]float64{a}, []float64{ea}, []float64{b}, []float64{eb}); !(err <= moves*grows) {
				t.Errorf("%v: the overlap of %v ± %v and %v ± %v is off by up to %v, expected at most %v", noise, a, ea, b, eb, err, moves*grows)
			}
		}
	}
}

// exactTable integrates (f(x−t) − f(x))²/f(x) in closed form, piece by piece.
func exactTable(t *Table, shift float64) *big.Float {
	line := func(x *big.Float) (log, slope *big.Float) {
		n := len(t.x)
		k := 1
		for k < n-1 && x.Cmp(exact(t.x[k])) >= 0 {
			k++
		}
		slope = div(add(exact(t.l[k]), exact(-t.l[k-1])), add(exact(t.x[k]), exact(-t.x[k-1])))
		return add(exact(t.l[k]), mul(slope, add(x, exact(-t.x[k])))), slope
	}
	var ends []*big.Float
	for _, x := range t.x {
		ends = append(ends, exact(x), add(exact(x), exact(shift)))
	}
	slices.SortFunc(ends, (*big.Float).Cmp)
	// Beyond 800 standard deviations the tails hold less than the precision asked for.
	ends = append(append([]*big.Float{add(ends[0], exact(-800*t.sigma))}, ends...), add(ends[len(ends)-1], exact(800*t.sigma)))
	sum := exact(0)
	for i, hi := range ends[1:] {
		lo := ends[i]
		length := add(hi, neg(lo))
		if length.Sign() == 0 {
			continue
		}
		middle := add(lo, div(length, exact(2)))
		y, ys := line(middle)
		z, zs := line(add(middle, exact(-shift)))
		for _, c := range [][3]float64{{1, -1, 2}, {-2, 0, 1}, {1, 1, 0}} {
			log := add(mul(exact(c[1]), y), mul(exact(c[2]), z))
			slope := add(mul(exact(c[1]), ys), mul(exact(c[2]), zs))
			area := length
			if half := div(mul(slope, length), exact(2)); half.Sign() != 0 {
				area = div(add(bigExp(half), neg(bigExp(neg(half)))), slope)
			}
			sum = add(sum, mul(exact(c[0]), bigExp(log), area))
		}
	}
	return sum
}

// The quadrature of a table keeps its slack, and its bound is above the truth and near.
func TestTableIsExact(t *testing.T) {
	steep := must.Get(NewTable([]float64{-1, -.9, 0, .1, 1, 1.5}, []float64{1e-8, .1, 1e-6, 1, 1e-5, 1e-9}, 1))(t)
	flat := must.Get(NewTable([]float64{-2000, -1000, 1000, 2000}, []float64{.1, 1, 1, .1}, 1000))(t)
	lopsided := must.Get(NewTable([]float64{-1, 0, 1}, []float64{math.Exp(-1), 1, math.Exp(-20)}, 1))(t)
	if x := flat.invert(2, .25); !(math.Abs(x-(.75*flat.x[1]+.25*flat.x[2])) <= 1e-12*flat.sigma) {
		t.Errorf("a quarter of a flat segment ends at %v", x)
	}
	for name, table := range map[string]*Table{"humps": testTable(t, 1), "steep": steep, "flat": flat, "lopsided": lopsided} {
		if x := table.excess(-1e9 * table.sigma); !math.IsInf(x, 1) {
			t.Errorf("%s: g of a shift far to the left is %v", name, x)
		}
		for _, shift := range []float64{1e-15, -1.3e-15, 2e-15, -3e-15, 5e-15, -8e-15, 1e-14, 1e-6, -1e-4, .003, -.1, .7, -3, 8} {
			shift *= table.sigma
			want, x := exactTable(table, shift), table.excess(shift)
			// What rounds the ends of pieces goes into Bound's e.
			ends := 1e-12 * table.steep * math.Sqrt(1+1/x)
			if !(off(x, want) <= tableSlack+ends) {
				t.Errorf("%s: g(%v) − 1 = %v is off by %v", name, shift, x, off(x, want))
			}
			b := table.Bound([]float64{shift}, []float64{0})
			if exact(b).Cmp(want) < 0 || off(b, want) > 1e-6 && math.Abs(shift) > 1e-9 {
				t.Errorf("%s: bound %v of g(%v) − 1 is off by %v", name, b, shift, off(b, want))
			}
			if b := table.Bound([]float64{shift}, []float64{math.Abs(shift) / 8}); exact(b).Cmp(exactTable(table, shift*1.125)) < 0 {
				t.Errorf("%s: bound %v of g within an eighth of %v is too small", name, b, shift)
			}
		}
	}
}

// constant is a source of random bits that are all alike.
type constant uint64

func (c constant) Uint64() uint64 { return uint64(c) }

// No random bits make a deviate infinite.
func TestSampleIsFinite(t *testing.T) {
	for _, bits := range []constant{0, math.MaxUint64} {
		if u := openUniform(rand.New(bits)); !(u > 0 && u < 1) {
			t.Errorf("uniform deviate %v of bits %x", u, uint64(bits))
		}
	}
	for name, f := range products(t, 1) {
		if name == "gaussian" || name == "laplace" {
			continue // the ziggurat of the standard library, which tries again for ever
		}
		for _, bits := range []constant{0, math.MaxUint64} {
			x := make([]float64, 1)
			if f.noise.Sample(x, rand.New(bits)); math.IsInf(x[0], 0) || math.IsNaN(x[0]) {
				t.Errorf("%s: deviate %v of bits %x", name, x[0], uint64(bits))
			}
		}
	}
}
