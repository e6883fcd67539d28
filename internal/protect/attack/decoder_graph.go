package attack

import (
	"context"
	"math"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/math/gram"
	"tattle/internal/math/simd"
)

// skip is the layer that is the linear attack.
type skip struct{ *nn.Dense }

func (s skip) set(m affine) {
	copy(s.Weight.Data, m.weight)
	copy(s.Bias.Data, m.bias)
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
