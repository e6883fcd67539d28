package train

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/must"
	"tattle/internal/shared"
)

// trainable is a net of one operator of each kind.
func trainable(seed uint64) *nn.Graph {
	b := nn.NewBuilder("trainable", 2, 8, 8)
	b.Conv("", 5, 3, 1, 0, true)
	b.BatchNorm("")
	b.Add("", &nn.ReLU{Slope: .01})
	b.Add("", &nn.Dropout{P: .2})
	b.MaxPool(2)
	b.Add("", nn.Flatten())
	b.Dense("", 16, true)
	b.Add("", &nn.ReLU{})
	b.Dense("", 3, true)
	b.Graph.Init(seed)
	return b.Graph
}

func mustNet(t *testing.T, g *nn.Graph) *nn.Net {
	t.Helper()
	return must.Get(nn.NewNet(g))(t)
}

func mustTrainer(t *testing.T, g *nn.Graph, o Optimizer) *Trainer {
	t.Helper()
	return must.Get(NewTrainer(g, o, 1))(t)
}

// noise returns n normal numbers.
func noise(seed uint64, n int) []float32 {
	r := rand.New(rand.NewPCG(seed, seed))
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

// toySource is separable: the label is the quadrant of the image that shines.
type toySource struct{ n int }

func (s toySource) Len() int        { return s.n }
func (s toySource) Label(i int) int { return i % 3 }
func (s toySource) Examples(x []float32, indices []int) {
	for j, i := range indices {
		r := rand.New(rand.NewPCG(uint64(i), 1))
		for k := range 128 {
			x[j*128+k] = float32(r.NormFloat64())
			if k/16%4 == i%3 {
				x[j*128+k] += 2
			}
		}
	}
}

func TestTrainLearns(t *testing.T) {
	g, data := trainable(1), toySource{240}
	before := nn.Accuracy(mustNet(t, g), data)
	var seen []int
	res := must.Get(Fit(context.Background(), g, data, Options{
		Epochs: 4, Batch: 50, Seed: 3,
		Progress: func(done, total int, loss float64) {
			seen = append(seen, done)
			if total != 20 || !(loss > 0) {
				t.Errorf("step %d of %d has loss %v", done, total, loss)
			}
		},
		Optimizer: func(ps []*nn.Param) Optimizer { return NewAdam(ps, AdamOptions{LearningRate: .01}) },
	}))(t)
	after := nn.Accuracy(mustNet(t, g), data)
	if len(seen) != 20 || res.Steps != 20 || len(res.Epochs) != 4 || !(after > .95) || before > .7 {
		t.Errorf("%d steps seen, %+v, accuracy %v before and %v after", len(seen), res, before, after)
	}
	if first, last := res.Epochs[0].Loss, res.Epochs[3].Loss; !(last < first/2) {
		t.Errorf("loss went from %v to %v", first, last)
	}
}

// orderSource notes which examples are asked for.
type orderSource struct {
	toySource
	asked *[]int
}

func (s orderSource) Examples(x []float32, indices []int) {
	*s.asked = append(*s.asked, indices...)
	s.toySource.Examples(x, indices)
}

// TestTrainShuffles wants each example once an epoch, in orders that differ between
// epochs and seeds.
func TestTrainShuffles(t *testing.T) {
	const n = 20
	var orders [][]int
	for seed := range uint64(2) {
		var asked []int
		must.Get(Fit(context.Background(), trainable(1), orderSource{toySource{n}, &asked}, Options{Epochs: 2, Batch: 6, Seed: seed}))(t)
		orders = append(orders, asked[:n], asked[n:])
	}
	for i, order := range orders {
		for _, other := range orders[:i] {
			if slices.Equal(order, other) {
				t.Errorf("order %v comes twice", order)
			}
		}
		order = slices.Sorted(slices.Values(order))
		if len(slices.Compact(order)) != n || order[0] != 0 || order[n-1] != n-1 {
			t.Errorf("an epoch of %v", order)
		}
	}
}

func TestTrainIsReproducible(t *testing.T) {
	want := trainedBytes(t, 1, 7)
	for _, cores := range []int{1, 2, 3, 8} {
		if !slices.Equal(trainedBytes(t, cores, 7), want) {
			t.Errorf("%d cores give other weights than one", cores)
		}
	}
	if slices.Equal(trainedBytes(t, 2, 8), want) {
		t.Error("another seed gives the same weights")
	}
}

func TestTrainStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	res, err := Fit(ctx, trainable(1), toySource{90}, Options{Epochs: 5, Batch: 30, Progress: func(done, _ int, _ float64) {
		if done == 4 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || res.Steps != 4 || len(res.Epochs) != 1 {
		t.Errorf("cancelled: %+v, %v", res, err)
	}
	enough := errors.New("enough")
	res, err = Fit(context.Background(), trainable(1), toySource{90}, Options{Epochs: 5, Validate: func(epoch int, e Epoch) error {
		if epoch == 2 {
			return enough
		}
		return nil
	}})
	if err != enough || len(res.Epochs) != 2 {
		t.Errorf("validation: %+v, %v", res, err)
	}
}

type nanSource struct{ toySource }

func (s nanSource) Examples(x []float32, indices []int) {
	s.toySource.Examples(x, indices)
	x[5] = float32(math.NaN())
}

type badLabel struct{ toySource }

func (badLabel) Label(int) int { return 3 }

func TestTrainRefuses(t *testing.T) {
	g := trainable(1)
	before := slices.Clone(g.Node("fc1").Params()[0].Data)
	for _, c := range []struct {
		data nn.Source
		o    Options
		want string
	}{
		{nanSource{toySource{40}}, Options{}, "the loss of step 1 is NaN"},
		{toySource{0}, Options{}, "no examples"},
		{badLabel{toySource{9}}, Options{}, "example 0 has label 3"},
		{toySource{9}, Options{Batch: -1}, "negative"},
	} {
		must.Fail(t, must.Err(Fit(context.Background(), g, c.data, c.o)), c.want)
	}
	if !slices.Equal(g.Node("fc1").Params()[0].Data, before) {
		t.Error("a refused step has moved the weights")
	}
	if norm := g.Node("bn1").Op.(*nn.BatchNorm); norm.Mean.Data[0] != 0 || norm.Variance.Data[0] != 1 {
		t.Errorf("a refused step has moved the statistics to %v and %v", norm.Mean.Data[0], norm.Variance.Data[0])
	}
}

// TestTrainOneBatch holds that a batch of more than all is all.
func TestTrainOneBatch(t *testing.T) {
	res, err := Fit(context.Background(), trainable(1), toySource{9}, Options{Batch: math.MaxInt})
	if err != nil || res.Steps != 1 {
		t.Errorf("%d steps, error %v", res.Steps, err)
	}
}

// TestFrozenParameters holds that only the optimiser's parameters move.
func TestFrozenParameters(t *testing.T) {
	g := zoo.MNIST(1)
	last := g.Node("fc3").Op.(*nn.Dense)
	first := g.Node("fc1").Op.(*nn.Dense)
	kept, moved := slices.Clone(first.Weight.Data), slices.Clone(last.Weight.Data)
	tr := mustTrainer(t, g, NewAdam(last.Params(), AdamOptions{}))
	tr.Step(noise(1, 4*784), []int{1, 2, 3, 4})
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
	must.Get(Fit(context.Background(), g, toySource{100}, Options{Epochs: 2, Batch: 40, Seed: seed}))(t)
	var bits []uint32
	for _, p := range g.Params() {
		for _, v := range p.Data {
			bits = append(bits, math.Float32bits(v))
		}
	}
	return bits
}

// TestTrainPart trains the front of a net by an optimiser of all its parameters: those
// that have no gradient stay.
func TestTrainPart(t *testing.T) {
	b := nn.NewBuilder("two", 4)
	b.Dense("n0", 4, true)
	b.Dense("n1", 3, true)
	g := b.Graph
	g.Init(1)
	front, head := must.Get2(g.Cut("n0"))(t)
	first, last := front.Params()[0], head.Params()[0]
	before, beforeLast := slices.Clone(first.Data), slices.Clone(last.Data)
	tr := mustTrainer(t, front, NewAdam(g.Params(), AdamOptions{}))
	tr.Step([]float32{1, 2, 3, 4}, []int{1})
	if slices.Equal(first.Data, before) || !slices.Equal(last.Data, beforeLast) {
		t.Error("the wrong parameters have moved")
	}
}

func TestTrainStepAllocatesLittle(t *testing.T) {
	g := trainable(1)
	tr := mustTrainer(t, g, NewAdam(g.Params(), AdamOptions{}))
	x, y := make([]float32, 6*128), []int{0, 1, 2, 0, 1, 2}
	toySource{6}.Examples(x, []int{0, 1, 2, 3, 4, 5})
	tr.Step(x, y)
	if a := testing.AllocsPerRun(20, func() { tr.Step(x, y) }); a > 100 {
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

// TestLearns holds that nets with batch norms and with attention learn a batch, and
// that every parameter of a Swin transformer has a gradient: the tables of biases
// too.
func TestLearns(t *testing.T) {
	shared.Long(t, "nets with batch norms and attention learn a batch")
	swin := zoo.Swin(zoo.SwinOptions{Classes: 5, Side: 20, Embed: 8, Depths: []int{2, 2}, Heads: []int{2, 4}, Window: 3}, 4)
	attention := nn.NewBuilder("attention", 4, 6)
	x := attention.Graph.Output
	for _, name := range []string{"q", "k", "v"} {
		attention.Graph.Output = x
		attention.Dense(name, 8, true)
	}
	attention.Join("scores", &nn.MatMul{TransB: true}, "q", "k")
	attention.Add("weights", &nn.Softmax{})
	attention.Join("mixed", &nn.MatMul{}, "weights", "v")
	attention.Add("norm", &nn.LayerNorm{Axes: 2, Scale: nn.NewParam("scale", 4, 8), Shift: nn.NewParam("shift", 4, 8)})
	attention.Add("top", &nn.Reduce{Function: "Max", Axes: []int{1}})
	attention.Dense("logits", 5, true)
	attention.Graph.Init(1)
	for _, g := range []*nn.Graph{swin, attention.Graph, zoo.ResNet20(5, 1)} {
		tr := mustTrainer(t, g, NewAdam(g.Params(), AdamOptions{LearningRate: .003}))
		p, _ := tr.Dims()
		x, y := noise(6, 10*p), []int{0, 1, 2, 3, 4, 0, 1, 2, 3, 4}
		first, _ := tr.Step(x, y)
		for _, q := range g.Params() {
			if slices.Max(q.Grad) == 0 && slices.Min(q.Grad) == 0 && len(q.Data) > 1 && q.Name != "k.bias" {
				t.Errorf("%s: %s has no gradient", g.Name, q.Name)
			}
		}
		last := first
		for range 30 {
			last, _ = tr.Step(x, y)
		}
		if !(last < .7*first) {
			t.Errorf("%s: loss %v became %v", g.Name, first, last)
		}
	}
}

// TestHalfCosine holds the schedule to its ends and its middle, and Adam to it.
func TestHalfCosine(t *testing.T) {
	s := HalfCosine(4)
	closeTo(t, "schedule", []float64{s(0), s(2), s(4)}, []float64{1, .5, 0}, 1e-15)
	p := &nn.Param{Data: []float32{1}, Grad: []float32{1}}
	a := NewAdam([]*nn.Param{p}, AdamOptions{LearningRate: .1, Schedule: s})
	a.Step() // by the whole rate: the first step's moments cancel
	closeTo(t, "first step", []float64{float64(p.Data[0])}, []float64{.9}, 1e-6)
	a.Reset()
	a.Step()
	closeTo(t, "after Reset", []float64{float64(p.Data[0])}, []float64{.8}, 1e-6)
}

func closeTo[T float32 | float64](t *testing.T, name string, got, want []T, tolerance float64) {
	t.Helper()
	for i, v := range got {
		if !(math.Abs(float64(v-want[i])) <= tolerance) {
			t.Errorf("%s: entry %d is %v, want %v", name, i, v, want[i])
		}
	}
}
