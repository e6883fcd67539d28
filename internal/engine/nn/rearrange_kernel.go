package nn

import "tattle/internal/math/simd"

// rearrange is the kernel of all rearrangements of one input.
type rearrange[T Float] struct {
	arrangement
	value     T                 // of the entries outside
	once      bool              // no input entry is read twice
	transpose *transposition[T] // in the place of the arrangement, or nil
}

func newRearrange[T Float](in []int, views []axisView, value float64) *rearrange[T] {
	k := &rearrange[T]{value: T(value), transpose: newTransposition[T](in, views)}
	if k.transpose == nil {
		k.arrangement, k.once = newArrangement(in, views), injective(in, views)
	}
	return k
}

// apply overwrites to, n outputs, with the rearranged from, and value where that has no entry.
func (k *rearrange[T]) apply(to, from []T, n int, value T) {
	if len(to) == 0 {
		return
	}
	if k.transpose != nil {
		k.transpose.apply(to, from, n)
		return
	}
	blocks := len(k.starts)
	simd.Parallel(n*blocks, 1+grain/k.block, func(lo, hi int) {
		for b := lo; b < hi; b++ {
			start, y := k.starts[b%blocks], to[b*k.block:][:k.block]
			if start < 0 {
				fill(y, value)
				continue
			}
			x := from[b/blocks*k.in:][:k.in]
			for _, r := range k.runs {
				copyRun(y[r.to:r.to+r.count], x, start, r, value)
			}
		}
	})
}

// copyRun overwrites y with a run of x.
func copyRun[T Float](y, x []T, start int, r run, value T) {
	switch at := start + r.from; {
	case r.from < 0:
		fill(y, value)
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
	to, blocks := dx[0], len(k.starts)
	put := func(lo, hi int) { // blocks
		for b := lo; b < hi; b++ {
			k.scatterBlock(to[b/blocks*k.in:][:k.in], dy[b*k.block:][:k.block], k.starts[b%blocks])
		}
	}
	switch {
	case len(to) == 0:
	case k.transpose != nil:
		k.transpose.inverse().apply(to, dy, f.batch*n)
	case k.once:
		simd.Parallel(len(to), grain, func(lo, hi int) { clear(to[lo:hi]) })
		simd.Parallel(f.batch*n*blocks, 1+grain/max(1, k.block), put)
	default: // the blocks of an example add to the same entries
		simd.Parallel(f.batch*n, 1+grain/(k.in+k.out), func(lo, hi int) {
			clear(to[lo*k.in : hi*k.in])
			put(lo*blocks, hi*blocks)
		})
	}
}

func (k *rearrange[T]) moves() {}
