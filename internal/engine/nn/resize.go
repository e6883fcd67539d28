package nn

import (
	"fmt"
	"math"
)

// Resize interpolates the entries along each dimension: ONNX Resize-19. Modes other
// than nearest weigh neighbours; beyond its ends a dimension goes on with its last
// entry.
type Resize struct {
	To     []int     // the output's shape
	Scales []float64 // To over the input's dimensions where the file names them; nil means that quotient
	Mode   string    // "nearest", "linear" or "cubic"

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

// resizeLimit bounds the dimensions that are interpolated: the exact weights take some
// microseconds each.
const resizeLimit = 1 << 18

// Kind returns "Resize".
func (*Resize) Kind() string { return "Resize" }

// Shape returns To. It returns an error if To and Scales do not name each dimension or do not
// agree with the input, or a setting is unknown.
func (o *Resize) Shape(inputs ...[]int) ([]int, error) {
	in, err := oneInput(inputs)
	if err != nil {
		return nil, err
	}
	if len(o.To) != len(in) || o.Scales != nil && len(o.Scales) != len(in) {
		return nil, rankError(fmt.Sprintf("sizes %v and scales %v", o.To, o.Scales), in)
	}
	for d, n := range in {
		if o.To[d] < 0 || o.To[d] > padLimit || n == 0 && o.To[d] > 0 {
			return nil, fmt.Errorf("shape %v cannot be resized to %v", in, o.To)
		}
		if !o.keeps(d, n) && max(o.To[d], n) > resizeLimit {
			return nil, fmt.Errorf("shape %v to %v: cannot resize a dimension of more than %d", in, o.To, resizeLimit)
		}
		if s := o.Scales; s != nil && !(s[d] > 0 && math.Abs(float64(n)*s[d]-float64(o.To[d])) <= 1) {
			return nil, fmt.Errorf("scales %v do not make shape %v of %v", s, o.To, in)
		}
	}
	return o.To, o.check()
}

// keeps reports whether dimension d, of n entries, stays as it is.
func (o *Resize) keeps(d, n int) bool {
	return o.To[d] == n && (o.Scales == nil || o.Scales[d] == 1)
}

// check returns an error if a setting is unknown.
func (o *Resize) check() error {
	if _, ok := resizeCoordinates[o.Coordinates]; !ok {
		return fmt.Errorf("unknown coordinates %q: want half_pixel, half_pixel_symmetric, pytorch_half_pixel, align_corners or asymmetric", o.Coordinates)
	}
	switch a := math.Abs(o.CubicA); o.Mode {
	case "linear":
	case "cubic":
		if !(a <= cubicLimit && (a == 0 || a >= 1/cubicLimit)) {
			return fmt.Errorf("cubic coefficient %v is absurd", o.CubicA)
		}
	case "nearest":
		if _, ok := resizeRounding[o.Nearest]; !ok {
			return fmt.Errorf("unknown rounding %q: want round_prefer_floor, round_prefer_ceil, floor or ceil", o.Nearest)
		}
	default:
		return fmt.Errorf("unknown mode %q: want nearest, linear or cubic", o.Mode)
	}
	return nil
}

func (o *Resize) kernel32(in ...[]int) kernel[float32] { return compileResize[float32](o, in[0]) }
func (o *Resize) kernel64(in ...[]int) kernel[float64] { return compileResize[float64](o, in[0]) }

func compileResize[T Float](o *Resize, in []int) kernel[T] {
	if o.Mode != "nearest" {
		return newResize[T](o, in)
	}
	views := make([]axisView, len(in))
	for d := range in {
		views[d] = whole(d, in[d])
		if !o.keeps(d, in[d]) {
			views[d] = listed(d, o.nearest(d, in[d]))
		}
	}
	return newRearrange[T](in, views, 0)
}
