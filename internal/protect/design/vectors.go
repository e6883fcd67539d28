package design

import (
	"context"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
	"tattle/internal/protect/measure"
	"tattle/internal/protect/release"
	"tattle/internal/protect/shape"
	"tattle/internal/run"
)

const (
	// cells is the number of training vectors that divide the others by which of them is nearest. What keeps the cells apart
	// keeps neighbours together.
	cells       = 32
	streamCells = 19
	// streamLookups numbers the noise of a database.
	streamLookups = 0x6c6f6f6b757073 // "lookups"
)

// cellsOf returns which of some vectors each is nearest to, by its number. Those are drawn from the ones to learn by; each is in
// its own cell.
func cellsOf(vectors rows, learn []int, seed uint64) []int {
	order := run.Rand(seed, 0, streamCells).Perm(len(learn))[:min(cells, len(learn))]
	anchors := pick(learn, order)
	nearest := func(i int) (best int) {
		most := float32(0)
		for k, a := range anchors {
			x := vectors.row(a)
			if near := 2*simd.Dot(vectors.row(i), x) - simd.SumSquares(x); k == 0 || near > most {
				best, most = k, near
			}
		}
		return best
	}
	kept := anchors[:0:0]
	for k, a := range anchors {
		if nearest(a) == k { // else it equals another
			kept = append(kept, a)
		}
	}
	anchors = kept
	labels := make([]int, vectors.Len())
	simd.Parallel(len(labels), 64, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			labels[i] = nearest(i)
		}
	})
	return labels
}

// forVectors prepares a cut for a model whose outputs are vectors: labels to learn by, where the task has none, and the task.
func (c *cut) forVectors(ctx context.Context, s *searcher) (classes int, err error) {
	if c.vectors, err = outputs(ctx, c.head, c.features, nil); err != nil {
		return 0, err
	}
	validate := s.train.Subset(c.validate)
	database := release.Database{Width: c.vectors.P, Vectors: make([]float32, len(c.validate)*c.vectors.P), Views: s.Views != nil, People: validate.People()}
	if s.Use.ByTarget() {
		database.Labels = validate.Y
	} else {
		set := *s.train
		set.Y, set.YNames, set.YName = cellsOf(c.vectors, c.learn, s.Seed), nil, "cell"
		c.train = &set
	}
	if c.vectors.Examples(database.Vectors, c.validate); s.Views != nil {
		features, err := outputs(ctx, c.front, s.Views.Subset(c.validate), nil)
		if err != nil {
			return 0, err
		}
		views, err := outputs(ctx, c.head, features, nil)
		if err != nil {
			return 0, err
		}
		database.Vectors = views.X
	}
	if c.task, err = release.NewNeighbours(ctx, *s.Use, database); err != nil {
		return 0, measure.WrongOption("Utility", "%w", err)
	}
	return max(len(c.train.YNames), slices.Max(c.train.Y)+1), nil
}

// noisyTask returns the task of the cut, with a database of noisy vectors if that is what is asked for.
func (s *searcher) noisyTask(ctx context.Context, c *cut, l *line, m *nn.Net, sigma float64) (release.Task, error) {
	if s.Use.Noise != release.NoiseDatabase && s.Use.Noise != release.NoiseBoth {
		return c.task, nil
	}
	values, at := s.clipped(l, sigma), c.validate
	if s.Views != nil {
		views, err := l.released(ctx, c, s.Views.Subset(c.validate))
		if err != nil {
			return nil, err
		}
		values, at = views.within(l.center, s.radiusOf(l.radius, sigma)), nn.Indices(len(c.validate))
	}
	_, width := m.Dims()
	out, noisy := make([]float32, len(c.validate)*width), make([]float32, values.P)
	for i, example := range c.validate {
		copy(noisy, values.row(at[i]))
		r := run.Rand(s.Seed^streamLookups, example, 0)
		for k := range noisy {
			noisy[k] += float32(sigma * r.NormFloat64())
		}
		m.Forward(out[i*width:(i+1)*width], noisy)
	}
	return c.task.With(ctx, out)
}

// erased returns the layer without the directions of the protected attributes.
func (s *searcher) erased(ctx context.Context, c *cut, keep int) (*nn.Graph, error) {
	var all []*shape.Moments
	for _, p := range s.Protect {
		a := s.train.Attribute(p.Attribute)
		m, err := c.features.labelled(a.Labels).moments(ctx, c.learn, len(a.Values))
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	d, err := shape.Erased(all, keep)
	if err != nil {
		return nil, err
	}
	return shape.Chain(Node, []int{c.n}, d), nil
}

// pick returns the labels of some examples.
func pick(labels, indices []int) []int {
	out := make([]int, len(indices))
	for i, j := range indices {
		out[i] = labels[j]
	}
	return out
}
