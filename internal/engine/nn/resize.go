package nn

import (
	"fmt"
	"math"
	"slices"
)

// Resize says how entries along a dimension are interpolated, as ONNX Resize-19 does. Modes other
// than nearest weigh neighbours; beyond its ends a dimension goes on with its last
// entry.
type Resize struct {
	Mode string // "nearest", "linear" or "cubic"

	// Coordinates maps places of the output to the input's: half_pixel,
	// half_pixel_symmetric, pytorch_half_pixel, align_corners or asymmetric.
	Coordinates    string
	Nearest        string  // round_prefer_floor, round_prefer_ceil, floor or ceil; of mode nearest
	CubicA         float64 // of mode cubic, as it is: ONNX and PyTorch take CubicPyTorch
	ExcludeOutside bool    // neighbours beyond the ends weigh nothing, the others more
	Antialias      bool    // linear and cubic: shrinking averages over all that an output covers
}

// CubicPyTorch is the cubic coefficient of ONNX's default and PyTorch.
const CubicPyTorch = -0.75

// cubicLimit bounds the magnitude of cubic coefficients other than 0, and its
// inverse does from below, so that no weight underflows.
const cubicLimit = 0x1p64

// ResizeLimit bounds the weights of a dimension: the exact ones take some microseconds each.
const ResizeLimit = 1 << 24

// Along returns the operators, one after the other, that resize dimension d of a shape to out
// entries: a Gather, or a Dense between transpositions, whose weights are not learned. scale is
// out over the input's entries where it is 0. It returns an error if a setting is unknown, or if
// the sizes and the scale do not agree.
func (o *Resize) Along(shape []int, d, out int, scale float64) ([]Op, error) {
	n := shape[d]
	switch {
	case out < 0 || n == 0 && out > 0 || n > 0 && out > ResizeLimit/n:
		return nil, fmt.Errorf("%d entries cannot be resized to %d", n, out)
	case scale != 0 && !(scale > 0 && math.Abs(float64(n)*scale-float64(out)) <= 1):
		return nil, fmt.Errorf("scale %v does not make %d entries of %d", scale, out, n)
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	by := ratio(out, max(n, 1))
	if scale != 0 {
		by = rational(scale)
	}
	if o.Mode == "nearest" || out == 0 {
		return []Op{&Gather{Axis: d, Indices: o.nearest(out, n, by), Dims: []int{out}}}, nil
	}
	dense := &Dense{In: n, Out: out, Weight: &Param{Shape: []int{out, n}, Data: o.weights(out, n, by)}, Fixed: true}
	last := len(shape) - 1
	if d == last {
		return []Op{dense}, nil
	}
	swap := Indices(len(shape))
	swap[d], swap[last] = last, d
	return []Op{&Transpose{Perm: swap}, dense, &Transpose{Perm: slices.Clone(swap)}}, nil
}

// check returns an error if a setting is unknown.
func (o *Resize) check() error {
	if _, ok := resizeCoordinates()[o.Coordinates]; !ok {
		return fmt.Errorf("unknown coordinates %q: want half_pixel, half_pixel_symmetric, pytorch_half_pixel, align_corners or asymmetric", o.Coordinates)
	}
	switch a := math.Abs(o.CubicA); o.Mode {
	case "linear":
	case "cubic":
		if !(a <= cubicLimit && (a == 0 || a >= 1/cubicLimit)) {
			return fmt.Errorf("cubic coefficient %v is absurd", o.CubicA)
		}
	case "nearest":
		if _, ok := resizeRounding()[o.Nearest]; !ok {
			return fmt.Errorf("unknown rounding %q: want round_prefer_floor, round_prefer_ceil, floor or ceil", o.Nearest)
		}
	default:
		return fmt.Errorf("unknown mode %q: want nearest, linear or cubic", o.Mode)
	}
	return nil
}
