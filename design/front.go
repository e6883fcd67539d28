package design

import (
	"context"
	"errors"
	"slices"

	"tattle/bound"
	"tattle/measure"
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

	commonest float64 // share of the commonest class
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
		return nil, measure.WrongOption("Coordinates", "coordinates of %d inputs, but the net takes %d", c, p)
	}
	if test.Len() == 0 {
		return nil, errors.New("the test data have no examples")
	}
	b := &base{node: node, n: n, indices: o.Indices}
	if b.indices == nil {
		b.indices = sample(test.Len(), o.Examples, o.Seed)
	}
	if i := slices.IndexFunc(b.indices, func(i int) bool { return i < 0 || i >= test.Len() }); i >= 0 {
		return nil, measure.WrongOption("Indices", "example %d: there are %d", b.indices[i], test.Len())
	}
	b.data = cached{test, n, nil}
	if b.data.features, err = outputs(ctx, net, test); err != nil {
		return nil, err
	}
	if b.right, err = correct(ctx, b.data, head); err != nil {
		return nil, err
	}
	counts := map[int]int{}
	for i := range test.Len() {
		y := test.Label(i)
		counts[y]++
		b.commonest = max(b.commonest, float64(counts[y])/float64(test.Len()))
	}
	b.factors, err = factor(ctx, net, test, b.indices)
	return b, err
}

// passBatch is how many examples go through a net at once.
const passBatch = 250

// outputs returns a net's outputs for all data, [examples, n].
func outputs(ctx context.Context, m nn.Model, data nn.Source) ([]float32, error) {
	p, n := m.Dims()
	out := make([]float32, data.Len()*n)
	x := make([]float32, min(passBatch, data.Len())*p)
	indices := make([]int, 0, passBatch)
	for first := 0; first < data.Len(); first += passBatch {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		indices = indices[:0]
		for i := first; i < min(first+passBatch, data.Len()); i++ {
			indices = append(indices, i)
		}
		data.Examples(x[:len(indices)*p], indices)
		m.Forward(out[first*n:(first+len(indices))*n], x[:len(indices)*p])
	}
	return out, nil
}

// correct reports for each example whether the largest logit is that of its label.
func correct(ctx context.Context, data nn.Source, head nn.Model) ([]bool, error) {
	_, n := head.Dims()
	logits, err := outputs(ctx, head, data)
	if err != nil {
		return nil, err
	}
	right := make([]bool, data.Len())
	for i := range right {
		row, best := logits[i*n:(i+1)*n], 0
		for k, v := range row {
			if v > row[best] {
				best = k
			}
		}
		right[i] = best == data.Label(i)
	}
	return right, nil
}

// accuracy counts what is right.
func accuracy(right []bool) release.Accuracy {
	a := release.Accuracy{Trials: len(right)}
	for _, r := range right {
		if r {
			a.Correct++
		}
	}
	a.Fraction = float64(a.Correct) / float64(a.Trials)
	a.Interval = stat.ClopperPearson(a.Correct, a.Trials, release.Confidence)
	return a
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
	if spec.Keep == 0 {
		f.curve, err = s.newCurve(ctx, f, s.Draws, s.Seed)
	} else if err = s.shorten(ctx, f, frontGraph); err == nil && !s.lossy(f) {
		factors, err = s.shrink(ctx, f)
	}
	if err != nil || s.lossy(f) {
		return f, err
	}
	f.spectrum = newSpectrum(factors, s.Coordinates)
	if s.Target.AttackMSE > 0 {
		f.attack, err = s.newAttack(ctx, f)
	}
	return f, err
}

// lossy reports whether a projection without noise already loses more than MaxDrop.
func (s *searcher) lossy(f *front) bool { return s.MaxDrop > 0 && f.lost.Interval.High > s.MaxDrop }

// shorten finds the projection at the front's end, and what it loses of accuracy.
func (s *searcher) shorten(ctx context.Context, f *front, g *nn.Graph) error {
	_, tail, err := g.Cut(s.base.node)
	if err != nil {
		return err
	}
	if f.tail, err = nn.NewNet(tail); err != nil {
		return err
	}
	if f.curve, err = s.newCurve(ctx, f, s.Draws, s.Seed); err == nil {
		_, f.lost, err = f.curve.At(ctx, release.None{}, release.Post{})
	}
	return err
}

// shrink takes the Jacobians through the projection.
func (s *searcher) shrink(ctx context.Context, f *front) ([]*bound.Factors, error) {
	projection := bound.Jacobians(f.tail, make([]float64, s.base.n))[0]
	factors := make([]*bound.Factors, len(s.base.factors))
	for i, factor := range s.base.factors {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var err error
		if factors[i], err = project(factor, projection); err != nil {
			return nil, err
		}
	}
	return factors, nil
}

// newCurve caches what the front dithers, from the features where there is a
// projection after them. Drops are those from the net without projection and noise.
func (s *searcher) newCurve(ctx context.Context, f *front, draws int, seed uint64) (*release.Curve, error) {
	tail := f.tail
	if tail == nil {
		var err error
		if tail, err = identity(s.base.n); err != nil {
			return nil, err
		}
	}
	curve, err := release.NewCurve(ctx, tail, f.head, s.base.data, draws, seed)
	if err == nil {
		curve.Against(s.base.right)
	}
	return curve, err
}
