package lattice

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
)

// Sampler draws discrete Gaussian noise, P(N = k) ∝ exp(−k²/2s²), exactly: if the source's bits
// are independent and uniform, so is every decision that is made with them of exactly the
// probability that it should have (C. Canonne, G. Kamath, T. Steinke, arXiv:2004.00010,
// algorithms 1 to 3). It is safe for concurrent use, each call with its own source.
type Sampler struct {
	s float64 // s, taken as the exact rational that it is
	t uint64  // ⌊s⌋ + 1

	// careful makes every comparison in exact rational arithmetic. Tests set it: the samples
	// must be the same.
	careful bool
}

// leastParameter is the smallest parameter of a sampler. Below, the noise is 0 nearly always.
const leastParameter = .25

// NewSampler returns the sampler of parameter s. It returns an error unless s is from 1/4 to
// MaxRatio.
func NewSampler(s float64) (*Sampler, error) {
	if !(s >= leastParameter && s <= MaxRatio) {
		return nil, fmt.Errorf("discrete Gaussian noise of parameter %v: must be %v to %d", s, leastParameter, MaxRatio)
	}
	return &Sampler{s: s, t: uint64(s) + 1}, nil
}

// Sample overwrites dst with independent draws.
func (g *Sampler) Sample(dst []int64, source rand.Source) {
	for i := range dst {
		dst[i] = g.Draw(source)
	}
}

// Draw returns one draw (algorithm 3): a discrete Laplace number Y of scale t, kept with
// probability exp(−γ), γ = (|Y| − s²/t)²/2s².
func (g *Sampler) Draw(source rand.Source) int64 {
	for {
		y, negative := laplace(g.t, source)
		if !g.keep(y, source) {
			continue
		}
		if negative {
			return -int64(y)
		}
		return int64(y)
	}
}

// laplace returns the size and the sign of Y, P(Y = y) ∝ exp(−|y|/t) (algorithm 2). Its size is
// u + vt; v exceeds 2³² with a probability of exp(−2³²), so that it fits into an int64.
func laplace(t uint64, source rand.Source) (size uint64, negative bool) {
	for {
		u := below(t, source)
		if !expFraction(u, t, source) {
			continue
		}
		var v uint64
		for expOne(source) {
			v++
		}
		size, negative = u+v*t, source.Uint64()>>63 == 1
		if size != 0 || !negative { // zero has one sign
			return size, negative
		}
	}
}

// below returns a uniform integer less than n ≥ 1 (D. Lemire, ACM TOMACS 29, 2019). It is
// exact: of the 2⁶⁴ words, the 2⁶⁴ mod n that would come too often are rejected.
func below(n uint64, source rand.Source) uint64 {
	high, low := bits.Mul64(source.Uint64(), n)
	if low < n {
		for least := -n % n; low < least; {
			high, low = bits.Mul64(source.Uint64(), n)
		}
	}
	return high
}

// expFraction returns true with probability exp(−u/t), 0 ≤ u < t (algorithm 1): k is the first
// for which an event of probability u/tk does not happen, and odd with that probability.
func expFraction(u, t uint64, source rand.Source) bool {
	k := uint64(1)
	for below(t*k, source) < u {
		k++
	}
	return k%2 == 1
}

// expOne returns true with probability 1/e (algorithm 1, for γ = 1).
func expOne(source rand.Source) bool {
	k := uint64(2)
	for below(k, source) == 0 {
		k++
	}
	return k%2 == 1
}

// keep returns true with probability exp(−γ) (algorithm 1): as many events of probability 1/e
// as the whole part of γ, then one for its fraction.
//
// γ is computed in float64; where this does not decide, exactly. With u = 2⁻⁵³: s²/t ≤ s is right
// to 2.01u·s, so that d = y − s²/t is right to u(|d| + 2.01s); then γ = d²/2s² is right
// to |d|/s·u(|d|/s + 2.01) + 4uγ ≤ u(6γ + 2.9√γ) and quadratic terms, less than margin = 2⁻⁴⁸(1 + γ).
func (g *Sampler) keep(y uint64, source rand.Source) bool {
	square := g.s * g.s
	d := float64(y) - square/float64(g.t)
	γ := d * d / (2 * square)
	margin := 0x1p-48 * (1 + γ)
	whole := math.Floor(γ)
	f := γ - whole
	if g.careful || !(f > margin && f < 1-margin) {
		return g.keepExactly(y, source)
	}
	for ; whole > 0; whole-- {
		if !expOne(source) {
			return false
		}
	}
	k := uint64(1)
	for g.fraction(y, f, margin, k, source) {
		k++
	}
	return k%2 == 1
}

// fraction returns true with probability f*/k, f* being the exact fraction of γ, which differs
// from f by at most margin: whether a uniform real number x times k is less. The word that is
// drawn gives x to 2⁻⁵³, and the product is rounded by at most k·2⁻⁵³.
func (g *Sampler) fraction(y uint64, f, margin float64, k uint64, source rand.Source) bool {
	word := source.Uint64()
	x := float64(word>>11) * 0x1p-53 * float64(k)
	margin += float64(k) * 0x1p-51
	switch {
	case x+margin < f:
		return true
	case x-margin > f:
		return false
	}
	_, exact := g.gamma(y)
	return less(word, exact, k, source)
}

// keepExactly is keep in rational arithmetic.
func (g *Sampler) keepExactly(y uint64, source rand.Source) bool {
	whole, f := g.gamma(y)
	for i := new(big.Int); i.Cmp(whole) < 0; i.Add(i, big.NewInt(1)) {
		if !expOne(source) {
			return false
		}
	}
	k := uint64(1)
	for less(source.Uint64(), f, k, source) {
		k++
	}
	return k%2 == 1
}

// gamma returns the whole part and the fraction of γ.
func (g *Sampler) gamma(y uint64) (whole *big.Int, fraction *big.Rat) {
	square := new(big.Rat).SetFloat64(g.s)
	square.Mul(square, square)
	d := new(big.Rat).Quo(square, new(big.Rat).SetUint64(g.t))
	d.Sub(new(big.Rat).SetUint64(y), d)
	d.Mul(d, d)
	d.Quo(d, square.Add(square, square))
	whole = new(big.Int).Quo(d.Num(), d.Denom())
	return whole, d.Sub(d, new(big.Rat).SetInt(whole))
}

// less returns whether x < f/k, for a uniform real number x in [0, 1) whose first 64 bits are
// word. It draws further bits until they decide.
func less(word uint64, f *big.Rat, k uint64, source rand.Source) bool {
	limit := new(big.Int).Lsh(f.Num(), 64) // x·2^b < limit/d, after b bits
	d := new(big.Int).Mul(f.Denom(), new(big.Int).SetUint64(k))
	x := new(big.Int).SetUint64(word)
	for {
		low := new(big.Int).Mul(x, d)
		if low.Cmp(limit) >= 0 {
			return false
		}
		if low.Add(low, d).Cmp(limit) <= 0 {
			return true
		}
		x.Lsh(x, 64)
		x.Or(x, new(big.Int).SetUint64(source.Uint64()))
		limit.Lsh(limit, 64)
	}
}
