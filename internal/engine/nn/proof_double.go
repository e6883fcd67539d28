package nn

import "math"

// Double-word arithmetic: a number is an unevaluated sum hi + lo of two float64 with
// hi = fl(hi + lo), of about 106 bits. The algorithms and the bounds on their errors
// are those of Joldes, Muller and Popescu, "Tight and rigorous error bounds for basic
// building blocks of double-word arithmetic" (ACM TOMS 44, 2017), with u = 2⁻⁵³; they
// hold while nothing overflows or underflows.

// Relative errors of the operations here, each rounded up.
const (
	addError = 0x1p-104 // ≥ 3u²/(1 − 4u) of addDouble, 2u² of addFloat and mulFloat
	mulError = 0x1p-103 // ≥ 5u² of mulDouble, 3u² of divFloat
)

// twoSum returns a + b as a double word, exactly (Knuth).
func twoSum(a, b float64) (s, e float64) {
	s = a + b
	t := s - a
	return s, (a - (s - t)) + (b - t)
}

// fastTwoSum is twoSum where |a| ≥ |b| or a = 0 (Dekker).
func fastTwoSum(a, b float64) (s, e float64) {
	s = a + b
	return s, b - (s - a)
}

// twoProduct returns a·b as a double word, exactly. The conversion keeps the product
// from being one operation with what it is added to or taken from later, as it is on
// some processors.
func twoProduct(a, b float64) (p, e float64) {
	p = float64(a * b)
	return p, math.FMA(a, b, -p)
}

// addFloat returns x + y, y being a float64: algorithm 4, to 2u².
func addFloat(xh, xl, y float64) (h, l float64) {
	sh, sl := twoSum(xh, y)
	return fastTwoSum(sh, xl+sl)
}

// addDouble returns x + y: algorithm 6, to 3u²/(1 − 4u).
func addDouble(xh, xl, yh, yl float64) (h, l float64) {
	sh, sl := twoSum(xh, yh)
	th, tl := twoSum(xl, yl)
	vh, vl := fastTwoSum(sh, sl+th)
	return fastTwoSum(vh, tl+vl)
}

// mulFloat returns x·y, y being a float64: algorithm 9, to 2u².
func mulFloat(xh, xl, y float64) (h, l float64) {
	ch, cl := twoProduct(xh, y)
	return fastTwoSum(ch, math.FMA(xl, y, cl))
}

// mulDouble returns x·y: algorithm 11, to 5u².
func mulDouble(xh, xl, yh, yl float64) (h, l float64) {
	ch, cl := twoProduct(xh, yh)
	return fastTwoSum(ch, cl+math.FMA(xh, yl, xl*yh))
}

// divFloat returns x/y, y being a float64: algorithm 15, to 3u².
func divFloat(xh, xl, y float64) (h, l float64) {
	th := xh / y
	ph, pl := twoProduct(th, y)
	return fastTwoSum(th, ((xh-ph)-pl+xl)/y)
}
