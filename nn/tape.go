package nn

import "fmt"

// tape is a linearisation: the frames of all examples, in blocks of at most
// limit examples.
type tape[T Float] struct {
	engine  *engine[T]
	batch   int
	train   bool
	seed    uint64
	tensors [][]T // [batch, ·] of each
	blocks  []block[T]
}

type block[T Float] struct {
	lo, hi int // examples
	frames []frame[T]
}

// record evaluates the program at x, keeping all.
func (t *tape[T]) record(x []T, batch int) {
	e := t.engine
	t.batch = batch
	if t.tensors == nil {
		t.tensors = make([][]T, len(e.sizes))
	}
	for i, s := range e.sizes {
		t.tensors[i] = sized(t.tensors[i], batch*s)
	}
	copy(t.tensors[0], x)
	t.blocks = t.blocks[:0]
	for lo := 0; lo < batch; lo += e.limit {
		t.recordBlock(lo, min(batch, lo+e.limit))
	}
}

func (t *tape[T]) recordBlock(lo, hi int) {
	e := t.engine
	if len(t.blocks) < cap(t.blocks) {
		t.blocks = t.blocks[:len(t.blocks)+1]
	} else {
		t.blocks = append(t.blocks, block[T]{})
	}
	b := &t.blocks[len(t.blocks)-1]
	b.lo, b.hi = lo, hi
	if b.frames == nil {
		b.frames = e.newFrames()
	}
	rows := func(i int) []T { return t.tensors[i][lo*e.sizes[i] : hi*e.sizes[i]] }
	for i, s := range e.steps {
		f := &b.frames[i]
		f.batch, f.train = hi-lo, t.train
		f.seed = mix(t.seed + uint64(s.out))
		for j, in := range s.in {
			f.x[j] = rows(in)
		}
		f.y = rows(s.out)
		if len(f.y) > 0 {
			s.kernel.forward(f)
		}
	}
}

// mix scrambles x (SplitMix64), so that neighbouring seeds are unlike.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Features returns a(θ).
func (t *tape[T]) Features() []T { return t.tensors[t.engine.output] }

// JVP overwrites dst with J·v.
func (t *tape[T]) JVP(dst, v []T) {
	t.each(dst, v, t.engine.sizes[t.engine.output], t.engine.sizes[0], jvp)
}

// VJP overwrites dst with Jᵀ·u.
func (t *tape[T]) VJP(dst, u []T) {
	t.each(dst, u, t.engine.sizes[0], t.engine.sizes[t.engine.output], vjp)
}

// Shift overwrites dst with a(θ+d) − a(θ).
func (t *tape[T]) Shift(dst, d []T) {
	t.each(dst, d, t.engine.sizes[t.engine.output], t.engine.sizes[0], shift)
}

// Active tells which rows of J may be other than zero.
func (t *tape[T]) Active(dst []bool) {
	e, n := t.engine, t.engine.sizes[t.engine.output]
	if len(dst) != t.batch*n {
		panic(fmt.Sprintf("nn: %d flags for %d outputs of %d examples", len(dst), n, t.batch))
	}
	for _, b := range t.blocks {
		part := dst[b.lo*n : b.hi*n]
		for i := range part {
			part[i] = true
		}
		if last := len(e.steps) - 1; last >= 0 && e.output != 0 {
			if k, ok := e.steps[last].kernel.(switcher[T]); ok {
				k.active(&b.frames[last], part)
			}
		}
	}
}

// the kinds of product
const (
	jvp = iota
	vjp
	shift
)

// each runs a product of k rows per example, cut into sweeps of at most limit
// rows: by blocks of examples and, where a block's k rows are too many, by some
// of the k at a time, which are gathered first and scattered afterwards.
func (t *tape[T]) each(dst, v []T, to, from, kind int) {
	if t.batch == 0 && len(v) == 0 && len(dst) == 0 {
		return
	}
	if t.batch == 0 || len(v)%(t.batch*from) != 0 || len(dst)*from != len(v)*to {
		panic(fmt.Sprintf("nn: lengths %d of %d each from %d of %d each do not fit %d examples", len(dst), to, len(v), from, t.batch))
	}
	e, k := t.engine, len(v)/(t.batch*from)
	for i := range t.blocks {
		b := &t.blocks[i]
		d, s := dst[b.lo*k*to:b.hi*k*to], v[b.lo*k*from:b.hi*k*from]
		n := b.hi - b.lo
		if n*k <= e.limit {
			e.product(kind, b, d, s, k)
			continue
		}
		t.eachFew(b, d, s, k, to, from, kind)
	}
}

// eachFew runs a block's product for a few of its k vectors per example at a time.
func (t *tape[T]) eachFew(b *block[T], dst, v []T, k, to, from, kind int) {
	e, n := t.engine, b.hi-b.lo
	few := max(1, e.limit/n)
	e.inRows, e.outRows = sized(e.inRows, n*few*from), sized(e.outRows, n*few*to)
	for j := 0; j < k; j += few {
		m := min(few, k-j)
		in, out := e.inRows[:n*m*from], e.outRows[:n*m*to]
		for r := range n {
			copy(in[r*m*from:(r+1)*m*from], v[(r*k+j)*from:])
		}
		e.product(kind, b, out, in, m)
		for r := range n {
			copy(dst[(r*k+j)*to:], out[r*m*to:(r+1)*m*to])
		}
	}
}

func (e *engine[T]) product(kind int, b *block[T], dst, v []T, k int) {
	n := b.hi - b.lo
	switch kind {
	case jvp:
		e.tangents(b.frames, dst, v, n, k, false)
	case shift:
		e.tangents(b.frames, dst, v, n, k, true)
	case vjp:
		e.cotangents(e.back, b.frames, dst, v, n, k, nil)
	}
}
