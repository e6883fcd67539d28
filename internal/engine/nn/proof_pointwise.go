package nn

import "math"

// wideOp is an operator with a form in pairs of its own, nil where its settings have none.
type wideOp interface {
	wideForm(in [][]int) wideKernel
}

// mover is a kernel whose outputs are copies of inputs or constants. Its Jacobian products put zeros
// where outputs are constants.
type mover interface{ moves() }

// wideOf returns the form in pairs of a step with that rounder, or nil.
func wideOf(s *step[float64], r rounder, room *wideRoom) wideKernel {
	if sums, ok := r.(*linear); ok && sums.depth > 0 {
		return &wideAffine{linear: sums, in: s.shapes[0], wideRoom: room}
	}
	if op, ok := s.op.(wideOp); ok {
		return op.wideForm(s.shapes)
	}
	if _, ok := s.kernel.(mover); ok {
		return &wideCopy{kernel: s.kernel}
	}
	return nil
}

// wideCopy is a mover in pairs: its float64 kernel copies each part.
type wideCopy struct {
	kernel kernel[float64]
	frame  frame[float64]
	dx     [][]float64
}

func (k *wideCopy) wide(y wideTensor, x []wideTensor, batch int) {
	f := &k.frame
	f.batch, f.y, f.x = batch, y.hi, f.x[:0]
	for _, t := range x {
		f.x = append(f.x, t.hi)
	}
	k.kernel.forward(f)
	k.product(y.lo, x, func(t wideTensor) []float64 { return t.lo })
	k.product(y.e, x, func(t wideTensor) []float64 { return t.e })
}

func (k *wideCopy) product(dy []float64, x []wideTensor, part func(wideTensor) []float64) {
	k.dx = k.dx[:0]
	for _, t := range x {
		k.dx = append(k.dx, part(t))
	}
	k.kernel.jvp(&k.frame, dy, k.dx, 1)
}

// wideEntry is an entry in pairs with its bound.
type wideEntry struct{ h, l, e float64 }

func (t wideTensor) at(i int) wideEntry { return wideEntry{t.hi[i], t.lo[i], t.e[i]} }

func (t wideTensor) set(i int, v wideEntry) { t.hi[i], t.lo[i], t.e[i] = v.h, v.l, v.e }

func (v wideEntry) negated() wideEntry { return wideEntry{-v.h, -v.l, v.e} }

func (v wideEntry) less(w wideEntry) bool { return v.h < w.h || v.h == w.h && v.l < w.l }

// wideUnary is a function of each entry in pairs.
type wideUnary func(x wideEntry) wideEntry

func (f wideUnary) wide(y wideTensor, x []wideTensor, _ int) {
	for i := range x[0].hi {
		y.set(i, f(x[0].at(i)))
	}
}

func (o *ReLU) wideForm([][]int) wideKernel { return wideLeaky(o.Slope) }

// wideLeaky: the bound is max(1, |slope|) times ex where x̂ ± ex lies on both sides of 0. With a slope of 0,
// what is certainly negative is exactly 0.
func wideLeaky(slope float64) wideUnary {
	s, up := math.Abs(slope), roundUp(4)
	return func(x wideEntry) wideEntry {
		sure := x.e < math.Abs(x.h)*(1-0x1p-50)
		switch {
		case x.h > 0:
			if !sure && s > 1 {
				x.e *= s * up
			}
			return x
		case sure && s == 0:
			return wideEntry{}
		}
		reach := s
		if !sure {
			reach = max(1, s)
		}
		h, l := mulFloat(x.h, x.l, slope)
		return wideEntry{h, l, up*(reach*x.e+addError*math.Abs(h)) + underflow}
	}
}

func (o *Unary) wideForm([][]int) wideKernel {
	switch o.Function {
	case "Neg":
		return wideUnary(wideEntry.negated)
	case "Abs":
		return wideUnary(func(x wideEntry) wideEntry {
			if x.h < 0 {
				return x.negated()
			}
			return x
		})
	case "Clip":
		return wideUnary(func(x wideEntry) wideEntry { return wideClip(x, o.Alpha, o.Beta) })
	}
	return nil
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

// wideBinary is a Binary in pairs.
type wideBinary struct {
	*layout
	op    *Binary
	apply func(a, b wideEntry) wideEntry
	zeros []float64 // of the constant: lo and errors
}

// wideOperators are the operators in pairs: the errors of the operands, as far as they reach the
// result, and its own.
var wideOperators = map[string]func(a, b wideEntry) wideEntry{
	"Add": wideSum,
	"Sub": func(a, b wideEntry) wideEntry { return wideSum(a, b.negated()) },
	"Mul": wideProduct,
	"Div": wideQuotient,
	"Min": func(a, b wideEntry) wideEntry { return wideMost(a.negated(), b.negated()).negated() },
	"Max": wideMost,
}

func wideSum(a, b wideEntry) wideEntry {
	h, l := addDouble(a.h, a.l, b.h, b.l)
	return wideEntry{h, l, roundUp(4) * (a.e + b.e + addError*math.Abs(h))}
}

// wideMost is the larger one, which moves by no more than either does.
func wideMost(a, b wideEntry) wideEntry {
	e := max(a.e, b.e)
	if a.less(b) {
		a = b
	}
	return wideEntry{a.h, a.l, e}
}

// wideProduct: |â·b̂ − a·b| ≤ |â|·eb + |b̂|·ea + ea·eb, and mulDouble's own error.
func wideProduct(a, b wideEntry) wideEntry {
	h, l := mulDouble(a.h, a.l, b.h, b.l)
	e := math.Abs(a.h)*b.e + math.Abs(b.h)*a.e + a.e*b.e + mulError*math.Abs(h)
	return wideEntry{h, l, e*(1+10*unit) + underflow}
}

// wideQuotient is a/b where b is an exact float64.
func wideQuotient(a, b wideEntry) wideEntry {
	h, l := divFloat(a.h, a.l, b.h)
	return wideEntry{h, l, (a.e/math.Abs(b.h)+mulError*math.Abs(h))*(1+8*unit) + underflow}
}

func (o *Binary) wideForm(in [][]int) wideKernel {
	k := &wideBinary{op: o, apply: wideOperators[o.Operator]}
	shapes, err := operandShapes(in, o.Constants())
	if k.apply == nil || err != nil || o.Operator == "Div" && (o.Constant == nil || o.ConstantFirst) {
		return nil
	}
	k.layout = newLayout(shapes...)
	return k
}

func (k *wideBinary) wide(y wideTensor, x []wideTensor, batch int) {
	operands, step := [2]wideTensor{x[0], x[len(x)-1]}, k.sizes // from one example to the next
	if c := k.op.Constant; c != nil {
		i := 1
		if k.op.ConstantFirst {
			i, operands[1] = 0, x[0]
		}
		if len(k.zeros) < len(c.Data) {
			k.zeros = make([]float64, len(c.Data))
		}
		operands[i], step[i] = wideTensor{values[float64](c), k.zeros, k.zeros}, 0
	}
	for row := range batch {
		for _, r := range k.runs {
			i, j, o := row*step[0]+r.at[0], row*step[1]+r.at[1], row*k.out+r.out
			for range r.n {
				y.set(o, k.apply(operands[0].at(i), operands[1].at(j)))
				o++
				if !k.single[0] {
					i++
				}
				if !k.single[1] {
					j++
				}
			}
		}
	}
}

// wideMax is MaxPool in pairs, which rounds nothing: a maximum moves by no
// more than the entries do.
type wideMax struct{ poolPlan }

func (p *MaxPool) wideForm(in [][]int) wideKernel {
	return wideMax{newPoolPlan(p.Kernel, p.Stride, p.Dilation, p.Pad, in)}
}

func (k wideMax) wide(y wideTensor, x []wideTensor, batch int) {
	k.eachPlane(batch, func(p int) {
		for o := range k.outHW {
			rows, columns := k.rows[o/k.outW], k.columns[o%k.outW]
			best := x[0].at(p*k.inHW + rows.lo*k.inW + columns.lo)
			for h := rows.lo; h < rows.hi; h += k.dilH {
				for w := columns.lo; w < columns.hi; w += k.dilW {
					best = wideMost(best, x[0].at(p*k.inHW+h*k.inW+w))
				}
			}
			y.set(p*k.outHW+o, best)
		}
	})
}
