package design

import (
	"context"
	"fmt"
	"math"

	"tattle/bound"
	"tattle/nn"
	"tattle/release"
	"tattle/stat"
)

// base is the net before any projection: its features of the test data, so that
// they are computed once, its Jacobians on the sample, and which examples it has
// right.
type base struct {
	node    string
	n       int
	indices []int // of the sample
	factors []*bound.Factors
	data    cached
	right   []bool
}

// cached are features in place of inputs.
type cached struct {
	nn.Source
	n        int
	features []float32 // [examples, n]
}

func (c cached) Examples(x []float32, indices []int) {
	for i, index := range indices {
		copy(x[i*c.n:(i+1)*c.n], c.features[index*c.n:(index+1)*c.n])
	}
}

func newBase(ctx context.Context, g *nn.Graph, node string, test nn.Source, o Options) (*base, error) {
	frontGraph, headGraph, err := g.Cut(node)
	if err != nil {
		return nil, err
	}
	net, err := nn.NewNet(frontGraph)
	if err != nil {
		return nil, err
	}
	head, err := nn.NewNet(headGraph)
	if err != nil {
		return nil, err
	}
	p, n := net.Dims()
	if c := o.Coordinates.Inputs(); c != p {
		return nil, fmt.Errorf("coordinates of %d inputs, but the net takes %d", c, p)
	}
	if test.Len() == 0 {
		return nil, fmt.Errorf("the test data have no examples")
	}
	b := &base{node: node, n: n, indices: sample(test.Len(), o.Examples, o.Seed)}
	b.data = cached{test, n, outputs(net, test)}
	b.right = correct(b.data, head)
	b.factors, err = factor(ctx, net, test, b.indices)
	return b, err
}

// passBatch is how many examples go through a net at once.
const passBatch = 250

// outputs returns a net's outputs for all data, [examples, n].
func outputs(m nn.Model, data nn.Source) []float32 {
	p, n := m.Dims()
	out := make([]float32, data.Len()*n)
	x := make([]float32, min(passBatch, data.Len())*p)
	indices := make([]int, 0, passBatch)
	for first := 0; first < data.Len(); first += passBatch {
		indices = indices[:0]
		for i := first; i < min(first+passBatch, data.Len()); i++ {
			indices = append(indices, i)
		}
		data.Examples(x[:len(indices)*p], indices)
		m.Forward(out[first*n:(first+len(indices))*n], x[:len(indices)*p])
	}
	return out
}

// correct tells of each example whether its largest logit is at its label. The
// models apply one after the other.
func correct(data cached, models ...nn.Model) []bool {
	for _, m := range models {
		_, n := m.Dims()
		data = cached{data.Source, n, outputs(m, data)}
	}
	right := make([]bool, data.Len())
	for i := range right {
		row, best := data.features[i*data.n:(i+1)*data.n], 0
		for k, v := range row {
			if v > row[best] {
				best = k
			}
		}
		right[i] = best == data.Label(i)
	}
	return right
}

// build makes a front ready: nets, features with the curve of their accuracy, what
// the projection loses, spectrum and attack.
func (s *searcher) build(ctx context.Context, spec release.Spec) (*front, error) {
	frontGraph, headGraph, err := spec.Build(ctx, s.graph, s.train)
	if err != nil {
		return nil, err
	}
	f := &front{spec: spec}
	if f.net, err = nn.NewNet(frontGraph); err != nil {
		return nil, err
	}
	if f.head, err = nn.NewNet(headGraph); err != nil {
		return nil, err
	}
	_, f.keep = f.net.Dims()
	factors := s.base.factors
	if spec.Keep > 0 {
		if factors, err = s.shrink(ctx, f, frontGraph); err != nil {
			return nil, err
		}
	}
	if s.MaxDrop > 0 && f.lost.Interval.High > s.MaxDrop {
		return f, nil // no noise can mend that
	}
	f.spectrum = newSpectrum(factors, s.Coordinates)
	if f.curve, err = s.newCurve(ctx, f, s.Seed); err != nil {
		return nil, err
	}
	if s.Target.AttackMSE > 0 {
		f.attack, err = s.newAttack(ctx, f, 0)
	}
	return f, err
}

// shrink takes the features through the projection: its drop, and the Jacobians
// behind it.
func (s *searcher) shrink(ctx context.Context, f *front, g *nn.Graph) ([]*bound.Factors, error) {
	_, tail, err := g.Cut(s.base.node)
	if err != nil {
		return nil, err
	}
	if f.tail, err = nn.NewNet(tail); err != nil {
		return nil, err
	}
	f.lost = pairedDrop(s.base.right, correct(s.base.data, f.tail, f.head))
	projection := bound.Jacobians(f.tail, make([]float64, s.base.n))[0]
	factors := make([]*bound.Factors, len(s.base.factors))
	for i, factor := range s.base.factors {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if factors[i], err = project(factor, projection); err != nil {
			return nil, err
		}
	}
	return factors, nil
}

// newCurve caches what the front dithers, from the features where there is a
// projection after them.
func (s *searcher) newCurve(ctx context.Context, f *front, seed uint64) (*release.Curve, error) {
	tail := f.tail
	if tail == nil {
		var err error
		if tail, err = identity(s.base.n); err != nil {
			return nil, err
		}
	}
	return release.NewCurve(ctx, tail, f.head, s.base.data, s.Draws, seed)
}

// pairedDrop is the drop of accuracy from before to after, of the same examples. Its
// interval is normal, of confidence release.Confidence, widened by ln(40)/n, as that of
// a release.Curve: where no example changes, the limit of the fraction that does.
func pairedDrop(before, after []bool) release.Drop {
	d := make([]float64, len(before))
	for i := range d {
		switch {
		case before[i] && !after[i]:
			d[i] = 1
		case after[i] && !before[i]:
			d[i] = -1
		}
	}
	n := float64(len(d))
	mean, std := stat.MeanStd(d)
	half := math.Log(40) / n
	if len(d) > 1 {
		half += normal95 * std / math.Sqrt(n)
	}
	return release.Drop{Mean: mean, Interval: stat.Interval{Low: mean - half, High: mean + half}, Examples: len(d)}
}

// normal95 is the normal quantile of release.Confidence, two-sided.
const normal95 = 1.959963984540054
