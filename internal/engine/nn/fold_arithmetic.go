package nn

import "slices"

// arithmeticChannels reads y ∘ Constant, or Constant ∘ y, where the constant differs
// along one axis at most.
func arithmeticChannels(op *Binary, in, out []int) (channelwise, bool) {
	if op.Constant == nil || !slices.Equal(in, out) {
		return channelwise{}, false
	}
	c := channelwise{axis: -1, sources: []*Param{op.Constant}, keeps: op.Operator == "Add" || op.Operator == "Sub" && !op.ConstantFirst}
	for i, d := range op.Constant.Shape {
		if d == 1 {
			continue
		}
		if c.axis >= 0 {
			return c, false
		}
		c.axis = i + len(out) - len(op.Constant.Shape)
	}
	p := op.Constant
	value := func(i int) float64 {
		if len(p.Data) == 1 {
			i = 0
		}
		return float64(p.Data[i])
	}
	switch {
	case op.Operator == "Add":
		c.at = func(i int) (float64, float64) { return 1, value(i) }
	case op.Operator == "Mul":
		c.at = func(i int) (float64, float64) { return value(i), 0 }
	case op.Operator == "Sub" && op.ConstantFirst:
		c.at = func(i int) (float64, float64) { return -1, value(i) }
	case op.Operator == "Sub":
		c.at = func(i int) (float64, float64) { return 1, -value(i) }
	case op.Operator == "Div" && !op.ConstantFirst:
		c.at = func(i int) (float64, float64) { return 1 / value(i), 0 }
	default:
		return c, false
	}
	return c, true
}
