package nn

import "math"

// reductions are the functions of a Reduce; Sum and Mean have a kernel of their own.
var reductions = map[string]*reduction{
	"Sum":  {},
	"Mean": {},
	"Max":  extreme(1),
	"Min":  extreme(-1),
	"Prod": {product, productTangent, productPull, productBound},
}

// extreme is the largest entry for sign 1, the smallest for −1, NaN if one is.
func extreme(sign float64) *reduction {
	best := func(x []float64) int { return winner(x, sign) }
	return &reduction{
		value:   func(x []float64) float64 { return x[best(x)] },
		tangent: func(x, d []float64) float64 { return d[best(x)] },
		pull: func(dst, x []float64, u float64) {
			clear(dst)
			dst[best(x)] = u
		},
		// The exact result is between those of the entries moved down and up, as for maxPool.
		bound: func(x, e []float64) float64 {
			top, most := x[best(x)], e[best(x)]
			for i, v := range x {
				most = max(most, sign*(v-top)*(1-0x1p-50)+e[i])
			}
			return most * (1 + 0x1p-50)
		},
	}
}

func product(x []float64) float64 {
	p := 1.0
	for _, v := range x {
		p *= v
	}
	return p
}

func productTangent(x, d []float64) float64 {
	p, t := 1.0, 0.0
	for i, v := range x {
		p, t = p*v, t*v+p*d[i]
	}
	return t
}

// productBound: p̂·v̂ errs by at most ep·(|v̂| + ev) + |p̂|·ev, and its rounding. Each term passes at most 4n roundings.
func productBound(x, e []float64) float64 {
	p, bound := 1.0, 0.0
	for i, v := range x {
		bound = bound*(math.Abs(v)+e[i]) + math.Abs(p)*e[i] + unit*math.Abs(p*v) + underflow
		p *= v
	}
	return bound * roundUp(4*len(x))
}

// productPull multiplies what lies before each entry by what lies behind it.
func productPull(dst, x []float64, u float64) {
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
