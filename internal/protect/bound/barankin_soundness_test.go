package bound

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
	"tattle/internal/protect/release"
	"tattle/internal/shared"
)

// exactSteps returns z of each witness in real arithmetic.
func exactSteps(m *nn.Net, theta, eps []float32) (z [][]*big.Float) {
	p := len(theta)
	at := func(eps []float32) []*big.Float {
		x := make([]*big.Float, p)
		for i, v := range theta {
			x[i] = new(big.Float).SetPrec(exactBits).Add(exact(float64(v)), exact(float64(eps[i])))
		}
		return exactForward(m, x)
	}
	from := at(make([]float32, p))
	for lo := 0; lo < len(eps); lo += p {
		to := at(eps[lo : lo+p])
		for j := range to {
			to[j].Sub(to[j], from[j])
		}
		z = append(z, to)
	}
	return z
}

func exactDot(a, b []*big.Float) *big.Float {
	sum := exact(0)
	for i := range a {
		sum.Add(sum, exactProduct(a[i], b[i]))
	}
	return sum
}

// exactMoment is expm1(k·aᵀb/σ²).
func exactMoment(a, b []*big.Float, k int, sigma float64) *big.Float {
	q := exactProduct(exactDot(a, b), exact(float64(k)))
	return exactExpm1(q.Quo(q, exactProduct(exact(sigma), exact(sigma))))
}

// beyond returns bound²·cᵀMc over (cᵀg)², and whether it is more than 1.
func beyond(bound float64, c, g []float64, moment func(i, j int) *big.Float) (ratio float64, exceeds bool) {
	top, under := exact(0), exact(0)
	for i := range c {
		top.Add(top, exactProduct(exact(c[i]), exact(g[i])))
		for j := range c {
			if c[i] != 0 && c[j] != 0 {
				under.Add(under, exactProduct(exactProduct(exact(c[i]), exact(c[j])), moment(i, j)))
			}
		}
	}
	left, right := exactProduct(exactProduct(exact(bound), exact(bound)), under), exactProduct(top, top)
	ratio, _ = new(big.Float).Quo(left, right).Float64()
	return ratio, left.Cmp(right) > 0
}

// wide is a net of which only the number of features matters.
type wide struct {
	Net
	n int
}

func (w wide) Dims() (p, n int) { return 1, w.n }

// Moments err no more than they say of features that are exact, or as far off as their errors and runtime say. They are those of the
// second of two inputs.
func TestMomentsErrNoMoreThanTheySay(t *testing.T) {
	const n, count = 30, 3
	r := rand.New(rand.NewPCG(22, 22))
	for trial := range 200 {
		runtime, gaussian := []float64{0, 1e-3}[trial%2], release.Gaussian{Sigma: 3 * math.Exp(r.Float64())}
		c := Certifier{Net: wide{n: n}, Noise: gaussian, Queries: 1 + r.IntN(3), a: make([]float64, 2*(count+1)*n), b: make([]float64, 2*(count+1)*n)}
		own, errs := c.a[(count+1)*n:], c.b[(count+1)*n:]
		for i := range errs {
			errs[i] = runtime * r.Float64()
		}
		z := make([][]*big.Float, count)
		for i := range own { // every feature moves by about 1, the first witness's as far as it may
			own[i] = float64(1-2*r.IntN(2)) * (1 + .1*r.Float64())
			if i < n {
				own[i] *= 1e-3
				continue
			}
			off := exactProduct(exact(2*runtime+errs[i]+errs[i%n]), exact(math.Copysign(1-1e-9, own[n+i%n])))
			z[i/n-1] = append(z[i/n-1], off.Add(off, exact(own[i])).Sub(off, exact(own[i%n])))
		}
		for _, noise := range []release.Noise{gaussian, overlapping{opaque{gaussian}}} {
			c.Noise = noise
			v := newMoments(count)
			c.fill(&v, count+1, runtime)
			for at, value := range v.value {
				d := exactMoment(z[at/count], z[at%count], c.Queries, gaussian.Sigma)
				if d.Sub(d, exact(value)); d.Abs(d).Cmp(exact(v.err[at])) > 0 {
					t.Fatalf("%T, runtime %g: moment %d is %g ± %g, and off by %g", noise, runtime, at, value, v.err[at], d)
				}
			}
			c.Runtime, c.Counted = runtime, true
			if both := c.moments(make([]Divergence, 2*count), count)[1]; !slices.Equal(both.value, v.value) || !slices.Equal(both.err, v.err) {
				t.Fatalf("%T, runtime %g: moments %+v of the second of two inputs, alone %+v", noise, runtime, both, v)
			}
		}
	}
}

// recording is noise that keeps the errors of the last witness whose overlaps are asked for.
type recording struct {
	opaque
	last []float64
}

func (r recording) Overlap(a, ea, b, eb []float64) (value, err float64) {
	copy(r.last, ea)
	return 0, 0
}

// Errors are at least what their formulas give in real arithmetic, and hardly more. Of a witness alone it is √Σ(b₀+b₁)² + (n+16)u‖ẑ‖; of one among
// several, u‖ẑ‖ and 2ρ√n beside the root; of the moment of two that are orthogonal, expm1(δ).
func TestErrorsAreRoundedUp(t *testing.T) {
	const n, sigma = 16, 2. // √n is 4
	r := rand.New(rand.NewPCG(28, 28))
	root := func(x *big.Float) *big.Float { return new(big.Float).SetPrec(exactBits).Sqrt(x) }
	times := func(x *big.Float, by ...float64) *big.Float {
		for _, v := range by {
			x = exactProduct(x, exact(v))
		}
		return x
	}
	for trial := range 500 {
		ρ := []float64{0, 1e-3, 1}[trial%3]
		c := Certifier{Net: wide{n: n}, Noise: release.Gaussian{Sigma: sigma}, Queries: 3, a: make([]float64, 6*n), b: make([]float64, 6*n)} // of the second of two inputs
		a, b := c.a[3*n:], c.b[3*n:]
		for i := range c.b {
			c.b[i] = 0x1p-40 * r.Float64()
		}
		square, error := [2]*big.Float{exact(0), exact(0)}, [2]*big.Float{exact(0), exact(0)}
		for j := range n {
			k := j % 2 // the witness that moves this feature
			a[(1+k)*n+j] = 1 + r.Float64()
			square[k].Add(square[k], times(exact(a[(1+k)*n+j]), a[(1+k)*n+j]))
			for k := range error {
				e := b[(1+k)*n+j] + b[j]
				error[k].Add(error[k], times(exact(e), e))
			}
		}
		_, norm, miss := c.steps(2, 3, ρ)
		d := c.diverge(a[:n], b[:n], a[n:2*n], b[n:2*n], 0)
		off := root(error[0])
		δ := times(exact(norm[0]), miss[1])
		for _, x := range []*big.Float{times(exact(miss[0]), norm[1]), times(exact(miss[0]), miss[1]), times(exact(norm[0]), norm[1], n+16, ulp)} {
			δ.Add(δ, x)
		}
		v, v0 := newMoments(2), newMoments(2)
		c.fill(&v, 3, ρ)
		each := make([]float64, n)
		c.Noise = recording{opaque{release.Gaussian{Sigma: sigma}}, each}
		c.overlaps(&v0, 3, ρ)
		for j, got := range each {
			if want := b[2*n+j] + b[j] + 2*ρ + ulp*a[2*n+j]; math.Abs(got/want-1) > 1e-14 {
				t.Fatalf("feature %d of the second witness is %g off, want %g", j, got, want)
			}
		}
		for what, pair := range map[string][2]*big.Float{
			"length":            {exact(norm[0]), root(square[0])},
			"alone":             {exact(d.Rounding), new(big.Float).Add(off, times(root(square[0]), n+16, ulp))},
			"among several":     {exact(miss[0]), new(big.Float).Add(new(big.Float).Add(off, times(exact(norm[0]), ulp)), exact(8*ρ))},
			"orthogonal moment": {exact(v.err[1]), exactExpm1(δ.Mul(δ, exact(3./4)))},
		} {
			if ratio, _ := new(big.Float).Quo(pair[0], pair[1]).Float64(); pair[0].Cmp(pair[1]) < 0 || ratio > 1+1e-12 {
				t.Fatalf("%s: an error of 1%+g of the formula's", what, ratio-1)
			}
		}
	}
}

// Powers are within what they say of (1+x)ᵏ − 1 in real arithmetic, for x within its error, and no further off than that needs.
func TestPowers(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 25))
	for range 2000 {
		k, x, e := 1+r.IntN(4), math.Exp(100*r.Float64()-40), 0.
		if r.IntN(3) == 0 {
			x = -r.Float64()
		}
		if r.IntN(2) == 0 {
			e = math.Abs(x) * math.Exp(-30*r.Float64())
		}
		raise := func(x *big.Float) *big.Float {
			p := exact(1)
			for range k {
				p = exactProduct(p, x)
			}
			return p.Sub(p, exact(1))
		}
		value, err := power(x, e, k)
		most := 0.
		for _, off := range []float64{-e, e} {
			at := new(big.Float).Add(exact(1), exact(x))
			if at.Add(at, exact(off)); at.Sign() < 0 {
				at = exact(0)
			}
			d := raise(at)
			if d.Sub(d, exact(value)); d.Abs(d).Cmp(exact(err)) > 0 {
				t.Fatalf("(1 + %g ± %g)^%d − 1 is %g ± %g, and off by %g", x, e, k, value, err, d)
			}
			far, _ := d.Float64()
			most = max(most, far)
		}
		if loose := 1e-12 * (math.Abs(value) + math.Abs(x)); err > most*(1+1e-12)+loose {
			t.Fatalf("(1 + %g ± %g)^%d − 1 is %g ± %g, and off by %g at most", x, e, k, value, err, most)
		}
		if x < 0 {
			continue
		}
		up, want := powerAbove(x, k), raise(new(big.Float).Add(exact(1), exact(x)))
		if ratio, _ := new(big.Float).Quo(exact(up), want).Float64(); exact(up).Cmp(want) < 0 || ratio > 1+1e-12 {
			t.Fatalf("(1 + %g)^%d − 1 is at most %g, 1%+g of it", x, k, up, ratio-1)
		}
		root := exact((&Certifier{Noise: known{chi: x}, Queries: k}).rootBound(nil, nil))
		if ratio, _ := new(big.Float).Quo(exactProduct(root, root), want).Float64(); exactProduct(root, root).Cmp(want) < 0 || ratio > 1+1e-12 {
			t.Fatalf("the square of the root of (1 + %g)^%d − 1 is 1%+g of it", x, k, ratio-1)
		}
		if b := missed(x, e); exact(b).Cmp(new(big.Float).Add(exact(e), exactProduct(exact(x), exact(ulp)))) < 0 || b > (e+ulp*x)*(1+1e-12) {
			t.Fatalf("%g ± %g is off by %g", x, e, b)
		}
	}
}

// known is noise of that divergence.
type known struct {
	release.Gaussian
	chi float64
}

func (k known) Bound(z, e []float64) float64 { return k.chi }

// Powers of NaN and infinities are, with their errors, beyond mostMoment, so that they prove nothing.
func TestPowersOfNoNumbers(t *testing.T) {
	for _, v := range [][2]float64{{math.NaN(), 0}, {1, math.NaN()}, {math.Inf(1), 1}, {1, math.Inf(1)}, {math.Inf(1), math.Inf(1)}} {
		for _, k := range []int{1, 3} {
			if value, err := power(v[0], v[1], k); math.Abs(value)+err <= mostMoment {
				t.Errorf("(1 + %g ± %g)^%d − 1 = %g ± %g", v[0], v[1], k, value, err)
			}
		}
	}
	if value, err := power(.3, .1, 1); value != .3 || err != .1 || powerAbove(.3, 1) != .3 {
		t.Errorf("a power of one is %g ± %g, at most %g", value, err, powerAbove(.3, 1))
	}
	if s := scaleBelow(release.Gaussian{Sigma: .3}, 1); s != .3 {
		t.Errorf("the scale of one release is %g", s)
	}
	if missed(math.SmallestNonzeroFloat64, 0) <= 0 || missed(-1, 0) < ulp {
		t.Error("the rounding of a difference is not counted")
	}
}

// A witness whose own moment is too large is void; a moment of two others that is may be anything that theirs allow.
func TestErase(t *testing.T) {
	const far = 2 * mostMoment
	for _, c := range []struct {
		value, want, err []float64
		void             []bool
	}{
		{[]float64{1, -far, -far, 4}, []float64{1, 0, 0, 4}, []float64{0, far, far, 0}, []bool{false, false}},
		{[]float64{1, 2, 2, far}, []float64{1, 0, 0, 0}, make([]float64, 4), []bool{false, true}},
	} {
		v := newMoments(2)
		copy(v.value, c.value)
		v.own = make([]float64, 4)
		if v.erase(); !slices.Equal(v.value, c.want) || !slices.Equal(v.err, c.err) || !slices.Equal(v.own, c.err) || !slices.Equal(v.void, c.void) {
			t.Errorf("%v become %+v", c.value, v)
		}
	}
}

// No bound is above what its numbers give in real arithmetic, and none is far below.
func TestBoundsAreRoundedDown(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 27))
	sum := func(a, b *big.Float, sign float64) *big.Float {
		return new(big.Float).SetPrec(exactBits).Add(a, exactProduct(b, exact(sign)))
	}
	for range 20000 {
		x := make([]float64, 6)
		for i := range x {
			x[i] = r.Float64()
		}
		g, γ, tiny := 1+x[0], x[1]/8, x[2]/64
		d := Divergence{Root: .5 + x[3], Share: x[4] / 4}
		s := combination{cg: -g, loss: x[1] / 2, cmc: x[3], more: x[4], abs: x[5]}
		both, _ := s.std(γ, tiny)
		top, grown := sum(exact(g), exact(x[1]/2), -1), sum(exact(1), exact(γ), 1)
		lost := exactProduct(exact(tiny), sum(exact(1), exact(s.abs), 1))
		less := sum(exact(g), exactProduct(sum(exact(s.loss), lost, 1), grown), -1)
		under := sum(exact(s.cmc), exactProduct(sum(exact(s.more), lost, 1), grown), 1)
		scale := exact(scaleBelow(release.Gaussian{Sigma: g}, 3))
		std, pair := exact(d.Std(-g, x[1]/2)), exact(d.Pair(-g, x[1]/2))
		for what, v := range map[string][2]*big.Float{
			"one witness": {exactProduct(std, exact(d.Root)), top}, "a pair": {exactProduct(pair, pair), exactProduct(exactProduct(top, top), exact(d.Share))},
			"three releases": {exactProduct(exactProduct(scale, scale), exact(3)), exactProduct(exact(g), exact(g))},
			"a combination":  {exactProduct(exactProduct(exact(both), exact(both)), under), exactProduct(less, less)},
		} {
			if ratio, _ := new(big.Float).Quo(v[0], v[1]).Float64(); v[0].Cmp(v[1]) > 0 || ratio < 1-1e-14 {
				t.Fatalf("%s: a part of 1%+g of the exact bound is proved", what, ratio-1)
			}
		}
	}
}

// Of exact moments that nearly cancel, the rounding of the sums is all that a bound has to allow for.
func TestCombinationsOfExactMoments(t *testing.T) {
	const count = 4
	r := rand.New(rand.NewPCG(23, 23))
	bounded := 0
	for range 2000 {
		v, z, g, solve, std := newMoments(count), [count][3]float64{}, make([]float64, count), make([]float64, count*count), make([]float64, 1)
		for i := range z {
			z[i], g[i] = [3]float64{1 << 20, float64(r.IntN(9)), float64(r.IntN(9))}, r.NormFloat64()
		}
		for i := range solve {
			v.value[i], solve[i] = simd.Dot(z[i/count][:], z[i%count][:]), r.NormFloat64()
		}
		c := make([]float64, count)
		simd.Gemm(false, false, count, 1, count, 1, solve, count, g, 1, 0, c, 1)
		v.std(std, nil, g, make([]float64, count), solve)
		ratio, exceeds := beyond(std[0], c, g, func(i, j int) *big.Float { return exact(v.value[i*count+j]) })
		if exceeds {
			t.Fatalf("std %g exceeds the exact bound, squares' ratio 1+%g", std[0], ratio-1)
		}
		if ratio > 1-1e-9 {
			bounded++
		}
	}
	if bounded < 1000 {
		t.Errorf("only %d bounds are close", bounded)
	}
}

// The adversary's test of the combination: over nets, inputs, witnesses, noise,
// queries and coefficients of any size, no bound exceeds (cᵀg)²/(cᵀMc) in real
// arithmetic, with the c that floating point made of B g.
func TestNoCombinationExceedsRealArithmetic(t *testing.T) {
	shared.Long(t, "combined bounds against real arithmetic")
	r := rand.New(rand.NewPCG(21, 21))
	const trials = 400
	checked, sharp := 0, 0
	for trial := range trials {
		m, count := wildNet(t, r), 1+r.IntN(5)
		theta, _ := wildStep(r)
		var eps []float32
		for range count {
			_, e := wildStep(r)
			eps = append(eps, e...)
		}
		z := exactSteps(m, theta, eps)
		norm := 0.
		for i := range z {
			v, _ := new(big.Float).Sqrt(exactDot(z[i], z[i])).Float64()
			norm = max(norm, v)
		}
		for _, sigma := range []float64{1, norm / 2, norm * math.Exp(8*r.Float64()), norm * math.Exp(30*r.Float64())} {
			if !(sigma > 1e-100 && sigma < 1e100) {
				continue
			}
			c := Certifier{Net: m, Noise: release.Gaussian{Sigma: sigma}, Queries: r.IntN(4)}
			if trial%2 == 0 {
				c.Noise = overlapping{opaque{release.Gaussian{Sigma: sigma}}}
			}
			ds := c.Divergences(t.Context(), theta, eps)
			ms := c.moments(ds, len(ds))
			solve := ms[0].coefficients(ds)
			if trial%3 > 0 {
				for i := range solve {
					solve[i] *= 1 + r.NormFloat64()*float64(trial%3-1)
				}
			}
			if trial%7 == 0 {
				for i := range solve {
					solve[i] = r.NormFloat64() * math.Exp(20*r.NormFloat64())
				}
			}
			std, g, gerr := make([]float64, 5), nn.Float64s(eps), make([]float64, count)
			if trial%4 == 3 { // wᵀε as badly computed as is said
				for i := range g {
					gerr[i/5] = 1e-5 * length(g[i/5*5:i/5*5+5])
				}
				for i := range g {
					g[i] += gerr[i/5] * (1 - 1e-9) * float64(1-2*r.IntN(2))
				}
			}
			ms[0].std(std, nil, g, gerr, solve) // clears what is void in g
			coef := make([]float64, len(g))
			simd.Gemm(false, false, count, 5, count, 1, solve, count, g, 5, 0, coef, 5)
			for k, bound := range std {
				if bound == 0 {
					continue
				}
				coefs, gs := make([]float64, count), make([]float64, count)
				for i := range count {
					if !ms[0].void[i] {
						coefs[i], gs[i] = coef[i*5+k], float64(eps[i*5+k])
					}
				}
				ratio, exceeds := beyond(bound, coefs, gs, func(i, j int) *big.Float { return exactMoment(z[i], z[j], max(1, c.Queries), sigma) })
				checked++
				if exceeds {
					t.Errorf("trial %d, σ %g, %d witnesses: std %g exceeds the exact bound, squares' ratio 1+%g", trial, sigma, count, bound, ratio-1)
				} else if ratio > 1-1e-9 {
					sharp++
				}
			}
		}
	}
	if checked < 4*trials || sharp < checked/6 {
		t.Error("the test is idle")
	}
}
