package nn

import (
	"math/rand/v2"
	"testing"
)

// TestTrainAttention trains a net of products of activations, norms, rows and
// reductions to tell which of its rows is turned.
func TestTrainAttention(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	g := &Graph{Name: "attention", Input: "x", InputShape: []int{4, 6}, Output: "y"}
	scale, shift := normParams(r, 8)
	gains, moves := normParams(r, 4)
	g.node("q", testDense(6, 8, true), "x")
	g.node("k", testDense(6, 8, false), "x")
	g.node("v", testDense(6, 8, true), "x")
	g.node("scores", &MatMul{TransB: true}, "q", "k")
	g.node("weights", &Softmax{}, "scores")
	g.node("mixed", &MatMul{}, "weights", "v")
	g.node("sum", &Add{}, "mixed", "v")
	g.node("norm", &LayerNorm{Scale: scale, Shift: shift}, "sum")
	g.node("groups", &GroupNorm{Groups: 2, Scale: gains, Shift: moves}, "norm")
	g.node("relu", &ReLU{}, "groups")
	g.node("top", &Reduce{Function: "LogSumExp", Axes: []int{1}}, "relu")
	g.node("logits", testDense(4, 4, true), "top")
	g.node("y", &LogSoftmax{}, "logits")
	g.Output = g.Nodes[len(g.Nodes)-1].Output
	trainer, err := NewTrainer(g, NewAdamW(g.Params(), AdamOptions{LearningRate: .01}), 1)
	if err != nil {
		t.Fatal(err)
	}
	const batch = 16
	x, labels := make([]float32, batch*24), make([]int, batch)
	var first, last float64
	for step := range 300 {
		for i := range x {
			x[i] = float32(r.NormFloat64())
		}
		for b := range labels {
			labels[b] = r.IntN(4)
			row := x[b*24+labels[b]*6:][:6]
			for i := range row {
				row[i] = 2 - row[i]/2
			}
		}
		loss, _ := trainer.Step(x, labels)
		if step < 20 {
			first += loss / 20
		}
		if step >= 280 {
			last += loss / 20
		}
	}
	if !(last < first/3) {
		t.Errorf("the loss fell from %v to %v only", first, last)
	}
	t.Logf("loss %v to %v", first, last)
}
