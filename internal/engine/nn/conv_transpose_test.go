package nn

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"tattle/internal/must"
)

// transposed returns a case's transposed convolution, whose input is of the case's
// height and width.
func (c convCase) transposed(outputPad [2]int) *ConvTranspose {
	r := rand.New(rand.NewPCG(uint64(c.in), uint64(c.out)))
	op := &ConvTranspose{
		InChannels: c.in, OutChannels: c.out, Groups: c.groups,
		Kernel: c.kernel, Stride: c.stride, Dilation: c.dilation, Pad: c.pad, OutputPad: outputPad,
		Weight: testParam(r, "weight", c.in, c.out/max(c.groups, 1), c.kernel[0], c.kernel[1]),
	}
	if !c.noBias {
		op.Bias = testParam(r, "bias", c.out)
	}
	return op
}

var transposedCases = []struct {
	convCase
	outputPad [2]int
}{
	{convCase{in: 3, out: 2, kernel: [2]int{3, 3}, height: 4, width: 3}, [2]int{}},
	{convCase{in: 2, out: 3, kernel: [2]int{2, 2}, stride: [2]int{2, 2}, height: 3, width: 4}, [2]int{}},
	{convCase{in: 2, out: 3, kernel: [2]int{3, 4}, stride: [2]int{2, 3}, pad: [4]int{1, 1, 1, 2}, height: 3, width: 4}, [2]int{1, 2}},
	{convCase{in: 2, out: 2, kernel: [2]int{2, 3}, dilation: [2]int{3, 2}, pad: [4]int{0, 3, 2, 0}, height: 4, width: 3, noBias: true}, [2]int{2, 1}},
	{convCase{in: 4, out: 6, groups: 2, kernel: [2]int{3, 2}, stride: [2]int{2, 1}, height: 3, width: 3}, [2]int{1, 0}},
	{convCase{in: 4, out: 4, groups: 4, kernel: [2]int{4, 4}, stride: [2]int{2, 2}, pad: [4]int{1, 1, 1, 1}, height: 3, width: 4}, [2]int{}},
	{convCase{in: 3, out: 4, kernel: [2]int{1, 1}, height: 1, width: 1}, [2]int{}},
	{convCase{in: 2, out: 3, kernel: [2]int{1, 1}, stride: [2]int{3, 2}, height: 2, width: 3}, [2]int{2, 1}},
}

// transposedTerms is the definition of a transposed convolution.
func transposedTerms(c *ConvTranspose, in, out []int) (terms []convTerm) {
	g, k := max(c.Groups, 1), c.Kernel[0]*c.Kernel[1]
	inG, outG := c.InChannels/g, c.OutChannels/g
	for x := range Size(in) {
		channel, i, j := x/(in[1]*in[2]), x/in[2]%in[1], x%in[2]
		for w := range outG * k {
			h := i*max(c.Stride[0], 1) + w%k/c.Kernel[1]*max(c.Dilation[0], 1) - c.Pad[0]
			v := j*max(c.Stride[1], 1) + w%c.Kernel[1]*max(c.Dilation[1], 1) - c.Pad[1]
			if h >= 0 && h < out[1] && v >= 0 && v < out[2] {
				terms = append(terms, convTerm{((channel/inG*outG+w/k)*out[1]+h)*out[2] + v, x, channel*outG*k + w})
			}
		}
	}
	return terms
}

func TestConvTransposeShapeErrors(t *testing.T) {
	good := convCase{in: 4, out: 6, groups: 2, kernel: [2]int{3, 3}, height: 5, width: 5}
	for want, change := range map[string]func(c *ConvTranspose, in *[]int){
		"do not divide":     func(c *ConvTranspose, in *[]int) { c.Groups = 3 },
		"want one input":    func(c *ConvTranspose, in *[]int) { *in = []int{4} },
		"has 3 channels":    func(c *ConvTranspose, in *[]int) { *in = []int{3, 5, 5} },
		"leaves nothing":    func(c *ConvTranspose, in *[]int) { c.Pad = [4]int{7, 0, 0, 0} },
		"is negative":       func(c *ConvTranspose, in *[]int) { c.Pad[2] = -1 },
		"must be positive":  func(c *ConvTranspose, in *[]int) { c.Stride[0] = -1 },
		"output padding":    func(c *ConvTranspose, in *[]int) { c.OutputPad[1] = 1 },
		"absurd":            func(c *ConvTranspose, in *[]int) { c.Stride[1] = 1 << 40 },
		"weight is missing": func(c *ConvTranspose, in *[]int) { c.Weight = nil },
		`bias "bias" has`:   func(c *ConvTranspose, in *[]int) { c.Bias.Shape = []int{5} },
		`weight "weight"`:   func(c *ConvTranspose, in *[]int) { c.Kernel[0] = 2 },
		"is empty":          func(c *ConvTranspose, in *[]int) { *in = []int{0, 4, 5, 5} },
	} {
		op, in := good.transposed([2]int{}), good.shape()
		change(op, &in)
		must.Fail(t, must.Err(op.Shape(in)), want)
	}
}

// TestImages holds operators on several images of one example to the same bytes as on
// each alone, in every product.
func TestImages(t *testing.T) {
	c := convCase{in: 3, out: 4, kernel: [2]int{3, 2}, stride: [2]int{2, 1}, pad: [4]int{1, 0, 1, 1}, height: 5, width: 4}
	whole := convCase{in: 3, out: 4, kernel: [2]int{5, 4}, height: 5, width: 4}
	for name, op := range map[string]Op{
		"conv": c.op(), "whole": whole.op(), "transposed": c.transposed([2]int{}),
		"max": &MaxPool{Kernel: [2]int{2, 2}}, "mean": &AveragePool{Kernel: [2]int{3, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			testOperator(t, op, []int{2, 3, 5, 4})
			one := must.Get(op.Shape([]int{3, 5, 4}))(t)
			if all, err := op.Shape([]int{2, 2, 3, 5, 4}); err != nil || fmt.Sprint(all) != fmt.Sprint(append([]int{2, 2}, one...)) {
				t.Errorf("shape %v of several images, %v of one: %v", all, one, err)
			}
			const n = 3
			x := randomSlice[float64](rand.New(rand.NewPCG(1, 1)), n*4*60, 1)
			f := &frame[float64]{batch: n, x: [][]float64{x}, y: make([]float64, n*4*Size(one))}
			g := &frame[float64]{batch: n * 4, x: f.x, y: make([]float64, len(f.y))}
			op.kernel64([]int{2, 2, 3, 5, 4}).forward(f)
			op.kernel64([]int{3, 5, 4}).forward(g)
			closeTo(t, "forward", f.y, g.y, 1e-14)
			ey, ex, gy := make([]float64, len(f.y)), make([]float64, len(x)), make([]float64, len(f.y))
			round(rounderOf(op, op.kernel64([]int{2, 2, 3, 5, 4}), []int{2, 2, 3, 5, 4}), f, ey, [][]float64{ex})
			round(rounderOf(op, op.kernel64([]int{3, 5, 4}), []int{3, 5, 4}), g, gy, [][]float64{ex})
			closeTo(t, "bounds", ey, gy, .5)
		})
	}
}
