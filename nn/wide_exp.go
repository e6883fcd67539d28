package nn

import (
	"math"
	"math/big"
	"sync"
)

const (
	expKnots = 64
	expTerms = 12
	expWide  = 7

	// expReach is the largest argument, of either sign, of expDouble: far within the
	// range of float64, so that nothing underflows on the way.
	expReach = 600

	// expError bounds the relative error of expDouble.
	expError = 0x1p-102
)

// expTable are the series of 2^(j/64)·e^t, and ln 2/64 in three parts, whose first two
// have so few bits that their products with a number of 16 bits are exact.
var expTable = sync.OnceValue(func() (t struct {
	wideSeries
	step [3]float64
}) {
	t.terms, t.wide = expTerms, expWide
	log2 := bigNumber("0.693147180559945309417232121458176568075500134360255254120680009493393621969694715605863326996418687")
	step := new(big.Float).Quo(log2, bigOf(expKnots))
	for i := range t.step {
		part := new(big.Float).Set(step)
		if i < 2 {
			part = new(big.Float).SetPrec(36).Set(step)
		}
		t.step[i], _ = part.Float64()
		step = new(big.Float).SetPrec(seriesBits).Sub(step, bigOf(t.step[i]))
	}
	root := bigOf(2)
	for n := 1; n < expKnots; n *= 2 {
		root.Sqrt(root)
	}
	knot := bigOf(1)
	for range expKnots {
		c, term := []*big.Float{}, new(big.Float).Set(knot)
		for n := range expTerms {
			c = append(c, new(big.Float).Set(term))
			term.Quo(term, bigOf(float64(n+1)))
		}
		// The terms left out are together less than twice the first, 2·t¹²/12!.
		t.add(c, expTableReach, 4./479001600)
		knot.Mul(knot, root)
	}
	return t
})

// expTableReach is a little more than ln 2/128, half the distance of knots.
const expTableReach = 0.0055

// expDouble returns e^x for |x| ≤ expReach, with a relative error of at most expError.
//
// With k = x·64/ln 2 to the nearest integer, of at most 16 bits, e^x = 2^⌊k/64⌋·2^(j/64)·e^t,
// t = x − k·ln 2/64, |t| ≤ .0055. Three subtractions make t. Each is off by 2u² of
// its result, and each result is below .0055 + 2⁻²⁰. What the third subtracts is below 2⁻⁶² and
// rounded by 2⁻¹¹⁵. The parts of ln 2/64 are off by less than 2⁻¹³¹. The sum is less than 2⁻¹¹⁰.
// The series' loss is less than 2⁻¹⁰³ (a test holds them to it), and its value at least .99.
func expDouble(xh, xl float64) (h, l float64) {
	t := expTable()
	k := math.RoundToEven(xh * (expKnots / math.Ln2))
	th, tl := addFloat(xh, xl, -k*t.step[0])
	th, tl = addFloat(th, tl, -k*t.step[1])
	th, tl = addFloat(th, tl, -float64(k*t.step[2]))
	j := int(k) & (expKnots - 1)
	h, l = t.at(j, th, tl)
	power := math.Float64frombits(uint64(1023+(int(k)-j)/expKnots) << 52)
	return h * power, l * power
}
