package nn

import (
	"math"
	"math/big"
	"sync"

	"tattle/internal/simd"
)

// wideFunction returns a function of a double word with a bound on the error of its own.
type wideFunction func(xh, xl float64) (h, l, own float64)

// wideSmooth is a function of each entry in double words.
type wideSmooth struct {
	f     wideFunction
	slope float64 // at least that of the function everywhere
	*wideRoom
	x, y wideTensor
	part func(lo, hi int)
}

// newWideSmooth returns nil for the functions without a wide kernel. The slopes are those of
// the functions in float64.
func newWideSmooth(op *Unary, room *wideRoom) wideKernel {
	k := &wideSmooth{wideRoom: room}
	switch op.Function {
	case "Erf":
		k.f, k.slope = wideErf, 1.13 // 2/√π
	case "Gelu":
		k.f, k.slope = wideGelu, 1.13
	case "GeluTanh":
		k.f, k.slope = wideGeluTanh, 1.14
	case "Sigmoid":
		k.f, k.slope = wideSigma, .25
	case "Tanh":
		k.f, k.slope = wideTanh, 1
	case "Swish":
		k.f, k.slope = func(xh, xl float64) (h, l, own float64) { return wideSwish(xh, xl, op.Alpha) }, 1.1
	default:
		return nil
	}
	k.part = k.partRange
	return k
}

func (k *wideSmooth) wide(y wideTensor, x []wideTensor, batch int) {
	k.x, k.y, k.own = x[0], y, sized(k.own, len(y.hi))
	simd.Parallel(len(y.hi), 1+grain/64, k.part)
	for b := range batch {
		y.norm[b] = (k.slope*x[0].norm[b] + length(rowOf(k.own, b, batch))) * normUp
	}
}

// partRange: by the mean value theorem the input's error reaches the output at most slope
// times.
func (k *wideSmooth) partRange(lo, hi int) {
	up := roundUp(8)
	for i := lo; i < hi; i++ {
		h, l, own := k.f(k.x.hi[i], k.x.lo[i])
		own = own*up + underflow
		k.y.hi[i], k.y.lo[i], k.own[i] = h, l, own
		k.y.e[i] = (k.slope*k.x.e[i] + own) * up
	}
}

func wideErf(xh, xl float64) (h, l, own float64) {
	h, l = erfDouble(xh, xl)
	return h, l, erfError
}

// Numbers in double words, to u² of themselves.
var (
	rootHalf = sync.OnceValue(func() [2]float64 { return wideNumber(new(big.Float).Sqrt(bigOf(.5))) })
	tanhA    = sync.OnceValue(func() [2]float64 { // 2·√(2/π)
		pi := bigNumber("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798")
		return wideNumber(pi.Sqrt(pi.Quo(bigOf(8), pi)))
	})
)

func wideNumber(v *big.Float) [2]float64 {
	h, l := splitWide(v)
	return [2]float64{h, l}
}

// wideGelu is x·Φ(x), Φ(x) = (1 + erf(x/√2))/2. x/√2 is good to 8u², which moves erf by at most
// 8u²·max 2/√π·|t|·e^−t² < 4u²; erf's own error is 8u², and the sum, at most 2, rounds by 4u²:
// Φ is off by at most 8u², and the product by 5u² of itself.
func wideGelu(xh, xl float64) (h, l, own float64) {
	c := rootHalf()
	h, l = mulDouble(xh, xl, c[0], c[1])
	h, l = erfDouble(h, l)
	h, l = addFloat(h, l, 1)
	h, l = mulDouble(xh, xl, h/2, l/2)
	return h, l, 0x1p-103*math.Abs(xh) + mulError*math.Abs(h)
}

// sigmaError bounds the relative error of wideSigma, but for what underflows.
const sigmaError = 0x1p-100

// wideSigma is e^−x̄/(1 + e^−x̄), x̄ = |x|, where x < 0, and else 1/(1 + e^−x̄). The exponential
// is good to 16u², and 1 + e^−x̄ to half of that and 2u²; the quotient rounds by 15u²: together
// at most 41u². Beyond expReach the exponential is 0, which is off by less than underflow.
func wideSigma(xh, xl float64) (h, l, own float64) {
	eh, el := -xh, -xl
	if xh < 0 {
		eh, el = xh, xl
	}
	if eh < -expReach {
		eh, el = 0, 0
	} else {
		eh, el = expDouble(eh, el)
	}
	h, l = addFloat(eh, el, 1)
	if xh < 0 {
		h, l = divDouble(eh, el, h, l)
	} else {
		h, l = divDouble(1, 0, h, l)
	}
	return h, l, sigmaError*h + underflow
}

// wideTanh is 2σ(2x) − 1: an error of twice σ's, and the difference rounds by 2u² at most.
func wideTanh(xh, xl float64) (h, l, own float64) {
	h, l, own = wideSigma(2*xh, 2*xl)
	h, l = addFloat(2*h, 2*l, -1)
	return h, l, 2*own + addError
}

// wideSwish is x·σ(alpha·x): the argument is good to 2u², which moves σ by at most
// 2u²·max |z|·σ′(z) < u², with σ's own 64u² less than 2⁻⁹⁹, and the product rounds by 5u².
func wideSwish(xh, xl, alpha float64) (h, l, own float64) {
	zh, zl := mulFloat(xh, xl, alpha)
	return wideGate(xh, xl, zh, zl)
}

// wideGeluTanh is x·σ(z), z = 2·√(2/π)·x·(1 + b·x²), good to less than 20u²: products to 5u²
// and 2u², a sum of positive terms to 2u², products to 5u² twice and a number to u². That
// moves σ by at most 20u²·max |z|·σ′(z) < 5u².
func wideGeluTanh(xh, xl float64) (h, l, own float64) {
	a := tanhA()
	zh, zl := mulDouble(xh, xl, xh, xl)
	zh, zl = mulFloat(zh, zl, geluTanhB)
	zh, zl = addFloat(zh, zl, 1)
	zh, zl = mulDouble(zh, zl, xh, xl)
	zh, zl = mulDouble(zh, zl, a[0], a[1])
	return wideGate(xh, xl, zh, zl)
}

// wideGate is x·σ(z) where what z is off by moves σ by at most 5u².
func wideGate(xh, xl, zh, zl float64) (h, l, own float64) {
	h, l, own = wideSigma(zh, zl)
	h, l = mulDouble(xh, xl, h, l)
	return h, l, math.Abs(xh)*(own+5*unit*unit) + mulError*math.Abs(h)
}
