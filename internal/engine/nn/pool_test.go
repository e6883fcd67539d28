package nn

import (
	"cmp"
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
	dilation       [2]int
}{
	"2x2":      {[2]int{2, 2}, [2]int{2, 2}, [4]int{}, []int{3, 6, 8}, [2]int{}},
	"2x2 odd":  {[2]int{2, 2}, [2]int{2, 2}, [4]int{}, []int{3, 7, 5}, [2]int{}},
	"3x3":      {[2]int{3, 3}, [2]int{3, 3}, [4]int{}, []int{2, 11, 10}, [2]int{}},
	"overlap":  {[2]int{3, 3}, [2]int{2, 2}, [4]int{1, 1, 1, 1}, []int{2, 8, 9}, [2]int{}},
	"stride 1": {[2]int{2, 3}, [2]int{}, [4]int{1, 0, 0, 2}, []int{2, 4, 5}, [2]int{}},
	"beyond":   {[2]int{5, 7}, [2]int{2, 3}, [4]int{4, 6, 3, 5}, []int{2, 3, 4}, [2]int{}},
	"gaps":     {[2]int{1, 2}, [2]int{3, 3}, [4]int{}, []int{2, 7, 8}, [2]int{}},
	"one wide": {[2]int{1, 4}, [2]int{1, 2}, [4]int{0, 3, 0, 1}, []int{1, 3, 6}, [2]int{}},
	"whole":    {[2]int{4, 5}, [2]int{1, 1}, [4]int{}, []int{3, 4, 5}, [2]int{}},
	"many":     {[2]int{2, 2}, [2]int{2, 2}, [4]int{}, []int{70, 30, 30}, [2]int{}},
	"dilated":  {[2]int{2, 3}, [2]int{1, 2}, [4]int{2, 3, 1, 4}, []int{3, 6, 19}, [2]int{3, 2}},
	"far":      {[2]int{2, 2}, [2]int{}, [4]int{4, 0, 0, 2}, []int{2, 5, 4}, [2]int{5, 3}},
}

// windowOf returns, in scan order, the positions in its plane of the inputs that an output depends
// on.
func windowOf(kernel, stride, dilation [2]int, pad [4]int, in []int, i, j int) []int {
	var at []int
	for r := range kernel[0] {
		for s := range kernel[1] {
			h, w := i*max(stride[0], 1)+r*max(dilation[0], 1)-pad[0], j*max(stride[1], 1)+s*max(dilation[1], 1)-pad[1]
			if h >= 0 && h < in[1] && w >= 0 && w < in[2] {
				at = append(at, h*in[2]+w)
			}
		}
	}
	return at
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

// TestMaxPoolTies holds that of equal inputs the first one is moved.
func TestMaxPoolTies(t *testing.T) {
	for name, c := range poolCases {
		r := rand.New(rand.NewPCG(1, 1))
		op := &MaxPool{c.kernel, c.stride, c.pad, c.dilation}
		out := must.Get(op.Shape(c.in))(t)
		const n = 2
		x := make([]float64, n*Size(c.in))
		for i := range x {
			x[i] = float64(r.IntN(4) - 3)
		}
		u, want, got := randomSlice[float64](r, n*Size(out), 1), make([]float64, len(x)), make([]float64, len(x))
		for o := range u {
			base := o / (out[1] * out[2]) * c.in[1] * c.in[2]
			at := windowOf(c.kernel, c.stride, c.dilation, c.pad, c.in, o/out[2]%out[1], o%out[2])
			first := slices.MaxFunc(at, func(a, b int) int { return cmp.Compare(x[base+a], x[base+b]) })
			want[base+first] += u[o]
		}
		f := &frame[float64]{batch: n, x: [][]float64{x}, y: make([]float64, len(u))}
		k := op.kernel64(c.in)
		k.forward(f)
		k.vjp(f, [][]float64{got}, u, 1)
		closeTo(t, name, got, want, 1e-15)
	}
}

// TestMaxPoolAlone holds that a forward pass that remembers no winners finds the same numbers.
func TestMaxPoolAlone(t *testing.T) {
	t.Run("float32", testMaxPoolAlone[float32])
	t.Run("float64", testMaxPoolAlone[float64])
}

func testMaxPoolAlone[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for name, c := range poolCases {
		for _, odd := range []T{0, T(math.NaN()), T(math.Inf(-1))} {
			op := &MaxPool{c.kernel, c.stride, c.pad, c.dilation}
			const n = 2
			x := randomSlice[T](r, n*Size(c.in), 1)
			x[r.IntN(len(x))] = odd
			of := func(alone bool) []T {
				f := &frame[T]{batch: n, x: [][]T{x}, y: make([]T, n*Size(must.Get(op.Shape(c.in))(t))), alone: alone}
				newMaxPool[T](op, [][]int{c.in}).forward(f)
				return f.y
			}
			got, want := of(true), of(false)
			for i, v := range want {
				if got[i] != v && (got[i] == got[i] || v == v) {
					t.Fatalf("%s with %v: output %d is %v, want %v", name, odd, i, got[i], v)
				}
			}
		}
	}
}
