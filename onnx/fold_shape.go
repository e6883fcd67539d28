package onnx

import "tattle/nn"

// shapeOperator folds a Shape or Size of an activation: at batch 1 its shape is known.
func (d *decoder) shapeOperator(n *node) error {
	o, err := d.operand(n, 0)
	if err != nil {
		return err
	}
	c := &calculation{node: n, d: d, in: []*value{{shape: o.shape}}}
	out, err := foldings[n.op].fold(c)
	if err == nil {
		d.setConstant(n, 0, out[0])
	}
	return err
}

// foldShape is ONNX Shape-15: the dimensions from start to end, which are cut to
// those there are.
func foldShape(c *calculation) ([]*value, error) {
	v, err := c.arg(0)
	if err != nil {
		return nil, err
	}
	rank := int64(len(v.shape))
	start, err := c.int("start", 0)
	if err != nil {
		return nil, err
	}
	end, err := c.int("end", rank)
	if err != nil {
		return nil, err
	}
	start, end = clampEnd(start, rank), clampEnd(end, rank)
	return one(c.listOf(v.shape[start:max(start, end)]))
}

// clampEnd takes an index that may count from the end to 0 … size.
func clampEnd(i, size int64) int64 {
	if i < 0 {
		i += size
	}
	return min(max(i, 0), size)
}

// foldSize is ONNX Size-13: the number of elements.
func foldSize(c *calculation) ([]*value, error) {
	v, err := c.arg(0)
	if err != nil {
		return nil, err
	}
	s, err := c.blank(typeInt64, nil)
	if err == nil {
		s.ints[0] = int64(nn.Size(v.shape))
	}
	return one(s, err)
}
