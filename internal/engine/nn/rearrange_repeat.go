package nn

import "fmt"

// Expand repeats an example along its dimensions of size 1 until it has the shape
// To, dimensions being matched from the last: ONNX Expand-13 where the input
// broadcasts to To.
type Expand struct{ To []int }

// Kind returns "Expand".
func (*Expand) Kind() string { return "Expand" }

// Shape returns To; it returns an error if the input does not broadcast to it.
func (o *Expand) Shape(inputs ...[]int) ([]int, error) { return rearranged(inputs, o.views) }

func (o *Expand) views(in []int) ([]axisView, error) {
	more := len(o.To) - len(in)
	if more < 0 {
		return nil, fmt.Errorf("shape %v does not broadcast to %v", in, o.To)
	}
	views := make([]axisView, len(o.To))
	for d, n := range o.To {
		a := d - more
		switch {
		case n < 0 || a >= 0 && in[a] != n && in[a] != 1:
			return nil, fmt.Errorf("shape %v does not broadcast to %v", in, o.To)
		case a < 0:
			views[d] = repeated(-1, n)
		case in[a] == n:
			views[d] = whole(a, n)
		default:
			views[d] = repeated(a, n)
		}
	}
	return views, nil
}

func (o *Expand) kernel32(in ...[]int) kernel[float32] { return compileViews[float32](in, o.views, 0) }
func (o *Expand) kernel64(in ...[]int) kernel[float64] { return compileViews[float64](in, o.views, 0) }

// Tile repeats an example whole, Repeats[d] times along dimension d: ONNX Tile-13.
type Tile struct{ Repeats []int }

// Kind returns "Tile".
func (*Tile) Kind() string { return "Tile" }

// Shape returns the products of the dimensions and their repeats; it returns an error if
// there is not one of each, not negative.
func (o *Tile) Shape(inputs ...[]int) ([]int, error) { return rearranged(inputs, o.views) }

func (o *Tile) views(in []int) ([]axisView, error) {
	if len(o.Repeats) != len(in) {
		return nil, rankError(fmt.Sprintf("repeats %v", o.Repeats), in)
	}
	views := make([]axisView, len(in))
	for d, n := range in {
		if r := o.Repeats[d]; r < 0 || r > padLimit {
			return nil, fmt.Errorf("repeats %v are negative or absurd", o.Repeats)
		}
		views[d] = axisView{d, n * o.Repeats[d], func(i int) int { return i % n }}
	}
	return views, nil
}

func (o *Tile) kernel32(in ...[]int) kernel[float32] { return compileViews[float32](in, o.views, 0) }
func (o *Tile) kernel64(in ...[]int) kernel[float64] { return compileViews[float64](in, o.views, 0) }
