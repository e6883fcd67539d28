package nn

import "fmt"

// Pad adds Before[d] and After[d] entries to both ends of dimension d; negative
// numbers take entries away, which is done first. ONNX Pad-19.
type Pad struct {
	Before, After []int   // one of each dimension
	Mode          string  // what is added: "" or "constant" is Value, or "reflect", "edge", "wrap"
	Value         float64 // float32 kernels round it
}

// Kind returns "Pad".
func (*Pad) Kind() string { return "Pad" }

// Shape returns the input's dimensions plus what is added. It returns an error if Before and
// After do not name each dimension, more is taken away than there is, the mode is
// unknown, or nothing is left that could be reflected or repeated.
func (o *Pad) Shape(inputs ...[]int) ([]int, error) { return rearranged(inputs, o.views) }

func (o *Pad) views(in []int) ([]axisView, error) {
	if len(o.Before) != len(in) || len(o.After) != len(in) {
		return nil, rankError(fmt.Sprintf("padding %v before and %v after", o.Before, o.After), in)
	}
	place, ok := padModes[o.Mode]
	if !ok {
		return nil, fmt.Errorf("unknown padding mode %q: want constant, reflect, edge or wrap", o.Mode)
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
		if kept == 0 && before+after > 0 && o.Mode != "" && o.Mode != "constant" {
			return nil, fmt.Errorf("nothing to %s in dimension %d of shape %v", o.Mode, d, in)
		}
		views[d] = axisView{d, before + kept + after, func(i int) int { return first + place(i-before, kept) }}
	}
	return views, nil
}

// padLimit bounds what is added to one end, so that no arithmetic overflows.
const padLimit = 1 << 30

// padModes say which of n entries stands at place i of a padded dimension, whose
// entry 0 is the first; negative for none.
var padModes = map[string]func(i, n int) int{
	"":         padConstant,
	"constant": padConstant,
	"edge":     func(i, n int) int { return min(max(i, 0), n-1) },
	"wrap":     func(i, n int) int { return modulo(i, n) },
	"reflect": func(i, n int) int {
		if n == 1 {
			return 0
		}
		i = modulo(i, 2*n-2)
		return min(i, 2*n-2-i)
	},
}

func padConstant(i, n int) int {
	if i < 0 || i >= n {
		return outside
	}
	return i
}

// modulo returns i modulo n, not negative.
func modulo(i, n int) int { return (i%n + n) % n }

func (o *Pad) kernel32(in ...[]int) kernel[float32] {
	return compileViews[float32](in, o.views, o.Value)
}

func (o *Pad) kernel64(in ...[]int) kernel[float64] {
	return compileViews[float64](in, o.views, o.Value)
}
