package nn

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"testing"

	"tattle/internal/must"
)

// wideNets has every operator with a wide kernel.
func wideNets() map[string]*Graph {
	r := rand.New(rand.NewPCG(21, 21))
	nets := map[string]*Graph{}
	for name, g := range roundoffNets() {
		if name != "softmax" && name != "steep" && name != "folded" { // these compute in float64
			nets[name] = g
		}
	}
	grouped := &Conv2D{InChannels: 4, OutChannels: 6, Groups: 2, Kernel: [2]int{2, 3}, Stride: [2]int{2, 1}, Dilation: [2]int{1, 2}, Pad: [4]int{1, 0, 0, 2}, Weight: testParam(r, "weight", 6, 2, 2, 3)}
	depthwise := &Conv2D{InChannels: 6, OutChannels: 6, Groups: 6, Kernel: [2]int{3, 3}, Pad: [4]int{1, 1, 1, 1}, Weight: testParam(r, "weight", 6, 1, 3, 3), Bias: testParam(r, "bias", 6)}
	nets["convolutions"] = chain([]int{2, 5, 6}, smallConv(2, 4, 3, 1), testBatchNorm(4), &ReLU{}, grouped, &ReLU{.1}, depthwise)
	up := &ConvTranspose{InChannels: 4, OutChannels: 6, Groups: 2, Kernel: [2]int{3, 2}, Stride: [2]int{2, 1}, Pad: [4]int{1, 0, 0, 1}, Weight: testParam(r, "weight", 4, 3, 3, 2), Bias: testParam(r, "bias", 6)}
	nets["transposed"] = chain([]int{4, 3, 3}, &ReLU{.3}, up, &ReLU{})
	nets["pools"] = chain([]int{2, 7, 7}, smallConv(2, 3, 3, 1), &MaxPool{Kernel: [2]int{3, 3}, Stride: [2]int{2, 2}, Pad: [4]int{1, 1, 1, 1}},
		&AveragePool{Kernel: [2]int{2, 3}, Pad: [4]int{1, 0, 0, 1}}, &AveragePool{Kernel: [2]int{2, 2}, Pad: [4]int{1, 1, 0, 0}, CountIncludePad: true}, smallConv(3, 5, 1, 0), &Reduce{Function: "Mean", Axes: []int{1, 2}, Keep: true})
	nets["copies"] = chain([]int{2, 3, 4}, &ReLU{.7}, &Transpose{Perm: []int{2, 0, 1}}, &Pad{Before: []int{0, 1, 0}, After: []int{1, 0, 2}, Value: 3}, Flatten(), testDense(75, 4, true))
	scaled := testDense(9, 6, true)
	for i := range scaled.Weight.Data { // weights of many magnitudes: many slices
		scaled.Weight.Data[i] = float32(math.Ldexp(float64(scaled.Weight.Data[i]), -r.IntN(90)))
	}
	nets["magnitudes"] = chain([]int{9}, scaled, &ReLU{.5}, testDense(6, 6, true))
	nets["arithmetic"] = chain([]int{2, 3, 2}, &Unary{Function: "Neg"}, with("Mul", testParam(r, "c", 3, 1)), with("Div", number(.3)),
		&Binary{Operator: "Sub", Constant: testParam(r, "c", 2, 1, 2), ConstantFirst: true}, &Unary{Function: "Abs"},
		with("Min", number(.7)), with("Max", testParam(r, "c", 2)), &Unary{Function: "Clip", Alpha: -.25, Beta: .5}, with("Add", testParam(r, "c", 2, 3, 2)))
	nets["reduced"] = chain([]int{3, 4, 2}, &ReLU{.3}, &Reduce{Function: "Mean", Axes: []int{1}}, &Reshape{To: []int{1, 3, 2}}, &Reduce{Function: "Sum", Axes: []int{1}, Keep: true})
	broad := chain([]int{3, 1})
	broad.node("a", testDense(1, 4, true), "x")
	broad.node("s", &Binary{Operator: "Sub"}, "a", "x")
	broad.node("y", &Binary{Operator: "Mul"}, "s", "a")
	nets["broadcast"] = broad
	product := chain([]int{5})
	product.node("a", testDense(5, 4, true), "x")
	product.node("c", constantOf(r, 4))
	product.node("m", &Binary{Operator: "Mul"}, "a", "c")
	product.node("y", &Binary{Operator: "Mul"}, "m", "a")
	nets["product"] = product
	return nets
}

// TestForwardWide64 holds bounds, at inputs moved by up to their own, to exact
// outputs; with exact inputs no bound is much more than the rounding of the result.
func TestForwardWide64(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 22))
	for name, g := range wideNets() {
		net := mustNet(t, g)
		run64(net).limit = 3 * wideRows
		p, n := net.Dims()
		for _, spread := range []float64{0, 1e-25, 1e-8} {
			const batch = 4
			x, y, bound := randomSlice[float64](r, batch*p, 1), make([]float64, batch*n), make([]float64, batch*n)
			xerr := make([]float64, len(x))
			for i := range xerr {
				xerr[i] = spread * r.Float64()
			}
			net.ForwardWide64(y, bound, x, xerr)
			for b := range batch {
				at := make([]*big.Float, p)
				for i := range at {
					at[i] = exact(0).Mul(exact(float64(r.IntN(3)-1)), exact(xerr[b*p+i]))
					at[i].Add(at[i], exact(x[b*p+i]))
				}
				for i, want := range exactForward(t, g, at) {
					checkBound(t, fmt.Sprintf("%s, spread %v", name, spread), y[b*n+i], bound[b*n+i], want, spread == 0)
				}
			}
		}
	}
}

// checkBound holds one output; tight, its bound is little more than its last bit.
func checkBound(t *testing.T, name string, y, bound float64, want *big.Float, tight bool) {
	t.Helper()
	holds(t, name, y, bound, want)
	if tight && !(bound <= 0x1p-52*math.Abs(y)+1e-27) {
		t.Errorf("%s: output %v has bound %v", name, y, bound)
	}
}

// pairs evaluates a net and returns hi and lo with the bound on their sum, before the
// last rounding.
func pairs(net *Net, x []float64) wideTensor {
	_, n := net.Dims()
	y, e := wideTensor{make([]float64, n), make([]float64, n), make([]float64, n)}, run64(net)
	if e.wide == nil {
		e.wide = newProof(e, true)
	}
	proveRows(e, e.wide, y, wideTensor{x, make([]float64, len(x)), make([]float64, len(x))}, 1)
	return y
}

// TestWidePairs holds the bounds on hi + lo, which are nearly as small as 2⁻¹⁰⁴ of the
// outputs, to exact outputs: a slice lost or a sum rounded would exceed them.
func TestWidePairs(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 23))
	for name, g := range wideNets() {
		net := mustNet(t, g)
		p, _ := net.Dims()
		for range 3 {
			x := randomSlice[float64](r, p, 1)
			y := pairs(net, x)
			worst := 0.0
			for i, want := range exactForward(t, g, exactly(x)) {
				got := exact(y.hi[i])
				got.Add(got, exact(y.lo[i]))
				off, _ := got.Sub(want, got).Float64()
				if !(math.Abs(off) <= y.e[i]) {
					t.Errorf("%s: %v + %v is off by %v, bound %v", name, y.hi[i], y.lo[i], off, y.e[i])
				}
				worst = max(worst, y.e[i])
			}
			if !(worst <= 1e-27) && name != "wide" {
				t.Errorf("%s: bound %v", name, worst)
			}
		}
	}
}

// TestWideOverflows wants infinite bounds where numbers are not finite, far too large,
// and, where they underflow, bounds that hold.
func TestWideOverflows(t *testing.T) {
	g := chain([]int{3}, &ReLU{}, testDense(3, 4, true), &ReLU{}, testDense(4, 2, true))
	net := mustNet(t, g)
	for _, x := range [][]float64{{math.NaN(), 1, 1}, {1, math.Inf(1), 1}, {1, 1, math.Inf(-1)}, {1e308, 1e308, 1e308}} {
		y, bound := make([]float64, 2), make([]float64, 2)
		net.ForwardWide64(y, bound, x, nil)
		if !math.IsInf(bound[0], 1) || !math.IsInf(bound[1], 1) {
			t.Errorf("at %v: bounds %v", x, bound)
		}
	}
	for _, x := range [][]float64{{1e-320, 0, 1e-300}, {0, 0, 0}, {1e-200, 1, -1}, {1e250, 1, 3}} {
		y, bound := make([]float64, 2), make([]float64, 2)
		net.ForwardWide64(y, bound, x, nil)
		for i, want := range exactForward(t, g, exactly(x)) {
			checkBound(t, fmt.Sprint(x), y[i], bound[i], want, x[0] < 1)
		}
	}
}

// TestWideSteady wants the same bytes however many cores there are, and no
// buffers beside those of the first run.
func TestWideSteady(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 25))
	for name, g := range wideNets() {
		net := mustNet(t, g)
		p, n := net.Dims()
		x, y, bound := randomSlice[float64](r, 2*p, 1), make([]float64, 2*n), make([]float64, 2*n)
		run := func() { net.ForwardWide64(y, bound, x, nil) }
		steady(t, name, len(g.Nodes), run)
		before := runtime.GOMAXPROCS(1)
		other, again := make([]float64, 2*n), make([]float64, 2*n)
		net.Clone().ForwardWide64(other, again, x, nil)
		runtime.GOMAXPROCS(before)
		closeTo(t, name+" on one core", other, y, 0)
		closeTo(t, name+", bounds on one core", again, bound, 0)
	}
}

// deepNet is a residual net of CIFAR-10's kind, of 6·blocks + 1 convolutions, with
// widths that are multiples of width, up to the last ReLU.
func deepNet(blocks, width, side int) *Graph {
	r := rand.New(rand.NewPCG(9, 9))
	g := &Graph{Name: "deep", Input: "x", InputShape: []int{3, side, side}, Output: "x"}
	count := 0
	add := func(op Op, in ...string) string {
		count++
		g.node(fmt.Sprint("n", count), op, in...)
		return g.Output
	}
	conv := func(from string, in, out, kernel, stride int) string {
		w := testParam(r, "weight", out, in, kernel, kernel)
		for i := range w.Data {
			w.Data[i] *= math.Sqrt2
		}
		c := add(&Conv2D{InChannels: in, OutChannels: out, Kernel: [2]int{kernel, kernel}, Stride: [2]int{stride, stride}, Pad: [4]int{kernel / 2, kernel / 2, kernel / 2, kernel / 2}, Weight: w}, from)
		return add(testBatchNorm(out), c)
	}
	last, in := add(&ReLU{}, conv("x", 3, width, 3, 1)), width
	for stage := range 3 {
		out := width << stage
		for b := range blocks {
			stride := 1
			if stage > 0 && b == 0 {
				stride = 2
			}
			short := last
			if in != out {
				short = conv(last, in, out, 1, stride)
			}
			first := add(&ReLU{}, conv(last, in, out, 3, stride))
			last = add(&ReLU{}, add(&Binary{Operator: "Add"}, conv(first, out, out, 3, 1), short))
			in = out
		}
	}
	return g
}

// TestWideDeep is the reason for double words: on a net of 37 convolutions the bounds of
// float64 say nothing, and those here are far below the features.
func TestWideDeep(t *testing.T) {
	net := mustNet(t, deepNet(6, 8, 12))
	p, n := net.Dims()
	x := randomSlice[float64](rand.New(rand.NewPCG(1, 9)), p, 1)
	y, bound, narrow, wide := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	net.ForwardError64(narrow, bound, x, nil)
	before := norm64(bound) / norm64(narrow)
	net.ForwardWide64(y, wide, x, nil)
	after := norm64(wide) / norm64(y)
	t.Logf("bounds relative to the features: %.3g in float64, %.3g in double words", before, after)
	if !(before > 1 && after <= 1e-6) {
		t.Errorf("bounds relative to the features: %v in float64, %v in double words", before, after)
	}
	for i := range y {
		if !(math.Abs(y[i]-narrow[i]) <= bound[i]+wide[i]) {
			t.Fatalf("feature %d: %v in double words, %v in float64", i, y[i], narrow[i])
		}
	}
}

// BenchmarkWide compares the two bounded passes on the features of ResNet-18, at 224 × 224
// pixels, and reports the bounds relative to the features.
func BenchmarkWide(b *testing.B) {
	front, _ := must.Get2(zooNet("resnet18").Cut("layer4.1.relu2"))(b)
	net := mustNet(b, front)
	p, n := net.Dims()
	x, y, bound := randomSlice[float64](rand.New(rand.NewPCG(1, 9)), p, 1), make([]float64, n), make([]float64, n)
	for what, pass := range map[string]func(dst, bound, x, xerr []float64){
		"ForwardError64": net.ForwardError64,
		"ForwardWide64":  net.ForwardWide64,
	} {
		b.Run(what, func(b *testing.B) {
			for b.Loop() {
				pass(y, bound, x, nil)
			}
			b.ReportMetric(math.Log10(norm64(bound)/norm64(y)), "log10(bound/features)")
		})
	}
}

// TestWideFollows changes parameters between two passes.
func TestWideFollows(t *testing.T) {
	g := wideNets()["convolutions"]
	net := mustNet(t, g)
	p, _ := net.Dims()
	x := randomSlice[float64](rand.New(rand.NewPCG(24, 24)), p, 1)
	pairs(net, x)
	for _, n := range g.Nodes {
		for _, q := range operands(n.Op) {
			for i := range q.Data {
				q.Data[i] *= 1.25
			}
			q.Changed()
		}
	}
	y := pairs(net, x)
	for i, want := range exactForward(t, g, exactly(x)) {
		checkBound(t, "changed", y.hi[i], y.e[i]+math.Abs(y.lo[i]), want, true)
	}
}
