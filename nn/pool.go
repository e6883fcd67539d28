package nn

import "fmt"

// MaxPool takes the largest input of each window; padding counts as −∞, and of
// equal inputs the first in scan order wins. Zero in Stride means 1.
type MaxPool struct {
	Kernel, Stride [2]int // height, width
	Pad            [4]int // top, left, bottom, right; each less than the kernel
}

// AveragePool takes the mean of each window. Padding counts as zeros if
// CountIncludePad is set and is left out of the mean otherwise. Zero in Stride
// means 1.
type AveragePool struct {
	Kernel, Stride  [2]int // height, width
	Pad             [4]int // top, left, bottom, right; each less than the kernel
	CountIncludePad bool
}

// GlobalAveragePool takes the mean of each channel: [c, h, w] → [c, 1, 1].
type GlobalAveragePool struct{}

// Kind returns "MaxPool".
func (p *MaxPool) Kind() string { return "MaxPool" }

// Kind returns "AveragePool".
func (p *AveragePool) Kind() string { return "AveragePool" }

// Kind returns "GlobalAveragePool".
func (p *GlobalAveragePool) Kind() string { return "GlobalAveragePool" }

// Params returns nil.
func (p *MaxPool) Params() []*Param { return nil }

// Params returns nil.
func (p *AveragePool) Params() []*Param { return nil }

// Params returns nil.
func (p *GlobalAveragePool) Params() []*Param { return nil }

// Shape returns [channels, height, width] of one example's output.
func (p *MaxPool) Shape(inputs ...[]int) ([]int, error) {
	return poolShape(p.Kernel, p.Stride, p.Pad, inputs)
}

// Shape returns [channels, height, width] of one example's output.
func (p *AveragePool) Shape(inputs ...[]int) ([]int, error) {
	return poolShape(p.Kernel, p.Stride, p.Pad, inputs)
}

// Shape returns [channels, 1, 1].
func (p *GlobalAveragePool) Shape(inputs ...[]int) ([]int, error) {
	if len(inputs) != 1 || len(inputs[0]) != 3 {
		return nil, fmt.Errorf("want one input of shape [channels height width], have %v", inputs)
	}
	return []int{inputs[0][0], 1, 1}, nil
}

func poolShape(kernel, stride [2]int, pad [4]int, inputs [][]int) ([]int, error) {
	w, err := newWindow(kernel, stride, [2]int{1, 1}, pad, inputs)
	if err != nil {
		return nil, err
	}
	for i, p := range pad {
		if p >= kernel[i%2] {
			return nil, fmt.Errorf("padding %v leaves a window of kernel %v without inputs", pad, kernel)
		}
	}
	return []int{w.channels, w.outH, w.outW}, nil
}
