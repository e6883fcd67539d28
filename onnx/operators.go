package onnx

import (
	"math"
	"slices"

	"tattle/nn"
)

// operator is how one ONNX operator is read: attributes it knows, and a reader
// that adds nodes of package nn.
type operator struct {
	read       func(*decoder, *node) error
	attributes []string
}

var operators map[string]operator

func init() {
	operators = map[string]operator{
		"Add":                {(*decoder).add, nil},
		"AveragePool":        {(*decoder).averagePool, []string{"auto_pad", "ceil_mode", "count_include_pad", "dilations", "kernel_shape", "pads", "strides"}},
		"BatchNormalization": {(*decoder).batchNorm, []string{"epsilon", "momentum", "spatial", "training_mode"}},
		"Conv":               {(*decoder).conv, []string{"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"}},
		"Dropout":            {(*decoder).dropout, []string{"ratio", "seed"}},
		"Flatten":            {(*decoder).flatten, []string{"axis"}},
		"Gemm":               {(*decoder).gemm, []string{"alpha", "beta", "transA", "transB"}},
		"GlobalAveragePool":  {(*decoder).globalAveragePool, nil},
		"Hardmax":            {(*decoder).hardmax, []string{"axis"}},
		"Identity":           {(*decoder).identity, nil},
		"LeakyRelu":          {(*decoder).leakyReLU, []string{"alpha"}},
		"Log":                {(*decoder).log, nil},
		"MatMul":             {(*decoder).matMul, nil},
		"MaxPool":            {(*decoder).maxPool, []string{"auto_pad", "ceil_mode", "dilations", "kernel_shape", "pads", "storage_order", "strides"}},
		"Mul":                {(*decoder).mul, nil},
		"ReduceMean":         {(*decoder).reduceMean, []string{"axes", "keepdims", "noop_with_empty_axes"}},
		"Relu":               {(*decoder).relu, nil},
		"Reshape":            {(*decoder).reshape, []string{"allowzero"}},
		"Softmax":            {(*decoder).softmax, []string{"axis"}},
	}
}

// unary adds an operator of one activation.
func (d *decoder) unary(n *node, op nn.Op) error {
	x, _, err := d.activation(n, 0)
	if err != nil {
		return err
	}
	return d.attach(n.name, op, n.outputs[0], x)
}

func (d *decoder) relu(n *node) error { return d.unary(n, &nn.ReLU{}) }

func (d *decoder) leakyReLU(n *node) error {
	slope, err := n.float("alpha", 0.01)
	if err != nil {
		return err
	}
	return d.unary(n, &nn.LeakyReLU{Slope: slope})
}

func (d *decoder) log(n *node) error { return d.unary(n, &nn.Log{}) }

func (d *decoder) softmax(n *node) error { return d.lastAxis(n, &nn.Softmax{}) }
func (d *decoder) hardmax(n *node) error { return d.lastAxis(n, &nn.Hardmax{}) }

// lastAxis adds an operator over the last dimension; before opset 13 those are over
// all from axis on.
func (d *decoder) lastAxis(n *node, op nn.Op) error {
	absent := int64(-1)
	if d.opset < 13 {
		absent = 1
	}
	axis, err := n.int("axis", absent)
	if err != nil {
		return err
	}
	_, shape, err := d.activation(n, 0)
	if err != nil {
		return err
	}
	last := int64(len(shape))
	switch {
	case shape == nil || axis == -1 || axis == last:
		return d.unary(n, op)
	case d.opset < 13:
		return beyond("over all from axis %d of %d dimensions, not the last alone", axis, last+1)
	}
	return beyond("over axis %d of %d dimensions, not the last", axis, last+1)
}

func (d *decoder) identity(n *node) error {
	if !n.has(0) {
		return malformed("lacks its input 1")
	}
	return d.unary(n, &nn.Identity{})
}

// dropout does nothing in inference; its probability is kept for training.
func (d *decoder) dropout(n *node) error {
	p, err := n.float("ratio", 0.5)
	if err != nil {
		return err
	}
	if n.has(1) {
		ratio, err := d.constantFloats(n, 1)
		if err != nil {
			return err
		}
		if len(ratio.floats) != 1 {
			return malformed("ratio has %d values", len(ratio.floats))
		}
		p = shortest(ratio.floats[0])
	}
	if n.has(2) {
		x, err := d.constantInts(n, 2)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(x, func(v int64) bool { return v != 0 }) {
			return beyond("training mode: export the model for inference")
		}
	}
	if p < 0 || p >= 1 {
		return beyond("ratio %v", p)
	}
	return d.unary(n, &nn.Dropout{P: p})
}

// flatten keeps the batch.
func (d *decoder) flatten(n *node) error {
	axis, err := n.int("axis", 1)
	if err != nil {
		return err
	}
	_, shape, err := d.activation(n, 0)
	if err != nil {
		return err
	}
	if rank := int64(len(shape)) + 1; shape != nil {
		if axis < -rank || axis > rank {
			return malformed("from axis %d of %d dimensions", axis, rank)
		}
		if axis < 0 {
			axis += rank
		}
	}
	if axis != 1 && shape != nil || axis >= 0 && axis != 1 {
		return beyond("from axis %d, not 1", axis)
	}
	return d.unary(n, &nn.Flatten{})
}

// reshape is read where it flattens each example, or changes nothing.
func (d *decoder) reshape(n *node) error {
	to, err := d.constantInts(n, 1)
	if err != nil {
		return err
	}
	if len(to) > maxDims {
		return malformed("to %d dimensions", len(to))
	}
	allow, err := n.flag("allowzero", false)
	if err != nil {
		return err
	}
	_, shape, err := d.activation(n, 0)
	if err != nil {
		return err
	}
	if allow && slices.Contains(to, 0) {
		return beyond("to %v with zero sizes", to)
	}
	if shape == nil {
		return d.unary(n, &nn.Flatten{})
	}
	switch {
	case flattens(to, shape):
		return d.unary(n, &nn.Flatten{})
	case keeps(to, shape):
		return d.unary(n, &nn.Identity{})
	}
	return beyond("to %v: only flattening of each example is computed", to)
}

// flattens reports whether a target shape is [batch, all of an example]. In it
// 0 stands for the size before and one −1 for what is left.
func flattens(to []int64, shape []int) bool {
	if len(to) != 2 || to[0] < -1 || to[0] > 1 {
		return false
	}
	size := to[1]
	if size == 0 {
		size = int64(shape[0])
	}
	return size == int64(nn.Size(shape)) || size == -1 && to[0] != -1
}

// keeps reports whether a target shape is the shape before.
func keeps(to []int64, shape []int) bool {
	if len(to) != len(shape)+1 || to[0] < -1 || to[0] > 1 {
		return false
	}
	open := to[0] == -1
	for i, v := range to[1:] {
		if v == -1 && !open {
			open = true
		} else if v != 0 && v != int64(shape[i]) {
			return false
		}
	}
	return true
}

// batchNorm is read for inference. ONNX's momentum is the share of the old
// statistics, PyTorch's that of the new.
func (d *decoder) batchNorm(n *node) error {
	x, shape, err := d.activation(n, 0)
	if err != nil {
		return err
	}
	training, err := n.flag("training_mode", false)
	if err != nil {
		return err
	}
	spatial, err := n.flag("spatial", true)
	if err != nil {
		return err
	}
	if training || !spatial {
		return beyond("training mode or per-pixel statistics: export the model for inference")
	}
	b := &nn.BatchNorm{}
	if b.Scale, err = d.weight(n, 1); err != nil {
		return err
	}
	if b.Shift, err = d.weight(n, 2); err != nil {
		return err
	}
	if b.Mean, err = d.statistic(n, 3); err != nil {
		return err
	}
	if b.Variance, err = d.statistic(n, 4); err != nil {
		return err
	}
	if b.Channels = len(b.Scale.Data); shape != nil && len(shape) != 1 && len(shape) != 3 {
		return beyond("of %d dimensions", len(shape)+1)
	}
	if b.Epsilon, err = n.float("epsilon", 1e-5); err != nil {
		return err
	}
	if b.Epsilon == 0 {
		return beyond("epsilon 0")
	}
	keep, err := n.float("momentum", 0.9)
	if err != nil {
		return err
	}
	b.Momentum = share(keep)
	return d.attach(n.name, b, n.outputs[0], x)
}

// share returns 1 − keep as the shortest decimal from which keep is found again.
func share(keep float64) float64 {
	if keep == 1 {
		return math.SmallestNonzeroFloat64 // 0 would mean the default
	}
	if m := shortest(float32(1 - keep)); float32(1-m) == float32(keep) {
		return m
	}
	return 1 - keep
}
