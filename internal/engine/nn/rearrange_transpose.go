package nn

import (
	"slices"

	"tattle/internal/math/simd"
)

// transposition is a permutation of axes that moves the input's last axis, A: the
// output's last axis, B, has a stride in the input. For each index of the other
// axes, a matrix [B, A] becomes [A, B], tile by tile.
type transposition[T Float] struct {
	size              int // entries of one example
	nA, nB            int
	inStride          int // between neighbours along B in the input
	outStride         int // between neighbours along A in the output
	inStart, outStart []int
}

// tile is how many columns are transposed at once: 16 float32 are a line of the cache.
const tile = 16

// newTransposition returns nil unless the views permute axes and move the last.
func newTransposition[T Float](in []int, views []axisView) *transposition[T] {
	if len(views) != len(in) || Size(in) == 0 {
		return nil
	}
	steps, axes := make([]int, len(in)), Strides(in)
	for d, v := range views {
		if v.from < 0 || !v.isWhole(in[v.from]) {
			return nil
		}
		steps[d] = axes[v.from]
	}
	strides := [][]int{steps}
	out := merge(viewShape(views), strides)
	is, os := strides[0], Strides(out)
	at, last := slices.Index(is, 1), len(out)-1
	if at == last {
		return nil
	}
	k := &transposition[T]{
		size: Size(out), nA: out[at], nB: out[last], inStride: is[last], outStride: os[at],
		inStart: []int{0}, outStart: []int{0},
	}
	for d, n := range out {
		if d != at && d != last {
			k.inStart, k.outStart = eachStep(k.inStart, n, is[d]), eachStep(k.outStart, n, os[d])
		}
	}
	return k
}

// eachStep lists the places n steps on from each of those given.
func eachStep(places []int, n, step int) []int {
	all := make([]int, 0, n*len(places))
	for _, p := range places {
		for i := range n {
			all = append(all, p+i*step)
		}
	}
	return all
}

// inverse returns the transposition of the output to the input.
func (k *transposition[T]) inverse() *transposition[T] {
	return &transposition[T]{k.size, k.nB, k.nA, k.outStride, k.inStride, k.outStart, k.inStart}
}

func (k *transposition[T]) apply(to, from []T, n int) {
	strips := (k.nA + tile - 1) / tile
	each := len(k.inStart) * strips
	simd.Parallel(n*each, 1+grain/(tile*k.nB), func(lo, hi int) {
		for p := lo; p < hi; p++ {
			e, m, a := p/each, p%each/strips, p%strips*tile
			k.strip(to[e*k.size+k.outStart[m]+a*k.outStride:], from[e*k.size+k.inStart[m]+a:], min(tile, k.nA-a))
		}
	})
}

// strip transposes width columns of a matrix.
func (k *transposition[T]) strip(y, x []T, width int) {
	b := 0
	for ; b+8 <= k.nB; b += 8 {
		k.eightRows(y[b:], x[b*k.inStride:], width)
	}
	for ; b < k.nB; b++ {
		at := b
		for _, v := range x[b*k.inStride:][:width] {
			y[at] = v
			at += k.outStride
		}
	}
}

// eightRows turns eight rows of width entries into columns.
func (k *transposition[T]) eightRows(y, x []T, width int) {
	s := k.inStride
	x0, x1, x2, x3 := x[:width], x[s:][:width], x[2*s:][:width], x[3*s:][:width]
	x4, x5, x6, x7 := x[4*s:][:width], x[5*s:][:width], x[6*s:][:width], x[7*s:][:width]
	at := 0
	for i, v := range x0 {
		to := (*[8]T)(y[at:])
		to[0], to[1], to[2], to[3] = v, x1[i], x2[i], x3[i]
		to[4], to[5], to[6], to[7] = x4[i], x5[i], x6[i], x7[i]
		at += k.outStride
	}
}
