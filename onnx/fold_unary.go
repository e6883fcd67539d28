package onnx

import "math"

// unaryFolds are functions of each entry: of floats, and of integers where there
// is one.
var unaryFolds = map[string]struct {
	floats func(float64) float64
	ints   func(int64) int64
}{
	"Abs":        {math.Abs, func(x int64) int64 { return max(x, -x) }},
	"Neg":        {func(x float64) float64 { return -x }, func(x int64) int64 { return -x }},
	"Sign":       {signOf, func(x int64) int64 { return int64(signOf(float64(x))) }},
	"Ceil":       {math.Ceil, nil},
	"Floor":      {math.Floor, nil},
	"Round":      {math.RoundToEven, nil},
	"Sqrt":       {math.Sqrt, nil},
	"Exp":        {math.Exp, nil},
	"Log":        {math.Log, nil},
	"Sin":        {math.Sin, nil},
	"Cos":        {math.Cos, nil},
	"Reciprocal": {func(x float64) float64 { return 1 / x }, nil},
	"Not":        {nil, func(x int64) int64 { return 1 - x }},
}

func signOf(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return x
}

// foldUnary folds one operator of unaryFolds.
func foldUnary(c *calculation) ([]*value, error) {
	v, err := c.arg(0)
	if err != nil {
		return nil, err
	}
	how := unaryFolds[c.op]
	if v.kind == isFloat && how.floats == nil || v.kind != isFloat && how.ints == nil || (v.kind == isBool) != (c.op == "Not") {
		return nil, malformed("input is of %s", typeName(v.element))
	}
	out, err := c.blank(v.element, v.shape)
	if err != nil {
		return nil, err
	}
	for i, x := range v.floats {
		out.floats[i] = float32(how.floats(float64(x)))
	}
	for i, x := range v.ints {
		out.ints[i] = wrap(how.ints(x), v.element)
	}
	return one(out, nil)
}

// foldCast is ONNX Cast-13: floats are cut to integers towards zero, and where they
// are out of range, which ONNX leaves open, to the nearest there is; NaN is 0.
// Integers wrap around. Floats of 16 bits are rounded where they are stored (roundNarrow).
func foldCast(c *calculation) ([]*value, error) {
	v, err := c.arg(0)
	if err != nil {
		return nil, err
	}
	to, err := c.int("to", 0)
	if err != nil {
		return nil, err
	}
	return one(c.cast(v, to))
}

// foldCastLike is ONNX CastLike-15: Cast to the type of the second input.
func foldCastLike(c *calculation) ([]*value, error) {
	v, err := c.arg(0)
	if err != nil {
		return nil, err
	}
	like, err := c.arg(1)
	if err != nil {
		return nil, err
	}
	return one(c.cast(v, like.element))
}

func (c *calculation) cast(v *value, to int64) (*value, error) {
	kind, ok := kindOf(to)
	if !ok {
		return nil, beyond("to %s", typeName(to))
	}
	if _, narrow := narrowFormats[to]; kind == isFloat && v.kind == isFloat && narrow {
		out, err := c.blank(to, v.shape)
		if err == nil {
			copy(out.floats, v.floats)
		}
		return out, err
	}
	if kind == isFloat && v.kind == isFloat {
		out := v.reshaped(v.shape)
		out.element = to
		return out, nil
	}
	out, err := c.blank(to, v.shape)
	if err != nil {
		return nil, err
	}
	for i, x := range v.floats {
		out.ints[i] = fromFloat(float64(x), to)
	}
	for i, x := range v.ints {
		if kind == isFloat {
			out.floats[i] = float32(x)
		} else {
			out.ints[i] = wrap(x, to)
		}
	}
	return out, nil
}

// fromFloat casts a float to an integer type or bool.
func fromFloat(x float64, to int64) int64 {
	if to == typeBool {
		if x != 0 {
			return 1
		}
		return 0
	}
	if x != x {
		return 0
	}
	bits := 8 * intSizes[to]
	low, high := int64(math.MinInt64)>>(64-bits), int64(math.MaxInt64)>>(64-bits)
	switch to {
	case typeUint8, typeUint16, typeUint32:
		low, high = 0, 1<<bits-1
	case typeUint64:
		low = 0
	}
	switch x = math.Trunc(x); {
	case x <= float64(low):
		return low
	case x >= float64(high):
		return high
	}
	return int64(x)
}

// foldClip is ONNX Clip-13: min and max are inputs, before opset 11 attributes.
func foldClip(c *calculation) ([]*value, error) {
	v, err := c.arg(0)
	if err != nil {
		return nil, err
	}
	for i, name := range []string{"min", "max"} {
		bound, err := c.bound(i+1, name, v)
		if err != nil {
			return nil, err
		}
		if bound == nil {
			continue
		}
		how := binaryFolds[[]string{"Max", "Min"}[i]]
		if v, err = c.combine(v, bound, how.floats, how.ints); err != nil {
			return nil, err
		}
	}
	return one(v.reshaped(v.shape), nil)
}

// bound returns a scalar that is an input, or else an attribute, or nil.
func (c *calculation) bound(i int, name string, like *value) (*value, error) {
	if c.has(i) {
		if c.in[i].size() != 1 {
			return nil, malformed("input %d has shape %v, not one element", i+1, c.in[i].shape)
		}
		return c.in[i].reshaped(nil), nil
	}
	a, ok, err := c.typed(name, kindFloat)
	if err != nil || !ok {
		return nil, err
	}
	return &value{element: typeFloat, floats: []float32{math.Float32frombits(a.bits)}, folded: true}, nil
}
