package nn

import (
	"math"
	"math/big"
	"slices"
)

// wideSeries are Taylor series of a function about several knots, in double words but for
// the last terms, which are so small that float64 serves.
type wideSeries struct {
	terms, wide int       // terms of a series, and how many of them, the first, in double words
	h, l        []float64 // coefficients, [knots, terms]
	loss        []float64 // of each knot: bounds on the error of at
}

// seriesBits are those of the arithmetic that makes the coefficients; what it rounds is
// far below the last bit of a double word.
const seriesBits = 300

func bigOf(v float64) *big.Float { return new(big.Float).SetPrec(seriesBits).SetFloat64(v) }

// bigNumber returns a number in decimals.
func bigNumber(s string) *big.Float {
	v, _, err := big.ParseFloat(s, 10, seriesBits, big.ToNearestEven)
	if err != nil {
		panic("nn: " + err.Error())
	}
	return v
}

// splitWide returns the double word nearest to v, or nearly so: off by at most u²·|v|.
func splitWide(v *big.Float) (h, l float64) {
	h, _ = v.Float64()
	l, _ = new(big.Float).Sub(v, bigOf(h)).Float64()
	return h, l
}

// add appends the series of a knot, for |t| ≤ reach ≤ 1/2. The terms left out add up to at
// most rest, times the power of t of the first of them.
//
// Horner's scheme computes s_n = c_n + t·s_{n+1}, whose size is at most B_n = |c_n| +
// reach·B_{n+1}. With u = 2⁻⁵³, ε_{n+1} the error of s_{n+1}, and coefficients rounded to
// u²·|c_n| or u·|c_n|,
//
//	in double words:  ε_n ≤ reach·ε_{n+1} + u²·(5·reach·B_{n+1} + 3·B_n + |c_n|)
//	in float64:       ε_n ≤ reach·ε_{n+1} + u·(2·reach·B_{n+1} + B_n + |c_n|)
//
// where t rounds to float64, too. The sizes are of exact numbers, the computed ones differ by
// some u of them; the last factor is for that and for the rounding of the bound itself.
func (s *wideSeries) add(c []*big.Float, reach, rest float64) {
	size, loss, first := 0.0, rest, len(s.h)
	for n := len(c) - 1; n >= 0; n-- {
		h, l := splitWide(c[n])
		before, most := reach*size, math.Abs(h)
		size = most + before
		if n < s.wide {
			loss = reach*loss + unit*unit*(5*before+3*size+most)
		} else {
			loss, l = reach*loss+unit*(2*before+size+most), 0
		}
		s.h, s.l = append(s.h, h), append(s.l, l)
	}
	slices.Reverse(s.h[first:])
	slices.Reverse(s.l[first:])
	s.loss = append(s.loss, loss*(1+0x1p-20))
}

// at returns the series of a knot at t.
func (s *wideSeries) at(knot int, th, tl float64) (h, l float64) {
	ch, cl := s.h[knot*s.terms:][:s.terms], s.l[knot*s.terms:][:s.terms]
	tail := 0.0
	for n := s.terms - 1; n >= s.wide; n-- {
		tail = tail*th + ch[n]
	}
	h, l = mulFloat(th, tl, tail)
	for n := s.wide - 1; n > 0; n-- {
		h, l = addDouble(ch[n], cl[n], h, l)
		h, l = mulDouble(h, l, th, tl)
	}
	return addDouble(ch[0], cl[0], h, l)
}
