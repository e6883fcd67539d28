package nn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/must"
)

var poolCases = map[string]struct {
	kernel, stride [2]int
	pad            [4]int
	in             []int
}{
	"2x2":      {[2]int{2, 2}, [2]int{2, 2}, [4]int{}, []int{3, 6, 8}},
	"2x2 odd":  {[2]int{2, 2}, [2]int{2, 2}, [4]int{}, []int{3, 7, 5}},
	"3x3":      {[2]int{3, 3}, [2]int{3, 3}, [4]int{}, []int{2, 11, 10}},
	"overlap":  {[2]int{3, 3}, [2]int{2, 2}, [4]int{1, 1, 1, 1}, []int{2, 8, 9}},
	"stride 1": {[2]int{2, 3}, [2]int{}, [4]int{1, 0, 0, 2}, []int{2, 4, 5}},
	"beyond":   {[2]int{5, 7}, [2]int{2, 3}, [4]int{4, 6, 3, 5}, []int{2, 3, 4}},
	"gaps":     {[2]int{1, 2}, [2]int{3, 3}, [4]int{}, []int{2, 7, 8}},
	"one wide": {[2]int{1, 4}, [2]int{1, 2}, [4]int{0, 3, 0, 1}, []int{1, 3, 6}},
	"whole":    {[2]int{4, 5}, [2]int{1, 1}, [4]int{}, []int{3, 4, 5}},
	"many":     {[2]int{2, 2}, [2]int{2, 2}, [4]int{}, []int{70, 30, 30}},
}

func TestPools(t *testing.T) {
	for name, c := range poolCases {
		if name == "many" && testing.Short() {
			t.Run(name, func(t *testing.T) { t.Skip("long: pools of 70 planes") })
			continue
		}
		t.Run("max/"+name, func(t *testing.T) { testOperator(t, &MaxPool{c.kernel, c.stride, c.pad}, c.in) })
		for _, all := range []bool{false, true} {
			t.Run("average/"+name, func(t *testing.T) {
				testOperator(t, &AveragePool{c.kernel, c.stride, c.pad, all}, c.in)
			})
		}
	}
	t.Run("global", func(t *testing.T) { testOperator(t, &GlobalAveragePool{}, []int{3, 4, 5}) })
}

// windowOf returns, in scan order, the positions in its plane of the inputs that an output depends
// on.
func windowOf(kernel, stride [2]int, pad [4]int, in []int, i, j int) []int {
	var at []int
	for r := range kernel[0] {
		for s := range kernel[1] {
			h, w := i*max(stride[0], 1)+r-pad[0], j*max(stride[1], 1)+s-pad[1]
			if h >= 0 && h < in[1] && w >= 0 && w < in[2] {
				at = append(at, h*in[2]+w)
			}
		}
	}
	return at
}

// TestPoolDefinition compares forward passes with the definition, on integers
// with many ties, and that the first of equal inputs is the one that is moved.
func TestPoolDefinition(t *testing.T) {
	for name, c := range poolCases {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 1))
			maxOp := &MaxPool{c.kernel, c.stride, c.pad}
			out := must.Get(maxOp.Shape(c.in))(t)
			const n = 2
			x := make([]float64, n*Size(c.in))
			for i := range x {
				x[i] = float64(r.IntN(4) - 3)
			}
			u := randomSlice[float64](r, n*Size(out), 1)
			most, first := make([]float64, len(u)), make([]float64, len(x))
			mean := map[bool][]float64{false: make([]float64, len(u)), true: make([]float64, len(u))}
			for o := range u {
				base := o / (out[1] * out[2]) * c.in[1] * c.in[2]
				at := windowOf(c.kernel, c.stride, c.pad, c.in, o/out[2]%out[1], o%out[2])
				values := make([]float64, len(at))
				sum := 0.0
				for i, a := range at {
					values[i] = x[base+a]
					sum += values[i]
				}
				most[o] = slices.Max(values)
				first[base+at[slices.Index(values, most[o])]] += u[o]
				mean[false][o] = sum / float64(len(at))
				mean[true][o] = sum / float64(c.kernel[0]*c.kernel[1])
			}
			f := &frame[float64]{batch: n, x: [][]float64{x}, y: make([]float64, len(u))}
			k := maxOp.kernel64(c.in)
			k.forward(f)
			closeTo(t, "max", f.y, most, 0)
			dx := make([]float64, len(x))
			k.vjp(f, [][]float64{dx}, u, 1)
			closeTo(t, "max's adjoint", dx, first, 1e-15)
			for all, want := range mean {
				(&AveragePool{c.kernel, c.stride, c.pad, all}).kernel64(c.in).forward(f)
				closeTo(t, "mean", f.y, want, 1e-15)
			}
		})
	}
}

func TestMaxPoolNaN(t *testing.T) {
	nan := math.NaN()
	for _, x := range [][]float64{{nan, 1, 2, 3}, {1, nan, 2, 3}, {1, 2, 3, nan}} {
		f := &frame[float64]{batch: 1, x: [][]float64{x}, y: make([]float64, 1)}
		(&MaxPool{Kernel: [2]int{2, 2}}).kernel64([]int{1, 2, 2}).forward(f)
		if f.y[0] == f.y[0] {
			t.Errorf("the maximum of %v is %v", x, f.y[0])
		}
	}
}

func TestPoolRoundoff(t *testing.T) {
	for name, c := range poolCases {
		if name == "many" {
			continue
		}
		for _, op := range []Op{&MaxPool{c.kernel, c.stride, c.pad}, &AveragePool{c.kernel, c.stride, c.pad, false}, &AveragePool{c.kernel, c.stride, c.pad, true}} {
			t.Run(op.Kind()+"/"+name, func(t *testing.T) { testExact(t, op, 300, itself, c.in) })
		}
	}
}
