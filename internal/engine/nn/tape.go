package nn

import "fmt"

// tape is a linearisation: what products need of all examples, in blocks of at most
// limit examples. Where that is too much, the blocks share the room of one, and are
// recorded again when their turn comes.
type tape[T Float] struct {
	engine  *engine[T]
	batch   int
	train   bool
	seed    uint64
	x, own  []T   // [batch, p]: the caller's or, in own, a copy
	y       []T   // [batch, n]
	tensors [][]T // [batch or a block, ·] of each that is kept beside these two
	blocks  []block[T]
	common  []frame[T] // of blocks that share their room
	loaded  int        // the block that is in that room
}

type block[T Float] struct {
	lo, hi int // examples
	frames []frame[T]
	shared bool // they are the common ones
}

// shares reports whether the blocks share the room of one.
func (t *tape[T]) shares() bool { return t.batch > t.engine.resident }

// record evaluates the program at x, keeping what products need.
func (t *tape[T]) record(x []T, batch int) {
	e := t.engine
	t.batch, t.x = batch, x
	if e.kept[0] || t.shares() {
		t.own = append(t.own[:0], x...)
		t.x = t.own
	}
	t.y = sized(t.y, batch*e.sizes[e.output])
	if e.output == 0 {
		copy(t.y, x)
	}
	room, most := batch, e.limit
	if t.shares() {
		most = min(e.limit, e.resident)
		room = most
	}
	t.makeRoom(room)
	t.cut(most)
	for i := range t.blocks {
		t.load(i)
	}
}

// makeRoom has room for that many examples of what is kept.
func (t *tape[T]) makeRoom(examples int) {
	e := t.engine
	if t.tensors == nil {
		t.tensors = make([][]T, len(e.sizes))
	}
	for i, s := range e.sizes {
		if e.kept[i] && i != 0 && i != e.output {
			t.tensors[i] = sized(t.tensors[i], examples*s)
		}
	}
}

// cut makes blocks of at most that many examples.
func (t *tape[T]) cut(most int) {
	n := 0
	for lo := 0; lo < t.batch; lo += min(most, t.batch-lo) {
		if n < cap(t.blocks) {
			t.blocks = t.blocks[:n+1]
		} else {
			t.blocks = append(t.blocks[:n], block[T]{})
		}
		t.blocks[n].lo, t.blocks[n].hi = lo, lo+min(most, t.batch-lo)
		n++
	}
	t.blocks = t.blocks[:n]
}

// load records a block.
func (t *tape[T]) load(i int) {
	e, b := t.engine, &t.blocks[i]
	if t.shares() {
		if t.common == nil {
			t.common = e.newFrames()
		}
		b.frames, b.shared = t.common, true
	} else if b.frames == nil || b.shared {
		b.frames, b.shared = e.newFrames(), false
	}
	t.loaded = i
	e.pool.grow(e.record, b.hi-b.lo)
	for i, s := range e.steps {
		f := &b.frames[i]
		f.batch, f.train = b.hi-b.lo, t.train
		f.seed = mix(t.seed + uint64(s.out))
		for j, in := range s.in {
			f.x[j] = t.rows(b, in)
		}
		f.y = t.rows(b, s.out)
		if len(f.y) > 0 {
			s.kernel.forward(f)
		}
	}
}

// rows returns where a block has a tensor.
func (t *tape[T]) rows(b *block[T], tensor int) []T {
	e := t.engine
	place, size := e.record.place[tensor], e.sizes[tensor]
	kept, lo, hi := keptIn(place), b.lo, b.hi
	switch {
	case place == source || kept == 0:
		return t.x[lo*size : hi*size]
	case place == target:
		return t.y[lo*size : hi*size]
	case kept < 0:
		return e.pool[place][:(hi-lo)*size]
	case b.shared:
		lo, hi = 0, hi-lo
	}
	return t.tensors[kept][lo*size : hi*size]
}

// ready returns a block whose frames are its own at the moment.
func (t *tape[T]) ready(i int) *block[T] {
	if t.blocks[i].shared && t.loaded != i {
		t.load(i)
	}
	return &t.blocks[i]
}

// mix scrambles x (SplitMix64), so that neighbouring seeds are unlike.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Features returns a(θ).
func (t *tape[T]) Features() []T { return t.y }

// JVP overwrites dst with J·v.
func (t *tape[T]) JVP(dst, v []T) {
	t.each(dst, v, t.engine.sizes[t.engine.output], t.engine.sizes[0], false)
}

// VJP overwrites dst with Jᵀ·u.
func (t *tape[T]) VJP(dst, u []T) {
	t.each(dst, u, t.engine.sizes[0], t.engine.sizes[t.engine.output], true)
}

// Active sets dst to which rows of J may be nonzero.
func (t *tape[T]) Active(dst []bool) {
	e, n := t.engine, t.engine.sizes[t.engine.output]
	if len(dst) != t.batch*n {
		panic(fmt.Sprintf("nn: %d flags for %d outputs of %d examples", len(dst), n, t.batch))
	}
	for i := range t.blocks {
		b := t.ready(i)
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

// each runs a product of k rows per example, with Jᵀ or with J, cut into sweeps of at most limit
// rows: by blocks of examples and, where a block's k rows are too many, by some
// of the k at a time, which are gathered first and scattered afterwards.
func (t *tape[T]) each(dst, v []T, to, from int, trans bool) {
	if t.batch == 0 && len(v) == 0 && len(dst) == 0 {
		return
	}
	if t.batch == 0 || len(v)%(t.batch*from) != 0 || len(dst)*from != len(v)*to {
		panic(fmt.Sprintf("nn: lengths %d of %d each from %d of %d each do not fit %d examples", len(dst), to, len(v), from, t.batch))
	}
	e, k := t.engine, len(v)/(t.batch*from)
	for i := range t.blocks {
		b := t.ready(i)
		d, s := dst[b.lo*k*to:b.hi*k*to], v[b.lo*k*from:b.hi*k*from]
		n := b.hi - b.lo
		if n*k <= e.limit {
			e.product(trans, b, d, s, k)
			continue
		}
		t.eachFew(b, d, s, k, to, from, trans)
	}
}

// eachFew runs a block's product for a few of its k vectors per example at a time.
func (t *tape[T]) eachFew(b *block[T], dst, v []T, k, to, from int, trans bool) {
	e, n := t.engine, b.hi-b.lo
	few := max(1, e.limit/n)
	e.inRows, e.outRows = sized(e.inRows, n*few*from), sized(e.outRows, n*few*to)
	for j := 0; j < k; j += few {
		m := min(few, k-j)
		in, out := e.inRows[:n*m*from], e.outRows[:n*m*to]
		for r := range n {
			copy(in[r*m*from:(r+1)*m*from], v[(r*k+j)*from:])
		}
		e.product(trans, b, out, in, m)
		for r := range n {
			copy(dst[(r*k+j)*to:], out[r*m*to:(r+1)*m*to])
		}
	}
}

func (e *engine[T]) product(trans bool, b *block[T], dst, v []T, k int) {
	if n := b.hi - b.lo; trans {
		e.cotangents(e.back, b.frames, dst, v, n, k, nil)
	} else {
		e.tangents(b.frames, dst, v, n, k)
	}
}
