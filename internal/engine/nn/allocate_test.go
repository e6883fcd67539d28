package nn

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"tattle/internal/must"
)

// TestKernelsKeepTheirBuffers holds that kernels find their buffers again.
func TestKernelsKeepTheirBuffers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	image, long := []int{8, 30, 40}, []int{64, 96}
	channel := &Param{Shape: []int{8, 1, 1}, Data: randomSlice[float32](r, 8, 1)}
	layer := &LayerNorm{}
	layer.Scale, layer.Shift = normParams(r, 96)
	square, halved := [2]int{3, 3}, [2]int{2, 2}
	depthwise := convCase{in: 8, out: 16, groups: 8, kernel: square, stride: halved, pad: [4]int{1, 1, 1, 1}}
	columns := convCase{in: 8, out: 30, kernel: square, stride: halved, pad: [4]int{1, 1, 1, 1}}
	for _, c := range []struct {
		op Op
		in [][]int
	}{
		{&MatMul{TransB: true}, [][]int{{6, 49, 32}, {6, 49, 32}}},
		{&Softmax{}, [][]int{{49, 49}}},
		{layer, [][]int{long}},
		{&Reduce{Function: "Mean", Axes: []int{0}}, [][]int{long}},
		{&Reduce{Function: "Max", Axes: []int{0}}, [][]int{long}},
		{&Transpose{[]int{0, 2, 1}}, [][]int{image}},
		{&Transpose{[]int{1, 0, 2}}, [][]int{image}},
		{&Pad{Before: []int{1, 1}, After: []int{1, 1}}, [][]int{long}},
		{&Slice{Starts: []int{1, 0}, Steps: []int{2, 1}, Counts: []int{20, 90}}, [][]int{long}},
		{&Unary{Function: "Gelu"}, [][]int{image}},
		{&Unary{Function: "Erf"}, [][]int{image}},
		{&Binary{Operator: "Mul", Constant: channel}, [][]int{image}},
		{&Binary{Operator: "Div"}, [][]int{image, {8, 1, 1}}},
		{&Binary{Operator: "Less", Constant: channel}, [][]int{image}},
		{&Where{Condition: channel}, [][]int{image, {40}}},
		{depthwise.op(), [][]int{image}},
		{columns.op(), [][]int{image}},
		{columns.transposed([2]int{}), [][]int{image}},
		{convCase{in: 8, out: 16, kernel: square, pad: [4]int{1, 1, 1, 1}}.op(), [][]int{{8, 9, 9}}},
		{convCase{in: 8, out: 16, kernel: halved, stride: halved}.op(), [][]int{{8, 64, 64}}},
		{convCase{in: 8, out: 8, groups: 8, kernel: square}.op(), [][]int{{8, 16, 16}}},
		{winogradCases[3].op(), [][]int{winogradCases[3].shape()}},
		{winogradCases[6].op(), [][]int{winogradCases[6].shape()}},
		{&MaxPool{Kernel: square, Stride: halved}, [][]int{image}},
		{&AveragePool{Kernel: square}, [][]int{image}},
	} {
		t.Run(c.op.Kind(), func(t *testing.T) {
			oc := opCase{op: c.op, in: c.in, out: Size(must.Get(c.op.Shape(c.in...))(t))}
			testAllocations(t, oc, c.op.kernel32(c.in...))
			testAllocations(t, oc, c.op.kernel64(c.in...))
		})
	}
}

// testAllocations fails if a kernel that has run before allocates buffers.
func testAllocations[T Float](t *testing.T, c opCase, k kernel[T]) {
	t.Helper()
	const vectors = 2
	r := rand.New(rand.NewPCG(1, 1))
	x, dx := inputs[T](c, r, 1, 1), inputs[T](c, r, vectors, 1)
	f := forwardFrame(k, c, x, true)
	dy := randomSlice[T](r, vectors*len(f.y), 1)
	calls := map[string]func(){
		"forward": func() { k.forward(f) },
		"jvp":     func() { k.jvp(f, dy, dx, vectors) },
		"vjp":     func() { k.vjp(f, dx, dy, vectors) },
	}
	switch f := any(f).(type) {
	case *frame[float32]:
		if l, ok := k.(learner); ok {
			for _, p := range paramsOf(c.op) {
				p.Grad = make([]float32, len(p.Data))
			}
			calls["gradient"] = func() { l.grad(f, any(dy[:len(f.y)]).([]float32), 0) }
		}
	case *frame[float64]:
		ey := make([]float64, len(f.y))
		if r := rounderOf(c.op, any(k).(kernel[float64]), c.in...); r != nil {
			calls["bounds"] = func() { round(r, f, ey, any(x).([][]float64)) }
		}
	}
	for what, call := range calls {
		steady(t, fmt.Sprintf("%s in %T", what, dy[0]), 1, call)
	}
}

// steady fails if what runs again allocates more than the closures that its operators hand to the cores.
func steady(t *testing.T, what string, operators int, run func()) {
	t.Helper()
	const runs, limit = 4, 2 << 10
	var before, after runtime.MemStats
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	run()
	run()
	runtime.ReadMemStats(&before)
	for range runs {
		run()
	}
	runtime.ReadMemStats(&after)
	if n := (after.TotalAlloc - before.TotalAlloc) / runs; n > uint64(limit*operators) {
		t.Errorf("%s allocates %d bytes", what, n)
	}
}
