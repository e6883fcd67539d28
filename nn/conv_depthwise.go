package nn

import "tattle/internal/simd"

// convDepthwise computes a convolution whose groups have one input channel each
// directly, tap by tap along the rows of the planes.
type convDepthwise[T Float] struct {
	convPlan
	applyPlanes, adjointPlanes, gradientPlanes func(lo, hi int)

	// The operands of the product in progress.
	y, x, w, b []T
	n          int
	end        ending[T]
	db         []float64
	keep       T
}

func newConvDepthwise[T Float](p convPlan) *convDepthwise[T] {
	k := &convDepthwise[T]{convPlan: p}
	k.applyPlanes, k.adjointPlanes, k.gradientPlanes = k.applyRange, k.adjointRange, k.gradientRange
	return k
}

func (k *convDepthwise[T]) apply(y, x, w, b []T, n int, end ending[T]) {
	k.y, k.x, k.w, k.b, k.end = y, x, w, b, end
	simd.Parallel(n*k.op.OutChannels, 1+grain/(k.outHW*k.depth), k.applyPlanes)
}

// applyRange computes the output planes [lo, hi), example by example.
func (k *convDepthwise[T]) applyRange(lo, hi int) {
	for p := lo; p < hi; p++ {
		o := p % k.op.OutChannels
		y, x := k.y[p*k.outHW:][:k.outHW], k.x[p/k.outG*k.inHW:][:k.inHW]
		if k.b == nil {
			clear(y)
		} else {
			fill(y, k.b[o])
		}
		k.taps(func(tap, out, in, length int) {
			addStrided(y[out:][:length], x[in:], k.w[o*k.depth+tap], k.strideW)
		})
		k.end.finish(y, y, p/k.op.OutChannels, o*k.outHW, 0)
	}
}

func (k *convDepthwise[T]) adjoint(dx, dy, w []T, n int) {
	k.x, k.y, k.w = dx, dy, w
	simd.Parallel(n*k.op.InChannels, 1+grain/(k.outHW*k.depth*k.outG), k.adjointPlanes)
}

// adjointRange computes the input planes [lo, hi).
func (k *convDepthwise[T]) adjointRange(lo, hi int) {
	for p := lo; p < hi; p++ {
		x := k.x[p*k.inHW:][:k.inHW]
		clear(x)
		for q := p * k.outG; q < (p+1)*k.outG; q++ {
			y, o := k.y[q*k.outHW:][:k.outHW], q%k.op.OutChannels
			k.taps(func(tap, out, in, length int) {
				spreadStrided(x[in:], y[out:][:length], k.w[o*k.depth+tap], k.strideW)
			})
		}
	}
}

func (k *convDepthwise[T]) gradient(dw []T, db []float64, x, dy []T, n int, keep T) {
	k.w, k.db, k.x, k.y, k.n, k.keep = dw, db, x, dy, n, keep
	simd.Parallel(k.op.OutChannels, 1, k.gradientPlanes)
}

// gradientRange computes the gradients of output channels [lo, hi).
func (k *convDepthwise[T]) gradientRange(lo, hi int) {
	for o := lo; o < hi; o++ {
		w := k.w[o*k.depth:][:k.depth]
		for i := range w {
			if k.keep == 0 {
				w[i] = 0
			} else {
				w[i] *= k.keep
			}
		}
		for e := range k.n {
			p := e*k.op.OutChannels + o
			y, x := k.y[p*k.outHW:][:k.outHW], k.x[p/k.outG*k.inHW:][:k.inHW]
			k.db[o] += float64(simd.Sum(y))
			k.taps(func(tap, out, in, length int) {
				w[tap] += dotStrided(y[out:][:length], x[in:], k.strideW)
			})
		}
	}
}

// taps calls f for each tap and each row of outputs: outputs [out, out+length) of
// a plane see the inputs from in on, strideW apart.
func (k *convDepthwise[T]) taps(f func(tap, out, in, length int)) {
	for r := range k.kH {
		top, bottom := span(k.outH, k.inH, k.strideH, r*k.dilH, k.top)
		for s := range k.kW {
			lo, hi := span(k.outW, k.inW, k.strideW, s*k.dilW, k.left)
			if lo == hi {
				continue
			}
			first := lo*k.strideW + s*k.dilW - k.left
			for i := top; i < bottom; i++ {
				h := i*k.strideH + r*k.dilH - k.top
				f(r*k.kW+s, i*k.outW+lo, h*k.inW+first, hi-lo)
			}
		}
	}
}

// addStrided adds a·x[i·stride] to y[i].
func addStrided[T Float](y, x []T, a T, stride int) {
	if stride == 1 {
		simd.Axpy(a, x[:len(y)], y)
		return
	}
	for i := range y {
		y[i] += a * x[i*stride]
	}
}

// spreadStrided adds a·y[i] to x[i·stride].
func spreadStrided[T Float](x, y []T, a T, stride int) {
	if stride == 1 {
		simd.Axpy(a, y, x[:len(y)])
		return
	}
	for i, v := range y {
		x[i*stride] += a * v
	}
}

// dotStrided returns Σ y[i]·x[i·stride].
func dotStrided[T Float](y, x []T, stride int) T {
	if stride == 1 {
		return simd.Dot(y, x[:len(y)])
	}
	var sum T
	for i, v := range y {
		sum += v * x[i*stride]
	}
	return sum
}
