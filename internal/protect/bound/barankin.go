package bound

import (
	"math"

	"tattle/internal/math/simd"
	"tattle/internal/protect/release"
)

// moments are M_ij = E[(L_i − 1)(L_j − 1)], L_i = f(X − z_i)/f(X), of the m
// witnesses of one example: the matrix in the bound of Barankin, as McAulay and
// Hofstetter give it (Barankin bounds on parameter estimation, IEEE Trans. Inf.
// Theory 17, 1971). For any c, by Cauchy and Schwarz on ŵ and Σ c_i (L_i − 1),
//
//	Var(ŵ) ≥ (cᵀg)²/(cᵀMc),  g_i = wᵀε_i.
//
// |value − M| ≤ err elementwise. Rows and columns of void witnesses, which are
// outside the domain or whose features overflow, are zero.
type moments struct {
	m          int
	value, err []float64 // [m, m]
	void       []bool    // [m]
	own        []float64 // [m, m], of err what is rounding of the certificate's own; nil for all of it
}

// moments returns the moments of the m witnesses of each example whose divergences were evaluated last.
// combines(c.Noise) must hold.
func (c *Certifier) moments(ds []Divergence, m int) []moments {
	per := 1 + m
	out := make([]moments, len(ds)/m)
	parallel(len(out), func(i int) {
		out[i] = newMoments(m)
		if runtime := c.moves(); c.Counted && runtime > 0 {
			exact := newMoments(m)
			c.fill(&exact, i*per, 0)
			c.fill(&out[i], i*per, runtime)
			out[i].own = exact.err
		} else {
			c.fill(&out[i], i*per, 0)
		}
		for k, d := range ds[i*m : (i+1)*m] {
			out[i].void[k] = d.Status == Illegal
		}
		out[i].erase()
	})
	return out
}

func newMoments(m int) moments {
	return moments{m: m, value: make([]float64, m*m), err: make([]float64, m*m), void: make([]bool, m)}
}

// fill computes the moments, for features that are off by at most runtime.
func (c *Certifier) fill(v *moments, first int, runtime float64) {
	if _, ok := c.Noise.(release.Gaussian); ok {
		c.gaussianMoments(v, first, runtime)
	} else {
		c.overlaps(v, first, runtime)
	}
}

// combines reports whether witnesses can be combined under that noise.
func combines(noise release.Noise) bool {
	if _, ok := noise.(release.Gaussian); ok {
		return true
	}
	_, ok := noise.(release.Overlapper)
	return ok
}

// gaussianMoments fills in M_ij = expm1(q), q = k·z_iᵀz_j/σ² for k queries.
//
// With N_i ≥ ‖ẑ_i‖ and E_i ≥ ‖z_i − ẑ_i‖ as in diverge, the computed q̂ errs by
//
//	δ = (N_i E_j + E_i N_j + E_i E_j + (n+16)u·N_i N_j)·k/σ²
//
// at most: Cauchy and Schwarz for the errors of z, (n+8)u for the sum of n products
// in any order, its underflow and the quotients; and expm1(q) − expm1(q̂) =
// exp(q̂)·expm1(q − q̂), so that M̂ errs by exp(q̂)·expm1(δ), and 2u more of its own.
func (c *Certifier) gaussianMoments(v *moments, first int, runtime float64) {
	_, n := c.Net.Dims()
	z, norm, miss := c.steps(v.m, first, runtime)
	q := v.value
	simd.Gram(false, v.m, n, 1, z, n, 0, q, v.m)
	simd.Mirror(v.m, q, v.m)
	s := c.Noise.Std()
	k := float64(max(1, c.Queries)) / s / s
	sum := (float64(n) + 16) * ulp
	for i := range v.m {
		for j := range v.m {
			at := i*v.m + j
			δ := (norm[i]*miss[j] + miss[i]*norm[j] + miss[i]*miss[j] + sum*norm[i]*norm[j] + 0x1p-900) * k * (1 + 16*ulp)
			e := math.Expm1(q[at] * k)
			v.value[at] = e
			v.err[at] = (1+e+4*ulp)*math.Expm1(δ)*(1+16*ulp) + 4*ulp*math.Abs(e)
		}
	}
}

// steps returns ẑ of every witness, [m, n], and upper bounds of ‖ẑ_i‖ and ‖z_i − ẑ_i‖, if
// every feature at θ and at θ+ε is off by at most runtime.
func (c *Certifier) steps(m, first int, runtime float64) (z, norm, miss []float64) {
	_, n := c.Net.Dims()
	z, norm, miss = make([]float64, m*n), make([]float64, m), make([]float64, m)
	a0, b0 := c.a[first*n:(first+1)*n], c.b[first*n:(first+1)*n]
	grow := 1 + float64(n+16)*ulp
	for i := range m {
		r := first + 1 + i
		row := z[i*n : (i+1)*n]
		var zz, ee float64
		for j, a := range c.a[r*n : (r+1)*n] {
			row[j] = a - a0[j]
			e := c.b[r*n+j] + b0[j]
			zz += row[j] * row[j]
			ee += e * e
		}
		tiny := float64(n) * 0x1p-1074
		norm[i] = math.Sqrt(zz+tiny) * grow
		miss[i] = (math.Sqrt(ee+tiny)*grow + ulp*norm[i] + 2*runtime*math.Sqrt(float64(n))) * (1 + 8*ulp)
		if !(norm[i]+miss[i] < 0x1p500) {
			clear(row)
			norm[i], miss[i] = 0, math.Inf(1)
		}
	}
	return z, norm, miss
}

// overlaps fills in moments for noise that knows them, of all queries together:
// (1+M)^k − 1, which increases with M, between the ends that the error allows.
func (c *Certifier) overlaps(v *moments, first int, runtime float64) {
	noise := c.Noise.(release.Overlapper)
	_, n := c.Net.Dims()
	z, _, miss := c.steps(v.m, first, runtime)
	e := make([]float64, len(z))
	for at := range e {
		e[at] = missed(z[at], c.b[(first+1)*n+at]+c.b[first*n+at%n]+2*runtime)
	}
	for i := range v.m {
		for j := range i + 1 {
			value, err := math.Inf(1), math.Inf(1)
			if miss[i] < math.Inf(1) && miss[j] < math.Inf(1) {
				value, err = noise.Overlap(rowOf(z, i, n), rowOf(e, i, n), rowOf(z, j, n), rowOf(e, j, n))
				value, err = power(value, err, c.Queries)
			}
			v.value[i*v.m+j], v.err[i*v.m+j] = value, err
			v.value[j*v.m+i], v.err[j*v.m+i] = value, err
		}
	}
}

// power returns (1+x)^k − 1 and how far it may be off, x being off by e; M is never below
// −1. q = k·ln(1+x) is right to a relative 3u, which moves exp(q) by some 3u|q| of itself,
// and math.Expm1 errs by 2u. NaN stays NaN.
func power(x, e float64, k int) (value, err float64) {
	if k <= 1 {
		return x, e
	}
	of := func(x float64) (v, off float64) {
		if x <= -1 {
			return -1, 0
		}
		q := float64(k) * math.Log1p(x)
		v = math.Expm1(q)
		return v, 4 * ulp * (math.Abs(q)*(1+max(v, 0)) + math.Abs(v))
	}
	value, _ = of(x)
	low, lowOff := of(x - e*(1+4*ulp) - 2*ulp*math.Abs(x))
	high, highOff := of(x + e*(1+4*ulp) + 2*ulp*math.Abs(x))
	return value, (max(value-low, high-value) + lowOff + highOff) * (1 + 4*ulp)
}

// mostMoment is the largest moment that is of any use, far from overflow.
const mostMoment = 1e150

// erase decides which witnesses are void, and zeroes their moments. A moment of two other
// witnesses that overflows or is NaN is still bounded, by Cauchy and Schwarz: |M_ij| ≤
// √(M_ii M_jj) ≤ mostMoment.
func (v *moments) erase() {
	for i := range v.m {
		d := v.value[i*v.m+i] + v.err[i*v.m+i]
		v.void[i] = v.void[i] || !(d <= mostMoment)
	}
	for i := range v.m {
		for j := range v.m {
			at := i*v.m + j
			if v.void[i] || v.void[j] {
				v.set(at, 0, 0)
			} else if !(math.Abs(v.value[at])+v.err[at] <= mostMoment) {
				v.set(at, 0, 2*mostMoment)
			}
		}
	}
}

// set replaces a moment and its error, all of which is then the certificate's own.
func (v *moments) set(at int, value, err float64) {
	v.value[at], v.err[at] = value, err
	if v.own != nil {
		v.own[at] = err
	}
}

// std overwrites dst with lower bounds on the standard deviation of unbiased estimators of
// w_kᵀθ by all witnesses together: g is [m, len(dst)] with g_i = wᵀε_i as computed and
// gerr [m] its error. The coefficients are c = B g as computed in floating point, B =
// solve, [m, m]: every c gives a valid bound. slack, unless nil, receives the relative
// part of the bound that depends on the certificate's own rounding: from 1 on it may be
// all of it.
//
// Of exact sums, cᵀg is at least |cᵀĝ| − |c|ᵀgerr, and cᵀMc at most cᵀM̂c +
// |c|ᵀ err |c|. Sums of m products in any order, nested twice, err by γ = (2m+16)u
// of the sum of their absolute values, with room for the few operations around
// them; those of non-negative numbers by γ of themselves. Products that underflow
// lose less than m·2⁻¹⁰⁶⁰(1 + Σ|c_i|) altogether.
func (v *moments) std(dst, slack, g, gerr, solve []float64) {
	m, width := v.m, len(dst)
	γ := float64(2*m+16) * ulp
	v.clearVoid(g, width)
	c := make([]float64, m*width)
	simd.Gemm(false, false, m, width, m, 1, solve, m, g, width, 0, c, width)
	v.clearVoid(c, width)
	abs, loose := make([]float64, len(c)), make([]float64, m*m)
	for i, x := range c {
		abs[i] = math.Abs(x)
	}
	for i, e := range v.err {
		loose[i] = e + γ*math.Abs(v.value[i])
	}
	mc, ec := make([]float64, len(c)), make([]float64, len(c))
	simd.Gemm(false, false, m, width, m, 1, v.value, m, c, width, 0, mc, width)
	simd.Gemm(false, false, m, width, m, 1, loose, m, abs, width, 0, ec, width)
	sums := make([]combination, width)
	for i := range m {
		if v.void[i] {
			continue
		}
		for k := range sums {
			at := i*width + k
			sums[k].add(c[at], abs[at], g[at], gerr[i]+γ*math.Abs(g[at]), mc[at], ec[at])
		}
	}
	for k := range sums {
		var part float64
		if dst[k], part = sums[k].std(γ, float64(m)*0x1p-1060); slack != nil {
			slack[k] = part
		}
	}
	if slack != nil && v.own != nil {
		exact := moments{m: m, value: v.value, err: v.own, void: v.void}
		exact.std(make([]float64, width), slack, g, gerr, solve)
	}
}

func (v *moments) clearVoid(x []float64, width int) {
	for i, void := range v.void {
		if void {
			clear(x[i*width : (i+1)*width])
		}
	}
}

// combination gathers the sums of one coordinate.
type combination struct{ cg, loss, cmc, more, abs float64 }

func (s *combination) add(c, abs, g, gerr, mc, ec float64) {
	s.cg += c * g
	s.loss += abs * gerr
	s.cmc += c * mc
	s.more += abs * ec
	s.abs += abs
}

// std returns the bound, 0 if there is none, and its slack.
func (s *combination) std(γ, tiny float64) (bound, slack float64) {
	tiny *= 1 + s.abs
	top := (math.Abs(s.cg) - (s.loss+tiny)*(1+γ)) * (1 - 4*ulp)
	under := (s.cmc + (s.more+tiny)*(1+γ)) * (1 + 4*ulp)
	if !(top > 0 && top <= math.MaxFloat64 && under >= 0x1p-900 && under <= math.MaxFloat64) {
		return 0, 0
	}
	return atLeast(top / math.Sqrt(under) * (1 - 8*ulp)), 2*s.loss/top + 2*s.more/under
}

// meanSquareOf returns a lower bound on the mean-square error per input from lower
// bounds on the standard deviation of each vector of an orthonormal basis, over
// which variances add up to it. The basis is the exact one: that a cosine transform
// is not computed exactly, Coordinates.Rounding has paid for in each bound. The sum
// of squares errs by at most pu/(1−pu), and an overflow is at least what replaces it.
func meanSquareOf(std []float64) float64 {
	s, p := square(std), float64(len(std))
	return atLeast(min(s, math.MaxFloat64) / p * (1 - (p+16)*ulp))
}

// squareSlackOf returns the part of meanSquareOf that depends on rounding, given that part
// of each std, 1 being all of it: twice the mean of the parts, weighted by squares.
func squareSlackOf(std, slack []float64) float64 {
	var sum, part float64
	top := max(simd.MaxAbs(std), math.SmallestNonzeroFloat64)
	for k, v := range std {
		w := v / top * (v / top)
		sum += w
		part += w * 2 * min(slack[k], 1)
	}
	return part / max(sum, math.SmallestNonzeroFloat64)
}
