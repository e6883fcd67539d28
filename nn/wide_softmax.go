package nn

import (
	"math"

	"tattle/internal/simd"
)

// wideSoftmax is Softmax in double words, row by row.
type wideSoftmax struct {
	cols int
	*wideRoom
	most []float64 // of each row, at least its largest entry
	x, y wideTensor
	part func(lo, hi int)
}

func newWideSoftmax(in []int, room *wideRoom) *wideSoftmax {
	k := &wideSoftmax{wideRoom: room, cols: in[len(in)-1]}
	k.part = k.partRange
	return k
}

// wide: the Jacobian diag(p) − p·pᵀ is symmetric, and vᵀJv is the variance of v under p, for
// ‖v‖ = 1 at most 1/2 and at most max p. On the way from x̂ to x no logarithm of an entry moves
// by more than twice the largest error, so that max p grows by at most e^{2·norm}.
func (k *wideSoftmax) wide(y wideTensor, x []wideTensor, batch int) {
	rows := len(y.hi) / k.cols
	k.x, k.y = x[0], y
	k.own, k.most = sized(k.own, len(y.hi)), sized(k.most, rows)
	simd.Parallel(rows, 1+grain/128/k.cols, k.part)
	for b := range batch {
		n := x[0].norm[b]
		slope := min(.5, simd.MaxAbs(rowOf(k.most, b, batch))*math.Exp(2*n)*normUp)
		y.norm[b] = (slope*n + length(rowOf(k.own, b, batch))) * normUp
	}
}

func (k *wideSoftmax) partRange(lo, hi int) {
	for r := lo; r < hi; r++ {
		at, end := r*k.cols, (r+1)*k.cols
		k.most[r] = softmaxDouble(k.y.part(at, end), k.x.part(at, end), k.own[at:end])
	}
}

// softmaxDouble overwrites y with the softmax of a row and its bounds, and own with bounds on
// its own error alone. It returns at least the largest entry.
//
// d_i = x̂_i − max x̂ is good to addError of itself, its exponential therefore to a factor of
// e^{±addError·|d_i|} and expError, or where d_i < −expReach, which gives 0, to less than
// underflow. Their sum, which is at least 1, is good to addError·Σ|d_j|e^{d_j} ≤
// addError·cols/e by the first, to expError, and to addError·cols by its additions; the
// quotient to 15u². So from the softmax p at x̂, with addError = 4u² and expError = 16u²,
//
//	|ŷ_i − p_i| ≤ ŷ_i·ρ_i,  ρ_i = addError·(|d_i| + 2·cols + 20)
//
// to first order; the rest is below ρ_i² ≤ 10⁻²⁸·ρ_i and cols·2⁻⁸⁶⁵, for which normUp allows. From x̂ to x, x_j − x̂_j = δ_j,
//
//	log p_i(x) − log p_i = −log Σ_j p_j·e^{δ_j − δ_i},
//
// which is at least −Σ_{j≠i} p_j·expm1(e_j + e_i), as log(1 + s) ≤ s, and by Jensen's
// inequality at most Σ_{j≠i} p_j·(e_j + e_i). So p_i moves by at most p_i·expm1(r_i),
//
//	r_i = Σ_{j≠i} p_j·expm1(e_j + e_i) = expm1(e_i)·Σ_{j≠i} p_j + e^{e_i}·Σ_{j≠i} p_j·expm1(e_j);
//
// j = i is left out for the largest entry alone. No entry moves by more than 1.
func softmaxDouble(y, x wideTensor, own []float64) (most float64) {
	top := 0
	for i, h := range x.hi {
		if t := x.hi[top]; h > t || h == t && x.lo[i] > x.lo[top] {
			top = i
		}
	}
	var sh, sl float64
	for i := range x.hi {
		dh, dl := addDouble(x.hi[i], x.lo[i], -x.hi[top], -x.lo[top])
		own[i] = addError * (math.Abs(dh) + float64(2*len(own)+20)) * normUp
		h, l := 0., 0.
		if dh >= -expReach {
			h, l = expDouble(dh, dl)
		}
		sh, sl = addDouble(sh, sl, h, l)
		y.hi[i], y.lo[i] = h, l
	}
	var others, all, rest float64 // Σ p_j·expm1(e_j) without and with the largest, Σ p_j without
	for i, h := range y.hi {
		h, l := divDouble(h, y.lo[i], sh, sl)
		y.hi[i], y.lo[i] = h, l
		own[i] = h*own[i] + underflow
		p := h*normUp + underflow
		moves := p * math.Expm1(x.e[i])
		if all += moves; i != top {
			others, rest = others+moves, rest+p
		}
	}
	for i, h := range y.hi {
		reach, share := all, 1.
		if i == top {
			reach, share = others, min(1, rest)
		}
		p := h*normUp + underflow
		r := (share*math.Expm1(x.e[i]) + math.Exp(x.e[i])*reach) * normUp
		e := p * math.Expm1(r)
		if !(e < 1) {
			e = 1
		}
		y.e[i] = (e + own[i]) * normUp
	}
	return y.hi[top]*normUp + underflow
}
