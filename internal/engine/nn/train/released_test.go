package train

import (
	"context"
	"math"
	"runtime"
	"slices"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
)

// divided is a net with a convolution, a batch norm and two affine layers, cut between these.
func divided(t *testing.T, seed uint64, answers int) (whole, front, head *nn.Graph) {
	t.Helper()
	b := nn.NewBuilder("divided", 2, 8, 8)
	b.Conv("", 5, 3, 1, 0, true)
	b.BatchNorm("")
	b.Add("", &nn.ReLU{})
	b.MaxPool(2)
	b.Add("", nn.Flatten())
	b.Dense("values", 6, true)
	b.Dense("hidden", 12, true)
	b.Add("", &nn.ReLU{})
	b.Dense("logits", answers, true)
	b.Graph.Init(seed)
	front, head = must.Get2(b.Graph.Cut("values"))(t)
	return b.Graph, front, head
}

// recorder is an optimizer that keeps gradients and changes nothing.
type recorder struct {
	params []*nn.Param
	grads  [][]float32
}

func (r *recorder) Params() []*nn.Param { return r.params }

func (r *recorder) Step() {
	r.grads = nil
	for _, p := range r.params {
		r.grads = append(r.grads, slices.Clone(p.Grad))
	}
}

// recording makes recorders.
func recording(r *recorder) func([]*nn.Param) Optimizer {
	return func(ps []*nn.Param) Optimizer { r.params = ps; return r }
}

// TestReleasedWithoutNoise compares the gradients of a step with those of Fit.
func TestReleasedWithoutNoise(t *testing.T) {
	ctx, data := context.Background(), toySource{30}
	var want, got recorder
	g, _, _ := divided(t, 1, 3)
	whole := must.Get(Fit(ctx, g, data, Options{Batch: 30, Seed: 5, Optimizer: recording(&want)}))(t)
	_, front, head := divided(t, 1, 3)
	parts := must.Get(FitReleased(ctx, front, head, data, ReleasedOptions{Options: Options{Batch: 30, Seed: 5, Optimizer: recording(&got)}}))(t)
	if w, p := whole.Epochs[0], parts.Epochs[0]; math.Abs(w.Loss-p.Loss) > 1e-6 || w.Accuracy != p.Accuracy {
		t.Errorf("%+v, but Fit %+v", p, w)
	}
	if len(got.grads) != len(want.grads) {
		t.Fatalf("%d gradients, want %d", len(got.grads), len(want.grads))
	}
	for i, grad := range got.grads {
		closeTo(t, got.params[i].Name, grad, want.grads[i], 1e-6)
	}
}

// TestScaled compares the gradient through the noise's standard deviation with finite
// differences.
func TestScaled(t *testing.T) {
	const n, s, h = 12, 1.5, 1e-5
	values, xi, c := nn.Float64s(noise(1, n)), nn.Float64s(noise(2, n)), nn.Float64s(noise(3, n))
	noisy := func(v []float64) []float64 {
		var squares float64
		for _, x := range v {
			squares += x * x
		}
		z := make([]float64, n)
		for i, x := range v {
			z[i] = x + s*math.Sqrt(squares/n)*xi[i]
		}
		return z
	}
	loss := func(v []float64) (sum float64) {
		for i, z := range noisy(v) {
			sum += c[i] * math.Tanh(z)
		}
		return sum
	}
	grad, want, squares := make([]float32, n), make([]float64, n), 0.
	for i, z := range noisy(values) {
		grad[i] = float32(c[i] * (1 - math.Tanh(z)*math.Tanh(z)))
		squares += values[i] * values[i]
		up, down := slices.Clone(values), slices.Clone(values)
		up[i] += h
		down[i] -= h
		want[i] = (loss(up) - loss(down)) / (2 * h)
	}
	scaled(grad, nn.Float32s(values), nn.Float32s(noisy(values)), squares)
	closeTo(t, "gradient", nn.Float64s(grad), want, 1e-5)
}

// TestScaleFollowsValues makes the released values eight times as large, and what reads them as
// much less sensitive: with a scale nothing changes, with a fixed sigma the noise matters less.
func TestScaleFollowsValues(t *testing.T) {
	loss := func(factor float32, o ReleasedOptions) float64 {
		g, front, head := divided(t, 1, 3)
		for _, p := range g.Node("values").Params() {
			scale(p, factor)
		}
		scale(g.Node("hidden").Op.(*nn.Dense).Weight, 1/factor)
		o.Options = Options{Batch: 240, Seed: 2}
		r := must.Get(FitReleased(context.Background(), front, head, toySource{240}, o))(t)
		return r.Epochs[0].Loss
	}
	if a, b := loss(1, ReleasedOptions{Scale: 2}), loss(8, ReleasedOptions{Scale: 2}); math.Abs(a-b) > 1e-6 {
		t.Errorf("scale 2: loss %v, and %v of larger values", a, b)
	}
	if a, b := loss(1, ReleasedOptions{Sigma: 2}), loss(8, ReleasedOptions{Sigma: 2}); math.Abs(a-b) < 1e-3 {
		t.Errorf("sigma 2: loss %v, and %v of larger values", a, b)
	}
}

func scale(p *nn.Param, by float32) {
	for i := range p.Data {
		p.Data[i] *= by
	}
	p.Changed()
}

// TestReleasedTasks compares the cost of two tasks with the cross entropies of both.
func TestReleasedTasks(t *testing.T) {
	const b = 7
	logits, indices := noise(4, b*5), []int{8, 1, 5, 0, 3, 2, 9}
	tasks := []Task{{"three", 3, []int{0, 1, 2, 0, 1, 2, 0, 1, 2, 0}}, {"two", 2, []int{0, 1, 1, 1, 0, 0, 1, 1, 0, 0}}}
	r := &released{ReleasedOptions: ReleasedOptions{Tasks: tasks}}
	loss, correct := r.cost(logits, indices)
	var sum float64
	for k, first := range []int{0, 3} {
		c := tasks[k].Classes
		var own []float32
		var y []int
		for i, index := range indices {
			own, y = append(own, logits[i*5+first:i*5+first+c]...), append(y, tasks[k].Labels[index])
		}
		grad := make([]float32, len(own))
		l, right := CrossEntropy(grad, own, y)
		if sum += l; k == 0 && right != correct {
			t.Errorf("%d right, want %d", correct, right)
		}
		for i := range b {
			closeTo(t, tasks[k].Name, r.answer[i*5+first:i*5+first+c], grad[i*c:(i+1)*c], 0)
		}
	}
	if math.Abs(loss-sum) > 1e-12 {
		t.Errorf("loss %v, want %v", loss, sum)
	}
}

// TestReleasedLearnsTasks trains a head for two tasks, without a front.
func TestReleasedLearnsTasks(t *testing.T) {
	data := toySource{240}
	first, second := make([]int, data.n), make([]int, data.n)
	for i := range first {
		first[i] = data.Label(i)
		second[i] = first[i] / 2
	}
	whole, _, _ := divided(t, 1, 5)
	r := must.Get(FitReleased(context.Background(), nil, whole, data, ReleasedOptions{
		Options: Options{Epochs: 5, Batch: 40, Optimizer: func(ps []*nn.Param) Optimizer { return NewAdam(ps, AdamOptions{LearningRate: .01}) }},
		Sigma:   .1, Tasks: []Task{{"three", 3, first}, {"two", 2, second}},
	}))(t)
	if last := r.Epochs[4]; last.Accuracy < .95 || last.Loss > .3 {
		t.Errorf("accuracy %v, loss %v", last.Accuracy, last.Loss)
	}
}

// TestReleasedIsReproducible holds that equal seeds give equal bytes on any number of cores.
func TestReleasedIsReproducible(t *testing.T) {
	trained := func(cores int, seed uint64) (all []float32) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		g, front, head := divided(t, 1, 3)
		o := ReleasedOptions{Options: Options{Epochs: 2, Batch: 40, Seed: seed}, Scale: 1, Penalty: func(grad []float32, b Released) float64 {
			for i, v := range b.Noisy {
				grad[i] += 1e-3 * v
			}
			return 0
		}}
		must.Get(FitReleased(context.Background(), front, head, toySource{100}, o))(t)
		for _, p := range g.Params() {
			all = append(all, p.Data...)
		}
		return all
	}
	want := trained(1, 7)
	if !slices.Equal(trained(2, 7), want) {
		t.Error("two cores give other weights than one")
	}
	if slices.Equal(trained(1, 8), want) {
		t.Error("another seed gives the same weights")
	}
}

// TestReleasedPenalty holds that a penalty gets what is released, and that its value and
// gradient count.
func TestReleasedPenalty(t *testing.T) {
	var plain, penalized recorder
	fit := func(r *recorder, penalty func([]float32, Released) float64) Result {
		_, front, head := divided(t, 1, 3)
		return must.Get(FitReleased(context.Background(), front, head, toySource{30}, ReleasedOptions{
			Options: Options{Batch: 30, Optimizer: recording(r)}, Sigma: .5, Penalty: penalty}))(t)
	}
	without := fit(&plain, nil)
	with := fit(&penalized, func(grad []float32, b Released) float64 {
		var squares float64
		for i, v := range b.Values {
			squares += math.Pow(float64(b.Noisy[i]-v), 2)
			grad[i] += 1
		}
		if s := math.Sqrt(squares / float64(len(b.Values))); len(b.Indices) != 30 || b.Sigma != .5 || math.Abs(s-.5) > .1 {
			t.Errorf("%d examples, sigma %v, noise of %v", len(b.Indices), b.Sigma, s)
		}
		return 3
	})
	if d := with.Epochs[0].Loss - without.Epochs[0].Loss; math.Abs(d-3) > 1e-6 {
		t.Errorf("the penalty adds %v to the loss, not 3", d)
	}
	for i, p := range plain.params {
		if p.Name == "values.bias" { // the sum over the examples of the gradient of the values
			want := slices.Clone(plain.grads[i])
			for j := range want {
				want[j] += 30
			}
			closeTo(t, p.Name, penalized.grads[i], want, 1e-4)
		}
	}
}

// TestReleasedRefuses wants errors, and weights that stay.
func TestReleasedRefuses(t *testing.T) {
	g, front, head := divided(t, 1, 3)
	other, _, _ := divided(t, 1, 3)
	before := slices.Clone(g.Params()[0].Data)
	nan := func([]float32, Released) float64 { return math.NaN() }
	for _, c := range []struct {
		front *nn.Graph
		data  nn.Source
		o     ReleasedOptions
		want  string
	}{
		{front, toySource{9}, ReleasedOptions{Sigma: -1}, "standard deviation -1"},
		{front, toySource{9}, ReleasedOptions{Sigma: math.NaN()}, "standard deviation NaN"},
		{front, toySource{9}, ReleasedOptions{Scale: math.Inf(1)}, "scale +Inf"},
		{front, toySource{9}, ReleasedOptions{Sigma: 1, Scale: 1}, "one of them"},
		{front, toySource{0}, ReleasedOptions{}, "no examples"},
		{other, toySource{9}, ReleasedOptions{}, "the front gives 3 values, the head takes 6"},
		{front, badLabel{toySource{9}}, ReleasedOptions{}, "label 3"},
		{front, toySource{9}, ReleasedOptions{Options: Options{Epochs: -1}}, "negative"},
		{front, toySource{9}, ReleasedOptions{Tasks: []Task{{"a", 3, make([]int, 8)}}}, "8 labels for 9 examples"},
		{front, toySource{9}, ReleasedOptions{Tasks: []Task{{"a", 2, make([]int, 9)}}}, "2 classes, the head gives 3"},
		{front, nanSource{toySource{9}}, ReleasedOptions{Sigma: 1}, "the loss of step 1 is NaN"},
		{front, toySource{9}, ReleasedOptions{Sigma: 1, Penalty: nan}, "the loss of step 1 is NaN"},
	} {
		must.Fail(t, must.Err(FitReleased(context.Background(), c.front, head, c.data, c.o)), c.want)
	}
	if !slices.Equal(g.Params()[0].Data, before) {
		t.Error("a refused step has moved the weights")
	}
	if norm := g.Node("bn1").Op.(*nn.BatchNorm); norm.Mean.Data[0]-norm.Mean.Data[0] != 0 {
		t.Error("a refused step has ruined the statistics")
	}
}
