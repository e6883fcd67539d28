package nn

import "tattle/internal/math/simd"

// rearrange is the kernel of all rearrangements of one input.
type rearrange[T Float] struct {
	arrangement
	value     T    // of the entries outside
	once      bool // no input entry is read twice
	transpose *transposition[T]
	inverse   *rearrange[T] // of a bijection
	copies    func(lo, hi int)
	scatters  func(lo, hi int) // of examples, adding
	clears    func(lo, hi int)
	puts      func(lo, hi int) // of blocks, where no input entry is read twice

	// The operands of the copy in progress.
	to, from []T
	fill     T
}

func newRearrange[T Float](in []int, views []axisView, value float64) *rearrange[T] {
	k := oneWay[T](in, views)
	k.value = T(value)
	if back := inverse(in, views); back != nil {
		k.inverse = oneWay[T](viewShape(views), back)
	} else {
		k.once = injective(in, views)
	}
	return k
}

// oneWay makes a kernel without its inverse.
func oneWay[T Float](in []int, views []axisView) *rearrange[T] {
	k := &rearrange[T]{transpose: newTransposition[T](in, views)}
	if k.transpose == nil {
		k.arrangement = newArrangement(in, views)
	}
	k.copies, k.scatters = k.copyBlocks, k.scatterExamples
	k.clears, k.puts = k.clearSpan, k.putBlocks
	return k
}

// apply overwrites to, n outputs, with the rearranged from.
func (k *rearrange[T]) apply(to, from []T, n int, fill T) {
	if len(to) == 0 {
		return
	}
	if k.transpose != nil {
		k.transpose.apply(to, from, n)
		return
	}
	k.to, k.from, k.fill = to, from, fill
	simd.Parallel(n*len(k.starts), 1+grain/k.block, k.copies)
}

func (k *rearrange[T]) copyBlocks(lo, hi int) {
	blocks := len(k.starts)
	for b := lo; b < hi; b++ {
		start, y := k.starts[b%blocks], k.to[b*k.block:][:k.block]
		if start < 0 {
			fill(y, k.fill)
			continue
		}
		x := k.from[b/blocks*k.in:][:k.in]
		for _, r := range k.runs {
			k.copyRun(y[r.to:r.to+r.count], x, start, r)
		}
	}
}

// copyRun overwrites y with a run of x.
func (k *rearrange[T]) copyRun(y, x []T, start int, r run) {
	switch at := start + r.from; {
	case r.from < 0:
		fill(y, k.fill)
	case r.step == 1:
		copy(y, x[at:at+len(y)])
	case r.step == 0:
		fill(y, x[at])
	default:
		for i := range y {
			y[i] = x[at]
			at += r.step
		}
	}
}

func (k *rearrange[T]) clearSpan(lo, hi int) { clear(k.to[lo:hi]) }

// putBlocks puts blocks of outputs, from, where they came from.
func (k *rearrange[T]) putBlocks(lo, hi int) {
	blocks := len(k.starts)
	for b := lo; b < hi; b++ {
		k.scatterBlock(k.to[b/blocks*k.in:][:k.in], k.from[b*k.block:][:k.block], k.starts[b%blocks])
	}
}

// scatterExamples overwrites to, inputs, with the adjoint of from, outputs.
func (k *rearrange[T]) scatterExamples(lo, hi int) {
	for e := lo; e < hi; e++ {
		dx, dy := k.to[e*k.in:][:k.in], k.from[e*k.out:][:k.out]
		clear(dx)
		for b, start := range k.starts {
			k.scatterBlock(dx, dy[b*k.block:][:k.block], start)
		}
	}
}

// scatterBlock hands a block's entries to those of dx that it was read from: it adds
// them, or puts them there where none is read twice.
func (k *rearrange[T]) scatterBlock(dx, dy []T, start int) {
	if start < 0 {
		return
	}
	for _, r := range k.runs {
		if r.from < 0 {
			continue
		}
		at, from := start+r.from, dy[r.to:r.to+r.count]
		switch {
		case r.step == 1 && k.once:
			copy(dx[at:at+len(from)], from)
		case r.step == 1:
			to := dx[at : at+len(from)]
			simd.Add(to, to, from)
		case r.step == 0:
			dx[at] += simd.Sum(from)
		default:
			for _, v := range from {
				dx[at] += v
				at += r.step
			}
		}
	}
}

func (k *rearrange[T]) forward(f *frame[T]) { k.apply(f.y, f.x[0], f.batch, k.value) }

func (k *rearrange[T]) jvp(f *frame[T], dy []T, dx [][]T, n int) {
	k.apply(dy, dx[0], f.batch*n, 0)
}

func (k *rearrange[T]) vjp(f *frame[T], dx [][]T, dy []T, n int) {
	switch {
	case len(dx[0]) == 0:
	case k.inverse != nil:
		k.inverse.apply(dx[0], dy, f.batch*n, 0)
	case k.once:
		k.to, k.from = dx[0], dy
		simd.Parallel(len(dx[0]), grain, k.clears)
		simd.Parallel(f.batch*n*len(k.starts), 1+grain/max(1, k.block), k.puts)
	default:
		k.to, k.from = dx[0], dy
		simd.Parallel(f.batch*n, 1+grain/(k.in+k.out), k.scatters)
	}
}

func (k *rearrange[T]) moves() {}
