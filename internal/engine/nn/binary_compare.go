package nn

import "math"

// comparisonOf is an operator that is true or false, and whether it has one answer for
// all a ± ea and b ± eb.
type comparisonOf struct {
	holds   func(a, b float64) bool
	settled func(a, ea, b, eb float64) bool
}

var comparisons = map[string]comparisonOf{
	"Equal":          {func(a, b float64) bool { return a == b }, apart},
	"Greater":        {func(a, b float64) bool { return a > b }, apart},
	"GreaterOrEqual": {func(a, b float64) bool { return a >= b }, apart},
	"Less":           {func(a, b float64) bool { return a < b }, apart},
	"LessOrEqual":    {func(a, b float64) bool { return a <= b }, apart},
	"And": {func(a, b float64) bool { return a != 0 && b != 0 }, func(a, ea, b, eb float64) bool {
		return sure(a, ea) && sure(b, eb) || sure(a, ea) && a == 0 || sure(b, eb) && b == 0
	}},
	"Or": {func(a, b float64) bool { return a != 0 || b != 0 }, func(a, ea, b, eb float64) bool {
		return sure(a, ea) && sure(b, eb) || sure(a, ea) && a != 0 || sure(b, eb) && b != 0
	}},
	"Xor": {func(a, b float64) bool { return (a != 0) != (b != 0) }, func(a, ea, b, eb float64) bool {
		return sure(a, ea) && sure(b, eb)
	}},
}

// apart reports whether the intervals do not meet.
func apart(a, ea, b, eb float64) bool { return math.Abs(a-b) > (ea+eb)*roundUp(4) }

// sure reports whether it is certain that a ± e is 0 or that it is not.
func sure(a, e float64) bool { return e == 0 || math.Abs(a) > e }

func binaryComparison[T Float](c comparisonOf) binaryFunc[T] {
	value := func(a, b T) T {
		if c.holds(float64(a), float64(b)) {
			return 1
		}
		return 0
	}
	none := func(dst, _, _, _, _ []T) { clear(dst) }
	return binaryFunc[T]{
		value: func(dst, a, b []T) {
			for i := range dst {
				dst[i] = value(a[i], b[i])
			}
		},
		left: none, right: none, truth: true,
		bound: func(a, ea, b, eb, _ float64) float64 {
			if ea == 0 && eb == 0 || c.settled(a, ea, b, eb) {
				return 0
			}
			return 1
		},
	}
}
