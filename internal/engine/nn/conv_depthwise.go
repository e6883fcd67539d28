package nn

import "tattle/internal/math/simd"

// convDepthwise computes a convolution whose groups have one input channel each. It copies a
// plane of the input, padded with zeros, into phases: a phase holds every stride-th row and
// column. Then the inputs that an entry of the kernel multiplies, for all outputs of the plane,
// are contiguous. A plane of outputs, in rows as wide as those of the phases, is the sum of
// these contiguous pieces times their weights.
type convDepthwise[T Float] struct {
	convPlan
	spares[T]
	wide    int     // columns of a phase
	high    int     // rows of a phase
	phases  []phase // which there are
	offsets []int   // of each tap: where its run begins
	run     int     // length of a run: all rows but the unused end of the last

	// Backwards, a plane of cotangents has zeros before, behind and between its rows.
	rim    int // zeros before
	length int // of the plane with its zeros

	// The operands of the product in progress.
	y, x, w, b []T
	n          int
	end        ending[T]
	db         []float64
	keep       T
}

// phase is the inputs of rows row + i·stride − top and columns column + j·stride −
// left: what some taps see.
type phase struct {
	row, column int
	taps        []int // for each output channel of the group in turn
	offsets     []int // from a place in the phase to what the taps reach in the plane of cotangents
}

// newConvDepthwise returns nil if the layout would be much larger than the planes.
func newConvDepthwise[T Float](p convPlan) *convDepthwise[T] {
	reachH, reachW := (p.kH-1)*p.dilH/p.strideH, (p.kW-1)*p.dilW/p.strideW
	k := &convDepthwise[T]{convPlan: p, high: p.outH + reachH, wide: p.outW + reachW}
	const spacious = 16
	if phases := min(p.kH, p.strideH) * min(p.kW, p.strideW); phases*k.high > spacious*(p.inHW+p.outHW)/k.wide+spacious {
		return nil
	}
	k.run = (p.outH-1)*k.wide + p.outW
	k.rim = reachH*k.wide + reachW
	k.length = 2*k.rim + k.high*k.wide
	for t := range p.depth {
		h, w := t/p.kW*p.dilH, t%p.kW*p.dilW
		at := k.phaseAt(h%p.strideH, w%p.strideW)
		shift := h/p.strideH*k.wide + w/p.strideW
		k.offsets = append(k.offsets, at*k.high*k.wide+shift)
		for q := range p.outG {
			f := &k.phases[at]
			f.taps = append(f.taps, q*p.depth+t)
			f.offsets = append(f.offsets, q*k.length+k.rim-shift)
		}
	}
	return k
}

// phaseAt returns the number of that phase, which is made where there is none yet.
func (k *convDepthwise[T]) phaseAt(row, column int) int {
	for i, f := range k.phases {
		if f.row == row && f.column == column {
			return i
		}
	}
	k.phases = append(k.phases, phase{row: row, column: column})
	return len(k.phases) - 1
}

func (k *convDepthwise[T]) apply(y, x []T, w *Param, b []T, n int, end ending[T]) {
	k.y, k.x, k.w, k.b, k.end = y, x, values[T](w), b, end
	simd.Parallel(n*k.op.InChannels, 1+grain/(k.outHW*k.depth*k.outG), k.applyRange)
}

// applyRange computes what comes of the input planes [lo, hi), example by example.
func (k *convDepthwise[T]) applyRange(lo, hi int) {
	in, out := k.borrow(len(k.phases)*k.high*k.wide), k.borrow(k.run)
	defer k.giveBack(in, out)
	clear(in)
	for p := lo; p < hi; p++ {
		k.spread(in, k.x[p*k.inHW:][:k.inHW])
		for q := p * k.outG; q < (p+1)*k.outG; q++ {
			i, o := q/k.op.OutChannels, q%k.op.OutChannels
			simd.Correlate(out, in, k.offsets, k.w[o*k.depth:][:k.depth])
			var b T
			if k.b != nil {
				b = k.b[o]
			}
			k.end.finishRows(k.y[q*k.outHW:][:k.outHW], out, i, o*k.outHW, k.outH, k.outW, k.outW, k.wide, b)
		}
	}
}

// spread lays a plane of the input out; what lies around it is zero already.
func (k *convDepthwise[T]) spread(in, plane []T) {
	for i := range k.phases {
		if b, ok := k.phaseBlock(k.high, k.wide, k.phases[i].row, k.phases[i].column); ok {
			take(in[i*k.high*k.wide+b.to:], plane[b.at:], b.rows, b.n, k.wide, k.strideH*k.inW, k.strideW)
		}
	}
}

func (k *convDepthwise[T]) adjoint(dx, dy []T, w *Param, n int) {
	k.x, k.y, k.w = dx, dy, values[T](w)
	simd.Parallel(n*k.op.InChannels, 1+grain/(k.outHW*k.depth*k.outG), k.adjointRange)
}

// adjointRange computes the input planes [lo, hi): each phase is a correlation of the
// cotangents with the taps that see it.
func (k *convDepthwise[T]) adjointRange(lo, hi int) {
	size := k.high * k.wide
	out, in, w := k.borrow(k.outG*k.length), k.borrow(len(k.phases)*size), k.borrow(k.outG*k.depth)
	defer k.giveBack(out, in, w)
	clear(out)
	for p := lo; p < hi; p++ {
		for q := range k.outG {
			k.place(out[q*k.length:], p*k.outG+q)
		}
		first := p % k.op.InChannels * k.outG * k.depth
		for i := range k.phases {
			f := &k.phases[i]
			for j, t := range f.taps {
				w[j] = k.w[first+t]
			}
			simd.Correlate(in[i*size:][:size], out, f.offsets, w[:len(f.taps)])
		}
		x := k.x[p*k.inHW:][:k.inHW]
		clear(x)
		for i := range k.phases {
			if b, ok := k.phaseBlock(k.high, k.wide, k.phases[i].row, k.phases[i].column); ok {
				put(x[b.at:], in[i*size+b.to:], b.rows, b.n, k.strideH*k.inW, k.wide, k.strideW)
			}
		}
	}
}

// place copies output plane q between the zeros.
func (k *convDepthwise[T]) place(out []T, q int) {
	y := k.y[q*k.outHW:][:k.outHW]
	simd.CopyRows(out[k.rim:], y, k.outH, k.outW, k.wide, k.outW)
}

func (k *convDepthwise[T]) gradient(dw []T, db []float64, x, dy []T, n int, keep T) {
	k.w, k.db, k.x, k.y, k.n, k.keep = dw, db, x, dy, n, keep
	simd.Parallel(k.op.OutChannels, 1, k.gradientRange)
}

// gradientRange computes the gradients of output channels [lo, hi).
func (k *convDepthwise[T]) gradientRange(lo, hi int) {
	in, out := k.borrow(len(k.phases)*k.high*k.wide), k.borrow(k.length)
	defer k.giveBack(in, out)
	clear(in)
	clear(out)
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
			k.spread(in, k.x[p/k.outG*k.inHW:][:k.inHW])
			k.place(out, p)
			k.db[o] += float64(simd.Sum(k.y[p*k.outHW:][:k.outHW]))
			for t, at := range k.offsets {
				w[t] += simd.Dot(out[k.rim:][:k.run], in[at:][:k.run])
			}
		}
	}
}
