package nn

import (
	"math"

	"tattle/internal/simd"
)

// wideRowNorm is LayerNorm and GroupNorm in double words, row by row.
type wideRowNorm struct {
	*rowNorm[float64]
	*wideRoom
	least  []float64 // of each row, at most its √(variance + ε)
	xw, yw wideTensor
	part   func(lo, hi int)
}

func newWideRowNorm(k *rowNorm[float64], room *wideRoom) *wideRowNorm {
	w := &wideRowNorm{rowNorm: k, wideRoom: room}
	w.part = w.partRange
	return w
}

// wide: with c the deviations from the mean, s = √(mean(c²) + ε) and z = c/s, the derivative of z
// with respect to c is (I − z·zᵀ/n)/s, of a norm of at most 1/s; and s moves by at most
// ‖δ‖/√n. So on the way from x̂ to x no slope exceeds 1/(s(x̂) − norm/√n), nor 1/√ε.
func (k *wideRowNorm) wide(y wideTensor, x []wideTensor, batch int) {
	rows := len(y.hi) / k.cols
	k.xw, k.yw = x[0], y
	k.own, k.least = sized(k.own, len(y.hi)), sized(k.least, rows)
	k.gains, k.moves = k.valuesOr(k.scale, &k.ones, 1), k.valuesOr(k.move, &k.zeros, 0)
	simd.Parallel(rows, 1+grain/64/k.cols, k.part)
	for b := range batch {
		n := x[0].norm[b]
		s := math.Inf(1)
		for _, v := range rowOf(k.least, b, batch) {
			s = min(s, v)
		}
		s = max(s-n/math.Sqrt(float64(k.cols))*normUp, math.Sqrt(k.epsilon)) / normUp
		y.norm[b] = (simd.MaxAbs(k.gains)*n/s + length(rowOf(k.own, b, batch))) * normUp
	}
}

func (k *wideRowNorm) partRange(lo, hi int) {
	for r := lo; r < hi; r++ {
		at, end := r*k.cols, (r+1)*k.cols
		k.least[r] = k.standardise(k.yw.part(at, end), k.xw.part(at, end), k.own[at:end], k.channels(k.gains, r), k.channels(k.moves, r))
	}
}

// standardise overwrites y with a row and its bounds, and own with bounds on its own error
// alone. It returns at most √(variance + ε) at x̂.
//
// The mean is a sum of n terms, each partial sum good to addError of itself, and a quotient,
// good to mulError; so the deviations ĉ_i differ from those at x by at most
//
//	δ_i = e_i + mean(e) + addError·trail/n + mulError·|mean| + addError·|ĉ_i|,
//
// without the first two terms from those at x̂. As in rowNorm's roundoff s is a norm, so that
// |s(ĉ) − s(c)| ≤ Δ = √mean(δ²), s(c) ≥ low = max(√ε, s(ĉ) − Δ), and
//
//	|ẑ_i − z_i| ≤ (δ_i + |ẑ_i|·Δ)/low + ρ·|ẑ_i|
//
// where ρ is what rounds from ĉ on, with addError = 4u²: the squares 5u², their sum n·addError,
// the quotient 3u² and ε 2u², all halved by the root, root 6u², reciprocal 15u² and product
// 5u². No |z_i| exceeds √n. Last, scale·z + shift rounds each of product and sum to 2u².
func (k *wideRowNorm) standardise(y, x wideTensor, own, gains, moves []float64) (least float64) {
	n := float64(len(own))
	var h, l, trail, spread float64
	for i, v := range x.hi {
		h, l = addDouble(h, l, v, x.lo[i])
		trail += math.Abs(h)
		spread += x.e[i]
	}
	mh, ml := divFloat(h, l, n)
	shared := addError*trail/n + mulError*math.Abs(mh)
	spread /= n
	var vh, vl, mine, both float64
	for i, v := range x.hi {
		h, l := addDouble(v, x.lo[i], -mh, -ml)
		y.hi[i], y.lo[i] = h, l
		own[i] = (shared + addError*math.Abs(h)) * normUp
		y.e[i] = (own[i] + x.e[i] + spread) * normUp
		mine += own[i] * own[i]
		both += y.e[i] * y.e[i]
		h, l = mulDouble(h, l, h, l)
		vh, vl = addDouble(vh, vl, h, l)
	}
	vh, vl = divFloat(vh, vl, n)
	vh, vl = addFloat(vh, vl, k.epsilon)
	sh, sl := rootDouble(vh, vl)
	rh, rl := divDouble(1, 0, sh, sl)
	mine, both = math.Sqrt(mine/n)*normUp+normSlack, math.Sqrt(both/n)*normUp+normSlack
	root := math.Sqrt(k.epsilon)
	least, low := max(root, sh/normUp-mine)/normUp, max(root, sh/normUp-both)/normUp
	rho := addError * (n + 32)
	for i := range own {
		zh, zl := mulDouble(y.hi[i], y.lo[i], rh, rl)
		z, g := math.Abs(zh), math.Abs(gains[i/k.segment])
		a := (own[i]+z*mine)/least + rho*z
		b := (y.e[i]+z*both)/low + rho*z
		if most := (math.Sqrt(n) + z) * normUp; !(b < most) {
			b = most
		}
		h, l := mulFloat(zh, zl, gains[i/k.segment])
		last := addError * math.Abs(h)
		h, l = addFloat(h, l, moves[i/k.segment])
		last += addError * math.Abs(h)
		y.hi[i], y.lo[i] = h, l
		own[i] = (g*a+last)*normUp + underflow
		y.e[i] = (g*b+last)*normUp + underflow
	}
	return least
}
