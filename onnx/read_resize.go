package onnx

import (
	"math"
	"slices"

	"tattle/nn"
)

func resizeOperators() map[string]operator {
	return map[string]operator{
		"Resize": {(*decoder).resize, []string{"antialias", "axes", "coordinate_transformation_mode", "cubic_coeff_a", "exclude_outside",
			"extrapolation_value", "keep_aspect_ratio_policy", "mode", "nearest_mode"}},
		"Upsample": {(*decoder).upsample, []string{"mode", "scales"}},
	}
}

// resizing is how far each dimension of a shape is resized.
type resizing struct {
	in, out []int
	scales  []float64 // 0 where it is out/in
}

// upsample is Resize-10 with other inputs: places are those of the output divided
// by the scale, and the nearest is the one below.
func (d *decoder) upsample(n *node) error {
	x, err := d.operand(n, 0)
	if err != nil {
		return err
	}
	scales, err := n.numbers("scales")
	if err != nil {
		return err
	}
	if scales == nil {
		if scales, err = d.scales(n, 1); err != nil {
			return err
		}
	}
	return d.resizeOld(n, x, scales)
}

// scales returns the node's input i.
func (d *decoder) scales(n *node, i int) ([]float64, error) {
	v, err := d.constantFloats(n, i)
	if err != nil {
		return nil, err
	}
	scales := make([]float64, len(v.floats))
	for i, s := range v.floats {
		scales[i] = float64(s)
	}
	return scales, nil
}

func (d *decoder) resizeOld(n *node, x operand, scales []float64) error {
	mode, err := n.text("mode", "nearest")
	if err != nil {
		return err
	}
	op := &nn.Resize{Mode: mode, Coordinates: "asymmetric", Nearest: "floor"}
	if mode == "bilinear" {
		op.Mode = "linear"
	}
	if op.Mode != "nearest" && op.Mode != "linear" {
		return malformed("mode is %q", mode)
	}
	axes := make([]int, len(x.shape))
	for a := range axes {
		axes[a] = a
	}
	r, err := byScales(x.shape, axes, scales)
	if err != nil {
		return err
	}
	if op.Mode == "nearest" && slices.ContainsFunc(scales, func(s float64) bool { return s < 1 }) {
		return beyond("to less by the nearest, of which versions of ONNX differ in what that is: export at opset 11 or later")
	}
	return d.resized(n, x, op, r)
}

// resize reads sizes or scales of some axes.
func (d *decoder) resize(n *node) error {
	x, err := d.operand(n, 0)
	if err != nil {
		return err
	}
	if d.opset < 11 {
		scales, err := d.scales(n, 1)
		if err != nil {
			return err
		}
		return d.resizeOld(n, x, scales)
	}
	op, err := n.resizeSettings()
	if err != nil {
		return err
	}
	r, err := d.resizing(n, x)
	if err != nil {
		return err
	}
	return d.resized(n, x, op, r)
}

// resizeSettings reads how entries are interpolated.
func (n *node) resizeSettings() (*nn.Resize, error) {
	op := &nn.Resize{}
	for _, a := range []struct {
		to           *string
		name, absent string
	}{{&op.Mode, "mode", "nearest"}, {&op.Coordinates, "coordinate_transformation_mode", "half_pixel"}, {&op.Nearest, "nearest_mode", "round_prefer_floor"}} {
		var err error
		if *a.to, err = n.text(a.name, a.absent); err != nil {
			return nil, err
		}
	}
	var err error
	if op.CubicA, err = n.float("cubic_coeff_a", nn.CubicPyTorch); err != nil {
		return nil, err
	}
	if op.ExcludeOutside, err = n.flag("exclude_outside", false); err != nil {
		return nil, err
	}
	if op.Antialias, err = n.flag("antialias", false); err != nil {
		return nil, err
	}
	switch {
	case slices.Contains([]string{"tf_crop_and_resize", "tf_half_pixel_for_nn"}, op.Coordinates):
		return nil, beyond("coordinates %q", op.Coordinates)
	case op.Mode == "nearest" && op.Coordinates == "":
		return nil, malformed("has no coordinates")
	}
	return op, nil
}

// resizing reads to what the shape of the input is resized.
func (d *decoder) resizing(n *node, x operand) (r resizing, err error) {
	list, given, err := d.list(n, "axes", -1)
	if err != nil {
		return r, err
	}
	if !given {
		for a := range x.shape {
			list = append(list, int64(a))
		}
	}
	axes, err := axesOf(list, len(x.shape))
	if err != nil {
		return r, err
	}
	if n.has(3) {
		sizes, err := d.constantInts(n, 3)
		if err != nil {
			return r, err
		}
		if len(sizes) > 0 {
			return n.bySizes(x.shape, axes, sizes)
		}
	}
	scales, err := d.scales(n, 2)
	if err != nil {
		return r, err
	}
	return byScales(x.shape, axes, scales)
}

func unresized(shape []int) resizing {
	return resizing{in: shape, out: slices.Clone(shape), scales: make([]float64, len(shape))}
}

// byScales multiplies sizes by scales, in float32 as ONNX Runtime does, so that
// 1.6666666 of 3 is 5; where the scale is that of the rounded size, it is meant.
func byScales(shape, axes []int, scales []float64) (r resizing, err error) {
	r = unresized(shape)
	if len(scales) != len(axes) {
		return r, malformed("%d scales for %d axes", len(scales), len(axes))
	}
	for i, a := range axes {
		s := float32(scales[i])
		if !(s > 0) || float64(s)*float64(shape[a]) > maxActivation {
			return r, malformed("scale %v of size %d", s, shape[a])
		}
		r.out[a] = int(float32(shape[a]) * s)
		if float32(float64(r.out[a])/float64(shape[a])) != s {
			r.scales[a] = shortest(s)
		}
	}
	return r, nil
}

// bySizes takes the sizes as they are or, where the ratios of them are to be kept,
// the same scale for all of these axes: the smallest or the largest there is.
func (n *node) bySizes(shape, axes []int, list []int64) (r resizing, err error) {
	r = unresized(shape)
	to, err := sizes(list, 0)
	if err != nil {
		return r, err
	}
	if len(to) != len(axes) {
		return r, malformed("%d sizes for %d axes", len(to), len(axes))
	}
	policy, err := n.text("keep_aspect_ratio_policy", "stretch")
	if err != nil {
		return r, err
	}
	var scales []float64
	for i, a := range axes {
		r.out[a] = to[i]
		scales = append(scales, float64(to[i])/float64(shape[a]))
	}
	var scale float64
	switch policy {
	case "stretch":
		return r, nil
	case "not_larger":
		scale = slices.Min(scales)
	case "not_smaller":
		scale = slices.Max(scales)
	default:
		return r, malformed("keep_aspect_ratio_policy is %q", policy)
	}
	for _, a := range axes {
		size := scale * float64(shape[a])
		if !(size < maxActivation) {
			return r, malformed("sizes %v of shape %v", to, shape)
		}
		if r.out[a] = int(math.Floor(size + .5)); math.Abs(size-float64(r.out[a])) > 1e-9*size {
			r.scales[a] = scale
		}
	}
	return r, nil
}

// resized adds a Resize of the dimensions that change: first of those by an exact
// ratio, then of the others by their scales.
func (d *decoder) resized(n *node, x operand, op *nn.Resize, r resizing) error {
	if err := d.bounded(n.outputs[0], r.out); err != nil {
		return err
	}
	exact, scaled := slices.Clone(r.in), slices.Clone(r.scales)
	var first, second []int
	for a, s := range r.scales {
		switch {
		case s != 0:
			second = append(second, a)
		case r.out[a] != r.in[a]:
			first = append(first, a)
			exact[a] = r.out[a]
		}
		if s == 0 {
			scaled[a] = 1
		}
	}
	for _, a := range second {
		if op.Coordinates == "align_corners" || op.Coordinates == "pytorch_half_pixel" && r.out[a] == 1 {
			return beyond("%s by a scale that makes no whole number, of which versions of ONNX differ in what it means: give sizes", op.Coordinates)
		}
	}
	c, shift := d.axesInner(n, x, slices.Concat(first, second)...)
	if len(first) > 0 {
		by := *op
		by.To = exact[shift:]
		c = c.then(&by)
	}
	if len(second) > 0 {
		by := *op
		by.To, by.Scales = r.out[shift:], scaled[shift:]
		c = c.then(&by)
	}
	return c.end(0, r.out)
}
