package nn

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// trainable is a net of one of each kind of operator.
func trainable(seed uint64) *Graph {
	b := newBuilder("trainable", 2, 8, 8)
	b.conv(5, 3, 1)
	b.batchNorm()
	b.add(&LeakyReLU{Slope: .01})
	b.add(&Dropout{P: .2})
	b.pool(2)
	b.add(&Flatten{})
	b.dense(16)
	b.add(&ReLU{})
	b.dense(3)
	return b.graph(seed)
}

// TestTrainerGradients compares every parameter's gradient, and the input's, with
// differences of the loss in float64, on a net whose training and inference are
// the same.
func TestTrainerGradients(t *testing.T) {
	g := residualNet()
	g.Output = "fc"
	g.Node("drop").Op = &Dropout{}
	net := mustNet(t, g)
	tr, err := NewTrainer(g, NewAdamW(g.Params(), AdamOptions{}), 1)
	if err != nil {
		t.Fatal(err)
	}
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
	if l, _ := CrossEntropy(grad, logits, y); math.Abs(l-loss(x)) > 1e-5 {
		t.Errorf("loss %v, want %v", l, loss(x))
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
	tr, err := NewTrainer(twice, NewAdam(twice.Params(), AdamOptions{}), 1)
	if err != nil {
		t.Fatal(err)
	}
	x, u := []float32{1, -2, 3, .5}, []float32{1, 2, -1, 1}
	tr.Forward(x)
	tr.Backward(nil, u)
	got := slices.Clone(d.Weight.Grad)
	a, b := testDense(4, 4, true), testDense(4, 4, true)
	apart := chain([]int{4}, a, b)
	tr, err = NewTrainer(apart, NewAdam(apart.Params(), AdamOptions{}), 1)
	if err != nil {
		t.Fatal(err)
	}
	tr.Forward(x)
	tr.Backward(nil, u)
	for i := range got {
		if want := a.Weight.Grad[i] + b.Weight.Grad[i]; math.Abs(float64(got[i]-want)) > 1e-5 {
			t.Errorf("gradient %d is %v, want %v", i, got[i], want)
		}
	}
}

// TestFrozenParameters holds that only the optimiser's parameters move.
func TestFrozenParameters(t *testing.T) {
	g := MNISTNet(1)
	last := g.Node("fc3").Op.(*Dense)
	first := g.Node("fc1").Op.(*Dense)
	kept, moved := slices.Clone(first.Weight.Data), slices.Clone(last.Weight.Data)
	tr, err := NewTrainer(g, NewAdam(last.Params(), AdamOptions{}), 1)
	if err != nil {
		t.Fatal(err)
	}
	tr.Step(randomSlice[float32](rand.New(rand.NewPCG(1, 1)), 4*784, 1), []int{1, 2, 3, 4})
	if !slices.Equal(kept, first.Weight.Data) || first.Weight.Grad != nil {
		t.Error("a frozen weight has moved or has a gradient")
	}
	if slices.Equal(moved, last.Weight.Data) {
		t.Error("the learning weight has not moved")
	}
}

func trainedBytes(t *testing.T, cores int, seed uint64) []uint32 {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
	g := trainable(1)
	if _, err := Train(context.Background(), g, toySource{100}, TrainOptions{Epochs: 2, Batch: 40, Seed: seed}); err != nil {
		t.Fatal(err)
	}
	var bits []uint32
	for _, p := range g.Params() {
		for _, v := range p.Data {
			bits = append(bits, math.Float32bits(v))
		}
	}
	return bits
}

// TestProductsAreReproducible holds wide products to the same bytes on any number
// of cores.
func TestProductsAreReproducible(t *testing.T) {
	net := mustNet(t, MNISTNet(1))
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
	g.node("both", &Add{}, "n0", "again")
	ones := slices.Repeat([]float32{1}, n)
	masks := map[[100]float32]bool{}
	for seed := range uint64(2) {
		tr, err := NewTrainer(g, NewAdam(nil, AdamOptions{}), seed)
		if err != nil {
			t.Fatal(err)
		}
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

// TestTrainPart trains the front of a net by an optimiser of all its parameters: those
// that have no gradient stay.
func TestTrainPart(t *testing.T) {
	g := chain([]int{4}, testDense(4, 4, true), testDense(4, 3, true))
	front, head, err := g.Cut("n0")
	if err != nil {
		t.Fatal(err)
	}
	first, last := front.Params()[0], head.Params()[0]
	before, beforeLast := slices.Clone(first.Data), slices.Clone(last.Data)
	tr, err := NewTrainer(front, NewAdamW(g.Params(), AdamOptions{}), 1)
	if err != nil {
		t.Fatal(err)
	}
	tr.Step([]float32{1, 2, 3, 4}, []int{1})
	if slices.Equal(first.Data, before) || !slices.Equal(last.Data, beforeLast) {
		t.Error("the wrong parameters have moved")
	}
}

func TestTrainStepAllocatesNothing(t *testing.T) {
	g := trainable(1)
	tr, err := NewTrainer(g, NewAdamW(g.Params(), AdamOptions{}), 1)
	if err != nil {
		t.Fatal(err)
	}
	x, y := make([]float32, 6*128), []int{0, 1, 2, 0, 1, 2}
	toySource{6}.Examples(x, []int{0, 1, 2, 3, 4, 5})
	tr.Step(x, y)
	if a := testing.AllocsPerRun(20, func() { tr.Step(x, y) }); a != 0 {
		t.Errorf("a step allocates %v times", a)
	}
}

func TestCrossEntropy(t *testing.T) {
	logits := []float32{1, 2, 3, 100, 0, -100, 3, 3, 3}
	y := []int{2, 1, 0}
	grad := make([]float32, 9)
	loss, correct := CrossEntropy(grad, logits, y)
	s := math.Exp(-2) + math.Exp(-1) + 1
	if want := (math.Log(s) + 100 + math.Log(3)) / 3; math.Abs(loss-want) > 1e-12 || correct != 2 {
		t.Errorf("loss %v, %d correct, want %v, 2", loss, correct, want)
	}
	want := []float32{
		float32(math.Exp(-2) / s / 3), float32(math.Exp(-1) / s / 3), float32((1/s - 1) / 3),
		1. / 3, -1. / 3, 0, -2. / 9, 1. / 9, 1. / 9,
	}
	closeTo(t, "gradient", grad, want, 1e-7)
}
