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
	taps []poolTap // of a row of the kernel
}

// poolTap is an entry of a row of the kernel, which sees the inputs from column on for the outputs [lo, hi) of a row.
type poolTap struct{ lo, hi, column int }

func newMaxPool[T Float](p *MaxPool, in [][]int) *maxPool[T] {
	k := &maxPool[T]{poolPlan: newPoolPlan(p.Kernel, p.Stride, p.Dilation, p.Pad, in)}
	for s := 0; s < k.kW*k.dilW; s += k.dilW {
		if lo, hi := span(k.outW, k.inW, k.strideW, s, k.left); lo < hi {
			k.taps = append(k.taps, poolTap{lo, hi, lo*k.strideW + s - k.left})
		}
	}
	return k
}

// winners is what a frame keeps.
type winners struct{ at []int32 }

func (k *maxPool[T]) forward(f *frame[T]) {
	if f.alone {
		k.eachPlane(f.batch, func(p int) { k.largest(f.y[p*k.outHW:][:k.outHW], f.x[0][p*k.inHW:][:k.inHW]) })
		return
	}
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

// largest finds the largest value of each window of a plane. It first takes the largest of the window's rows in each column, then
// the largest of these. It does so for windows that start in any column, and keeps those that the stride reaches.
func (k *maxPool[T]) largest(y, x []T) {
	if top := simd.MaxAbs(x); top != top {
		k.forwardPlane(y, make([]int32, len(y)), x)
		return
	}
	width := (k.outW-1)*k.strideW + (k.kW-1)*k.dilW + 1 // of what the windows see, with padding
	height := (k.outH-1)*k.strideH + (k.kH-1)*k.dilH + 1
	rooms := k.borrow(2 * width * height)
	defer k.giveBack(rooms)
	room, best := rooms[:width*height], rooms[width*height:]
	if width == k.inW && height <= k.inH && k.top == 0 && k.left == 0 {
		room = x[:width*height]
	} else {
		for i := range room {
			room[i] = T(math.Inf(-1))
		}
		rows, columns := min(height-k.top, k.inH), min(width-k.left, k.inW)
		simd.CopyRows(room[k.top*width+k.left:], x, rows, columns, width, k.inW)
	}
	for _, tap := range [][2]int{{k.kH, k.dilH * width}, {k.kW, k.dilW}} {
		n, step := len(room)-(tap[0]-1)*tap[1], tap[1]
		best = best[:n]
		copy(best, room)
		for r := 1; r < tap[0]; r++ {
			simd.Larger(best, room[r*step:][:n], best)
		}
		room, best = best, rooms[:n]
	}
	switch k.strideW {
	case 1:
		simd.CopyRows(y, room, k.outH, k.outW, k.outW, k.strideH*width)
	case 2:
		simd.Even(y, room, k.outH, k.outW, k.outW, k.strideH*width)
	default:
		for o := range y {
			y[o] = room[o/k.outW*k.strideH*width+o%k.outW*k.strideW]
		}
	}
}

// forwardPlane finds the winners of a plane, a row of outputs at a time: each tap challenges the
// largest so far. A NaN wins.
func (k *maxPool[T]) forwardPlane(y []T, at []int32, x []T) {
	best, _ := any(y).([]float32)
	x32, many := any(x).([]float32)
	if many = many && k.strideW <= 2 && k.outW >= 8; many { // at once, if there are numbers alone
		top := simd.MaxAbs(x32)
		many = top == top
	}
	half := k.inW
	if many && k.strideW == 2 { // even columns, then odd ones
		phases := k.borrow(k.inHW)
		defer k.giveBack(phases)
		to := any(phases).([]float32)
		half = (k.inW + 1) / 2
		simd.Even(to, x32, k.inH, half, k.inW, k.inW)
		if k.inW > half {
			simd.Even(to[half:], x32[1:], k.inH, k.inW-half, k.inW, k.inW)
		}
		x32 = to
	}
	for i, rows := range k.rows {
		row := i * k.outW
		for j, columns := range k.columns {
			first := rows.lo*k.inW + columns.lo
			y[row+j], at[row+j] = x[first], int32(first)
		}
		for h := rows.lo; h < rows.hi; h += k.dilH {
			for _, t := range k.taps {
				lo, hi, first := row+t.lo, row+t.hi, h*k.inW+t.column
				if many {
					from := x32[h*k.inW+t.column%k.strideW*half+t.column/k.strideW:]
					simd.Rival(best[lo:hi], from[:hi-lo], at[lo:hi], int32(first), int32(k.strideW))
				} else {
					challenge(y[lo:hi], at[lo:hi], x, first, k.strideW)
				}
			}
		}
	}
}

// challenge has best[i] and its place at[i] become x[first + i·step] where that is larger or the first NaN.
func challenge[T Float](best []T, at []int32, x []T, first, step int) {
	at = at[:len(best)]
	for i, b := range best {
		v, place := x[first], at[i]
		if v > b { // without a jump, which nobody could predict
			place = int32(first)
		}
		if v != v && b == b {
			place = int32(first)
		}
		best[i], at[i] = max(b, v), place
		first += step
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
