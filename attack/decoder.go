package attack

import (
	"context"
	"fmt"
	"math"

	"tattle/bound"
	"tattle/internal/simd"
	"tattle/nn"
	"tattle/release"
	"tattle/run"
)

// DecoderOptions are the settings of NewDecoder.
type DecoderOptions struct {
	Queries  int          // releases of one input, of which the attacker takes the mean; 0 is 1
	Post     Post         // nil for none
	Hidden   int          // width of the two hidden layers; 0 is DefaultHidden
	Epochs   int          // over the training examples; 0 is DefaultEpochs
	Batch    int          // examples of one step; 0 is DefaultBatch
	Rate     float64      // of AdamW at the start, falling to 0; 0 is DefaultDecoderRate
	Examples int          // the most that are trained on; 0 is all
	Domain   bound.Domain // where reconstructions are clipped
	Seed     uint64
	// Progress, unless nil, is called after each epoch with the epochs done, those
	// of the whole training and the mean-square error per input on held-out examples.
	Progress func(done, total int, meanSquare float64)
}

// Defaults of DecoderOptions.
const (
	DefaultHidden      = 512 // as many as MNIST's training takes half a minute with
	DefaultEpochs      = 6   // half a minute for MNIST on two cores
	DefaultBatch       = 128
	DefaultDecoderRate = 5e-4 // twice and half of it leave a larger error on MNIST's held-out examples
	DefaultDecay       = 0.01 // PyTorch's for AdamW
)

// Decoder is a net trained to reconstruct inputs from releases, with fresh noise
// in every epoch: the linear attack, fixed, plus what a perceptron of two hidden
// layers adds to it. Of all epochs it keeps the one best on held-out examples, and
// no epoch, which is the linear attack, where none is better.
type Decoder struct {
	p, n   int
	net    *nn.Net
	domain bound.Domain
	about  string
	Held   []float64 // mean-square error per input on held-out examples, before training and after each epoch
}

// NewDecoder trains the net. It errs as NewLinear does, and where the training
// diverges.
func NewDecoder(ctx context.Context, front nn.Model, noise release.Noise, train bound.Source, o DecoderOptions) (*Decoder, error) {
	o = o.complete()
	if o.Hidden < 0 || o.Epochs < 0 || o.Batch < 0 || o.Rate < 0 {
		return nil, fmt.Errorf("attack: a decoder of %d hidden units, %d epochs in batches of %d at rate %v: none may be negative", o.Hidden, o.Epochs, o.Batch, o.Rate)
	}
	l, err := NewLinear(ctx, front, noise, train, LinearOptions{o.Queries, o.Post, o.Examples, o.Domain, o.Seed})
	if err != nil {
		return nil, err
	}
	t, err := newDecoding(ctx, l, front, noise, train, o)
	if err != nil {
		return nil, err
	}
	if err := t.run(ctx); err != nil {
		return nil, err
	}
	d := &Decoder{p: l.p, n: l.n, domain: o.Domain, Held: t.history}
	if d.net, err = nn.NewNet(t.graph); err != nil {
		return nil, err
	}
	d.about = fmt.Sprintf("knows the model and the noise, and applies a net of two hidden layers of %d units, added to the linear attack and trained for %d epochs on releases of %d examples with fresh noise", o.Hidden, o.Epochs, len(t.kept)+len(t.held))
	return d, nil
}

func (o DecoderOptions) complete() DecoderOptions {
	for _, d := range []struct {
		at *int
		by int
	}{{&o.Hidden, DefaultHidden}, {&o.Epochs, DefaultEpochs}, {&o.Batch, DefaultBatch}} {
		if *d.at == 0 {
			*d.at = d.by
		}
	}
	if o.Rate == 0 {
		o.Rate = DefaultDecoderRate
	}
	return o
}

// Name returns "decoder".
func (d *Decoder) Name() string { return "decoder" }

// About says what the attack knows.
func (d *Decoder) About() string { return d.about }

// Reconstruct applies the net.
func (d *Decoder) Reconstruct(ctx context.Context, dst, x []float32) error {
	rows(dst, x, d.p, d.n)
	d.net.Forward(dst, x)
	clip(dst, d.domain)
	return ctx.Err()
}

// decoding is the training of a Decoder.
type decoding struct {
	DecoderOptions
	linear     *Linear
	data       bound.Source
	channel    *channel
	kept, held []int
	features   []float32 // [kept+held, n] of the examples in order
	at         map[int]int
	graph      *nn.Graph
	learned    []*nn.Param
	trainer    *nn.Trainer
	rule       *fallingAdamW
	history    []float64

	a, theta, dy []float32 // of a batch
}

func newDecoding(ctx context.Context, l *Linear, front nn.Model, noise release.Noise, train bound.Source, o DecoderOptions) (*decoding, error) {
	indices, err := trainingSet(train, o.Examples, o.Seed)
	if err != nil {
		return nil, err
	}
	t := &decoding{DecoderOptions: o, linear: l, data: train, channel: newChannel(noise, o.Queries, o.Post, l.n), at: map[int]int{}}
	t.features = make([]float32, 0, len(indices)*l.n)
	err = eachBatch(ctx, front, train, indices, func(batch []int, a, _ []float32) {
		for i, index := range batch {
			t.at[index] = len(t.features)/l.n + i
		}
		t.features = append(t.features, a...)
	})
	if err != nil {
		return nil, err
	}
	t.kept, t.held = split(indices)
	added := variance(noise, o.Queries)
	if l.noisy {
		added = 0 // the moments are the releases'
	}
	if t.graph, t.learned, err = decoderGraph(l, added, o); err != nil {
		return nil, err
	}
	steps := o.Epochs * ((len(t.kept)-1)/o.Batch + 1)
	t.rule = newFallingAdamW(t.learned, o.Rate, steps)
	if t.trainer, err = nn.NewTrainer(t.graph, t.rule, o.Seed); err != nil {
		return nil, err
	}
	size := max(o.Batch, min(momentBatch, len(t.held)))
	t.a, t.theta, t.dy = make([]float32, size*l.n), make([]float32, size*l.p), make([]float32, size*l.p)
	return t, nil
}

// decoderGraph returns the linear attack plus a perceptron, whose last layer
// begins at zero, and the parameters that learn. The perceptron sees the releases
// centred and scaled to variance 1 on average, and begins by denoising them.
func decoderGraph(l *Linear, added float64, o DecoderOptions) (*nn.Graph, []*nn.Param, error) {
	g := &nn.Graph{Name: "decoder", Input: "release", InputShape: []int{l.n}, Output: "input"}
	dense := func(in, out string, rows, cols int) *nn.Dense {
		d := &nn.Dense{In: rows, Out: cols, Weight: newParam(out+".weight", cols, rows), Bias: newParam(out+".bias", cols)}
		g.Nodes = append(g.Nodes, &nn.Node{Name: out, Op: d, Inputs: []string{in}, Output: out})
		return d
	}
	relu := func(in, out string) {
		g.Nodes = append(g.Nodes, &nn.Node{Name: out, Op: &nn.ReLU{}, Inputs: []string{in}, Output: out})
	}
	one := dense("release", "fc1", l.n, o.Hidden)
	relu("fc1", "relu1")
	two := dense("relu1", "fc2", o.Hidden, o.Hidden)
	relu("fc2", "relu2")
	three := dense("relu2", "fc3", o.Hidden, l.p)
	g.Init(o.Seed)
	clear(three.Weight.Data)
	clear(three.Bias.Data)
	if err := denoise(one, l, added); err != nil {
		return nil, nil, err
	}
	standardize(one, l.moments, added)
	skip := dense("release", "linear", l.n, l.p)
	for i := range l.n {
		for j := range l.p {
			skip.Weight.Data[j*l.n+i] = l.weight[i*l.p+j]
		}
	}
	copy(skip.Bias.Data, l.bias)
	g.Nodes = append(g.Nodes, &nn.Node{Name: "input", Op: &nn.Add{}, Inputs: []string{"linear", "fc3"}, Output: "input"})
	var learned []*nn.Param
	for _, d := range []*nn.Dense{one, two, three} {
		learned = append(learned, d.Weight, d.Bias)
	}
	return g, learned, nil
}

// sharpening enlarges the first layer's weights, which the filter has shrunk.
const sharpening = 3

// denoise makes a layer begin by looking at the best linear estimate of the
// features in place of the release.
func denoise(d *nn.Dense, l *Linear, added float64) error {
	f, err := l.moments.filter(added + l.ridge*l.moments.scale())
	if err != nil {
		return err
	}
	w := append([]float32(nil), d.Weight.Data...)
	simd.Gemm(false, false, d.Out, d.In, d.In, sharpening, w, d.In, narrow(f), d.In, 0, d.Weight.Data, d.In)
	return nil
}

// standardize makes a layer see (x − E[x])/s in place of x, s² being the mean
// variance of an entry.
func standardize(d *nn.Dense, m *moments, added float64) {
	s := float32(1 / math.Sqrt(m.scale()+added))
	mean := narrow(m.meanA)
	for i := range d.Out {
		row := d.Weight.Data[i*d.In : (i+1)*d.In]
		simd.Scale(s, row)
		d.Bias.Data[i] -= simd.Dot(row, mean)
	}
}

func newParam(name string, shape ...int) *nn.Param {
	return &nn.Param{Name: name, Shape: shape, Data: make([]float32, nn.Size(shape))}
}

// heldDraw is the noise of the held-out examples; that of epochs is from 1 on.
const heldDraw = 0

func (t *decoding) run(ctx context.Context) error {
	least, err := t.evaluate(ctx)
	if err != nil {
		return err
	}
	t.history = []float64{least}
	best := t.snapshot(nil)
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
		if t.history = append(t.history, e); e < least {
			least, best = e, t.snapshot(best)
		}
		if t.Progress != nil {
			t.Progress(epoch+1, t.Epochs, e)
		}
	}
	for i, p := range t.learned {
		copy(p.Data, best[i])
		p.Changed()
	}
	return nil
}

func (t *decoding) snapshot(to [][]float32) [][]float32 {
	to = to[:0]
	for _, p := range t.learned {
		to = append(to, append([]float32(nil), p.Data...))
	}
	return to
}

// epoch sweeps over the kept examples in an order of its own.
func (t *decoding) epoch(ctx context.Context, epoch int) error {
	order := append([]int(nil), t.kept...)
	r := run.Rand(t.Seed, -1, 1+epoch)
	r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	for lo := 0; lo < len(order); lo += t.Batch {
		if err := ctx.Err(); err != nil {
			return err
		}
		batch := order[lo:min(len(order), lo+t.Batch)]
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
	t.channel.release(x, x, sources(t.Seed, indices, draw))
	t.data.Examples(theta, indices)
	return x, theta
}

// evaluate returns the mean-square error per input on the held-out examples.
func (t *decoding) evaluate(ctx context.Context) (float64, error) {
	var sum float64
	size := len(t.theta) / t.linear.p
	for lo := 0; lo < len(t.held); lo += size {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		batch := t.held[lo:min(len(t.held), lo+size)]
		x, theta := t.batch(batch, heldDraw)
		for i, y := range t.trainer.Forward(x) {
			d := float64(y) - float64(theta[i])
			sum += d * d
		}
	}
	return sum / float64(max(1, len(t.held))*t.linear.p), nil
}

// fallingAdamW is AdamW whose rate falls to 0 by half a cosine.
type fallingAdamW struct {
	params  []*nn.Param
	rule    simd.AdamRule
	moments [][2][]float32
	done    int
	steps   int
}

func newFallingAdamW(params []*nn.Param, rate float64, steps int) *fallingAdamW {
	f := &fallingAdamW{params: params, steps: steps, rule: simd.AdamRule{Rate: rate, Beta1: nn.DefaultBeta1,
		Beta2: nn.DefaultBeta2, Epsilon: nn.DefaultEpsilon, Decay: DefaultDecay, Decoupled: true}}
	for _, p := range params {
		f.moments = append(f.moments, [2][]float32{make([]float32, len(p.Data)), make([]float32, len(p.Data))})
	}
	return f
}

// Params returns the parameters that it changes.
func (f *fallingAdamW) Params() []*nn.Param { return f.params }

// Step changes them by their gradients.
func (f *fallingAdamW) Step() {
	rule := f.rule
	rule.Rate *= falling(f.done, f.steps)
	f.done++
	now := rule.At(f.done)
	for i, p := range f.params {
		m := f.moments[i]
		simd.Parallel(len(p.Data), descentGrain, func(lo, hi int) {
			simd.AdamStep(p.Data[lo:hi], p.Grad[lo:hi], m[0][lo:hi], m[1][lo:hi], now)
		})
		p.Changed()
	}
}
