package nn

import (
	"math"
	"math/rand/v2"
	"testing"
)

// entropyNet is Σ −p·log p before the sum, of p = softmax(W·x + b), as
// probabilities that are hard at the end where that is asked for.
func entropyNet(hard bool) *Graph {
	g := chain([]int{6}, testDense(6, 5, true), &Softmax{})
	p := g.Output
	g.node("log", &Log{}, p)
	g.node("terms", &Mul{}, p, "log")
	if hard {
		g.node("guess", &Hardmax{}, "terms")
		g.node("chosen", &Mul{}, "guess", "terms")
	}
	return g
}

func squares() *Graph {
	g := chain([]int{7})
	g.node("square", &Mul{}, "x", "x")
	g.node("cube", &Mul{}, "square", "x")
	return g
}

func TestMul(t *testing.T) {
	testOperator(t, &Mul{}, []int{2, 3}, []int{2, 3})
	testOperator(t, &Mul{}, []int{9001}, []int{9001})
	for _, in := range [][][]int{{{3}}, {{3}, {4}}, {{3}, {3}, {3}}} {
		if _, err := (&Mul{}).Shape(in...); err == nil {
			t.Errorf("inputs %v are multiplied", in)
		}
	}
}

// TestLog holds the logarithm, which does not take the inputs of either sign that
// the other operators are tested with, to math.Log and its products to differences.
func TestLog(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	c := opCase{&Log{}, [][]int{{11}}, 11}
	x := [][]float64{randomSlice[float64](r, 33, 1)}
	for i, v := range x[0] {
		x[0][i] = math.Exp(3 * v)
	}
	kern := c.op.kernel64(c.in...)
	f := forwardFrame(kern, c, x, false)
	v, jv, want := randomSlice[float64](r, 66, 1), make([]float64, 66), make([]float64, 66)
	for i := range v {
		v[i] *= x[0][i/22*11+i%11]
		want[i] = v[i] / x[0][i/22*11+i%11]
	}
	kern.jvp(f, jv, [][]float64{v}, 2)
	closeTo(t, "jvp", jv, want, 1e-15)
	for _, size := range []float64{1e-9, .3, .999, 1e4} {
		d, dy := make([]float64, 33), make([]float64, 33)
		for i, from := range x[0] {
			d[i] = size * from
			want[i] = math.Log1p(size)
		}
		kern.shift(f, dy, [][]float64{d}, 1)
		closeTo(t, "shift", dy, want[:33], 1e-14)
	}
	closeTo(t, "float32", wide(forwardFrame(c.op.kernel32(c.in...), c, narrow(x), false).y), f.y, 1e-6)
	if y := forwardFrame(kern, opCase{&Log{}, [][]int{{1}}, 1}, [][]float64{{0, 1, -1}}, false).y; !math.IsInf(y[0], -1) || y[1] != 0 || !math.IsNaN(y[2]) {
		t.Errorf("the logarithms of 0, 1 and −1 are %v", y)
	}
}

// TestHardmax holds it to a table, ties included, and its changes to differences.
func TestHardmax(t *testing.T) {
	net := mustNet(t, chain([]int{3}, &Hardmax{}))
	y := make([]float32, 12)
	net.Forward(y, []float32{1, 2, 3, 5, 5, 1, -1, -2, -1, 0, 0, 0})
	closeTo(t, "hardmax", y, []float32{0, 0, 1, 1, 0, 0, 1, 0, 0, 1, 0, 0}, 0)
	net.Forward(y[:3], []float32{1, float32(math.NaN()), 3})
	if !math.IsNaN(float64(y[0]+y[1]+y[2])) || y[0] == y[0] {
		t.Errorf("of a NaN: %v", y[:3])
	}
	for _, in := range [][]int{{10}, {4, 3}} {
		c := opCase{&Hardmax{}, [][]int{in}, Size(in)}
		testDifference(t, c)
		testShift(t, c)
		testAbsent(t, c)
		testPrecision(t, c)
		testTrainGradients(t, c)
	}
	active := []bool{true, true, true}
	net.Linearize([]float32{1, 2, 3}).(Activity).Active(active)
	if active[0] || active[1] || active[2] {
		t.Error("an output of Hardmax is said to move")
	}
}

// TestElementwiseNets holds nets of these operators to the slow evaluation, the
// adjoint identity and differences, and their training to slow gradients.
func TestElementwiseNets(t *testing.T) {
	for name, g := range map[string]*Graph{"entropy": entropyNet(false), "squares": squares()} {
		for _, limit := range []int{1, 3, 1000} {
			testNet(t, g, limit, 2)
		}
		r := rand.New(rand.NewPCG(4, 4))
		tr, err := NewTraining(g, g.Params(), 1)
		if err != nil {
			t.Fatal(err)
		}
		p, n := tr.Dims()
		for range 3 {
			testRandomGradients(t, name, g, tr, r, 5, p, n)
		}
	}
}

// TestElementwiseRoundoff compares errors with their bounds, with a logarithm in
// 256 bits.
func TestElementwiseRoundoff(t *testing.T) {
	for name, g := range map[string]*Graph{"entropy": entropyNet(false), "hard": entropyNet(true), "squares": squares()} {
		for _, spread := range []float64{0, 1e-15, 1e-6, 1e-2} {
			testNetRoundoff(t, name, g, mustNet(t, g), spread)
		}
	}
}

// TestHardmaxRoundoff holds that what may change is said to, and nothing else.
func TestHardmaxRoundoff(t *testing.T) {
	net := mustNet(t, chain([]int{3}, &Hardmax{}))
	for _, c := range []struct{ x, e, want []float64 }{
		{[]float64{1, 2, 0}, []float64{.4, .4, .4}, []float64{0, 0, 0}},
		{[]float64{1, 2, 0}, []float64{.6, .6, .6}, []float64{1, 1, 0}},
		{[]float64{1, 1, 0}, []float64{0, 0, 0}, []float64{1, 1, 0}},
		{[]float64{1, 2, 0}, []float64{0, 0, 5}, []float64{0, 1, 1}},
	} {
		y, bound := make([]float64, 3), make([]float64, 3)
		net.ForwardError64(y, bound, c.x, c.e)
		closeTo(t, "bounds", bound, c.want, 0)
	}
	log := mustNet(t, chain([]int{1}, &Log{}))
	y, bound := make([]float64, 1), make([]float64, 1)
	if log.ForwardError64(y, bound, []float64{1}, []float64{1}); !math.IsInf(bound[0], 1) {
		t.Errorf("the logarithm of 0 to 2 is bounded by %v", bound)
	}
	if log.ForwardError64(y, bound, []float64{1}, []float64{.5}); !(bound[0] >= math.Ln2) || bound[0] > math.Ln2+1e-14 {
		t.Errorf("the logarithm of 0.5 to 1.5 is bounded by %v", bound)
	}
}
