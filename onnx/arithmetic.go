package onnx

import (
	"math"
	"slices"

	"tattle/nn"
)

// logical operators give 0 and 1.
var logical = []string{"And", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Or", "Xor"}

// unbounded operators may have a constant ±Inf.
var unbounded = slices.Concat(logical, []string{"Add", "Max", "Min", "Sub", "Where"})

// pairwise returns the reader of an operator of two inputs that broadcast.
func pairwise(operator string) func(*nodeReader) {
	return func(r *nodeReader) {
		a, b := r.operand(0), r.operand(1)
		shape := broadcast(a.shape, b.shape)
		if a.value != nil && b.value == nil {
			r.chain(b).constant(operator, a, true, shape).end(0, shape)
			return
		}
		r.chain(a).combine(operator, b, shape).end(0, shape)
	}
}

// combine applies an operator to the chain and an operand; the result has the ONNX shape.
func (c *chain) combine(operator string, b operand, shape []int) *chain {
	if b.value != nil {
		return c.constant(operator, b, false, shape)
	}
	return c.with(operator, c.r.chain(b))
}

// with applies an operator to two tensors.
func (c *chain) with(operator string, b *chain) *chain {
	return c.then(&nn.Binary{Operator: operator}, b)
}

// constant applies an operator to the chain and a constant; the result has the ONNX shape.
func (c *chain) constant(operator string, k operand, first bool, shape []int) *chain {
	parameter := c.r.param
	if slices.Contains(unbounded, operator) {
		parameter = c.r.mask
	}
	p := broadcastable(k.value, len(inner(shape)), parameter)
	return c.then(&nn.Binary{Operator: operator, Constant: p, ConstantFirst: first})
}

// broadcastable makes a constant a parameter of at most rank dimensions: if it
// has one more, that is the batch's.
func broadcastable(v *value, rank int, parameter func(*value, string, transform) *nn.Param) *nn.Param {
	if len(v.shape) <= rank {
		return parameter(asFloats(v), "", nil)
	}
	return parameter(asFloats(v), "inner", func(shape []int, x []float32) ([]int, []float32) { return inner(shape), x })
}

// accumulate combines all inputs by an operator that commutes, an activation first.
func (r *nodeReader) accumulate(operator string) (c *chain, shape []int) {
	var all []operand
	var shapes [][]int
	for i := range r.inputs {
		all = append(all, r.operand(i))
		shapes = append(shapes, all[i].shape)
	}
	if len(all) == 0 {
		panic(malformedf("a node without inputs"))
	}
	shape = broadcast(shapes...)
	if i := slices.IndexFunc(all, func(o operand) bool { return o.value == nil }); i > 0 {
		all[0], all[i] = all[i], all[0]
	}
	c = r.chain(all[0])
	so := all[0].shape
	for _, o := range all[1:] {
		so = broadcast(so, o.shape)
		c = c.combine(operator, o, so)
	}
	return c, shape
}

// several returns the reader of an operator of any number of inputs.
func several(operator string) func(*nodeReader) {
	return func(r *nodeReader) {
		c, shape := r.accumulate(operator)
		c.end(0, shape)
	}
}

func (r *nodeReader) mean() {
	c, shape := r.accumulate("Add")
	if n := len(r.inputs); n > 1 {
		c = c.number("Div", float64(n))
	}
	c.end(0, shape)
}

// where is ONNX Where-16: a choice between two inputs by a third.
func (r *nodeReader) where() {
	all := [3]operand{r.operand(0), r.operand(1), r.operand(2)}
	shape := broadcast(all[0].shape, all[1].shape, all[2].shape)
	op := &nn.Where{}
	var inputs []*chain
	for i, p := range []**nn.Param{&op.Condition, &op.Then, &op.Else} {
		if all[i].value == nil {
			inputs = append(inputs, r.chain(all[i]))
		} else {
			*p = broadcastable(all[i].value, len(inner(shape)), r.mask)
		}
	}
	inputs[0].then(op, inputs[1:]...).end(0, shape)
}

func (r *nodeReader) foldWhere() {
	in := [3]*value{r.constant(0), r.constant(1), r.constant(2)}
	if in[0].kind == isFloat || in[1].kind != in[2].kind {
		panic(malformedf("inputs have types %s, %s and %s: they must be bool and twice the same", typeName(in[0].element), typeName(in[1].element), typeName(in[2].element)))
	}
	shape := broadcast(in[0].shape, in[1].shape, in[2].shape)
	out := r.blank(in[1].element, shape)
	layouts := [][]int{stretch(in[0].shape, shape), stretch(in[1].shape, shape), stretch(in[2].shape, shape)}
	walk(shape, layouts, func(i int, at []int) {
		from := 1
		if in[0].ints[at[0]] == 0 {
			from = 2
		}
		out.copyFrom(i, in[from], at[from])
	})
	r.set(out)
}

// binaryFold computes an operator of two constants: of floats, and of integers. A nil function
// means that the operator has no such form. Arithmetic of float32 is done in float64 and rounded
// once more, which for these operators is the same.
type binaryFold struct {
	floats func(a, b float64) float64
	ints   func(a, b int64) int64
}

var binaryFolds = map[string]binaryFold{
	"Add": {func(a, b float64) float64 { return a + b }, func(a, b int64) int64 { return a + b }},
	"Sub": {func(a, b float64) float64 { return a - b }, func(a, b int64) int64 { return a - b }},
	"Mul": {func(a, b float64) float64 { return a * b }, func(a, b int64) int64 { return a * b }},
	"Div": {func(a, b float64) float64 { return a / b }, func(a, b int64) int64 { return a / divisor(b) }}, // integers are rounded towards zero (ONNX Div-14)
	"Min": {func(a, b float64) float64 { return min(a, b) }, func(a, b int64) int64 { return min(a, b) }},
	"Max": {func(a, b float64) float64 { return max(a, b) }, func(a, b int64) int64 { return max(a, b) }},
	"Sum": {func(a, b float64) float64 { return a + b }, func(a, b int64) int64 { return a + b }},
	"And": {nil, func(a, b int64) int64 { return a & b }},
	"Or":  {nil, func(a, b int64) int64 { return a | b }},
	"Xor": {nil, func(a, b int64) int64 { return a ^ b }},
}

// divisor panics if a divisor is zero.
func divisor(b int64) int64 {
	if b == 0 {
		panic(malformedf("a division by zero"))
	}
	return b
}

// floorMod is the remainder with the divisor's sign (ONNX Mod-13, fmod 0).
func floorMod(a, b int64) int64 {
	r := a % divisor(b)
	if r != 0 && (r < 0) != (b < 0) {
		r += b
	}
	return r
}

// power is a to the b, wrapping around; fractions are rounded to zero.
func power(a, b int64) int64 {
	switch {
	case b >= 0 || a == 1:
	case a == -1:
		b = -b
	default:
		divisor(a)
		return 0
	}
	p := int64(1)
	for e := uint64(b); e > 0; e >>= 1 {
		if e&1 == 1 {
			p *= a
		}
		a *= a
	}
	return p
}

// of applies the operator to two constants that broadcast.
func (f binaryFold) of(c *constants, a, b *value) *value {
	shape := broadcastPair(a, b)
	if a.kind == isFloat && f.floats == nil || a.kind != isFloat && f.ints == nil {
		panic(malformedf("inputs of type %s", typeName(a.element)))
	}
	out := c.blank(a.element, shape)
	layouts := [][]int{stretch(a.shape, shape), stretch(b.shape, shape)}
	if a.kind == isFloat {
		walk(shape, layouts, func(i int, at []int) {
			out.floats[i] = float32(f.floats(float64(a.floats[at[0]]), float64(b.floats[at[1]])))
		})
		return out
	}
	walk(shape, layouts, func(i int, at []int) {
		out.ints[i] = wrap(f.ints(a.ints[at[0]], b.ints[at[1]]), a.element)
	})
	return out
}

// broadcastPair returns the shape of two constants of one kind together.
func broadcastPair(a, b *value) []int {
	if a.kind != b.kind {
		panic(malformedf("inputs have types %s and %s: they must be the same", typeName(a.element), typeName(b.element)))
	}
	return broadcast(a.shape, b.shape)
}

// foldBinary computes an operator of binaryFolds, of two inputs or for Min, Max and
// Sum of any number (ONNX Add-14 … Max-13).
func (r *nodeReader) foldBinary() {
	out := r.constant(0)
	if len(r.inputs) == 1 && operators[r.op].inputs == anyNumber {
		r.foldIdentity()
		return
	}
	for i := 1; i < max(2, len(r.inputs)); i++ {
		out = binaryFolds[r.op].of(&r.constants, out, r.constant(i))
	}
	r.set(out)
}

// foldMod is ONNX Mod-13.
func (r *nodeReader) foldMod() {
	how := binaryFold{nil, floorMod}
	if r.flag("fmod", false) {
		how = binaryFold{math.Mod, func(a, b int64) int64 { return a % divisor(b) }} // with the sign of a
	}
	r.set(how.of(&r.constants, r.constant(0), r.constant(1)))
}

// foldPow is ONNX Pow-15: of the base's type, whatever the exponent's.
func (r *nodeReader) foldPow() {
	a, b := r.constant(0), r.constant(1)
	if a.kind != isFloat && b.kind != isFloat {
		r.set(binaryFold{nil, power}.of(&r.constants, a, b))
		return
	}
	p := binaryFold{math.Pow, nil}.of(&r.constants, asFloats(a), asFloats(b))
	if a.kind != isFloat {
		p = r.converted(p, a.element)
	}
	r.set(p)
}

// comparisons say for which signs of a − b they hold; nothing holds for NaN.
var comparisons = map[string][3]bool{ // less, equal, greater
	"Equal":          {false, true, false},
	"Less":           {true, false, false},
	"LessOrEqual":    {true, true, false},
	"Greater":        {false, false, true},
	"GreaterOrEqual": {false, true, true},
}

// foldCompare is ONNX Equal-19, Less-13 and their like.
func (r *nodeReader) foldCompare() {
	a, b := r.constant(0), r.constant(1)
	shape := broadcastPair(a, b)
	out, holds := r.blank(typeBool, shape), comparisons[r.op]
	walk(shape, [][]int{stretch(a.shape, shape), stretch(b.shape, shape)}, func(i int, at []int) {
		if s, ok := a.compare(at[0], b, at[1]); ok && holds[s+1] {
			out.ints[i] = 1
		}
	})
	r.set(out)
}

// compare returns the sign of v[i] − b[j]; ok is false if there is none.
func (v *value) compare(i int, b *value, j int) (sign int, ok bool) {
	if v.kind == isFloat {
		x, y := v.floats[i], b.floats[j]
		return signOfDifference(x, y), x == x && y == y
	}
	return signOfDifference(v.ints[i], b.ints[j]), true
}

func signOfDifference[T int64 | float32](x, y T) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}
