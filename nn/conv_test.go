package nn

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"testing"

	"tattle/internal/must"
	"tattle/internal/shared"
)

// convCase is a convolution and its input's height and width.
type convCase struct {
	in, out, groups  int
	kernel, stride   [2]int
	dilation         [2]int
	pad              [4]int
	height, width    int
	noBias, longTest bool
}

func (c convCase) String() string {
	return fmt.Sprintf("%dto%d/g%d/k%v/s%v/d%v/p%v/%dx%d", c.in, c.out, c.groups, c.kernel, c.stride, c.dilation, c.pad, c.height, c.width)
}

func (c convCase) op() *Conv2D {
	r := rand.New(rand.NewPCG(uint64(c.in), uint64(c.out)))
	op := &Conv2D{
		InChannels: c.in, OutChannels: c.out, Groups: c.groups,
		Kernel: c.kernel, Stride: c.stride, Dilation: c.dilation, Pad: c.pad,
		Weight: testParam(r, "weight", c.out, c.in/max(c.groups, 1), c.kernel[0], c.kernel[1]),
	}
	if !c.noBias {
		op.Bias = testParam(r, "bias", c.out)
	}
	return op
}

func (c convCase) shape() []int { return []int{c.in, c.height, c.width} }

// convCases has a case for each implementation, and even kernels with strides below, equal to
// and above their size.
var convCases = []convCase{
	{in: 3, out: 5, kernel: [2]int{3, 3}, height: 7, width: 6},
	{in: 3, out: 4, kernel: [2]int{3, 3}, stride: [2]int{2, 2}, pad: [4]int{1, 1, 1, 1}, height: 8, width: 9},
	{in: 2, out: 3, kernel: [2]int{2, 2}, stride: [2]int{1, 1}, height: 5, width: 6},
	{in: 2, out: 3, kernel: [2]int{2, 2}, stride: [2]int{2, 2}, height: 6, width: 8},
	{in: 2, out: 3, kernel: [2]int{2, 2}, stride: [2]int{2, 2}, height: 7, width: 5},
	{in: 2, out: 3, kernel: [2]int{2, 2}, stride: [2]int{2, 2}, pad: [4]int{1, 0, 0, 1}, height: 6, width: 7},
	{in: 2, out: 3, kernel: [2]int{2, 2}, stride: [2]int{3, 3}, height: 8, width: 10},
	{in: 2, out: 3, kernel: [2]int{4, 4}, stride: [2]int{4, 4}, height: 9, width: 11},
	{in: 2, out: 3, kernel: [2]int{4, 2}, stride: [2]int{2, 1}, pad: [4]int{2, 1, 0, 3}, height: 7, width: 6},
	{in: 3, out: 2, kernel: [2]int{1, 4}, stride: [2]int{1, 2}, pad: [4]int{0, 2, 0, 1}, height: 5, width: 7},
	{in: 3, out: 2, kernel: [2]int{3, 1}, pad: [4]int{0, 0, 2, 0}, height: 5, width: 7},
	{in: 4, out: 6, kernel: [2]int{1, 1}, height: 5, width: 5, noBias: true},
	{in: 4, out: 6, kernel: [2]int{1, 1}, stride: [2]int{2, 3}, height: 5, width: 8},
	{in: 4, out: 6, groups: 2, kernel: [2]int{1, 1}, height: 18, width: 17, longTest: true},
	{in: 2, out: 4, kernel: [2]int{3, 3}, dilation: [2]int{2, 3}, pad: [4]int{2, 3, 1, 2}, height: 8, width: 9},
	{in: 3, out: 2, kernel: [2]int{3, 3}, pad: [4]int{1, 1, 1, 1}, height: 4, width: 5},
	{in: 3, out: 2, kernel: [2]int{2, 4}, pad: [4]int{0, 2, 3, 1}, height: 3, width: 4},
	{in: 2, out: 2, kernel: [2]int{3, 5}, dilation: [2]int{2, 3}, pad: [4]int{3, 10, 2, 2}, height: 3, width: 4},
	{in: 2, out: 4, kernel: [2]int{5, 5}, pad: [4]int{4, 4, 4, 4}, height: 3, width: 2},
	{in: 4, out: 6, groups: 2, kernel: [2]int{3, 3}, stride: [2]int{2, 1}, pad: [4]int{1, 0, 1, 1}, height: 6, width: 7},
	{in: 4, out: 4, groups: 2, kernel: [2]int{2, 2}, stride: [2]int{2, 2}, height: 4, width: 6},
	{in: 4, out: 4, groups: 4, kernel: [2]int{3, 3}, pad: [4]int{1, 1, 1, 1}, height: 6, width: 5},
	{in: 3, out: 6, groups: 3, kernel: [2]int{2, 3}, stride: [2]int{2, 2}, dilation: [2]int{1, 2}, pad: [4]int{0, 1, 1, 2}, height: 7, width: 8},
	{in: 2, out: 2, groups: 2, kernel: [2]int{5, 5}, pad: [4]int{2, 2, 2, 2}, height: 4, width: 9},
	{in: 2, out: 6, groups: 2, kernel: [2]int{7, 7}, stride: [2]int{2, 2}, pad: [4]int{3, 3, 3, 3}, height: 7, width: 6},
	{in: 3, out: 3, groups: 3, kernel: [2]int{2, 1}, stride: [2]int{3, 2}, pad: [4]int{1, 0, 1, 0}, height: 7, width: 6}, // inputs that no output uses
	{in: 2, out: 4, groups: 2, kernel: [2]int{3, 3}, stride: [2]int{2, 3}, dilation: [2]int{3, 2}, pad: [4]int{3, 2, 3, 3}, height: 8, width: 7},
	{in: 2, out: 2, groups: 2, kernel: [2]int{3, 3}, dilation: [2]int{40, 40}, pad: [4]int{40, 40, 40, 40}, height: 3, width: 3}, // by columns
	{in: 6, out: 7, kernel: [2]int{3, 4}, height: 3, width: 4},                                                                   // covers its input
	{in: 3, out: 2, kernel: [2]int{3, 3}, pad: [4]int{1, 1, 1, 1}, height: 40, width: 37, longTest: true},
	{in: 2, out: 3, kernel: [2]int{2, 2}, stride: [2]int{2, 2}, height: 67, width: 50, longTest: true},
}

func TestConv(t *testing.T) {
	for _, c := range convCases {
		t.Run(c.String(), func(t *testing.T) { testOperator(t, c.op(), c.shape()) })
	}
}

// slowConv is the definition, for one example.
func slowConv(c *Conv2D, shape []int, x []float64) []float64 {
	out, err := c.Shape(shape)
	if err != nil {
		panic(err)
	}
	s, d, g := c.Stride, c.Dilation, max(c.Groups, 1)
	for i := range 2 {
		s[i], d[i] = max(s[i], 1), max(d[i], 1)
	}
	inG, outG := c.InChannels/g, c.OutChannels/g
	y := make([]float64, 0, Size(out))
	for o := range out[0] {
		for i := range out[1] {
			for j := range out[2] {
				sum := 0.0
				if c.Bias != nil {
					sum = float64(c.Bias.Data[o])
				}
				for k := range inG * c.Kernel[0] * c.Kernel[1] {
					ch, r, q := k/(c.Kernel[0]*c.Kernel[1]), k/c.Kernel[1]%c.Kernel[0], k%c.Kernel[1]
					h, w := i*s[0]+r*d[0]-c.Pad[0], j*s[1]+q*d[1]-c.Pad[1]
					if h < 0 || h >= shape[1] || w < 0 || w >= shape[2] {
						continue
					}
					weight := c.Weight.Data[o*inG*c.Kernel[0]*c.Kernel[1]+k]
					sum += float64(weight) * x[((o/outG*inG+ch)*shape[1]+h)*shape[2]+w]
				}
				y = append(y, sum)
			}
		}
	}
	return y
}

// TestConvDefinition compares the forward pass and, entry by entry, the adjoint with the
// definition. y is an affine function of x, so the columns of its matrix come from unit vectors.
func TestConvDefinition(t *testing.T) {
	for _, c := range convCases {
		t.Run(c.String(), func(t *testing.T) {
			const n = 5
			op, size := c.op(), Size(c.shape())
			r := rand.New(rand.NewPCG(7, 7))
			x := randomSlice[float64](r, n*size, 1)
			var want []float64
			for e := range n {
				want = append(want, slowConv(op, c.shape(), x[e*size:][:size])...)
			}
			f := &frame[float64]{batch: n, x: [][]float64{x}, y: make([]float64, len(want))}
			k := op.kernel64(c.shape())
			k.forward(f)
			closeTo(t, "forward", f.y, want, 1e-13)
			if c.longTest {
				return
			}
			u := randomSlice[float64](r, len(want), 1)
			got := make([]float64, len(x))
			k.vjp(f, [][]float64{got}, u, 1)
			zero, unit := slowConv(op, c.shape(), make([]float64, size)), make([]float64, size)
			adjoint := make([]float64, len(x))
			for i := range size {
				unit[i] = 1
				column := slowConv(op, c.shape(), unit)
				unit[i] = 0
				for e := range n {
					for o := range zero {
						adjoint[e*size+i] += (column[o] - zero[o]) * u[e*len(zero)+o]
					}
				}
			}
			closeTo(t, "adjoint", got, adjoint, 1e-13)
		})
	}
}

// TestConvIgnoresBatch checks that an example's output has the same bytes alone and in a batch,
// on any number of cores.
func TestConvIgnoresBatch(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	const n = 7
	deep := convCase{in: 300, out: 3, kernel: [2]int{2, 2}, height: 3, width: 4} // summed in several parts
	for _, c := range append([]convCase{deep}, convCases...) {
		op, size := c.op(), Size(c.shape())
		x := randomSlice[float32](rand.New(rand.NewPCG(6, 6)), n*size, 1)
		out, _ := op.Shape(c.shape())
		k := op.kernel32(c.shape())
		forward := func(x []float32) []float32 {
			b := len(x) / size
			f := &frame[float32]{batch: b, x: [][]float32{x}, y: make([]float32, b*Size(out))}
			k.forward(f)
			return f.y
		}
		var want []float32
		for e := range n {
			want = append(want, forward(x[e*size:][:size])...)
		}
		for _, cores := range []int{1, 2, 3, 8} {
			runtime.GOMAXPROCS(cores)
			closeTo(t, fmt.Sprintf("%v on %d cores", c, cores), forward(x), want, 0)
		}
	}
}

// TestConvRoundoff checks that the bound is above the true error, computed in exact rational
// arithmetic with inputs that differ by as much as is allowed, and near γ times the sum of the
// magnitudes.
func TestConvRoundoff(t *testing.T) {
	shared.Long(t, "rounding errors in rational arithmetic")
	for _, c := range convCases {
		if c.longTest {
			continue
		}
		t.Run(c.String(), func(t *testing.T) {
			op := c.op()
			testRoundoff(t, op, c.shape(), func(x []float64) []*big.Rat { return exactConv(op, c.shape(), x) })
		})
	}
}

// exactConv is slowConv in exact arithmetic, from its linear pieces.
func exactConv(c *Conv2D, shape []int, x []float64) []*big.Rat {
	out, _ := c.Shape(shape)
	y := make([]*big.Rat, Size(out))
	zero := slowConv(c, shape, make([]float64, len(x)))
	for i := range y {
		y[i] = new(big.Rat).SetFloat64(zero[i])
	}
	unit := make([]float64, len(x))
	noBias := *c
	noBias.Bias = nil
	for i, v := range x {
		unit[i] = 1
		for o, w := range slowConv(&noBias, shape, unit) {
			if w != 0 {
				term := new(big.Rat).SetFloat64(w)
				y[o].Add(y[o], term.Mul(term, new(big.Rat).SetFloat64(v)))
			}
		}
		unit[i] = 0
	}
	return y
}

// testRoundoff checks that the roundoff bound of the float64 kernel is above its true error at
// corners of the box of possible inputs.
func testRoundoff(t *testing.T, op Op, shape []int, exact func(x []float64) []*big.Rat) {
	t.Helper()
	r := rand.New(rand.NewPCG(9, 9))
	size := Size(shape)
	k := op.kernel64(shape)
	for _, scale := range []float64{0, 1e-14, 1e-3} {
		x, ex := randomSlice[float64](r, size, 1), randomSlice[float64](r, size, scale)
		truth := make([]float64, size)
		for i := range x {
			ex[i] = math.Abs(ex[i])
			truth[i] = x[i] + ex[i]*float64(2*r.IntN(2)-1)*(1-0x1p-20) // still inside when rounded
			if scale == 1e-14 {
				truth[i] = x[i] // leave room for the rounding alone
			}
		}
		out, _ := op.Shape(shape)
		f := &frame[float64]{batch: 1, x: [][]float64{x}, y: make([]float64, Size(out))}
		k.forward(f)
		ey := make([]float64, len(f.y))
		k.(rounder).roundoff(f, ey, [][]float64{ex})
		for o, want := range exact(truth) {
			e := new(big.Rat).Sub(new(big.Rat).SetFloat64(f.y[o]), want)
			if e.Abs(e).Cmp(new(big.Rat).SetFloat64(ey[o])) > 0 {
				v, _ := e.Float64()
				t.Fatalf("inputs within %g: output %d errs by %g, bound %g", scale, o, v, ey[o])
			}
			if most := 1e-13 + 1e3*scale; !(ey[o] <= most) {
				t.Fatalf("inputs within %g: bound %g of output %d is loose", scale, ey[o], o)
			}
		}
	}
}

// widen3 makes the kernel large.
func widen3(c *Conv2D) {
	c.Kernel[1] = 1024
	c.Weight = &Param{Shape: []int{6, 2, 3, 1024}, Data: make([]float32, 6*2*3*1024)}
}

func TestConvShapeErrors(t *testing.T) {
	good := convCase{in: 4, out: 6, groups: 2, kernel: [2]int{3, 3}, height: 5, width: 5}
	for want, change := range map[string]func(c *Conv2D, in *[]int){
		"do not divide":     func(c *Conv2D, in *[]int) { c.Groups = 3 },
		"want one input":    func(c *Conv2D, in *[]int) { *in = []int{4} },
		"has 3 channels":    func(c *Conv2D, in *[]int) { *in = []int{3, 5, 5} },
		"does not fit":      func(c *Conv2D, in *[]int) { *in = []int{4, 2, 5} },
		"is negative":       func(c *Conv2D, in *[]int) { c.Pad[2] = -1 },
		"must be positive":  func(c *Conv2D, in *[]int) { c.Stride[0] = -1 },
		"weight is missing": func(c *Conv2D, in *[]int) { c.Weight = nil },
		"patches":           func(c *Conv2D, in *[]int) { c.Pad = [4]int{0, 1 << 20, 0, 1 << 20}; widen3(c) },
		`bias "bias" has`:   func(c *Conv2D, in *[]int) { c.Bias.Shape = []int{5} },
		`weight "weight"`:   func(c *Conv2D, in *[]int) { c.Kernel[0] = 2 },
	} {
		op, in := good.op(), good.shape()
		change(op, &in)
		must.Fail(t, must.Err(op.Shape(in)), want)
	}
}
