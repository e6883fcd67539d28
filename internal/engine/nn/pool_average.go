package nn

import "tattle/internal/math/simd"

// averagePool is the kernel of AveragePool, a linear map.
type averagePool[T Float] struct {
	poolPlan
	all                          bool // padding counts in the mean
	forwardPlanes, adjointPlanes func(lo, hi int)

	out, in []T // the operands of the product in progress
}

func newAveragePool[T Float](p *AveragePool, in [][]int) *averagePool[T] {
	k := &averagePool[T]{poolPlan: newPoolPlan(p.Kernel, p.Stride, p.Dilation, p.Pad, in), all: p.CountIncludePad}
	k.forwardPlanes, k.adjointPlanes = k.forwardRange, k.adjointRange
	return k
}

// count returns what the sum over output (i, j)'s window is divided by.
func (k *averagePool[T]) count(i, j int) T {
	if k.all {
		return T(k.kH * k.kW)
	}
	return T(k.rows[i].entries(k.dilH) * k.columns[j].entries(k.dilW))
}

// run shares the planes of n examples among the cores.
func (k *averagePool[T]) run(out, in []T, n int, part func(lo, hi int)) {
	k.out, k.in = out, in
	simd.Parallel(n*k.channels, k.planes(), part)
}

func (k *averagePool[T]) forward(f *frame[T]) { k.run(f.y, f.x[0], f.batch, k.forwardPlanes) }

func (k *averagePool[T]) jvp(f *frame[T], dy []T, dx [][]T, n int) {
	k.run(dy, dx[0], f.batch*n, k.forwardPlanes)
}

func (k *averagePool[T]) forwardRange(lo, hi int) {
	for p := lo; p < hi; p++ {
		x, y := k.in[p*k.inHW:][:k.inHW], k.out[p*k.outHW:][:k.outHW]
		for i, rows := range k.rows {
			for j, columns := range k.columns {
				var sum T
				for h := rows.lo; h < rows.hi; h += k.dilH {
					line := x[h*k.inW:][:columns.hi]
					for w := columns.lo; w < len(line); w += k.dilW {
						sum += line[w]
					}
				}
				y[i*k.outW+j] = sum / k.count(i, j)
			}
		}
	}
}

func (k *averagePool[T]) vjp(f *frame[T], dx [][]T, dy []T, n int) {
	if dx[0] != nil {
		k.run(dy, dx[0], f.batch*n, k.adjointPlanes)
	}
}

func (k *averagePool[T]) adjointRange(lo, hi int) {
	for p := lo; p < hi; p++ {
		dx, dy := k.in[p*k.inHW:][:k.inHW], k.out[p*k.outHW:][:k.outHW]
		clear(dx)
		for i, rows := range k.rows {
			for j, columns := range k.columns {
				share := dy[i*k.outW+j] / k.count(i, j)
				for h := rows.lo; h < rows.hi; h += k.dilH {
					line := dx[h*k.inW:][:columns.hi]
					for w := columns.lo; w < len(line); w += k.dilW {
						line[w] += share
					}
				}
			}
		}
	}
}
