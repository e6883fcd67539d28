package onnx

import (
	"math"
	"slices"

	"tattle/internal/engine/nn"
)

// resizedShape is what a shape is resized to.
type resizedShape struct {
	in, out []int
	scales  []float64 // 0 for out/in
}

// upsample is ONNX Upsample-9, which is Resize-10 with other inputs.
func (r *nodeReader) upsample() {
	scales := r.numbers("scales")
	if scales == nil {
		scales = r.scales(1)
	}
	r.resize10(scales)
}

// scales returns input i.
func (r *nodeReader) scales(i int) []float64 {
	v := r.floats(i)
	scales := make([]float64, len(v.floats))
	for i, s := range v.floats {
		scales[i] = float64(s)
	}
	return scales
}

// resize10 is ONNX Resize-10: coordinates are those of the output divided by the scale, and
// the nearest entry is the one below.
func (r *nodeReader) resize10(scales []float64) {
	x, mode := r.operand(0), r.text("mode", "nearest")
	op := &nn.Resize{Mode: mode, Coordinates: "asymmetric", Nearest: "floor"}
	if mode == "bilinear" {
		op.Mode = "linear"
	}
	malformedIf(op.Mode != "nearest" && op.Mode != "linear", "unknown mode %q", mode)
	to := byScales(x.shape, nn.Indices(len(x.shape)), scales)
	unsupportedIf(op.Mode == "nearest" && slices.ContainsFunc(scales, func(s float64) bool { return s < 1 }),
		"mode \"nearest\" to a smaller size, whose meaning differs between versions of ONNX: export at opset 11 or later")
	r.resizeTo(x, op, to)
}

// resize is ONNX Resize-19: it has sizes or scales of some axes.
func (r *nodeReader) resize() {
	if r.opset < 11 {
		r.resize10(r.scales(1))
		return
	}
	x := r.operand(0)
	op := &nn.Resize{
		Mode:           r.text("mode", "nearest"),
		Coordinates:    r.text("coordinate_transformation_mode", "half_pixel"),
		Nearest:        r.text("nearest_mode", "round_prefer_floor"),
		CubicA:         r.float("cubic_coeff_a", nn.CubicPyTorch),
		ExcludeOutside: r.flag("exclude_outside", false),
		Antialias:      r.flag("antialias", false),
	}
	switch {
	case slices.Contains([]string{"tf_crop_and_resize", "tf_half_pixel_for_nn"}, op.Coordinates):
		panic(unsupportedf("coordinates %q", op.Coordinates))
	case op.Mode == "nearest" && op.Coordinates == "":
		panic(malformedf("attribute \"coordinate_transformation_mode\" is empty"))
	}
	list, given := r.list("axes", -1)
	axes := axesOrAll(list, given, len(x.shape))
	if r.has(3) && len(r.ints(3)) > 0 {
		r.resizeTo(x, op, bySizes(x.shape, axes, r.ints(3), r.text("keep_aspect_ratio_policy", "stretch")))
		return
	}
	r.resizeTo(x, op, byScales(x.shape, axes, r.scales(2)))
}

func unresized(shape []int) resizedShape {
	return resizedShape{in: shape, out: slices.Clone(shape), scales: make([]float64, len(shape))}
}

// byScales multiplies sizes by scales, in float32 as ONNX Runtime does, so that
// 1.6666666 times 3 is 5. A scale that is the ratio of the rounded sizes is taken to be
// that ratio.
func byScales(shape, axes []int, scales []float64) resizedShape {
	to := unresized(shape)
	malformedIf(len(scales) != len(axes), "%d scales for %d axes", len(scales), len(axes))
	for i, a := range axes {
		s := float32(scales[i])
		malformedIf(!(s > 0) || float64(s)*float64(shape[a]) > maxActivation, "scale %v of size %d", s, shape[a])
		to.out[a] = int(float32(shape[a]) * s)
		if float32(float64(to.out[a])/float64(shape[a])) != s {
			to.scales[a] = shortest(s)
		}
	}
	return to
}

// bySizes returns the given sizes or, where the policy is to keep their ratios,
// those of one scale for all of these axes: the smallest or the largest.
func bySizes(shape, axes []int, list []int64, policy string) resizedShape {
	to, sizes := unresized(shape), sizesOfDims(list)
	malformedIf(len(sizes) != len(axes), "%d sizes for %d axes", len(sizes), len(axes))
	var scales []float64
	for i, a := range axes {
		to.out[a] = sizes[i]
		scales = append(scales, float64(sizes[i])/float64(shape[a]))
	}
	var scale float64
	switch policy {
	case "stretch":
		return to
	case "not_larger":
		scale = slices.Min(scales)
	case "not_smaller":
		scale = slices.Max(scales)
	default:
		panic(malformedf("unknown keep_aspect_ratio_policy %q", policy))
	}
	for _, a := range axes {
		size := scale * float64(shape[a])
		malformedIf(!(size < maxActivation), "sizes %v of shape %v", sizes, shape)
		if to.out[a] = int(math.Floor(size + .5)); math.Abs(size-float64(to.out[a])) > 1e-9*size {
			to.scales[a] = scale
		}
	}
	return to
}

// resizeTo resizes the dimensions that change, one after the other.
func (r *nodeReader) resizeTo(x *view, by *nn.Resize, to resizedShape) {
	r.mustFit(to.out)
	var axes []int
	for a, s := range to.scales {
		unsupportedIf(s != 0 && (by.Coordinates == "align_corners" || by.Coordinates == "pytorch_half_pixel" && to.out[a] == 1),
			"%s by a scale that gives no whole number, whose meaning differs between versions of ONNX: give sizes", by.Coordinates)
		if s != 0 || to.out[a] != to.in[a] {
			axes = append(axes, a)
			r.claim(to.in[a] * to.out[a])
		}
	}
	c, shift := x.along(axes...)
	for _, a := range axes {
		ops, err := by.Along(c.shape, a-shift, to.out[a], to.scales[a])
		malformedIf(err != nil, "%v", err)
		for _, op := range ops {
			c = c.then(op)
		}
	}
	c.end(0, to.out)
}
