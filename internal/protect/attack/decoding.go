package attack

import (
	"context"
	"fmt"
	"math"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/train"
	"tattle/internal/math/simd"
	"tattle/internal/run"
)

// decoding is the training of a Decoder.
type decoding struct {
	DecoderOptions
	*channel
	linear     *Linear
	kept, held []int
	features   []float32 // [kept+held, n] of the examples in order
	at         map[int]int
	graph      *nn.Graph
	skip       skip
	learned    []*nn.Param
	trainer    *train.Trainer
	history    []float64

	a, theta, dy []float32 // of a batch
}

func newDecoding(ctx context.Context, l *Linear, s Setting, o DecoderOptions) (*decoding, error) {
	c, err := newChannel(s)
	if err != nil {
		return nil, err
	}
	t := &decoding{DecoderOptions: o, linear: l, channel: c, at: map[int]int{}}
	t.features = make([]float32, 0, len(l.indices)*l.n)
	err = s.eachBatch(ctx, l.indices, func(batch []int, a, _ []float32) {
		for i, index := range batch {
			t.at[index] = len(t.features)/l.n + i
		}
		t.features = append(t.features, a...)
	})
	if err != nil {
		return nil, err
	}
	t.kept, t.held = split(l.indices)
	if t.graph, t.skip, t.learned, err = decoderGraph(ctx, l, s.Seed, o); err != nil {
		return nil, err
	}
	steps := o.Epochs * ((len(t.kept)-1)/o.Batch + 1)
	rule := train.NewAdamW(t.learned, train.AdamOptions{LearningRate: o.Rate, WeightDecay: DefaultDecay, Schedule: train.HalfCosine(steps)})
	if t.trainer, err = train.NewTrainer(t.graph, rule, s.Seed); err != nil {
		return nil, err
	}
	size := max(o.Batch, min(batchOf(l.p), len(t.held)))
	t.a, t.theta, t.dy = make([]float32, size*l.n), make([]float32, size*l.p), make([]float32, size*l.p)
	return t, nil
}

// heldDraw is the number of the noise draw for held-out examples; epochs use numbers from 1.
const heldDraw = 0

// mostWorse: training ends after this number of epochs in a row without a new least error.
const mostWorse = 2

func (t *decoding) run(ctx context.Context) error {
	least, err := t.evaluate(ctx)
	if err != nil {
		return err
	}
	t.history = []float64{least}
	best := train.NewBest(t.learned...)
	best.Offer(1, -least)
	for epoch := range t.Epochs {
		if err := t.epoch(ctx, epoch); err != nil {
			return err
		}
		e, err := t.evaluate(ctx)
		if err != nil {
			return err
		}
		if math.IsNaN(e) || math.IsInf(e, 0) {
			return fmt.Errorf("attack: the decoder's error after epoch %d is %v: lower its rate from %v", epoch+1, e, t.Rate)
		}
		t.history = append(t.history, e)
		best.Offer(epoch+2, -e)
		if t.tell(epoch+1, t.Epochs); epoch+2-best.Epoch == mostWorse {
			break
		}
	}
	best.Restore()
	t.skip.set(t.linear.affine) // validation is over: use the map fitted to all examples
	return nil
}

// epoch trains once on each kept example, in a new order.
func (t *decoding) epoch(ctx context.Context, epoch int) error {
	order := append([]int(nil), t.kept...)
	r := run.Rand(t.Seed, -1, 1+epoch)
	r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	for batch := range slices.Chunk(order, t.Batch) {
		if err := ctx.Err(); err != nil {
			return err
		}
		x, theta := t.batch(batch, 1+epoch)
		y := t.trainer.Forward(x)
		dy, by := t.dy[:len(y)], 1/float32(len(y)) // of half the mean-square error
		simd.Combine(dy, y, theta, by, -by, 0)
		t.trainer.Backward(nil, dy)
		t.trainer.Update()
	}
	return nil
}

// batch returns releases of those examples, and the examples.
func (t *decoding) batch(indices []int, draw int) (x, theta []float32) {
	n, p := t.linear.n, t.linear.p
	x, theta = t.a[:len(indices)*n], t.theta[:len(indices)*p]
	for i, index := range indices {
		copy(x[i*n:(i+1)*n], t.features[t.at[index]*n:])
	}
	t.release(x, x, sources(t.Seed^trainingStream, indices, draw))
	t.Data.Examples(theta, indices)
	return x, theta
}

// evaluate returns the mean-square error per input on the held-out examples.
func (t *decoding) evaluate(ctx context.Context) (float64, error) {
	var sum float64
	for batch := range slices.Chunk(t.held, len(t.theta)/t.linear.p) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		x, theta := t.batch(batch, heldDraw)
		for i, y := range t.trainer.Forward(x) {
			d := float64(y) - float64(theta[i])
			sum += d * d
		}
	}
	return sum / float64(max(1, len(t.held))*t.linear.p), nil
}
