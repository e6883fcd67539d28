package nn

import "fmt"

// Pad adds Before[d] and After[d] entries to both ends of dimension d; negative
// numbers take entries away, which is done first. ONNX Pad-19 in mode constant.
type Pad struct {
	Before, After []int   // one of each dimension
	Value         float64 // what is added; float32 kernels round it
}

// Kind returns "Pad".
func (*Pad) Kind() string { return "Pad" }

// Shape returns the input's dimensions plus what is added. It returns an error if Before and
// After do not name each dimension, or more is taken away than there is.
func (o *Pad) Shape(inputs ...[]int) ([]int, error) { return rearranged(inputs, o.views) }

func (o *Pad) views(in []int) ([]axisView, error) {
	if len(o.Before) != len(in) || len(o.After) != len(in) {
		return nil, rankError(fmt.Sprintf("padding %v before and %v after", o.Before, o.After), in)
	}
	views := make([]axisView, len(in))
	for d, n := range in {
		before, after := o.Before[d], o.After[d]
		first := max(0, -before) // of the entries kept
		kept := n - first - max(0, -after)
		if max(before, after) > padLimit || min(before, after) < -padLimit || kept < 0 {
			return nil, fmt.Errorf("padding %v before and %v after does not fit shape %v", o.Before, o.After, in)
		}
		before, after = max(0, before), max(0, after)
		views[d] = axisView{d, before + kept + after, func(i int) int {
			if i < before || i >= before+kept {
				return outside
			}
			return first + i - before
		}}
	}
	return views, nil
}

// padLimit bounds what is added to one end, so that no arithmetic overflows.
const padLimit = 1 << 30

func (o *Pad) kernel32(in ...[]int) kernel[float32] {
	return compileViews[float32](in, o.views, o.Value)
}

func (o *Pad) kernel64(in ...[]int) kernel[float64] {
	return compileViews[float64](in, o.views, o.Value)
}
