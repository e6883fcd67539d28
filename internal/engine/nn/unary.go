package nn

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// Unary applies a function of one number to each entry: one of [UnaryFunctions],
// by the name of the ONNX operator that it is. Clip is min(max(x, Alpha), Beta), with ±Inf
// for no limit; the others have no settings. Log is the natural logarithm, −Inf at 0 and
// NaN below, so that 0·Log(0) is NaN. Gelu is x·Φ(x), exactly. Round goes to even.
// Float16 and BFloat16 round to these formats, to even, as a cast there and back does.
// Where the derivative jumps it is PyTorch's there: 0 for Abs and Sign, 1 at the limits of Clip, −½ and 1 at those of HardSwish.
// Of steps it is 0 everywhere, but for Float16 and BFloat16, where it is taken to be 1.
type Unary struct {
	Function    string
	Alpha, Beta float64
}

// UnaryFunctions returns the names that [Unary] knows, sorted.
func UnaryFunctions() []string {
	return slices.Sorted(slices.Values(append(slices.Collect(maps.Keys(unaryFuncs)), "Clip")))
}

// Kind returns the function's name.
func (o *Unary) Kind() string { return o.Function }

// Shape returns the input's shape. It returns an error if the function is unknown or its
// settings are not numbers it takes.
func (o *Unary) Shape(inputs ...[]int) ([]int, error) {
	if o.function() == nil {
		return nil, fmt.Errorf("function %q is not one of %q", o.Function, UnaryFunctions())
	}
	if math.IsNaN(o.Alpha) || math.IsNaN(o.Beta) {
		return nil, fmt.Errorf("settings %v and %v are not numbers", o.Alpha, o.Beta)
	}
	return oneInput(inputs)
}

func (o *Unary) kernel32(...[]int) kernel[float32] {
	c := o.function()
	k := newUnary[float32](c)
	if c.value32 != nil {
		k.apply = func(dst, _, x []float32) { c.value32(dst, x) }
	}
	if c.slope32 != nil {
		k.product = c.slope32
	}
	return k
}

func (o *Unary) kernel64(...[]int) kernel[float64] { return newUnary[float64](o.function()) }

// unaryFunc is a function of one number with all that its kernel needs, in float64.
type unaryFunc struct {
	value, slope func(x float64) float64

	// steepest is at least |slope| everywhere on [lo, hi], and loss at least the
	// error of the computed value y at x, in units of u: 16·|y| where it is nil.
	steepest func(lo, hi float64) float64
	loss     func(x, y float64) float64

	// bound, where it is not nil, takes the place of both: the whole error of y for
	// an x that is off by at most e, but for what underflow does.
	bound  func(x, y, e float64) float64
	rounds int  // of its computation, the larger of 6 and these
	steps  bool // a staircase: constant but for jumps, with exact values, which do not underflow

	// The same for float32, many at a time; nil if value and slope serve. Slices
	// may be the same one.
	value32 func(dst, x []float32)
	slope32 func(dst, d, x []float32) // dst = d·slope(x)
}

// elementwise is what the kernels of operators of one number share: passes for the
// values and for products with the slopes.
type elementwise[T Float] struct{ apply, product pass[T] }

func (k *elementwise[T]) inPlace() {}

func (k *elementwise[T]) forward(f *frame[T]) { k.apply.run(f.y, f.x[0], f.x[0], f.batch, 1) }

func (k *elementwise[T]) jvp(f *frame[T], dy []T, dx [][]T, n int) {
	k.product.run(dy, dx[0], f.x[0], f.batch, n)
}

func (k *elementwise[T]) vjp(f *frame[T], dx [][]T, dy []T, n int) {
	if dx[0] != nil {
		k.product.run(dx[0], dy, f.x[0], f.batch, n)
	}
}

// unary is the kernel of a Unary.
type unary[T Float] struct {
	elementwise[T]
	c *unaryFunc
}

func newUnary[T Float](c *unaryFunc) *unary[T] {
	return &unary[T]{c: c, elementwise: elementwise[T]{
		apply: func(dst, _, x []T) {
			for i, v := range x {
				dst[i] = T(c.value(float64(v)))
			}
		},
		product: func(dst, d, x []T) {
			for i, v := range x {
				dst[i] = T(float64(d[i]) * c.slope(float64(v)))
			}
		},
	}}
}

func (k *unary[T]) handsOn() {}

// roundoff: by the mean value theorem f moves over x̂ ± e by at most e times the
// steepest slope there, and what the computed ŷ loses comes on top. The ends of the
// interval are rounded outwards, and 2⁻⁴² is allowed for the rounding of the steepest
// slope. At ±∞ there are only limits, 0, ±1 or a setting, of which a product is rounded
// at most.
func (k *unary[T]) roundoff(f *frame[float64], ey []float64, ex [][]float64) {
	c, up := k.c, roundUp(max(6, k.c.rounds))
	for i, x := range f.x[0] {
		y, e := f.y[i], ex[0][i]
		var b float64
		switch {
		case math.IsInf(x, 0) && e == 0:
			b = c.limitBound(x, y)
		case math.IsInf(y, 0):
			b = math.Inf(1)
		case c.bound != nil:
			b = c.bound(x, y, e)
		default:
			b = unit * c.lossAt(x, y)
			if e > 0 {
				lo, hi := around(x, e)
				b += e * c.steepest(lo, hi) * (1 + 0x1p-42)
			}
		}
		ey[i] = up * b
		if !c.steps {
			ey[i] += underflow
		}
		if math.IsNaN(ey[i]) {
			ey[i] = math.Inf(1)
		}
	}
}

// limitBound is the error of y, the value at x = ±∞.
func (c *unaryFunc) limitBound(x, y float64) float64 {
	if math.IsInf(y, 0) || c.bound != nil && c.bound(x, y, 0) == 0 {
		return 0
	}
	return 4 * unit * math.Abs(y)
}

func (c *unaryFunc) lossAt(x, y float64) float64 {
	if c.loss == nil {
		return 16 * math.Abs(y)
	}
	return c.loss(x, y)
}

// around returns ends between which x ± e lies.
func around(x, e float64) (lo, hi float64) {
	if e == 0 {
		return x, x
	}
	return math.Nextafter(x-e, math.Inf(-1)), math.Nextafter(x+e, math.Inf(1))
}
