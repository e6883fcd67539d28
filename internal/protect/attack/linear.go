package attack

import (
	"context"
	"errors"
	"fmt"
	"math"

	"tattle/internal/math/gram"
	"tattle/internal/math/simd"
)

// Linear is the affine map of least mean-square error, θ̂ = E[θ] + C_θa (C_aa +
// σ²I)⁻¹ (x − E[a]), from moments of training examples in float64. The noise is
// added to them exactly, so the attack is adapted to it. With post-processing, the moments
// are those of releases that are drawn.
type Linear struct {
	*Attack
	affine
	indices []int  // of the training examples
	kept    affine // the map without the held-out ones
	added   float64
	moments *gram.Moments
	ridge   float64
	noisy   bool // the moments hold the noise
}

// affine is the map θ̂ = Wx + b.
type affine struct {
	weight []float32 // W, [p, n]
	bias   []float32 // [p]
}

// The ridge that is added to the noise is chosen on held-out examples: one in holdout of
// the training examples, at most maxHeld.
const (
	holdout = 10
	maxHeld = 2000
)

// ridges are the candidates, relative to the mean variance of a feature. The smallest keeps
// the equations regular where features are constant.
var ridges = []float64{1e-10, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1}

// NewLinear fits the map to training examples. It returns an error for data of fewer than
// two examples or that is not finite, and on models too large for dense moments:
// beyond 8,192 features of as many inputs. At 3,072 of each it holds 0.8 GiB.
// A batch of examples, and a map that is solved for, are a step of its progress.
func NewLinear(ctx context.Context, s Setting) (*Linear, error) {
	p, n := s.Front.Dims()
	if d := s.Domain; d.Low != nil && (len(d.Low) != p || len(d.High) != p) {
		return nil, fmt.Errorf("attack: a domain of %d inputs for a model of %d: give the range of each input", len(d.Low), p)
	}
	if n > maxMoments/(n+p) {
		return nil, fmt.Errorf("attack: the linear attack on %d features and %d inputs takes %d moments, more than %d: release fewer features", n, p, n*(n+p), maxMoments)
	}
	indices, err := s.trainingSet(s.Data.Len())
	if err != nil {
		return nil, err
	}
	c, err := newChannel(s)
	if err != nil {
		return nil, err
	}
	l := &Linear{indices: indices, noisy: s.Label, added: s.variance()}
	l.Attack = newAttack(s, "linear", fmt.Sprintf("knows the model, the noise and the post-processing, and applies the affine map of least mean-square error for %d training examples", len(indices)),
		func(_ context.Context, dst, x []float32) error {
			l.apply(dst, x)
			return nil
		})
	if err := (&fitting{Linear: l, channel: c}).run(ctx); err != nil {
		return nil, err
	}
	return l, nil
}

// apply sets dst, [batch, p], for x, [batch, n].
func (m affine) apply(dst, x []float32) {
	p := len(m.bias)
	n := len(m.weight) / p
	simd.Gemm(false, true, len(x)/n, p, n, 1, x, n, m.weight, n, 0, dst, p)
	simd.AddRows(dst, len(x)/n, p, m.bias)
}

// split parts held-out examples from those that are kept.
func split(indices []int) (kept, held []int) {
	for i, index := range indices {
		if i%holdout == holdout-1 && len(held) < maxHeld {
			held = append(held, index)
		} else {
			kept = append(kept, index)
		}
	}
	return kept, held
}

// fitting is the fit of a Linear attack.
type fitting struct {
	*Linear
	*channel
	late heldOut
	done int
}

// run chooses the ridge on held-out examples, and fits the map to all of them.
func (f *fitting) run(ctx context.Context) error {
	kept, held := split(f.indices)
	s := gram.NewSums(f.n, f.p)
	err := f.each(ctx, kept, s.Add)
	if err == nil {
		err = f.each(ctx, held, func(a, theta []float32) {
			f.late.a, f.late.theta = append(f.late.a, a...), append(f.late.theta, theta...)
		})
	}
	if err == nil {
		err = f.choose(ctx, s.Central())
	}
	if err != nil {
		return err
	}
	for size, i := batchOf(f.p), 0; i < len(held); i += size {
		end := min(i+size, len(held))
		s.Add(f.late.a[i*f.n:end*f.n], f.late.theta[i*f.p:end*f.p])
	}
	f.moments = s.Central()
	f.affine, err = f.regress(ctx, f.moments, f.ridge)
	if err != nil {
		return fmt.Errorf("attack: the moments of the features: %w: give stronger noise or more data", err)
	}
	f.step()
	f.moments.Products = nil // the decoder needs the others; with many inputs this is the largest
	if len(held) == 0 {
		f.kept = f.affine
	}
	return nil
}

// step reports progress.
func (f *fitting) step() {
	f.done++
	kept, held := split(f.indices)
	size := batchOf(f.p)
	f.tell(f.done, (len(kept)+size-1)/size+(len(held)+size-1)/size+len(ridges)+1)
}

// beside is the variance of the noise that is not in the moments.
func (l *Linear) beside() float64 {
	if l.noisy {
		return 0 // it was drawn
	}
	return l.added
}

// each calls do with what the moments are of, the features or the releases, and with the inputs, a batch at a time.
func (f *fitting) each(ctx context.Context, indices []int, do func(a, theta []float32)) error {
	return f.eachBatch(ctx, indices, func(batch []int, a, theta []float32) {
		if f.noisy {
			f.release(a, a, sources(f.Seed^trainingStream, batch, 0))
		}
		do(a, theta)
		f.step()
	})
}

const (
	ridgeShare = 1e-3 // of the noise: a smaller ridge changes nothing
	pastBest   = 1.05 // larger ridges are not tried after an error this much above the smallest
)

// choose chooses the ridge with the smallest error on the held-out examples, and keeps its
// map on the moments m, which do not include them. Without held-out examples it takes the
// smallest ridge.
func (f *fitting) choose(ctx context.Context, m *gram.Moments) error {
	f.ridge = ridges[0]
	least, last := math.Inf(1), 0.
	for i, ridge := range ridges {
		if own := ridge * m.Scale(); i == 0 || own > ridgeShare*f.beside() && last <= pastBest*least {
			e, err := f.try(ctx, m, ridge, least)
			if err != nil {
				return err
			}
			last, least = e, min(least, e)
		}
		f.step()
	}
	if math.IsInf(least, 1) && len(f.late.a) > 0 {
		return errors.New("attack: no linear map could be solved for: look for extreme values in the features")
	}
	return nil
}

// try returns the error on held-out examples of the map with a ridge, and keeps it
// where that is less than the least before; +Inf if no map can be solved for.
func (f *fitting) try(ctx context.Context, m *gram.Moments, ridge, least float64) (float64, error) {
	to, err := f.regress(ctx, m, ridge)
	if err != nil {
		return math.Inf(1), ctx.Err() // a larger ridge may do
	}
	e := f.late.error(to, f.beside())
	if math.IsNaN(e) {
		return math.Inf(1), nil
	}
	if e < least {
		f.ridge, f.kept = ridge, to
	}
	return e, nil
}

// regress returns the map of a ridge on moments.
func (f *fitting) regress(ctx context.Context, m *gram.Moments, ridge float64) (affine, error) {
	w, b, err := m.Regress(ctx, f.beside()+ridge*m.Scale())
	return affine{w, b}, err
}

// heldOut are examples that the moments leave out.
type heldOut struct{ a, theta []float32 }

// error is the mean-square error of a map on releases with noise of that variance
// still to be added: ‖θ − Wa − b‖² + added·‖W‖², summed over examples.
func (h *heldOut) error(m affine, added float64) float64 {
	guess := make([]float32, len(h.theta))
	m.apply(guess, h.a)
	var sum float64
	for i, v := range guess {
		d := float64(v) - float64(h.theta[i])
		sum += d * d
	}
	_, square := simd.SumAndSquares(m.weight)
	return sum + added*square*float64(len(h.theta)/len(m.bias))
}
