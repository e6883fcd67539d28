package infer

import (
	"fmt"
	"slices"

	"tattle/internal/engine/nn"
)

// arrange decides the shape of one example and whether the model takes batches, from
// the input's shape, p's size and, where the caller knows it, an example's own shape.
func (p *plan) arrange(own []int) error {
	if own != nil && nn.Size(own) != p.size {
		return fmt.Errorf("examples have %d numbers, which is not shape %v", p.size, own)
	}
	dims := p.input.Shape
	if len(dims) > maxRank {
		return fmt.Errorf("input %s has %d dimensions, more than %d", oneLine(p.input.Name), len(dims), maxRank)
	}
	if len(dims) == 0 { // nothing is known
		p.shape = slices.Clone(own)
		if own == nil {
			p.shape = []int{p.size}
		}
		return nil
	}
	var err error
	if p.shape, err = fill(dims[1:], p.size, own); err == nil {
		if dims[0] > 0 {
			p.fixed, p.batch = true, dims[0]
		}
		return nil
	}
	if !slices.Contains(dims, -1) {
		if shape, bad := fill(dims, p.size, own); bad == nil {
			p.shape, p.alone = shape, true
			return nil
		}
	}
	return fmt.Errorf("input %s is %v, the first being the batch: %w", oneLine(p.input.Name), dims, err)
}

// fill returns dims with the open ones set so that they hold size numbers, laid out as
// an example of the shape own, which may be nil.
func fill(dims []int, size int, own []int) ([]int, error) {
	known, open := 1, 0
	for _, d := range dims {
		switch {
		case d == -1:
			open++
		case d <= 0 || known > size/d:
			return nil, fmt.Errorf("an example has %d numbers", size)
		default:
			known *= d
		}
	}
	shape := slices.Clone(dims)
	switch {
	case open == 0 && known == size:
	case open == 1 && size%known == 0:
		shape[slices.Index(shape, -1)] = size / known
	case open > 1 && fits(dims, own):
		shape = slices.Clone(own)
	case open > 1:
		return nil, fmt.Errorf("it leaves %d dimensions of an example open: say the shape", open)
	default:
		return nil, fmt.Errorf("an example has %d numbers", size)
	}
	if a, b := thick(shape), thick(own); own != nil && len(a) > 1 && len(b) > 1 && !slices.Equal(a, b) {
		return nil, fmt.Errorf("an example is %v, laid out otherwise (are colours last?)", own)
	}
	return shape, nil
}

// fits reports whether a shape has the dimensions that are not open.
func fits(dims, own []int) bool {
	if len(dims) != len(own) {
		return false
	}
	for i, d := range dims {
		if d != -1 && d != own[i] {
			return false
		}
	}
	return true
}

// thick returns the dimensions other than 1, by which layouts differ.
func thick(shape []int) []int {
	return slices.DeleteFunc(slices.Clone(shape), func(d int) bool { return d == 1 })
}
