package nn

import (
	"fmt"
	"slices"

	"tattle/internal/math/simd"
)

// MaxPool takes the largest input of each window; padding counts as −∞, and of
// equal inputs the first in scan order wins. The input is [..., channels, height,
// width]. Zero in Stride or Dilation means 1. No window may lie in the padding alone.
type MaxPool struct {
	Kernel, Stride [2]int // height, width
	Pad            [4]int // top, left, bottom, right
	Dilation       [2]int
}

// AveragePool takes the mean of each window. Padding counts as zeros if
// CountIncludePad is set and is left out of the mean otherwise. Zero in Stride or
// Dilation means 1. No window may lie in the padding alone.
type AveragePool struct {
	Kernel, Stride  [2]int // height, width
	Pad             [4]int // top, left, bottom, right
	CountIncludePad bool
	Dilation        [2]int
}

// Kind returns "MaxPool".
func (p *MaxPool) Kind() string { return "MaxPool" }

// Kind returns "AveragePool".
func (p *AveragePool) Kind() string { return "AveragePool" }

// Shape returns [..., channels, height, width] of one example's output.
func (p *MaxPool) Shape(inputs ...[]int) ([]int, error) {
	return poolShape(p.Kernel, p.Stride, p.Dilation, p.Pad, inputs)
}

// Shape returns [..., channels, height, width] of one example's output.
func (p *AveragePool) Shape(inputs ...[]int) ([]int, error) {
	return poolShape(p.Kernel, p.Stride, p.Dilation, p.Pad, inputs)
}

func poolShape(kernel, stride, dilation [2]int, pad [4]int, inputs [][]int) ([]int, error) {
	w, err := newWindow(kernel, stride, dilation, pad, inputs)
	if err != nil {
		return nil, err
	}
	p := planPool(w)
	if slices.ContainsFunc(slices.Concat(p.rows, p.columns), func(e extent) bool { return e.lo >= e.hi }) {
		return nil, fmt.Errorf("padding %v leaves a window of kernel %v without inputs", pad, kernel)
	}
	lead, _ := leading(inputs[0])
	return append(lead, w.channels, w.outH, w.outW), nil
}

func (p *MaxPool) kernel32(in ...[]int) kernel[float32] { return newMaxPool[float32](p, in) }
func (p *MaxPool) kernel64(in ...[]int) kernel[float64] { return newMaxPool[float64](p, in) }

func (p *AveragePool) kernel32(in ...[]int) kernel[float32] { return newAveragePool[float32](p, in) }
func (p *AveragePool) kernel64(in ...[]int) kernel[float64] { return newAveragePool[float64](p, in) }

// poolPlan is the geometry of a pool: output (i, j) depends on the inputs in rows[i] and
// columns[j], which are never empty. The channels are those of all images of one example.
type poolPlan struct {
	window
	rows, columns []extent
	inHW, outHW   int
}

// extent is the range [lo, hi) of a window. A dilated window has only some of its entries, the first one at lo.
type extent struct{ lo, hi int }

// entries returns how many entries that are step apart lie in the range.
func (e extent) entries(step int) int { return (e.hi - e.lo + step - 1) / step }

func newPoolPlan(kernel, stride, dilation [2]int, pad [4]int, in [][]int) poolPlan {
	w := mustFit(newWindow(kernel, stride, dilation, pad, in))
	w.channels *= w.images
	return planPool(w)
}

func planPool(w window) poolPlan {
	return poolPlan{
		window:  w,
		rows:    extents(w.outH, w.inH, w.kH, w.strideH, w.dilH, w.top),
		columns: extents(w.outW, w.inW, w.kW, w.strideW, w.dilW, w.left),
		inHW:    w.inH * w.inW, outHW: w.outH * w.outW,
	}
}

// planes returns how many planes are worth a core of their own.
func (p *poolPlan) planes() int {
	return 1 + grain/(p.outHW*min(p.kH, p.inH)*min(p.kW, p.inW))
}

// eachPlane has the cores share the planes of n examples.
func (p *poolPlan) eachPlane(n int, f func(plane int)) {
	simd.Parallel(n*p.channels, p.planes(), func(lo, hi int) {
		for plane := lo; plane < hi; plane++ {
			f(plane)
		}
	})
}

func extents(out, in, kernel, stride, dilation, pad int) []extent {
	e := make([]extent, out)
	for i := range e {
		at := i*stride - pad
		before := (max(-at, 0) + dilation - 1) / dilation // entries in the padding
		e[i] = extent{at + before*dilation, min(at+(kernel-1)*dilation+1, in)}
	}
	return e
}
