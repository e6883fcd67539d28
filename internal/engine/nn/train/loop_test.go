package train_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/train"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/must"
)

// A loop makes 2 steps an epoch of 25 examples in batches of 10, in an order of its own each epoch,
// and ends at a loss that is not finite.
func TestLoop(t *testing.T) {
	var orders [][]int
	l := train.Loop{
		What: "test", Examples: 25, Batch: 10, Epochs: 3,
		Rand:  func(epoch int) *rand.Rand { return rand.New(rand.NewPCG(1, uint64(epoch))) },
		Sweep: func(context.Context, int) error { return nil },
	}
	l.Step = func(indices []int) (float64, error) {
		orders = append(orders, slices.Clone(indices))
		return 0, nil
	}
	must.Do(t, l.Run(t.Context()))
	if len(orders) != 6 || l.Done != 6 {
		t.Fatalf("%d steps, %d counted, want 6", len(orders), l.Done)
	}
	for i := 0; i < 6; i += 2 {
		seen := slices.Concat(orders[i], orders[i+1])
		slices.Sort(seen)
		if n := len(slices.Compact(seen)); n != 20 || seen[0] < 0 || seen[19] > 24 {
			t.Errorf("epoch %d has %d examples: %v", 1+i/2, n, seen)
		}
	}
	if slices.Equal(orders[0], orders[2]) {
		t.Error("two epochs go in the same order")
	}
	l.Done, l.Step = 0, func([]int) (float64, error) { return math.NaN(), nil }
	must.Fail(t, l.Run(t.Context()), "test: the loss of step 1 is NaN: "+train.Remedy)
}

func TestBest(t *testing.T) {
	g := zoo.Curious(zoo.CuriousOptions{Classes: 2, Side: 16, Widths: [5]int{2, 2, 2, 2, 2}}, 1)
	variance := g.Node("bn1").Op.(*nn.BatchNorm).Variance
	weight := g.Params()[0]
	b := train.NewBest(g.State()...)
	for epoch, score := range []float64{.5, .7, .7, .6} {
		weight.Data[0], variance.Data[0] = float32(epoch), float32(10+epoch)
		if kept := b.Offer(epoch+1, score); kept != (epoch < 2) {
			t.Errorf("epoch %d, score %v: kept %v", epoch+1, score, kept)
		}
	}
	b.Restore()
	if b.Epoch != 2 || weight.Data[0] != 1 || variance.Data[0] != 11 {
		t.Errorf("epoch %d, weight %v, running variance %v, want 2, 1, 11", b.Epoch, weight.Data[0], variance.Data[0])
	}
}
