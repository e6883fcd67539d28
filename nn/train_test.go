package nn

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

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
	before := Accuracy(mustNet(t, g), data)
	var seen []int
	res, err := Train(context.Background(), g, data, TrainOptions{
		Epochs: 4, Batch: 50, Seed: 3,
		Progress: func(done, total int, loss float64) {
			seen = append(seen, done)
			if total != 20 || !(loss > 0) {
				t.Errorf("step %d of %d has loss %v", done, total, loss)
			}
		},
		Optimizer: func(ps []*Param) Optimizer { return NewAdam(ps, AdamOptions{LearningRate: .01}) },
	})
	if err != nil {
		t.Fatal(err)
	}
	after := Accuracy(mustNet(t, g), data)
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
		if _, err := Train(context.Background(), trainable(1), orderSource{toySource{n}, &asked}, TrainOptions{Epochs: 2, Batch: 6, Seed: seed}); err != nil {
			t.Fatal(err)
		}
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
	res, err := Train(ctx, trainable(1), toySource{90}, TrainOptions{Epochs: 5, Batch: 30, Progress: func(done, _ int, _ float64) {
		if done == 4 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || res.Steps != 4 || len(res.Epochs) != 1 {
		t.Errorf("cancelled: %+v, %v", res, err)
	}
	enough := errors.New("enough")
	res, err = Train(context.Background(), trainable(1), toySource{90}, TrainOptions{Epochs: 5, Validate: func(epoch int, e Epoch) error {
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
	before := slices.Clone(g.Node("fc1").Op.Params()[0].Data)
	for _, c := range []struct {
		data Source
		o    TrainOptions
		want string
	}{
		{nanSource{toySource{40}}, TrainOptions{}, "the loss of step 1 is NaN"},
		{toySource{0}, TrainOptions{}, "no examples"},
		{badLabel{toySource{9}}, TrainOptions{}, "example 0 has label 3"},
		{toySource{9}, TrainOptions{Batch: -1}, "negative"},
	} {
		_, err := Train(context.Background(), g, c.data, c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
	if !slices.Equal(g.Node("fc1").Op.Params()[0].Data, before) {
		t.Error("a refused step has moved the weights")
	}
	if norm := g.Node("bn1").Op.(*BatchNorm); norm.Mean.Data[0] != 0 || norm.Variance.Data[0] != 1 {
		t.Errorf("a refused step has moved the statistics to %v and %v", norm.Mean.Data[0], norm.Variance.Data[0])
	}
}

// TestTrainOneBatch holds that a batch of more than all is all.
func TestTrainOneBatch(t *testing.T) {
	res, err := Train(context.Background(), trainable(1), toySource{9}, TrainOptions{Batch: math.MaxInt})
	if err != nil || res.Steps != 1 {
		t.Errorf("%d steps, error %v", res.Steps, err)
	}
}
