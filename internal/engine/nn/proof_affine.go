package nn

import (
	"math"

	"tattle/internal/math/simd"
)

// linear bounds the rounding of an affine operator. It has its kernel with |W| for a weight.
type linear struct {
	affine
	inner  int // outputs of one channel beside each other
	kernel kernel[float64]
	frame  frame[float64]
	spread []float64 // of the inputs, their errors and rounding
}

// rounderOf returns what bounds the rounding of an operator and its kernel, nil if nothing does.
func rounderOf(op Op, k kernel[float64], in ...[]int) rounder {
	var a affine
	affine := false
	switch op := op.(type) {
	case affineOp:
		a, affine = op.affine(), true
	case sumOp:
		a, affine = op.sums(in[0])
	}
	if _, moves := k.(mover); moves {
		return copyRounder{k}
	} else if !affine {
		r, _ := k.(rounder)
		return r
	}
	out := mustFit(op.Shape(in...)) // the graph has been checked
	return &linear{affine: a, inner: Size(out[len(out)-a.behind:]), kernel: a.with(magnitudes(a.weight), nil).kernel64(in[0])}
}

// copyRounder is the rounder of a mover: the entries' errors move with them, and constants are exact.
type copyRounder struct{ kernel[float64] }

func (k copyRounder) handsOn() {}

func (k copyRounder) roundoff(f *frame[float64], ey []float64, ex [][]float64) { k.jvp(f, ey, ex, 1) }

// magnitudes overwrites y with |W|·x, before the division.
func (k *linear) magnitudes(y, x []float64, batch int) {
	magnitudes(k.weight) // brings them up to date
	k.frame.run(k.kernel, y, x, batch)
}

// run runs a kernel of one input on some examples.
func (f *frame[T]) run(k kernel[T], y, x []T, batch int) {
	f.batch, f.y, f.x = batch, y, append(f.x[:0], x)
	k.forward(f)
}

// roundoff: the computed ŷ differs from W·x̂ + b by at most γ_m·(|W|·|x̂| + |b|) (Higham, section
// 3.1), in whatever order and with whatever fused operations the sums are formed, if a term passes
// at most m roundings, those of its weight included; and W·x̂ + b from W·x + b by at most |W|·ex. So
//
//	ey = |W|·(ex + γ·|x̂|) + γ·|b|.
//
// All its terms are non-negative, each passes at most m + 5 roundings, and multiplying by roundUp
// makes good for them.
func (k *linear) roundoff(f *frame[float64], ey []float64, ex [][]float64) {
	g, up := gamma(k.roundings), roundUp(k.roundings+5)
	k.spread = sized(k.spread, len(ex[0]))
	for i, v := range f.x[0] {
		k.spread[i] = ex[0][i] + g*math.Abs(v)
	}
	k.magnitudes(ey, k.spread, f.batch)
	n := len(ey) / f.batch
	for i, e := range ey {
		if k.by != nil {
			e /= k.by(i % n)
		}
		if k.bias != nil {
			e += g * math.Abs(float64(k.bias.Data[i/k.inner%k.channels]))
		}
		ey[i] = e*up + underflow
	}
}

// wideAffine is y = W·x + b in double words, divided by a float64 in the end where the map is. It runs the
// operator's own float64 kernels, without bias, on slices of the weight and of the inputs.
// These kernels must add plain products. Their sums are exact, so that with T of them, added
// one by one to s₁, s₂, …, and then b,
//
//	|ŷ − (b + W·x̂)| ≤ 2⁻¹⁰⁴·Σ|s_t| + |W|·|rest| + Σ_i |W_i|₁·unit_i + |W − ΣW_i|₁·max|x̂|
//
// where rest is what the slices of x̂ leave, unit_i is the unit of the last slice of x̂
// that meets slice i ≥ 1 of the weights and bounds what is left of each entry, and
// |·|₁ sums over the weights of the output's channel. The input's error adds |W|·ex.
type wideAffine struct {
	*linear
	in []int

	*weightSlices
	*wideRoom
	kernels []kernel[float64] // of each slice
	sums    [][]float64       // of each slice of the weights, [slices of the inputs, batch, out], in room
	frame   frame[float64]    // of the kernel in use
	lost    []float64         // [batch, channels]: bounds on the products left out
}

// wideRoom is what the affine operators of a sweep use one after the other.
type wideRoom struct {
	inputs inputSlices
	room   []float64 // for sums
}

// prepare cuts the weight, anew where it has changed.
func (k *wideAffine) prepare() {
	if k.weightSlices != nil && k.version == k.weight.version {
		return
	}
	k.weightSlices = newWeightSlices(k.weight.Data, k.channels, k.depth, k.of)
	k.version = k.weight.version
	k.kernels = k.kernels[:0]
	for _, d := range k.data {
		w := &Param{Name: k.weight.Name, Shape: k.weight.Shape, Data: d}
		k.kernels = append(k.kernels, k.with(w, nil).kernel64(k.in))
	}
	k.sums = make([][]float64, len(k.data))
}

func (k *wideAffine) wide(y wideTensor, x []wideTensor, batch int) {
	k.prepare()
	k.inputs.slices, k.inputs.beta = k.slicing.inputs[0], k.beta
	k.inputs.cut(x[0], batch)
	n, in := len(y.hi), len(x[0].hi)
	k.divide(n)
	for i, s := range k.slicing.inputs {
		k.frame.run(k.kernels[i], k.sums[i], k.inputs.data[:s*in], s*batch)
	}
	k.magnitudes(y.e, k.inputs.rest, batch)
	k.lost = k.lost[:0]
	for b := range batch {
		for c := range k.channels {
			k.lost = append(k.lost, k.dropped(c, k.inputs.top[b]))
		}
	}
	simd.Parallel(n, 1+grain/32, func(lo, hi int) { k.addRange(y, n/batch, lo, hi) })
}

// divide gives the sums of n outputs their room.
func (k *wideAffine) divide(n int) {
	all := 0
	for _, s := range k.slicing.inputs {
		all += s * n
	}
	k.room = sized(k.room, all)
	at := 0
	for i, s := range k.slicing.inputs {
		k.sums[i] = k.room[at : at+s*n]
		at += s * n
	}
}

// addRange adds up the sums of the outputs lo ≤ o < hi, the smallest first. An example has size outputs. The bound's own
// terms are not negative and pass at most depth + T + 10 roundings.
func (k *wideAffine) addRange(y wideTensor, size, lo, hi int) {
	n := len(y.hi)
	up := roundUp(k.depth + 2*wideBits)
	for o := lo; o < hi; o++ {
		c := o / k.inner % k.channels
		var h, l, trail float64
		for i := len(k.sums) - 1; i >= 0; i-- {
			s := k.sums[i]
			for at := len(s) - n + o; at >= 0; at -= n {
				h, l = addFloat(h, l, s[at])
				trail += math.Abs(h)
			}
		}
		if k.bias != nil {
			h, l = addFloat(h, l, float64(k.bias.Data[c]))
			trail += math.Abs(h)
		}
		e := up * (y.e[o] + addError*trail + k.lost[o/size*k.channels+c])
		if k.by != nil {
			by := k.by(o % size)
			h, l = divFloat(h, l, by)
			e = (e/by + mulError*math.Abs(h)) * roundUp(4)
		}
		y.set(o, wideEntry{h, l, e + underflow})
	}
}

// dropped bounds the products that are left out of an output of channel c, except those with
// the part of the inputs that no slice holds. It is NaN if a weight is NaN.
func (k *wideAffine) dropped(c, top int) float64 {
	e := 0.0
	for i, s := range k.slicing.inputs[1:] {
		if r := k.reach[i+1][c]; !(r <= 0) { // also for NaN, of weights that are NaN
			e += r * math.Ldexp(1, top-s*k.beta)
		}
	}
	if r := k.reach[len(k.reach)-1][c]; !(r <= 0) {
		e += r * math.Ldexp(1, top)
	}
	return e
}
