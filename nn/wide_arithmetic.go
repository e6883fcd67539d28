package nn

import (
	"math"
	"slices"
)

// wideEntry is an entry in double words with its bound.
type wideEntry struct{ h, l, e float64 }

// wideBinary is Binary in double words for the operators that are polynomials
// or piecewise linear.
type wideBinary struct {
	apply    func(a, b wideEntry) wideEntry
	constant *Param
	first    bool
	layout   *layout
}

// wideOperators are the operators with two operands in double words: the errors of the
// operands, as far as they reach the result, and its own.
var wideOperators = map[string]func(a, b wideEntry) wideEntry{
	"Add": func(a, b wideEntry) wideEntry {
		h, l := addDouble(a.h, a.l, b.h, b.l)
		return wideEntry{h, l, (a.e + b.e + addError*math.Abs(h)) * (1 + 4*unit)}
	},
	"Sub": func(a, b wideEntry) wideEntry {
		h, l := addDouble(a.h, a.l, -b.h, -b.l)
		return wideEntry{h, l, (a.e + b.e + addError*math.Abs(h)) * (1 + 4*unit)}
	},
	"Mul": wideProduct,
	"Min": func(a, b wideEntry) wideEntry {
		if a.h > b.h || a.h == b.h && a.l > b.l {
			a = wideEntry{b.h, b.l, max(a.e, b.e)}
		}
		return wideEntry{a.h, a.l, max(a.e, b.e)}
	},
	"Max": func(a, b wideEntry) wideEntry {
		if a.h < b.h || a.h == b.h && a.l < b.l {
			a = wideEntry{b.h, b.l, max(a.e, b.e)}
		}
		return wideEntry{a.h, a.l, max(a.e, b.e)}
	},
}

// wideSum is the sum of two inputs of one shape.
func wideSum(a, b wideEntry) wideEntry {
	h, l := addDouble(a.h, a.l, b.h, b.l)
	return wideEntry{h, l, roundUp(4) * (a.e + b.e + addError*math.Abs(h))}
}

// wideProduct: |â·b̂ − a·b| ≤ |â|·eb + |b̂|·ea + ea·eb, and mulDouble's own error.
func wideProduct(a, b wideEntry) wideEntry {
	h, l := mulDouble(a.h, a.l, b.h, b.l)
	e := math.Abs(a.h)*b.e + math.Abs(b.h)*a.e + a.e*b.e + mulError*math.Abs(h)
	return wideEntry{h, l, e*(1+10*unit) + underflow}
}

// wideQuotient is a/b where b is exact.
func wideQuotient(a, b wideEntry) wideEntry {
	h, l := divFloat(a.h, a.l, b.h)
	return wideEntry{h, l, (a.e/math.Abs(b.h)+mulError*math.Abs(h))*(1+8*unit) + underflow}
}

// newWideBinary returns nil for the other operators.
func newWideBinary(op *Binary, in [][]int) wideKernel {
	k := &wideBinary{apply: wideOperators[op.Operator], constant: op.Constant, first: op.ConstantFirst}
	if op.Operator == "Div" && op.Constant != nil && !op.ConstantFirst {
		k.apply = wideQuotient
	}
	if op.Operator == "Add" && op.Constant == nil && slices.Equal(in[0], in[1]) {
		k.apply = wideSum
	}
	shapes, err := operandShapes(in, op.constants())
	if k.apply == nil || err != nil {
		return nil
	}
	k.layout = newLayout(shapes...)
	return k
}

// wideOperand is a tensor or, without bounds, a constant.
type wideOperand struct {
	wideTensor
	stride int // from one example to the next
}

func (o wideOperand) at(i int) wideEntry {
	if o.e == nil {
		return wideEntry{h: o.hi[i]}
	}
	return wideEntry{o.hi[i], o.lo[i], o.e[i]}
}

func (k *wideBinary) wide(y wideTensor, x []wideTensor, batch int) {
	a := wideOperand{x[0], k.layout.sizes[0]}
	var b wideOperand
	switch {
	case k.constant == nil:
		b = wideOperand{x[1], k.layout.sizes[1]}
	case k.first:
		a, b = wideOperand{wideTensor: wideTensor{hi: values[float64](k.constant)}}, wideOperand{x[0], k.layout.sizes[1]}
	default:
		b = wideOperand{wideTensor: wideTensor{hi: values[float64](k.constant)}}
	}
	for row := range batch {
		for _, r := range k.layout.runs {
			k.run(y, a, b, row, r)
		}
	}
}

// run computes one stretch of one example.
func (k *wideBinary) run(y wideTensor, a, b wideOperand, row int, r stretch) {
	step := [2]int{1, 1}
	for i := range step {
		if k.layout.single[i] {
			step[i] = 0
		}
	}
	i, j, o := row*a.stride+r.at[0], row*b.stride+r.at[1], row*k.layout.out+r.out
	for n := range r.n {
		e := k.apply(a.at(i+n*step[0]), b.at(j+n*step[1]))
		y.hi[o+n], y.lo[o+n], y.e[o+n] = e.h, e.l, e.e
	}
}

// wideUnary is a function of each entry in double words.
type wideUnary func(x wideEntry) wideEntry

// newWideUnary returns nil for the functions that are neither piecewise linear nor steps.
func newWideUnary(op *Unary) wideKernel {
	switch op.Function {
	case "Neg":
		return wideUnary(func(x wideEntry) wideEntry { return wideEntry{-x.h, -x.l, x.e} })
	case "Abs":
		return wideUnary(func(x wideEntry) wideEntry {
			if x.h < 0 {
				return wideEntry{-x.h, -x.l, x.e}
			}
			return x
		})
	case "Clip":
		return wideUnary(func(x wideEntry) wideEntry { return wideClip(x, op.Alpha, op.Beta) })
	}
	if c := unaryFuncs[op.Function](op); c.steps && c.bound != nil {
		return wideUnary(func(x wideEntry) wideEntry { return wideStep(x, c) })
	}
	return nil
}

// wideStep is a function that is constant but for jumps: of x̂ = h + l, the value at h, and
// as its error the bound for an h that is off by |l| too.
func wideStep(x wideEntry, c *unaryFunc) wideEntry {
	y := c.value(x.h)
	return wideEntry{h: y, e: c.bound(x.h, y, (x.e+math.Abs(x.l))*(1+0x1p-50))}
}

// wideClip is min(max(x, least), most), whose error is 0 if all of x̂ ± ex is on one
// side of both, and at most ex otherwise.
func wideClip(x wideEntry, least, most float64) wideEntry {
	sure := x.e*(1+0x1p-50) + math.Abs(x.h)*0x1p-50
	if x.h < least || x.h == least && x.l < 0 {
		y := wideEntry{h: least, e: x.e}
		if x.h+sure < least && least <= most {
			y.e = 0
		}
		x = y
	}
	if x.h > most || x.h == most && x.l > 0 {
		y := wideEntry{h: most, e: x.e}
		if x.h-sure > most {
			y.e = 0
		}
		x = y
	}
	return x
}

func (f wideUnary) wide(y wideTensor, x []wideTensor, _ int) {
	for i, h := range x[0].hi {
		e := f(wideEntry{h, x[0].lo[i], x[0].e[i]})
		y.hi[i], y.lo[i], y.e[i] = e.h, e.l, e.e
	}
}
