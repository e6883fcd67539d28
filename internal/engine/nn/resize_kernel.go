package nn

import (
	"math"

	"tattle/internal/math/simd"
)

// resize is the kernel of Resize with weights: one pass over the tensor for each
// dimension that changes.
type resize[T Float] struct {
	in, out  int // entries of one example
	forth    []*axisPass[T]
	back     []*axisPass[T]       // the adjoint's, in the opposite order
	one, two []T                  // what lies between the passes
	abs      []*axisPass[float64] // forth with the magnitudes of the weights, nil at first
}

// axisPass maps [·, in, inner] to [·, out, inner], a row of inner entries being a
// weighted sum of such rows.
type axisPass[T Float] struct {
	taps
	out, inner int
	weight     []T
	rows       func(lo, hi int)

	to, from []T // the operands of the pass in progress
}

func newAxisPass[T Float](t taps, inner int) *axisPass[T] {
	p := &axisPass[T]{taps: t, out: len(t.start) - 1, inner: inner, weight: make([]T, len(t.value))}
	for i, v := range t.value {
		p.weight[i] = T(v)
	}
	p.rows = p.columns
	if inner == 1 {
		p.rows = p.lines
	}
	return p
}

func newResize[T Float](o *Resize, in []int) *resize[T] {
	k := &resize[T]{in: Size(in), out: Size(o.To)}
	if k.in == 0 || k.out == 0 {
		return k
	}
	for d, n := range in {
		if o.keeps(d, n) {
			continue
		}
		t := o.taps(d, n)
		inner := Size(in[d+1:])
		k.forth = append(k.forth, newAxisPass[T](t, inner))
		k.back = append([]*axisPass[T]{newAxisPass[T](t.transposed(), inner)}, k.back...)
	}
	return k
}

// apply runs the passes over n tensors.
func (k *resize[T]) apply(passes []*axisPass[T], to, from []T, n int) {
	if len(passes) == 0 {
		copy(to, from)
		return
	}
	for i, p := range passes {
		next := to
		if i < len(passes)-1 {
			k.one = sized(k.one, len(from)/p.in*p.out)
			next = k.one
		}
		p.run(next, from)
		k.one, k.two, from = k.two, k.one, next
	}
}

// run overwrites to with the weighted rows of from.
func (p *axisPass[T]) run(to, from []T) {
	p.to, p.from = to, from
	simd.Parallel(len(to)/(p.out*p.inner), 1+grain/(p.out*p.inner), p.rows)
}

// columns maps matrices [in, inner].
func (p *axisPass[T]) columns(lo, hi int) {
	for m := lo; m < hi; m++ {
		x, y := p.from[m*p.in*p.inner:][:p.in*p.inner], p.to[m*p.out*p.inner:][:p.out*p.inner]
		for o := range p.out {
			p.row(y[o*p.inner:][:p.inner], x, p.start[o], p.start[o+1])
		}
	}
}

// row overwrites y with the rows of x weighted by taps lo to hi.
func (p *axisPass[T]) row(y, x []T, lo, hi int) {
	if lo == hi {
		clear(y)
		return
	}
	at := func(i int) []T { return x[p.index[i]*p.inner:][:p.inner] }
	simd.ScaleShift(y, at(lo), p.weight[lo], 0)
	for i := lo + 1; i < hi; i++ {
		simd.Axpy(p.weight[i], at(i), y)
	}
}

// lines maps vectors of in entries.
func (p *axisPass[T]) lines(lo, hi int) {
	for m := lo; m < hi; m++ {
		x, y := p.from[m*p.in:][:p.in], p.to[m*p.out:][:p.out]
		for o := range y {
			var sum T
			from, to := p.start[o], p.start[o+1]
			index := p.index[from:to]
			for i, w := range p.weight[from:to] {
				sum += w * x[index[i]]
			}
			y[o] = sum
		}
	}
}

func (k *resize[T]) forward(f *frame[T]) { k.apply(k.forth, f.y, f.x[0], f.batch) }

func (k *resize[T]) jvp(f *frame[T], dy []T, dx [][]T, n int) {
	k.apply(k.forth, dy, dx[0], f.batch*n)
}

func (k *resize[T]) vjp(f *frame[T], dx [][]T, dy []T, n int) {
	switch {
	case dx[0] == nil:
	case k.out == 0:
		clear(dx[0])
	default:
		k.apply(k.back, dx[0], dy, f.batch*n)
	}
}

func (k *resize[T]) magnitudes(y, x []float64, batch int) {
	r := any(k).(*resize[float64])
	if k.abs == nil {
		for _, p := range r.forth {
			t := p.taps
			t.value = make([]float64, len(p.value))
			for i, v := range p.value {
				t.value[i] = math.Abs(v)
			}
			k.abs = append(k.abs, newAxisPass[float64](t, p.inner))
		}
	}
	r.apply(k.abs, y, x, batch)
}

// sum: a pass rounds the weights, which are off by two roundings, their products and the sums.
func (k *resize[T]) sum() (bias *Param, plane, roundings int) {
	for _, p := range k.forth {
		roundings += p.terms() + 3
	}
	return nil, 0, roundings
}
