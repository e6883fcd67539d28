package onnx

import (
	"fmt"
	"math"
	"slices"

	"tattle/nn"
)

func normOperators() map[string]operator {
	return map[string]operator{
		"BatchNormalization":    {(*decoder).batchNorm, []string{"epsilon", "momentum", "spatial", "training_mode"}},
		"GroupNormalization":    {(*decoder).groupNorm, []string{"epsilon", "num_groups", "stash_type"}},
		"InstanceNormalization": {(*decoder).instanceNorm, []string{"epsilon"}},
		"LayerNormalization":    {(*decoder).layerNorm, []string{"axis", "epsilon", "stash_type"}},
		"LRN":                   {(*decoder).localResponse, []string{"alpha", "beta", "bias", "size"}},
		"RMSNormalization":      {(*decoder).rmsNorm, []string{"axis", "epsilon", "stash_type"}},
	}
}

// batchNorm is read for inference. ONNX's momentum is the share of the old
// statistics, PyTorch's that of the new.
func (d *decoder) batchNorm(n *node) error {
	x, err := d.operand(n, 0)
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
	b, err := d.normParams(n)
	if err != nil {
		return err
	}
	if len(x.shape) < 2 {
		return beyond("of %d dimensions", len(x.shape))
	}
	if x.shape[0] != 1 {
		return d.batchNormRows(n, x, b)
	}
	c := d.chain(n, x)
	if len(c.shape) != 1 && len(c.shape) != 3 {
		c = c.view(channels(x.shape))
	}
	return c.then(b).end(0, x.shape)
}

// normParams reads the settings of a BatchNormalization.
func (d *decoder) normParams(n *node) (*nn.BatchNorm, error) {
	b := &nn.BatchNorm{}
	var err error
	if b.Scale, err = d.weight(n, 1); err != nil {
		return nil, err
	}
	if b.Shift, err = d.weight(n, 2); err != nil {
		return nil, err
	}
	if b.Mean, err = d.statistic(n, 3); err != nil {
		return nil, err
	}
	if b.Variance, err = d.statistic(n, 4); err != nil {
		return nil, err
	}
	b.Channels = len(b.Scale.Data)
	if b.Epsilon, err = n.float("epsilon", 1e-5); err != nil {
		return nil, err
	}
	if b.Epsilon == 0 {
		return nil, beyond("epsilon 0")
	}
	keep, err := n.float("momentum", 0.9)
	if err != nil {
		return nil, err
	}
	b.Momentum = share(keep)
	return b, nil
}

// batchNormRows is that of several rows [N, C, …] of one example, of which the channels
// come first here.
func (d *decoder) batchNormRows(n *node, x operand, b *nn.BatchNorm) error {
	c := d.chain(n, x).view([]int{x.shape[0], x.shape[1], nn.Size(x.shape[2:])})
	return c.transpose([]int{1, 0, 2}).then(b).transpose([]int{1, 0, 2}).end(0, x.shape)
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

// instanceNorm standardises each channel of each image by itself.
func (d *decoder) instanceNorm(n *node) error {
	x, err := d.operand(n, 0)
	if err != nil {
		return err
	}
	if len(x.shape) < 2 {
		return malformed("of %d dimensions", len(x.shape))
	}
	return d.normGroups(n, x, x.shape[1], x.shape[1])
}

// groupNorm has a scale and shift a group in opset 18, a channel from 21 on.
func (d *decoder) groupNorm(n *node) error {
	x, err := d.operand(n, 0)
	if err != nil {
		return err
	}
	groups, err := n.int("num_groups", 0)
	if err != nil {
		return err
	}
	if len(x.shape) < 2 || groups < 1 || groups > int64(x.shape[1]) || x.shape[1]%int(groups) != 0 {
		return malformed("%d groups of shape %v", groups, x.shape)
	}
	each := x.shape[1]
	if d.opset < 21 {
		each = int(groups)
	}
	return d.normGroups(n, x, int(groups), each)
}

// normGroups standardises groups of channels and then multiplies and adds
// constants, of which there are as many as params says.
func (d *decoder) normGroups(n *node, x operand, groups, params int) error {
	epsilon, err := n.float("epsilon", 1e-5)
	if err != nil {
		return err
	}
	var p [2]*nn.Param
	for i := range p {
		v, err := d.constantFloats(n, i+1)
		if err != nil {
			return err
		}
		if !slices.Equal(v.shape, []int{params}) {
			return malformed("constant %q has shape %v, not [%d]", v.name, v.shape, params)
		}
		if p[i], err = d.perChannel(v, x.shape[1], x.shape[0]); err != nil {
			return err
		}
	}
	op := &nn.GroupNorm{Groups: groups * x.shape[0], Epsilon: epsilon, Scale: p[0], Shift: p[1]}
	c := d.chain(n, x)
	if x.shape[0] != 1 || len(c.shape) < 2 {
		c = c.view([]int{x.shape[0] * x.shape[1], nn.Size(x.shape[2:])})
	}
	return c.then(op).end(0, x.shape)
}

// perChannel returns a constant repeated for the channels of each group, and all
// of it for each of some images.
func (d *decoder) perChannel(v *value, channels, images int) (*nn.Param, error) {
	if len(v.floats) == channels && images == 1 {
		return d.param(v, "", nil)
	}
	if err := d.claim(channels * images); err != nil {
		return nil, err
	}
	return d.param(v, fmt.Sprint("channels ", channels, images), func(_ []int, x []float32) ([]int, []float32, error) {
		y := make([]float32, 0, channels*images)
		for range images {
			for c := range channels {
				y = append(y, x[c*len(x)/channels])
			}
		}
		return []int{len(y)}, y, nil
	})
}

// rmsNorm reads y = x/√(mean(x²) + epsilon) · scale, the mean over the dimensions
// from axis on.
func (d *decoder) rmsNorm(n *node) error {
	x, axis, epsilon, err := d.normFrom(n)
	if err != nil {
		return err
	}
	scale, err := d.operand(n, 1)
	if err != nil {
		return err
	}
	c := d.whole(n, x).fork()
	var axes []int
	for a := axis; a < len(x.shape); a++ {
		axes = append(axes, a)
	}
	square := c.fork().then(&nn.Mul{}, c.fork())
	root := square.then(&nn.Reduce{Function: "Mean", Axes: axes, Keep: true}).number("Add", epsilon).then(&nn.Unary{Function: "Sqrt"})
	y := c.with("Div", root).view(x.inner()).combine("Mul", scale, x.shape)
	return y.end(0, x.shape)
}

// localResponse divides by (bias + alpha/size·Σx²)^beta, the sum over
// neighbouring channels: an average pool over channels that counts the padding.
func (d *decoder) localResponse(n *node) error {
	x, err := d.operand(n, 0)
	if err != nil {
		return err
	}
	size, err := n.int("size", 0)
	if err != nil {
		return err
	}
	if len(x.shape) < 2 || size < 1 || size > maxWindow {
		return malformed("over %d channels of shape %v", size, x.shape)
	}
	var settings [3]float64
	for i, name := range []string{"alpha", "beta", "bias"} {
		if settings[i], err = n.float(name, []float64{1e-4, .75, 1}[i]); err != nil {
			return err
		}
	}
	k := int(size)
	pool := &nn.AveragePool{Kernel: [2]int{k, 1}, Pad: [4]int{(k - 1) / 2, 0, k / 2, 0}, CountIncludePad: true}
	c := d.chain(n, x).view([]int{x.shape[0], x.shape[1], nn.Size(x.shape[2:])}).fork()
	power := c.fork().then(&nn.Mul{}, c.fork()).then(pool)
	power = power.number("Mul", settings[0]).number("Add", settings[2]).number("Pow", settings[1])
	return c.with("Div", power).end(0, x.shape)
}
