package nn

import (
	"math"
	"math/big"
	"sync"
)

const (
	erfKnots = 64 // in a unit
	erfTerms = 15
	erfWide  = 8

	// erfReach is where erf is 1 to less than 2⁻¹⁰⁶: erfc(x) ≤ e^−x²/(x·√π).
	erfReach = 8.5

	// erfError bounds the error of erfDouble.
	erfError = 0x1p-103
)

// erfTable are the series of erf about j/64.
//
// The slope g(x + t) = 2/√π·e^−(x+t)² has g′ = −2(x + t)·g, so that its coefficients follow
// from g_0 by (n+1)·g_{n+1} = −2x·g_n − 2g_{n−1}; and c_{n+1} = g_n/(n+1). As |g(z)| ≤
// 2/√π·e^{r²} for complex z at a distance of r from x, Cauchy's inequality gives |g_n| ≤
// 2/√π·e^{r²}/rⁿ for each r: with r = 3, |c_n| ≤ 2/√π·e⁹/(n·3ⁿ⁻¹) < 9200/(n·3ⁿ⁻¹). The terms
// from erfTerms on are therefore at most 9200/(15·3¹⁴)·t¹⁵, and a hundredth more.
var erfTable = sync.OnceValue(func() *wideSeries {
	const reach = 1./(2*erfKnots) + 0x1p-40
	t := &wideSeries{terms: erfTerms, wide: erfWide}
	number := func(v float64) *big.Float { return bigOf(v) }
	product := func(a, b *big.Float) *big.Float { return new(big.Float).Mul(a, b) }
	// e^−1/64²
	w, term, small := number(1), number(1), number(-1./(erfKnots*erfKnots))
	for n := 1; n < 30; n++ {
		term = product(term, small)
		term.Quo(term, number(float64(n)))
		w.Add(w, term)
	}
	slope := bigNumber("1.12837916709551257389615890312154517168810125865799771368817144342128493688298682897348732040421472688605669581272") // 2/√π
	value, ratio, twice := number(0), new(big.Float).Set(w), product(w, w)
	for j := range int(erfKnots*erfReach) + 1 {
		x := float64(j) / erfKnots
		// The value at the next knot is the series' own, of many terms.
		const many = 60
		g, c := []*big.Float{new(big.Float).Set(slope)}, []*big.Float{new(big.Float).Set(value)}
		for n := range many {
			next := product(number(-2*x), g[n])
			if n > 0 {
				next.Sub(next, product(number(2), g[n-1]))
			}
			c = append(c, new(big.Float).Quo(g[n], number(float64(n+1))))
			g = append(g, next.Quo(next, number(float64(n+1))))
		}
		for n := many; n >= 0; n-- {
			if n == many {
				value = number(0)
			}
			value = product(value, number(1./erfKnots))
			value.Add(value, c[n])
		}
		t.add(c[:erfTerms], reach, 1.01*9200/(15*4782969))
		slope = product(slope, ratio) // e^−(2j+1)/64² of what it was
		ratio = product(ratio, twice)
	}
	return t
})

// erfDouble returns erf(x), with an error of at most erfError: that of the series, whose
// loss is less (a test holds them to it), at x less the nearest knot, which is exact to
// 2u²/64, that is 2⁻¹¹⁰ of the value, as the slope is less than 2; or beyond erfReach that of ±1.
func erfDouble(xh, xl float64) (h, l float64) {
	if xh < 0 {
		h, l = erfDouble(-xh, -xl)
		return -h, -l
	}
	if !(xh < erfReach) {
		return 1, 0
	}
	j := math.RoundToEven(xh * erfKnots)
	th, tl := addFloat(xh, xl, -j/erfKnots)
	return erfTable().at(int(j), th, tl)
}
