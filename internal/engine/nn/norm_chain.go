package nn

import "tattle/internal/math/simd"

// normChain is a BatchNorm in training and, where one follows, a rectifier, a Dropout or
// both, as one kernel. It goes through its tensors in the order of memory, once for the
// sums of each plane (a channel of an example) and once for the results: what fits
// no cache is read twice and written once, and nothing in between is stored. It
// computes the same bytes as the operators one by one.
type normChain struct {
	op        *BatchNorm
	hw        int                 // of a channel of one example
	rectifier *rectifier[float32] // or nil
	slope     float32             // of the rectifier; 1 if there is none
	dropout   *dropout            // or nil

	next  []simd.Channel // what each channel goes through
	sums  [][2]float64   // of each plane
	total [][2]float64   // of each channel
	line  [][3]float32   // of the projection: dx = p·g + q·x + r, like total

	// The operands of the pass in progress.
	f       *frame[float32]
	out, in []float32
	stats   *batchStats
	keep    float32 // of gradients
	learn   bool    // backward: set the gradients
	stream  bool    // write past the caches
}

// streamed is the size in elements from which a tensor is written past the caches:
// 32 MiB, of which the last one keeps little until the tensor is read.
const streamed = 8 << 20

// fuse makes chains of the norms of a program for training, as long as they can be. Inside
// a chain, the tensors from one operator to the next are not stored.
func fuse(p *program[float32]) {
	readers := p.readers()
	var steps []step[float32]
	for i := 0; i < len(p.steps); {
		s, n := p.steps[i], 1
		if norm, ok := s.kernel.(*batchNorm[float32]); ok {
			s, n = chainFrom(p, i, norm, readers)
		}
		steps = append(steps, s)
		i += n
	}
	p.steps = steps
}

// chainFrom returns the step that replaces the n steps from i on.
func chainFrom(p *program[float32], i int, norm *batchNorm[float32], readers []int) (s step[float32], n int) {
	s, n = p.steps[i], 1
	k := newNormChain(norm)
	for ; i+n < len(p.steps); n++ {
		next := p.steps[i+n]
		if len(next.in) != 1 || next.in[0] != s.out || readers[s.out] != 1 || !k.extend(next.kernel) {
			break
		}
		p.sizes[s.out] = 0
		s.out = next.out
	}
	s.kernel = k
	return s, n
}

func newNormChain(norm *batchNorm[float32]) *normChain {
	return &normChain{op: norm.op, hw: norm.hw, slope: 1}
}

// extend appends an operator to the chain if it is of a kind that comes next.
func (k *normChain) extend(next kernel[float32]) bool {
	switch next := next.(type) {
	case *rectifier[float32]:
		if k.rectifier != nil || k.dropout != nil {
			return false
		}
		k.rectifier, k.slope = next, float32(next.slope)
	case *dropout:
		if k.dropout != nil {
			return false
		}
		k.dropout = next
	default:
		return false
	}
	return true
}

// begin sets the operands of a pass.
func (k *normChain) begin(f *frame[float32], out, in []float32) {
	k.f, k.out, k.in, k.stats = f, out, in, f.aux.(*batchStats)
	k.stream = len(out) >= streamed
}

// share has the cores share the planes.
func (k *normChain) share(part func(lo, hi int)) {
	simd.Parallel(k.f.batch*k.op.Channels, 1+grain/k.hw, part)
}

// gather adds the sums that part takes of each plane, the examples in their order.
func (k *normChain) gather(part func(lo, hi int)) {
	width := k.op.Channels
	k.sums, k.total = sized(k.sums, k.f.batch*width), sized(k.total, width)
	k.share(part)
	clear(k.total)
	for v, s := range k.sums {
		t := &k.total[v%width]
		t[0], t[1] = t[0]+s[0], t[1]+s[1]
	}
}

// row returns plane v of x.
func (k *normChain) row(x []float32, v int) []float32 { return x[v*k.hw:][:k.hw] }

func (k *normChain) forward(f *frame[float32]) {
	if !f.train {
		panic("nn: a fused chain is for training")
	}
	k.prepare(f)
	if k.dropout != nil {
		k.stats.mask = k.dropout.drawMask(k.stats.mask, len(f.y), f.seed)
	}
	k.begin(f, f.y, f.x[0])
	k.gather(k.momentPlanes)
	k.next = k.next[:0]
	for c, t := range k.total {
		k.next = append(k.next, k.channel(k.settle(c, t[0], t[1])))
	}
	k.share(k.forwardPlanes)
	k.op.Mean.Changed()
	k.op.Variance.Changed()
}

func (k *normChain) momentPlanes(lo, hi int) {
	for v := lo; v < hi; v++ {
		k.sums[v][0], k.sums[v][1] = simd.SumAndSquares(k.row(k.in, v))
	}
}

func (k *normChain) forwardPlanes(lo, hi int) {
	for v := lo; v < hi; v++ {
		k.next[v%k.op.Channels].Forward(k.row(k.out, v), k.row(k.in, v), v*k.hw, k.stream)
	}
}

// channel returns what a channel with those coefficients goes through.
func (k *normChain) channel(a, b float64) simd.Channel {
	c := simd.Channel{A: float32(a), B: float32(b), Slope: k.slope}
	if k.dropout != nil {
		c.Mask, c.Scale = k.stats.mask, k.dropout.scale
	}
	return c
}

// recall sets what each channel went through in the forward pass.
func (k *normChain) recall() {
	k.next = k.next[:0]
	for c := range k.op.Channels {
		a := float64(k.op.Scale.Data[c]) * k.stats.invStd[c]
		k.next = append(k.next, k.channel(a, float64(k.op.Shift.Data[c])-a*k.stats.mean[c]))
	}
}

func (k *normChain) jvp(*frame[float32], []float32, [][]float32, int) { panic(errTraining) }

// errTraining is the panic of what only inference has.
const errTraining = "nn: in training there are cotangents only, one of each example"

func (k *normChain) vjp(f *frame[float32], dx [][]float32, dy []float32, n int) {
	if n != 1 {
		panic(errTraining)
	}
	if dx[0] != nil {
		k.learn = false
		k.backward(f, dx[0], dy)
	}
}

func (k *normChain) grad(f *frame[float32], dy []float32, keep float32) { k.gradVJP(f, nil, dy, keep) }

// gradVJP computes the gradients of the parameters and, unless dx is nil, the cotangent of the input in one pass
// over memory.
func (k *normChain) gradVJP(f *frame[float32], dx, dy []float32, keep float32) {
	k.keep, k.learn = keep, true
	k.backward(f, dx, dy)
}

// backward takes the sums over each channel of the cotangent that comes through what
// follows the BatchNorm, and projects it. It is computed for each of these.
func (k *normChain) backward(f *frame[float32], dx, dy []float32) {
	k.begin(f, dx, dy)
	k.recall()
	k.gather(k.pullPlanes)
	k.line = k.line[:0]
	for c, t := range k.total {
		dot := (t[1] - t[0]*k.stats.mean[c]) * k.stats.invStd[c]
		if k.learn {
			k.addGrad(c, t[0], dot)
		}
		p, q, r := k.projection(c, t[0], dot)
		k.line = append(k.line, [3]float32{float32(p), float32(q), float32(r)})
	}
	if dx != nil {
		k.share(k.projectPlanes)
	}
}

func (k *normChain) pullPlanes(lo, hi int) {
	for v := lo; v < hi; v++ {
		k.sums[v][0], k.sums[v][1] = k.next[v%k.op.Channels].Sums(k.row(k.in, v), k.row(k.f.x[0], v), v*k.hw)
	}
}

func (k *normChain) projectPlanes(lo, hi int) {
	for v := lo; v < hi; v++ {
		l := k.line[v%k.op.Channels]
		k.next[v%k.op.Channels].Combine(k.row(k.out, v), k.row(k.in, v), k.row(k.f.x[0], v), l[0], l[1], l[2], v*k.hw, k.stream)
	}
}
