package nn

import "fmt"

// GroupNorm standardises groups of channels, all that lies in them together, and
// then scales and shifts each channel (ONNX GroupNormalization-21, with the scales
// by channel; with as many groups as channels InstanceNormalization-6):
//
//	y = Scale · (x − mean) / √(variance + Epsilon) + Shift
//
// with the mean and the biased variance of the group. The input is [channels, …].
// In training it learns Scale and Shift.
type GroupNorm struct {
	Groups       int     // zero means 1
	Epsilon      float64 // zero means DefaultLayerNormEpsilon
	Scale, Shift *Param  // [channels]; nil for 1 and for 0
}

// Kind returns "GroupNormalization".
func (o *GroupNorm) Kind() string { return "GroupNormalization" }

// Params returns those of Scale and Shift that there are.
func (o *GroupNorm) Params() []*Param { return present(o.Scale, o.Shift) }

// Shape returns the input's shape. It returns an error if the groups do not divide the
// channels, a parameter does not fit or the epsilon is not 0 or more and finite.
func (o *GroupNorm) Shape(inputs ...[]int) ([]int, error) {
	s, err := oneInput(inputs)
	if err != nil {
		return nil, err
	}
	if len(s) == 0 || o.Groups < 0 || s[0]%o.groups() != 0 {
		return nil, fmt.Errorf("input has shape %v, whose channels are not %d groups of equal size", s, o.groups())
	}
	if err := checkNorm(o.Epsilon, o.Scale, o.Shift, s[0]); err != nil {
		return nil, err
	}
	return s, nil
}

func (o *GroupNorm) groups() int { return max(o.Groups, 1) }

func (o *GroupNorm) kernel32(in ...[]int) kernel[float32] { return newGroupNorm[float32](o, in[0]) }
func (o *GroupNorm) kernel64(in ...[]int) kernel[float64] { return newGroupNorm[float64](o, in[0]) }

func newGroupNorm[T Float](o *GroupNorm, in []int) *rowNorm[T] {
	k := newRowNorm[T](o.Epsilon, o.Scale, o.Shift)
	k.segment = Size(in[1:])
	k.cols, k.perExample = in[0]/o.groups()*k.segment, o.groups()
	k.period = in[0]
	return k
}
