package nn

import "math"

// reductions are the functions of a Reduce; Sum and Mean have a kernel of their own.
var reductions = map[string]*reduction{
	"Sum":       {},
	"Mean":      {},
	"Max":       extreme(1),
	"Min":       extreme(-1),
	"Prod":      {product, productTangent, productPull, productBound},
	"L1":        termwise(math.Abs, signOf, sumAbsBound),
	"L2":        {norm2, norm2Tangent, norm2Pull, norm2Bound},
	"SumSquare": sumSquare,
	"LogSum":    {logSum, logSumTangent, logSumPull, logSumBound},
	"LogSumExp": {logSumExps, logSumExpTangent, logSumExpPull, logSumExpBound},
}

var sumSquare = termwise(square, squareSlope, sumSquareBound)

// extreme is the largest entry for sign 1, the smallest for −1, NaN if one is.
func extreme(sign float64) *reduction {
	best := func(x []float64) int {
		at, top := 0, math.Inf(-1)
		for i, v := range x {
			if v *= sign; v > top {
				at, top = i, v
			} else if math.IsNaN(v) {
				return i
			}
		}
		return at
	}
	return &reduction{
		value:   func(x []float64) float64 { return x[best(x)] },
		tangent: func(x, d []float64, _ float64) float64 { return d[best(x)] },
		pull: func(dst, x []float64, _, u float64) {
			clear(dst)
			dst[best(x)] = u
		},
		bound: func(x, e []float64, y float64) float64 { return extremeBound(sign, x, e, y) },
	}
}

// extremeBound: the largest x* lies between the largest x − e and the largest x + e, and
// is no farther from the largest x than the largest e.
func extremeBound(sign float64, x, e []float64, y float64) float64 {
	low, high, widest := math.Inf(-1), math.Inf(-1), 0.0
	for i, v := range x {
		low, high, widest = max(low, sign*v-e[i]), max(high, sign*v+e[i]), max(widest, e[i])
	}
	// y ± e round once each by a unit of what they come to, and the difference once.
	off := max(high-sign*y, sign*y-low)
	return min(widest, (off+2*unit*max(math.Abs(low), math.Abs(high)))*roundUp(4))
}

func product(x []float64) float64 {
	p := 1.0
	for _, v := range x {
		p *= v
	}
	return p
}

func productTangent(x, d []float64, _ float64) float64 {
	p, t := 1.0, 0.0
	for i, v := range x {
		p, t = p*v, t*v+p*d[i]
	}
	return t
}

// productPull multiplies what lies before each entry by what lies behind it.
func productPull(dst, x []float64, _, u float64) {
	p := u
	for i, v := range x {
		dst[i] = p
		p *= v
	}
	p = 1
	for i := len(x) - 1; i >= 0; i-- {
		dst[i] *= p
		p *= x[i]
	}
}

// productBound runs beside the computed partial products p̂: with |p̂ − p| ≤ b,
// |p̂·x̂ − p·x| ≤ b·(|x̂| + e) + |p̂|·e, and rounding adds u times the new product, or what
// underflow takes.
func productBound(x, e []float64, _ float64) float64 {
	const least = 0x1p-1072 // what four operations lose that underflow
	p, b := 1.0, 0.0
	for i, v := range x {
		next := p * v
		b = (b*(math.Abs(v)+e[i])+math.Abs(p)*e[i]+unit*math.Abs(next))*roundUp(8) + least
		p = next
	}
	return b
}

// termwise is a sum of functions of one entry each.
func termwise(value, slope func(x float64) float64, bound func(x, e []float64, y float64) float64) *reduction {
	return &reduction{
		value: func(x []float64) float64 {
			s := 0.0
			for _, v := range x {
				s += value(v)
			}
			return s
		},
		tangent: func(x, d []float64, _ float64) float64 {
			s := 0.0
			for i, v := range x {
				s += slope(v) * d[i]
			}
			return s
		},
		pull: func(dst, x []float64, _, u float64) {
			for i, v := range x {
				dst[i] = slope(v) * u
			}
		},
		bound: bound,
	}
}

// sumAbsBound: a sum of n entries is off by γ_n times itself at most (Higham, §3.1).
func sumAbsBound(x, e []float64, _ float64) float64 {
	s, g := 0.0, gamma(len(x))
	for i, v := range x {
		s += e[i] + g*math.Abs(v)
	}
	return s*roundUp(len(x)+3) + underflow
}

func square(x float64) float64      { return x * x }
func squareSlope(x float64) float64 { return 2 * x }

// sumSquareBound: |x̂² − x²| ≤ e·(2|x̂| + e), and the sum of n squares rounds each
// at most n + 1 times.
func sumSquareBound(x, e []float64, _ float64) float64 {
	s, g := 0.0, gamma(len(x)+1)
	for i, v := range x {
		v = math.Abs(v)
		s += e[i]*(2*v+e[i]) + g*v*v
	}
	return s*roundUp(len(x)+6) + underflow
}

func norm2(x []float64) float64 { return math.Sqrt(sumSquare.value(x)) }

func norm2Tangent(x, d []float64, y float64) float64 {
	if y == 0 {
		return 0
	}
	s := 0.0
	for i, v := range x {
		s += v / y * d[i]
	}
	return s
}

func norm2Pull(dst, x []float64, y, u float64) {
	clear(dst)
	if y == 0 {
		return
	}
	for i, v := range x {
		dst[i] = v / y * u
	}
}

// norm2Bound: by the triangle inequality the norm moves by at most |e|; that of x̂
// is off by half the n + 1 roundings of its square and its own. Squares that underflow
// take less than normSlack from a norm.
func norm2Bound(x, e []float64, y float64) float64 {
	return (norm2(e)+gamma(len(x)+2)*y)*roundUp(len(x)+6) + normSlack
}
