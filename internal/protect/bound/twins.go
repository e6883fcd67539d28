package bound

import (
	"cmp"
	"context"
	"math"
	"sync"

	"tattle/internal/engine/nn"
	"tattle/internal/run"
)

// TwinOptions configures the search for twins: inputs with the same features in real
// arithmetic. If the domain has a grid, they are moved to stored inputs, whose features
// are nearly the same. Its zero value disables the search.
type TwinOptions struct {
	Examples int    `json:"examples"` // how many of the examples are tried, from the first
	Domain   Domain `json:"domain"`   // where twins may lie: a box, or a grid in one
	Seed     uint64 `json:"seed"`     // of the choice of target images
}

// targetDraws is the number of random draws of a target before targetIndex searches all
// images in order.
const targetDraws = 100

// targetIndex returns the index in data of an image with another label, drawn by the
// seed and the example's index: -1 if all labels are the same.
func (o TwinOptions) targetIndex(data nn.Source, example, label int) int {
	n := data.Len()
	if n == 0 {
		return -1
	}
	r := run.Rand(o.Seed, example, 0)
	k := r.IntN(n)
	for draw := range targetDraws + n {
		if data.Label(k) != label {
			return k
		}
		if k = (k + 1) % n; draw < targetDraws {
			k = r.IntN(n)
		}
	}
	return -1
}

// seek finds the twins of those examples of the batch that the options choose.
func (o TwinOptions) seek(ctx context.Context, r *runner, s *Bounds, b *batch, _ func(part float64)) error {
	n := min(len(b.index), o.Examples-b.first)
	if n <= 0 {
		return nil
	}
	some, theta := s.rows(0, n, b.p, b.m), b.theta[:n*b.p] // the others have none
	found := make([]float64, n*2*b.p)
	err := tryParallel(n, func(i int) error {
		target := o.target(r.data, int(b.index[i]), int(b.label[i]), b.p)
		_, err := r.front.finder.find(ctx, rowOf(found, i, 2*b.p), rowOf(theta, i, b.p), target)
		return err
	})
	if err != nil {
		return err
	}
	keep(some, theta, found, b.p)
	return r.refine(ctx, some, theta, s.Witnesses)
}

// target returns an image with another label, drawn by the seed and the example's index: nil if all labels are the same.
func (o TwinOptions) target(data nn.Source, example, label, p int) []float32 {
	k := o.targetIndex(data, example, label)
	if k < 0 {
		return nil
	}
	target := make([]float32, p)
	data.Examples(target, []int{k})
	return target
}

// A twinFinder finds inputs that a net maps, in real arithmetic, to exactly the same
// features. It respects the box of its domain and ignores the grid. If the net is affine
// between ReLUs, inputs have the same features if all active units of one layer keep their
// values and all inactive ones stay inactive. These inputs form a polytope; its far
// corners and its point nearest to a target are found by a linear and a quadratic
// programme. A twinFinder is safe for concurrent use; the programmes use all cores unless
// called from simd.Parallel.
type twinFinder struct {
	domain  Domain
	p       int
	levels  []*level
	workers sync.Pool // of *twinWorker
}

// newTwinFinder prepares the search in a box for a net that ends in the features. It returns an
// error, with the reason, if twins cannot be found by linear algebra.
func newTwinFinder(g *nn.Graph, domain Domain) (*twinFinder, error) {
	p := nn.Size(g.InputShape)
	levels, err := levelsOf(g, p)
	if err != nil {
		return nil, err
	}
	f := &twinFinder{domain: domain, p: p, levels: levels}
	f.workers.New = func() any { return newTwinWorker(f) }
	return f, nil
}

// find overwrites eps, [2, p], with two twins θ+ε of θ: the farthest that it finds and the
// one nearest to target, which may be nil. found says which of the two were found; the
// others are zero. It returns an error if ctx ends or if the net's values or slopes are
// not finite.
//
// ‖ε‖² is convex. On the interval of each input the chord of ε_i² lies above it, so the
// maximum of the sum of chords, a linear programme, is an upper bound of ‖ε‖² in the
// polytope. From its solution on, each programme maximises the tangent of ‖ε‖² at the
// previous ε, which lies below it.
func (f *twinFinder) find(ctx context.Context, eps []float64, theta, target []float32) (found [2]bool, err error) {
	clear(eps)
	w := f.workers.Get().(*twinWorker)
	defer f.workers.Put(w)
	if ok, err := f.prepare(w, theta); err != nil || !ok {
		return found, cmp.Or(err, ctx.Err())
	}
	if found[0], err = w.farthest(ctx, eps[:f.p]); err != nil {
		return found, err
	}
	if target != nil {
		found[1], err = w.nearest(ctx, eps[f.p:], theta, target)
	}
	return found, err
}

// prepare sets the polytope of θ's twins up. It reports false if there is no layer with
// fewer units that are on than there are inputs, or θ is not legal, and returns an error
// if the net's values are not finite.
func (f *twinFinder) prepare(w *twinWorker, theta []float32) (bool, error) {
	for i, t := range theta {
		w.theta[i] = float64(t)
		if !f.domain.contains(i, w.theta[i], 0) {
			return false, nil
		}
		w.low[i] = f.domain.inside(i, w.theta[i], f.domain.Low[i]-w.theta[i])
		w.high[i] = f.domain.inside(i, w.theta[i], f.domain.High[i]-w.theta[i])
	}
	for k, l := range f.levels {
		if ok, err := w.constrain(l, w.nets[k]); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

// inside returns the float64 nearest to e, toward 0, for which t + e lies in the
// interval.
func (d Domain) inside(i int, t, e float64) float64 {
	for e != 0 {
		if x, err := twoSum(t, e); d.contains(i, x, err) {
			return e
		}
		e = math.Nextafter(e, 0)
	}
	return 0
}
