package nn

import (
	"math"

	"tattle/internal/math/simd"
)

// wideAffine is y = W·x + b in double words for Conv2D, ConvTranspose and Dense. It runs the
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
	affine
	inner int // outputs of one channel beside each other
	in    []int

	*weightSlices
	*wideRoom
	kernels []kernel[float64] // of each slice
	mags    kernel[float64]   // of |W|
	sums    [][]float64       // of each slice of the weights, [slices of the inputs, batch, out], in room
	frames  []frame[float64]  // of each kernel, |W|'s last
	lost    []float64         // [batch, channels]: bounds on the products left out
	y       wideTensor
	batch   int
	add     func(lo, hi int)
}

// wideRoom is what the affine operators of a sweep use one after the other.
type wideRoom struct {
	inputs inputSlices
	room   []float64 // for sums
}

func newWideAffine(layer affine, in, out []int, room *wideRoom) *wideAffine {
	k := &wideAffine{affine: layer, inner: Size(out[len(out)-layer.behind:]), in: in, wideRoom: room}
	k.add = k.addRange
	return k
}

// prepare cuts the weight, anew where it has changed.
func (k *wideAffine) prepare() {
	if k.weightSlices != nil && k.version == k.weight.version {
		return
	}
	k.weightSlices = newWeightSlices(k.weight.Data, k.channels, k.depth, k.of)
	k.version = k.weight.version
	compile := func(data []float32) kernel[float64] {
		return k.with(&Param{Name: k.weight.Name, Shape: k.weight.Shape, Data: data}, nil).kernel64(k.in)
	}
	k.kernels = k.kernels[:0]
	for _, d := range k.data {
		k.kernels = append(k.kernels, compile(d))
	}
	k.mags = compile(k.weightSlices.mags)
	k.sums, k.frames = make([][]float64, len(k.data)), make([]frame[float64], len(k.data)+1)
}

func (k *wideAffine) wide(y wideTensor, x []wideTensor, batch int) {
	k.prepare()
	k.inputs.slices, k.inputs.beta = k.slicing.inputs[0], k.beta
	k.inputs.cut(x[0], batch)
	n, in := len(y.hi), len(x[0].hi)
	k.divide(n)
	for i, s := range k.slicing.inputs {
		k.run(i, k.kernels[i], k.sums[i], k.inputs.data[:s*in], s*batch)
	}
	k.run(len(k.kernels), k.mags, y.e, k.inputs.rest, batch)
	k.y, k.batch = y, batch
	k.lost = k.lost[:0]
	for b := range batch {
		for c := range k.channels {
			k.lost = append(k.lost, k.dropped(c, k.inputs.top[b]))
		}
	}
	simd.Parallel(n, 1+grain/32, k.add)
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

func (k *wideAffine) run(i int, kernel kernel[float64], y, x []float64, rows int) {
	f := &k.frames[i]
	f.batch, f.y, f.x = rows, y, append(f.x[:0], x)
	kernel.forward(f)
}

// addRange adds up the sums of some outputs, the smallest first. The bound's own
// terms are not negative and pass at most depth + T + 10 roundings.
func (k *wideAffine) addRange(lo, hi int) {
	n, size := len(k.y.hi), len(k.y.hi)/k.batch
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
		k.y.hi[o], k.y.lo[o] = h, l
		k.y.e[o] = up*(k.y.e[o]+addError*trail+k.lost[o/size*k.channels+c]) + underflow
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
