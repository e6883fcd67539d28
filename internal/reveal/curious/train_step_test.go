package curious

import (
	"context"
	"math"
	"slices"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/train"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/must"
)

// TestStepOrder makes B Algorithm 1's first step by hand: G learns from what F gives in
// evaluation mode before its own step, and F, in training, from that new G in
// evaluation mode. So neither step changes the other's net, nor its running statistics.
func TestStepOrder(t *testing.T) {
	p := pictures(100)
	for _, out := range []Outputs{Raw, Soft} {
		o := Options{Attack: Parameterized, Outputs: out, Net: smallNet, Attributes: []int{0}, Beta: Beta{.2, .5, .3}}.WithDefaults()
		tr := must.Get(newTraining(p, o))(t)
		must.Do(t, must.Err(tr.step(nn.Indices(100))))
		x := make([]float32, 100*3*16*16)
		p.Train.Examples(x, nn.Indices(100))
		y, s := p.Train.Y, p.Train.Sensitive[0].Labels

		f, g := smallNet(10, o.Seed), zoo.Attack(10, 5, derive(o.Seed, drawAttack, 0))
		outputs := must.Get(Predict(context.Background(), Release(f, out), p.Train))(t)
		trainerOf(t, g, o, derive(o.Seed, drawAttackDropout, 0)).Step(outputs, s)
		fixed := must.Get(nn.NewNet(g))(t)
		loss := objective[float32]{beta: o.Beta, soft: out == Soft, attacks: []frozen[float32]{fixed.Linearize}}
		trainer, grad := trainerOf(t, f, o, derive(o.Seed, drawDropout, 0)), make([]float32, 100*10)
		loss.at(grad, trainer.Forward(x), y, [][]int{s})
		trainer.Backward(nil, grad)
		trainer.Update()
		if !slices.Equal(parameters(g), parameters(tr.attacks[0].graph)) {
			t.Errorf("%s: G's step is another", out)
		}
		if !slices.Equal(parameters(f), parameters(tr.scores)) {
			t.Errorf("%s: F's step is another", out)
		}
	}
}

func trainerOf(t *testing.T, g *nn.Graph, o Options, seed uint64) *train.Trainer {
	t.Helper()
	return must.Get(newTrainer(g, o, seed))(t)
}

// TestSharedPass holds that a net without batch norm and dropout takes the same steps
// whether its pass in evaluation mode is shared or not: to the byte where the outputs
// are raw, and to rounding, which Adam may turn into a part of its step of .001, where
// one way takes the softmax in float32 and the other in float64.
func TestSharedPass(t *testing.T) {
	p := pictures(100)
	for _, o := range []Options{{Outputs: Raw}, {Outputs: Soft}} {
		var outputs [2][]float32
		var after [2][]uint32
		for i, alike := range []bool{false, true} {
			o.Attack, o.Net, o.Attributes = Parameterized, plainNet, []int{0}
			tr := must.Get(newTraining(p, o.WithDefaults()))(t)
			if !tr.alike {
				t.Fatal("the net is said to differ in evaluation")
			}
			tr.alike = alike
			for range 3 {
				must.Do(t, must.Err(tr.step(nn.Indices(100))))
			}
			outputs[i], after[i] = tr.outputs, parameters(tr.scores, tr.attacks[0].graph)
		}
		for i, v := range outputs[0] {
			if math.Abs(float64(v-outputs[1][i])) > 1e-4 {
				t.Fatalf("%s: output %d is %v, shared %v", o.Outputs, i, v, outputs[1][i])
			}
		}
		if o.Outputs == Raw && !slices.Equal(after[0], after[1]) {
			t.Error("a shared pass gives other parameters")
		}
	}
}

// TestStepAllocates holds that a step allocates little once the buffers are there.
func TestStepAllocates(t *testing.T) {
	p := pictures(100)
	for _, o := range []Options{
		{}, {Attack: Parameterized, Attributes: []int{0}}, {Attack: Parameterized, Attributes: []int{0}, Outputs: Soft},
	} {
		o.Net = smallNet
		tr := must.Get(newTraining(p, o.WithDefaults()))(t)
		indices := nn.Indices(100)
		step := func() { must.Do(t, must.Err(tr.step(indices))) }
		step()
		if n := testing.AllocsPerRun(10, step); n > 500 {
			t.Errorf("%s, %s: %v allocations a step", o.Attack, o.Outputs, n)
		}
	}
}
