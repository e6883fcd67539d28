package nn

import (
	"math"

	"tattle/internal/math/simd"
)

// binaryFuncs are the operators of [Binary].
func binaryFuncs[T Float]() map[string]binaryFunc[T] {
	m := map[string]binaryFunc[T]{
		"Add": {
			value: simd.Add[T], left: handOn[T], right: handOn[T],
			bound: sumBound,
		},
		"Sub": {
			value: subtract[T], left: handOn[T],
			right: func(dst, d, _, _, _ []T) {
				for i, v := range d {
					dst[i] = -v
				}
			},
			bound: sumBound,
		},
		"Mul": {
			value: simd.Mul[T],
			left:  func(dst, d, _, b, _ []T) { simd.Mul(dst, d, b) },
			right: func(dst, d, a, _, _ []T) { simd.Mul(dst, d, a) },
			bound: mulBound,
		},
		"Div": {
			value: divide[T],
			left:  func(dst, d, _, b, _ []T) { divide(dst, d, b) },
			right: func(dst, d, _, b, y []T) {
				for i := range dst {
					dst[i] = -d[i] * y[i] / b[i]
				}
			},
			bound: divBound,
		},
		"Pow": binaryPow[T](),
		"Min": binaryChoice[T](-1),
		"Max": binaryChoice[T](1),
	}
	for operator, c := range comparisons {
		m[operator] = binaryComparison[T](c)
	}
	return m
}

func handOn[T Float](dst, d, _, _, _ []T) { copy(dst, d) }

func subtract[T Float](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] - b[i]
	}
}

// sumBound: the errors of the two, and u·|ŷ| for the sum's own rounding; a sum with ±Inf is that, exactly.
func sumBound(a, ea, b, eb, y float64) float64 {
	if math.IsInf(a, 0) || math.IsInf(b, 0) {
		return ea + eb
	}
	return ea + eb + unit*math.Abs(y)
}

// mulBound: |x̂·ŷ − x·y| ≤ |x̂|·ey + |ŷ|·ex + ex·ey, and 2u times the product for its
// own rounding.
func mulBound(a, ea, b, eb, y float64) float64 {
	return math.Abs(a)*eb + math.Abs(b)*ea + ea*eb + 2*unit*math.Abs(y)
}

func divide[T Float](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] / b[i]
	}
}

// divBound: a/b moves by (da − y·db)/(b + db), y = a/b. The bound has errors in the place of
// these changes, |b + db| ≥ |b| − eb and |a/b| ≤ |y|(1 + 2u), but for underflow; it is +Inf if
// b + db can be 0.
func divBound(_, ea, b, eb, y float64) float64 {
	least := math.Abs(b) - eb
	if !(least > 0) {
		return math.Inf(1)
	}
	least *= 1 - 2*unit
	q := math.Abs(y)*(1+4*unit) + underflow
	return (ea+q*eb)/least + 2*unit*math.Abs(y)
}

// binaryChoice are Max, for way 1, and Min, for way −1.
func binaryChoice[T Float](way T) binaryFunc[T] {
	slope := func(dst, d, mine, others []T) {
		for i := range dst {
			part := T(0)
			switch {
			case way*mine[i] > way*others[i]:
				part = 1
			case mine[i] == others[i]:
				part = .5
			}
			dst[i] = d[i] * part
		}
	}
	return binaryFunc[T]{
		value: func(dst, a, b []T) {
			for i := range dst {
				if way > 0 {
					dst[i] = max(a[i], b[i])
				} else {
					dst[i] = min(a[i], b[i])
				}
			}
		},
		left:  func(dst, d, a, b, _ []T) { slope(dst, d, a, b) },
		right: func(dst, d, a, b, _ []T) { slope(dst, d, b, a) },
		bound: func(a, ea, b, eb, _ float64) float64 { return choiceBound(float64(way), a, ea, b, eb) },
	}
}

// choiceBound: the choice moves by no more than either operand does, and by one's alone
// where that is chosen for certain.
func choiceBound(way, a, ea, b, eb float64) float64 {
	apart := way * (a - b) * (1 - 2*unit)
	switch reach := (ea + eb) * (1 + 4*unit); {
	case apart > reach:
		return ea
	case -apart > reach:
		return eb
	}
	return max(ea, eb)
}
