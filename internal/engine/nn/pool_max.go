package nn

import (
	"math"

	"tattle/internal/math/simd"
)

// maxPool is the kernel of a MaxPool. Its frame keeps the winners: for each
// output, where in its plane of the input the largest lies.
type maxPool[T Float] struct {
	poolPlan
	spares[T]
}

func newMaxPool[T Float](p *MaxPool, in [][]int) *maxPool[T] {
	return &maxPool[T]{poolPlan: newPoolPlan(p.Kernel, p.Stride, p.Dilation, p.Pad, in)}
}

// winners is what a frame keeps.
type winners struct{ at []int32 }

func (k *maxPool[T]) forward(f *frame[T]) {
	w, ok := f.aux.(*winners)
	if !ok {
		w = &winners{}
		f.aux = w
	}
	w.at = sized(w.at, len(f.y))
	k.eachPlane(f.batch, func(p int) {
		k.forwardPlane(f.y[p*k.outHW:][:k.outHW], w.at[p*k.outHW:][:k.outHW], f.x[0][p*k.inHW:][:k.inHW])
	})
}

// forwardPlane finds the winners of a plane.
func (k *maxPool[T]) forwardPlane(y []T, at []int32, x []T) {
	if x32, ok := any(x).([]float32); ok && k.strideW <= 2 && k.outW >= 8 {
		if top := simd.MaxAbs(x32); top == top { // forwardPlane32 is for numbers
			phases := k.borrow(k.inHW)
			k.forwardPlane32(any(y).([]float32), at, x32, any(phases).([]float32))
			k.giveBack(phases)
			return
		}
	}
	for i, rows := range k.rows {
		k.forwardRow(y[i*k.outW:][:k.outW], at[i*k.outW:][:k.outW], x, rows)
	}
}

// forwardPlane32 finds the winners of a plane a whole row of outputs at a time, each
// tap challenging the largest so far; phases is as long as x.
func (k *maxPool[T]) forwardPlane32(y []float32, at []int32, x, phases []float32) {
	half := k.inW
	if k.strideW == 2 { // even columns, then odd ones
		half = (k.inW + 1) / 2
		simd.Even(phases, x, k.inH, half, k.inW, k.inW)
		if k.inW > half {
			simd.Even(phases[half:], x[1:], k.inH, k.inW-half, k.inW, k.inW)
		}
		x = phases
	}
	for i, rows := range k.rows {
		y, at := y[i*k.outW:][:k.outW], at[i*k.outW:][:k.outW]
		for j, columns := range k.columns {
			y[j], at[j] = float32(math.Inf(-1)), int32(rows.lo*k.inW+columns.lo)
		}
		for h := rows.lo; h < rows.hi; h += k.dilH {
			for s := 0; s < k.kW*k.dilW; s += k.dilW {
				lo, hi := span(k.outW, k.inW, k.strideW, s, k.left)
				if lo == hi {
					continue
				}
				column := lo*k.strideW + s - k.left
				from := x[h*k.inW+column%k.strideW*half+column/k.strideW:]
				simd.Rival(y[lo:hi], from[:hi-lo], at[lo:hi], int32(h*k.inW+column), int32(k.strideW))
			}
		}
	}
}

// forwardRow computes one row of outputs. A NaN wins.
func (k *maxPool[T]) forwardRow(y []T, at []int32, x []T, rows extent) {
	for j, columns := range k.columns {
		first := rows.lo*k.inW + columns.lo
		best, winner := x[first], first
		for h := rows.lo; h < rows.hi; h += k.dilH {
			line := x[h*k.inW:][:columns.hi]
			for w := columns.lo; w < len(line); w += k.dilW {
				if v := line[w]; v > best || v != v && best == best {
					best, winner = v, h*k.inW+w
				}
			}
		}
		y[j], at[j] = best, int32(winner)
	}
}

// winnersOf returns the winners of plane p of [batch, n, channels, ·].
func (k *maxPool[T]) winnersOf(f *frame[T], p, n int) []int32 {
	plane := p/(n*k.channels)*k.channels + p%k.channels
	return f.aux.(*winners).at[plane*k.outHW:][:k.outHW]
}

func (k *maxPool[T]) jvp(f *frame[T], dy []T, dx [][]T, n int) {
	k.eachPlane(f.batch*n, func(p int) {
		dx, dy := dx[0][p*k.inHW:][:k.inHW], dy[p*k.outHW:][:k.outHW]
		for i, w := range k.winnersOf(f, p, n) {
			dy[i] = dx[w]
		}
	})
}

func (k *maxPool[T]) vjp(f *frame[T], dx [][]T, dy []T, n int) {
	if dx[0] == nil {
		return
	}
	k.eachPlane(f.batch*n, func(p int) {
		dx, dy := dx[0][p*k.inHW:][:k.inHW], dy[p*k.outHW:][:k.outHW]
		clear(dx)
		for i, w := range k.winnersOf(f, p, n) {
			dx[w] += dy[i]
		}
	})
}

// roundoff: the maximum rounds nothing, and with ŵ the winner among the x̂ the
// exact maximum lies between x̂_ŵ − ex_ŵ and max_j (x̂_j + ex_j), so that
//
//	ey = max_j ((x̂_j − x̂_ŵ) + ex_j) ≥ ex_ŵ.
//
// Each of the two operations here rounds by at most 2⁻⁵³ of its result; the
// factors, below and above 1, take each term up.
func (k *maxPool[T]) roundoff(f *frame[float64], ey []float64, ex [][]float64) {
	x, at := f.x[0], f.aux.(*winners).at
	for o := range ey {
		p, i, j := o/k.outHW, o%k.outHW/k.outW, o%k.outW
		base := p * k.inHW
		best, most := x[base+int(at[o])], ex[0][base+int(at[o])]
		for h := k.rows[i].lo; h < k.rows[i].hi; h += k.dilH {
			for s := k.columns[j].lo; s < k.columns[j].hi; s += k.dilW {
				at := base + h*k.inW + s
				most = max(most, (x[at]-best)*(1-0x1p-50)+ex[0][at])
			}
		}
		ey[o] = most * (1 + 0x1p-50)
	}
}
