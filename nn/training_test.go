package nn

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"tattle/internal/must"
)

// TestTrainingGradients compares every parameter's gradient, and the input's, with
// differences of the loss in float64, on a net whose training and inference are
// the same.
func TestTrainingGradients(t *testing.T) {
	g := residualNet()
	g.Output = "fc"
	g.Node("drop").Op = &Dropout{}
	net := mustNet(t, g)
	tr := must.Get(NewTraining(g, g.Params(), 1))(t)
	const batch = 5
	p, n := tr.Dims()
	r := rand.New(rand.NewPCG(1, 1))
	x, y := randomSlice[float32](r, batch*p, 1), []int{0, 3, 8, 3, 1}
	loss := func(x []float32) float64 {
		out := make([]float64, batch*n)
		net.Forward64(out, wide(x))
		l := 0.0
		for b := range batch {
			row := out[b*n : (b+1)*n]
			s := 0.0
			for _, v := range row {
				s += math.Exp(v)
			}
			l += math.Log(s) - row[y[b]]
		}
		return l / batch
	}
	logits := tr.Forward(x)
	grad, dx := make([]float32, len(logits)), make([]float32, len(x))
	for e, label := range y {
		row, sum := logits[e*n:(e+1)*n], 0.0
		for _, v := range row {
			sum += math.Exp(float64(v))
		}
		for i, v := range row {
			grad[e*n+i] = float32(math.Exp(float64(v)) / sum / batch)
		}
		grad[e*n+label] -= 1. / batch
	}
	tr.Backward(dx, grad)
	const h = 1.0 / 2048
	compare := func(what string, data, grad []float32, changed func()) {
		t.Helper()
		want := make([]float32, len(data))
		for i, w := range data {
			data[i] = w + h
			changed()
			up, high := loss(x), data[i]
			data[i] = w - h
			changed()
			want[i] = float32((up - loss(x)) / float64(high-data[i]))
			data[i] = w
			changed()
		}
		closeTo(t, what, grad, want, 2e-3)
	}
	compare("input", x, dx, func() {})
	for _, p := range g.Params() {
		compare(p.Name, p.Data, p.Grad, p.Changed)
	}
}

// TestSharedParameter holds that two layers with one weight add their gradients.
func TestSharedParameter(t *testing.T) {
	d := testDense(4, 4, true)
	twice := chain([]int{4}, d, d)
	tr := must.Get(NewTraining(twice, twice.Params(), 1))(t)
	x, u := []float32{1, -2, 3, .5}, []float32{1, 2, -1, 1}
	tr.Forward(x)
	tr.Backward(nil, u)
	got := slices.Clone(d.Weight.Grad)
	a, b := testDense(4, 4, true), testDense(4, 4, true)
	apart := chain([]int{4}, a, b)
	tr = must.Get(NewTraining(apart, apart.Params(), 1))(t)
	tr.Forward(x)
	tr.Backward(nil, u)
	for i := range got {
		if want := a.Weight.Grad[i] + b.Weight.Grad[i]; math.Abs(float64(got[i]-want)) > 1e-5 {
			t.Errorf("gradient %d is %v, want %v", i, got[i], want)
		}
	}
}

// TestProductsAreReproducible holds wide products to the same bytes on any number
// of cores.
func TestProductsAreReproducible(t *testing.T) {
	net := mustNet(t, zooNet("mnist"))
	r := rand.New(rand.NewPCG(1, 1))
	x, u := randomSlice[float32](r, 70*784, 1), randomSlice[float32](r, 70*3*10, 1)
	products := func(cores int) []float32 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		lin := net.Linearize(x)
		back, forth := make([]float32, 70*3*784), make([]float32, 70*3*10)
		lin.VJP(back, u)
		lin.JVP(forth, back)
		return append(append(back, forth...), lin.Features()...)
	}
	want := products(1)
	for _, cores := range []int{2, 5} {
		if !slices.Equal(products(cores), want) {
			t.Errorf("%d cores give other products than one", cores)
		}
	}
}

// TestDropoutMasks wants masks of 0 and 1/(1−P) that differ between seeds, steps and
// operators.
func TestDropoutMasks(t *testing.T) {
	const n, p = 1 << 14, .2
	g := chain([]int{n}, &Dropout{P: p})
	g.node("again", &Dropout{P: p}, "x")
	g.node("both", &Binary{Operator: "Add"}, "n0", "again")
	ones := slices.Repeat([]float32{1}, n)
	masks := map[[100]float32]bool{}
	for seed := range uint64(2) {
		tr := must.Get(NewTraining(g, nil, seed))(t)
		for range 2 {
			tr.Forward(ones)
			for _, mask := range tr.tape.tensors[1:3] {
				masks[[100]float32(mask)] = true
				kept := 0.0
				for _, v := range mask {
					if v != 0 && math.Abs(float64(v)*(1-p)-1) > 0x1p-16 {
						t.Fatalf("mask entry %v", v)
					}
					kept += float64(v) * (1 - p)
				}
				// six standard deviations: 8 tests fail falsely with probability 2e-8
				if math.Abs(kept/n-(1-p)) > 6*math.Sqrt(p*(1-p)/n) {
					t.Errorf("%v of %v kept", kept, n)
				}
			}
		}
	}
	if len(masks) != 8 {
		t.Errorf("%d masks differ, want 8", len(masks))
	}
}

// TestInitSlopes holds that slopes start at PyTorch's ¼.
func TestInitSlopes(t *testing.T) {
	slopes := &PRelu{&Param{Shape: []int{2}, Data: []float32{1, 2}}}
	chain([]int{2}, slopes).Init(1)
	closeTo(t, "slopes", slopes.Slope.Data, []float32{.25, .25}, 0)
}
