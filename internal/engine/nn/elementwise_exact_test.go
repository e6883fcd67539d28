package nn

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"tattle/internal/math/float16"
	"tattle/internal/shared"
)

// Functions in arithmetic of 256 bits.

func bigAdd(a, b *big.Float) *big.Float { return exact(0).Add(a, b) }
func bigSub(a, b *big.Float) *big.Float { return exact(0).Sub(a, b) }
func bigMul(a, b *big.Float) *big.Float { return exact(0).Mul(a, b) }
func bigQuo(a, b *big.Float) *big.Float { return exact(0).Quo(a, b) }
func bigNeg(a *big.Float) *big.Float    { return exact(0).Neg(a) }
func bigAbs(a *big.Float) *big.Float    { return exact(0).Abs(a) }

func bigPi() *big.Float {
	pi, _, _ := big.ParseFloat("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798", 10, exactBits, big.ToNearestEven)
	return pi
}

// bigSeries sums terms of which the first is given and each next one is −x²/ratio(n)
// times term n, all divided by weight(n).
func bigSeries(x *big.Float, first *big.Float, ratio, weight func(n float64) float64) *big.Float {
	sum, term, square := exact(0), exact(0).Set(first), bigMul(x, x)
	for n := 0.; n < 400 && (n == 0 || term.MantExp(nil) > -exactBits); n++ {
		sum.Add(sum, bigMul(term, exact(1).Quo(exact(1), exact(weight(n)))))
		term = bigNeg(bigQuo(bigMul(term, square), exact(ratio(n))))
	}
	return sum
}

func always(float64) float64 { return 1 }

func bigErf(x *big.Float) *big.Float {
	s := bigSeries(x, x, func(n float64) float64 { return n + 1 }, func(n float64) float64 { return 2*n + 1 })
	return bigQuo(bigMul(exact(2), s), exact(0).Sqrt(bigPi()))
}

func bigSin(x *big.Float) *big.Float {
	return bigSeries(x, x, func(n float64) float64 { return (2*n + 2) * (2*n + 3) }, always)
}

func bigCos(x *big.Float) *big.Float {
	return bigSeries(x, exact(1), func(n float64) float64 { return (2*n + 1) * (2*n + 2) }, always)
}

func bigSigma(x *big.Float) *big.Float {
	return bigQuo(exact(1), bigAdd(exact(1), exactExp(bigNeg(x))))
}

func bigTanh(x *big.Float) *big.Float {
	return bigSub(bigMul(exact(2), bigSigma(bigMul(exact(2), x))), exact(1))
}

func bigClamp(x *big.Float, lo, hi float64) *big.Float {
	switch {
	case x.Cmp(exact(lo)) < 0:
		return exact(lo)
	case x.Cmp(exact(hi)) > 0:
		return exact(hi)
	}
	return x
}

// bigSteps evaluates a staircase, on which a float64 next to x on either side lies as
// x does, or the test's x is one itself.
func bigSteps(f func(float64) float64) func(o *Unary, x *big.Float) *big.Float {
	return func(_ *Unary, x *big.Float) *big.Float {
		near, _ := x.Float64()
		return exact(f(near))
	}
}

// plainly is a function without settings.
func plainly(f func(x *big.Float) *big.Float) func(o *Unary, x *big.Float) *big.Float {
	return func(_ *Unary, x *big.Float) *big.Float { return f(x) }
}

var exactUnary = map[string]func(o *Unary, x *big.Float) *big.Float{
	"Sqrt":    plainly(func(x *big.Float) *big.Float { return exact(0).Sqrt(x) }),
	"Exp":     plainly(exactExp),
	"Log":     plainly(bigLog),
	"Erf":     plainly(bigErf),
	"Sin":     plainly(bigSin),
	"Cos":     plainly(bigCos),
	"Neg":     plainly(bigNeg),
	"Abs":     plainly(bigAbs),
	"Sigmoid": plainly(bigSigma),
	"Tanh":    plainly(bigTanh),
	"HardSwish": plainly(func(x *big.Float) *big.Float {
		return bigQuo(bigMul(x, bigClamp(bigAdd(x, exact(3)), 0, 6)), exact(6))
	}),
	"Gelu": plainly(func(x *big.Float) *big.Float {
		return bigMul(x, bigQuo(bigAdd(exact(1), bigErf(bigQuo(x, exact(0).Sqrt(exact(2))))), exact(2)))
	}),
	"Clip":  func(o *Unary, x *big.Float) *big.Float { return bigClamp(x, o.Alpha, o.Beta) },
	"Floor": bigSteps(math.Floor), "Ceil": bigSteps(math.Ceil), "Round": bigSteps(math.RoundToEven), "Sign": bigSteps(signOf),
	"Float16": bigSteps(float16.Half.Round), "BFloat16": bigSteps(float16.Brain.Round),
}

// exactPair are the operators of two numbers, for a > 0 if they are powers.
var exactPair = map[string]func(a, b *big.Float) *big.Float{
	"Add": bigAdd, "Sub": bigSub, "Mul": bigMul, "Div": bigQuo,
	"Pow": func(a, b *big.Float) *big.Float { return exactExp(bigMul(b, bigLog(a))) },
	"Min": func(a, b *big.Float) *big.Float {
		if a.Cmp(b) < 0 {
			return a
		}
		return b
	},
	"Max": func(a, b *big.Float) *big.Float {
		if a.Cmp(b) > 0 {
			return a
		}
		return b
	},
	"Equal":          truthOf(func(a, b *big.Float) bool { return a.Cmp(b) == 0 }),
	"Less":           truthOf(func(a, b *big.Float) bool { return a.Cmp(b) < 0 }),
	"LessOrEqual":    truthOf(func(a, b *big.Float) bool { return a.Cmp(b) <= 0 }),
	"Greater":        truthOf(func(a, b *big.Float) bool { return a.Cmp(b) > 0 }),
	"GreaterOrEqual": truthOf(func(a, b *big.Float) bool { return a.Cmp(b) >= 0 }),
	"And":            truthOf(func(a, b *big.Float) bool { return a.Sign() != 0 && b.Sign() != 0 }),
	"Or":             truthOf(func(a, b *big.Float) bool { return a.Sign() != 0 || b.Sign() != 0 }),
	"Xor":            truthOf(func(a, b *big.Float) bool { return (a.Sign() != 0) != (b.Sign() != 0) }),
}

// truthOf is 1 where the condition holds and 0 elsewhere.
func truthOf(holds func(a, b *big.Float) bool) func(a, b *big.Float) *big.Float {
	return func(a, b *big.Float) *big.Float {
		if holds(a, b) {
			return exact(1)
		}
		return exact(0)
	}
}

// roundoffOf runs a kernel and returns its values and bounds.
func roundoffOf(op Op, in [][]int, x, ex [][]float64, batch, n int) (y, ey []float64) {
	k := op.kernel64(in...)
	f := &frame[float64]{batch: batch, x: x, y: make([]float64, batch*n)}
	k.forward(f)
	ey = make([]float64, batch*n)
	round(rounderOf(op, k, in...), f, ey, ex)
	return f.y, ey
}

func TestUnaryRoundoff(t *testing.T) {
	shared.Long(t, "rounding errors of every function")
	for _, op := range unaryCases() {
		next, marks := 0, []float64{0, 1, -1, 3, -3, 5.5, -7, 20.5, -25}
		draw := func(v float64) float64 {
			if v *= 2; next < len(marks) {
				v = marks[next]
				next++
			}
			switch f := op.Function; {
			case positiveOnly(op):
				v = .5 + math.Abs(v)
			case f == "Erf" || f == "Gelu": // the series is of no use far out
				v /= 1 + math.Abs(v)/8
			}
			return v
		}
		slack := 1e3
		if isStep(op) {
			slack = math.Inf(1)
		}
		testExact(t, op, slack, draw, []int{40})
	}
}

// TestPowerRoundoff holds the powers with constant exponents, of bases of both signs and
// of those that may be 0.
func TestPowerRoundoff(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 8))
	for _, exponent := range []float64{0, 1, 2, 3, 7, .5} {
		op := &Binary{Operator: "Pow", Constant: &Param{Shape: []int{}, Data: []float32{float32(exponent)}}}
		for _, spread := range []float64{0, 1e-15, 1e-6, .2} {
			x, e := randomSlice[float64](r, 40, 1), make([]float64, 40)
			x[0] = 0
			for i := range x {
				e[i] = spread * r.Float64()
				if exponent == .5 {
					x[i] = math.Abs(x[i])
				}
			}
			y, ey := roundoffOf(op, [][]int{{40}}, [][]float64{x}, [][]float64{e}, 1, 40)
			for i, v := range x {
				if math.IsInf(ey[i], 1) {
					if exponent != .5 || v > e[i] {
						t.Errorf("%v ± %v to the power %v has no bound", v, e[i], exponent)
					}
					continue
				}
				for range 3 {
					c := &boundCheck{t: t, what: "power"}
					c.add(y[i], ey[i], bigPower(sideOf(r, v, e[i]), exponent))
				}
			}
		}
	}
}

func bigPower(x *big.Float, n float64) *big.Float {
	if n == .5 {
		return exact(0).Sqrt(x)
	}
	p := exact(1)
	for range int(n) {
		p.Mul(p, x)
	}
	return p
}

// TestDecisionRoundoff holds that what comparisons and choices may become is said, and
// nothing else.
func TestDecisionRoundoff(t *testing.T) {
	one := func(op Op, x, e []float64) float64 {
		in, xs, es := make([][]int, len(x)), make([][]float64, len(x)), make([][]float64, len(x))
		for i := range x {
			in[i], xs[i], es[i] = []int{1}, x[i:i+1], e[i:i+1]
		}
		_, ey := roundoffOf(op, in, xs, es, 1, 1)
		return ey[0]
	}
	for _, c := range []struct {
		op         Op
		x, e       []float64
		want, slop float64
	}{
		{&Binary{Operator: "Less"}, []float64{1, 2}, []float64{.4, .5}, 0, 0},
		{&Binary{Operator: "Less"}, []float64{1, 2}, []float64{.5, .5}, 1, 0},
		{&Binary{Operator: "Equal"}, []float64{1, 1}, []float64{0, 0}, 0, 0},
		{&Binary{Operator: "Equal"}, []float64{1, 1}, []float64{0, 1e-9}, 1, 0},
		{&Binary{Operator: "And"}, []float64{0, .1}, []float64{0, 1}, 0, 0},
		{&Binary{Operator: "And"}, []float64{1, .1}, []float64{0, 1}, 1, 0},
		{&Binary{Operator: "Or"}, []float64{1, .1}, []float64{.5, 1}, 0, 0},
		{&Binary{Operator: "Xor"}, []float64{1, .1}, []float64{.5, 1}, 1, 0},
		{&Where{}, []float64{1, 5, 7}, []float64{.5, .1, .2}, .1, 0},
		{&Where{}, []float64{0, 5, 7}, []float64{0, .1, .2}, .2, 0},
		{&Where{}, []float64{1, 5, 7}, []float64{2, .1, .2}, 2.2, 1e-14},
		{&Binary{Operator: "Max"}, []float64{1, 5}, []float64{1, .1}, .1, 1e-14},
		{&Binary{Operator: "Max"}, []float64{1, 2}, []float64{1, .1}, 1, 1e-14},
		{&Unary{Function: "Floor"}, []float64{1.5}, []float64{.4}, 0, 0},
		{&Unary{Function: "Floor"}, []float64{1.5}, []float64{1.6}, 2, 1e-14},
		{&Unary{Function: "Round"}, []float64{.5}, []float64{.1}, 1, 1e-14},
		{&Unary{Function: "Sign"}, []float64{.5}, []float64{1}, 2, 1e-14},
		{&Binary{Operator: "Div"}, []float64{1, .5}, []float64{0, .5}, math.Inf(1), 0},
		{&Binary{Operator: "Pow"}, []float64{.5, .3}, []float64{.5, 0}, math.Inf(1), 0},
		{&Unary{Function: "Sqrt"}, []float64{.5}, []float64{.6}, math.Inf(1), 0},
		{&Unary{Function: "Exp"}, []float64{709}, []float64{5}, math.Inf(1), 0},
	} {
		if got := one(c.op, c.x, c.e); got != c.want && !(math.Abs(got-c.want) <= c.slop) {
			t.Errorf("%+v of %v ± %v: bound %v, want %v", c.op, c.x, c.e, got, c.want)
		}
	}
}
