package onnx

import "math"

// binaryFolds are the operators of two tensors that broadcast: the function of
// floats, where there is one, and the one of integers, which errs by returning false.
// Arithmetic of float32 is done in float64 and rounded once more, which for these
// operators is the same.
var binaryFolds = map[string]struct {
	floats func(a, b float64) float64
	ints   func(a, b int64) (int64, bool)
}{
	"Add": {func(a, b float64) float64 { return a + b }, func(a, b int64) (int64, bool) { return a + b, true }},
	"Sub": {func(a, b float64) float64 { return a - b }, func(a, b int64) (int64, bool) { return a - b, true }},
	"Mul": {func(a, b float64) float64 { return a * b }, func(a, b int64) (int64, bool) { return a * b, true }},
	"Div": {func(a, b float64) float64 { return a / b }, truncated},
	"Min": {func(a, b float64) float64 { return min(a, b) }, func(a, b int64) (int64, bool) { return min(a, b), true }},
	"Max": {func(a, b float64) float64 { return max(a, b) }, func(a, b int64) (int64, bool) { return max(a, b), true }},
	"Sum": {func(a, b float64) float64 { return a + b }, func(a, b int64) (int64, bool) { return a + b, true }},
	"And": {nil, func(a, b int64) (int64, bool) { return a & b, true }},
	"Or":  {nil, func(a, b int64) (int64, bool) { return a | b, true }},
	"Xor": {nil, func(a, b int64) (int64, bool) { return a ^ b, true }},
}

// truncated divides rounding towards zero, as ONNX Div-14 does integers.
func truncated(a, b int64) (int64, bool) {
	if b == 0 {
		return 0, false
	}
	return a / b, true
}

// floored is the remainder with the divisor's sign (ONNX Mod-13, fmod 0).
func floored(a, b int64) (int64, bool) {
	if b == 0 {
		return 0, false
	}
	r := a % b
	if r != 0 && (r < 0) != (b < 0) {
		r += b
	}
	return r, true
}

// remainder has the dividend's sign (ONNX Mod-13, fmod 1).
func remainder(a, b int64) (int64, bool) {
	if b == 0 {
		return 0, false
	}
	return a % b, true
}

// compareFolds say for which signs of a − b they hold; nothing holds for NaN.
var compareFolds = map[string][3]bool{ // less, equal, greater
	"Equal":          {false, true, false},
	"Less":           {true, false, false},
	"LessOrEqual":    {true, true, false},
	"Greater":        {false, false, true},
	"GreaterOrEqual": {false, true, true},
}

// pair returns two inputs that must be of one kind, and what they broadcast to.
func (c *calculation) pair(a, b *value) (shape []int, err error) {
	if a.kind != b.kind {
		return nil, malformed("inputs are of %s and %s", typeName(a.element), typeName(b.element))
	}
	return broadcast(a.shape, b.shape)
}

// combine applies a function of integers or floats to two constants.
func (c *calculation) combine(a, b *value, floats func(a, b float64) float64, ints func(a, b int64) (int64, bool)) (*value, error) {
	shape, err := c.pair(a, b)
	if err != nil {
		return nil, err
	}
	if a.kind == isFloat && floats == nil || a.kind != isFloat && ints == nil {
		return nil, malformed("inputs are of %s", typeName(a.element))
	}
	out, err := c.blank(a.element, shape)
	if err != nil {
		return nil, err
	}
	layouts := [][]int{stretch(a.shape, shape), stretch(b.shape, shape)}
	if a.kind == isFloat {
		walk(shape, layouts, func(i int, at []int) {
			out.floats[i] = float32(floats(float64(a.floats[at[0]]), float64(b.floats[at[1]])))
		})
		return out, nil
	}
	good := true
	walk(shape, layouts, func(i int, at []int) {
		v, ok := ints(a.ints[at[0]], b.ints[at[1]])
		out.ints[i], good = wrap(v, a.element), good && ok
	})
	if !good {
		return nil, malformed("divides by zero")
	}
	return out, nil
}

// foldBinary folds one operator of binaryFolds, of two inputs or for Min, Max and
// Sum of any number (ONNX Add-14 … Max-13).
func foldBinary(c *calculation) ([]*value, error) {
	how := binaryFolds[c.op]
	out, err := c.arg(0)
	if err != nil {
		return nil, err
	}
	if len(c.in) == 1 && (c.op == "Min" || c.op == "Max" || c.op == "Sum") {
		return foldIdentity(c)
	}
	for i := 1; i < max(2, len(c.in)); i++ {
		b, err := c.arg(i)
		if err != nil {
			return nil, err
		}
		if out, err = c.combine(out, b, how.floats, how.ints); err != nil {
			return nil, err
		}
	}
	return one(out, nil)
}

// foldMod is ONNX Mod-13.
func foldMod(c *calculation) ([]*value, error) {
	a, err := c.arg(0)
	if err != nil {
		return nil, err
	}
	b, err := c.arg(1)
	if err != nil {
		return nil, err
	}
	c99, err := c.flag("fmod", false)
	switch {
	case err != nil:
		return nil, err
	case c99:
		return one(c.combine(a, b, math.Mod, remainder))
	}
	return one(c.combine(a, b, nil, floored))
}

// foldPow is ONNX Pow-15: of the base's type, whatever the exponent's.
func foldPow(c *calculation) ([]*value, error) {
	a, err := c.arg(0)
	if err != nil {
		return nil, err
	}
	b, err := c.arg(1)
	if err != nil {
		return nil, err
	}
	switch {
	case a.kind == isFloat:
		return one(c.combine(a, asFloats(b), math.Pow, nil))
	case b.kind == isFloat:
		p, err := c.combine(asFloats(a), b, math.Pow, nil)
		if err != nil {
			return nil, err
		}
		return one(c.cast(p, a.element))
	}
	return one(c.combine(a, b, nil, power))
}

// power is a to the b, wrapping around; 1/a is rounded to zero.
func power(a, b int64) (int64, bool) {
	switch {
	case b >= 0 || a == 1:
	case a == -1:
		b = -b
	case a == 0:
		return 0, false
	default:
		return 0, true
	}
	p := int64(1)
	for e := uint64(b); e > 0; e >>= 1 {
		if e&1 == 1 {
			p *= a
		}
		a *= a
	}
	return p, true
}

// foldCompare is ONNX Equal-19, Less-13 and their like.
func foldCompare(c *calculation) ([]*value, error) {
	a, err := c.arg(0)
	if err != nil {
		return nil, err
	}
	b, err := c.arg(1)
	if err != nil {
		return nil, err
	}
	shape, err := c.pair(a, b)
	if err != nil {
		return nil, err
	}
	out, err := c.blank(typeBool, shape)
	if err != nil {
		return nil, err
	}
	holds := compareFolds[c.op]
	walk(shape, [][]int{stretch(a.shape, shape), stretch(b.shape, shape)}, func(i int, at []int) {
		if s, ok := a.compare(at[0], b, at[1]); ok && holds[s+1] {
			out.ints[i] = 1
		}
	})
	return one(out, nil)
}

// compare returns the sign of v[i] − b[j]; ok is false where there is none.
func (v *value) compare(i int, b *value, j int) (sign int, ok bool) {
	if v.kind == isFloat {
		x, y := v.floats[i], b.floats[j]
		switch {
		case x < y:
			return -1, true
		case x > y:
			return 1, true
		}
		return 0, x == y
	}
	switch x, y := v.ints[i], b.ints[j]; {
	case x < y:
		return -1, true
	case x > y:
		return 1, true
	}
	return 0, true
}

// foldWhere is ONNX Where-16: three tensors that broadcast.
func foldWhere(c *calculation) ([]*value, error) {
	var in [3]*value
	for i := range in {
		v, err := c.arg(i)
		if err != nil {
			return nil, err
		}
		in[i] = v
	}
	if in[0].kind == isFloat || in[1].kind != in[2].kind {
		return nil, malformed("inputs are of %s, %s and %s", typeName(in[0].element), typeName(in[1].element), typeName(in[2].element))
	}
	shape, err := broadcast(in[0].shape, in[1].shape, in[2].shape)
	if err != nil {
		return nil, err
	}
	out, err := c.blank(in[1].element, shape)
	if err != nil {
		return nil, err
	}
	layouts := [][]int{stretch(in[0].shape, shape), stretch(in[1].shape, shape), stretch(in[2].shape, shape)}
	walk(shape, layouts, func(i int, at []int) {
		from := 1
		if in[0].ints[at[0]] == 0 {
			from = 2
		}
		out.copyFrom(i, in[from], at[from])
	})
	return one(out, nil)
}
