package attack

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/math/gram"
	"tattle/internal/math/simd"
)

// DecoderOptions are the settings of a decoder's training.
type DecoderOptions struct {
	Hidden int     // width of the two hidden layers; 0 is DefaultHidden, or less for large inputs
	Epochs int     // over the training examples, at most; 0 is DefaultEpochs, or fewer of many examples
	Batch  int     // examples of one step; 0 is DefaultBatch
	Rate   float64 // of AdamW at the start, falling to 0; 0 is DefaultDecoderRate
}

// Defaults of DecoderOptions.
const (
	DefaultHidden      = 512
	usualWeights       = 1 << 23 // of the last layer: a training holds five numbers for each
	DefaultEpochs      = 8
	DefaultBatch       = 128
	DefaultDecoderRate = 1e-3
	DefaultDecay       = 0.01 // PyTorch's for AdamW

	// fewestEpochs is the number of epochs with many examples. For a small convolutional net on Fashion-MNIST, four epochs reach a
	// held-out error of .2435. Eight epochs reach .2429, at half the rate, which suits them better.
	fewestEpochs = 4
	usualLessons = 240_000 // examples, over all epochs
)

// Operations is the number of multiplications and additions of a training: for each
// example of each epoch three products with every weight (forward, and the gradients of
// weights and of activations), and one with every weight of the linear attack.
func (o DecoderOptions) Operations(inputs, features, examples int) float64 {
	o = o.complete(inputs, examples)
	n, p, h := float64(features), float64(inputs), float64(o.Hidden)
	return 2 * float64(o.Epochs) * float64(examples) * (3*(n*h+h*h+h*p) + n*p)
}

// Decoder is a net trained to reconstruct inputs from releases, with fresh noise in every
// epoch: the linear attack, fixed, plus a perceptron of two hidden layers. It keeps the
// epoch with the smallest error on held-out training examples, or the linear attack alone
// where no epoch is better. Training ends early after two epochs in a row that are not. Both
// parts are trained without the held-out examples; in the end the linear part is replaced by the one fitted to all of them.
type Decoder struct {
	*Attack
	Held []float64 // mean-square error per input on held-out examples, before training and after each epoch
}

// NewDecoder trains the net. l is the linear attack of the same setting; nil: it is fitted. An epoch is a step of the progress.
// NewDecoder returns the same errors as NewLinear, and an error if the training diverges.
func NewDecoder(ctx context.Context, s Setting, l *Linear, o DecoderOptions) (_ *Decoder, err error) {
	p, _ := s.Front.Dims()
	o = o.complete(p, s.Data.Len())
	if l == nil {
		fit := s
		fit.Progress = nil
		if l, err = NewLinear(ctx, fit); err != nil {
			return nil, err
		}
	}
	t, err := newDecoding(ctx, l, s, o)
	if err != nil {
		return nil, err
	}
	if err := t.run(ctx); err != nil {
		return nil, err
	}
	net, err := nn.NewNet(t.graph)
	if err != nil {
		return nil, err
	}
	about := fmt.Sprintf("knows the model and the noise, and applies a net of two hidden layers of %d units, added to the linear attack and trained for %d epochs on releases of %d examples with fresh noise", o.Hidden, len(t.history)-1, len(t.kept)+len(t.held))
	return &Decoder{newAttack(s, "decoder", about, func(_ context.Context, dst, x []float32) error {
		net.Forward(dst, x)
		return nil
	}), t.history}, nil
}

func (o DecoderOptions) complete(inputs, examples int) DecoderOptions {
	o.Hidden, o.Batch = cmp.Or(o.Hidden, min(DefaultHidden, max(1, usualWeights/inputs))), cmp.Or(o.Batch, DefaultBatch)
	o.Epochs = cmp.Or(o.Epochs, min(DefaultEpochs, max(fewestEpochs, usualLessons/max(1, examples))))
	o.Rate = cmp.Or(o.Rate, DefaultDecoderRate)
	return o
}

// skip is the layer that is the linear attack.
type skip struct{ *nn.Dense }

func (s skip) set(m affine) {
	s.Weight.Data, s.Bias.Data = m.weight, m.bias // which nobody trains
	s.Weight.Changed()
	s.Bias.Changed()
}

// decoderGraph returns the sum of a linear attack, fitted without the held-out examples, and a
// perceptron. It also returns the parameters that are trained, those of the perceptron. The
// perceptron's input is the release, centred and scaled to variance 1 on average. At first its
// first layer removes noise, and its last layer is zero.
func decoderGraph(ctx context.Context, l *Linear, seed uint64, o DecoderOptions) (*nn.Graph, skip, []*nn.Param, error) {
	b := nn.NewBuilder("decoder", l.n)
	one, two, three := nn.NewDense("fc1", l.n, o.Hidden), nn.NewDense("fc2", o.Hidden, o.Hidden), nn.NewDense("fc3", o.Hidden, l.p)
	b.Add("fc1", one)
	b.Add("relu1", &nn.ReLU{})
	b.Add("fc2", two)
	b.Add("relu2", &nn.ReLU{})
	b.Add("fc3", three)
	g := b.Graph
	g.Init(seed)
	clear(three.Weight.Data)
	clear(three.Bias.Data)
	if err := denoise(ctx, one, l); err != nil {
		return nil, skip{}, nil, err
	}
	standardize(one, l.moments, l.beside())
	beside := skip{nn.NewDense("linear", l.n, l.p)}
	beside.set(l.kept)
	b.Join("linear", beside.Dense, g.Input)
	b.Join("sum", &nn.Binary{Operator: "Add"}, "linear", "fc3")
	return g, beside, slices.Concat(one.Params(), two.Params(), three.Params()), nil
}

// sharpening enlarges the first layer's weights, which the filter has shrunk.
const sharpening = 3

// denoise makes a layer start from the best linear estimate of the features instead of the
// release.
func denoise(ctx context.Context, d *nn.Dense, l *Linear) error {
	f, err := l.moments.Filter(ctx, l.beside()+l.ridge*l.moments.Scale())
	if err != nil {
		return err
	}
	w := append([]float32(nil), d.Weight.Data...)
	simd.Gemm(false, false, d.Out, d.In, d.In, sharpening, w, d.In, nn.Float32s(f), d.In, 0, d.Weight.Data, d.In)
	return nil
}

// standardize makes a layer see (x − E[x])/s in place of x, s² being the mean
// variance of an entry.
func standardize(d *nn.Dense, m *gram.Moments, added float64) {
	s := float32(1 / math.Sqrt(m.Scale()+added))
	mean := nn.Float32s(m.MeanX)
	for i := range d.Out {
		row := d.Weight.Data[i*d.In : (i+1)*d.In]
		simd.Scale(s, row)
		d.Bias.Data[i] -= simd.Dot(row, mean)
	}
}
