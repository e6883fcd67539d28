package nn

import "tattle/internal/simd"

// jointLearner is a learner that computes the gradients of its parameters and the
// cotangent of its only input in one pass over memory.
type jointLearner interface {
	overwriteGradVJP(f *frame[float32], dx, dy []float32)
}

// normChain is a BatchNorm followed by a rectifier, a Dropout or both, in training,
// as one kernel: activations of which only one channel of the batch fits the cache
// are read and written once where the operators one by one would three times. It
// computes the same bytes as they do.
type normChain struct {
	*batchNorm[float32]
	rectifier *rectifier[float32] // or nil
	slope     float32             // of the rectifier
	dropout   *dropout            // or nil
	planes    spares[float32]

	forwardChannels, tangentChannels, backChannels func(lo, hi int)
	learn                                          bool // backward: set the gradients
}

// fuse joins what it can of a program for training. The tensors between the
// operators of a chain are no longer computed.
func fuse(p *program[float32]) {
	readers := make([]int, len(p.sizes))
	readers[p.output]++
	for _, s := range p.steps {
		for _, t := range s.in {
			readers[t]++
		}
	}
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
	k := &normChain{batchNorm: norm}
	for ; i+n < len(p.steps); n++ {
		next := p.steps[i+n]
		if next.in[0] != s.out || readers[s.out] != 1 || !k.extend(next.kernel) {
			break
		}
		p.sizes[s.out] = 0
		s.out = next.out
	}
	if n > 1 {
		k.bind()
		s.kernel = k
	}
	return s, n
}

func (k *normChain) bind() {
	k.forwardChannels, k.tangentChannels, k.backChannels = k.forwardRange, k.tangentRange, k.backRange
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

// share has the cores share the channels of a pass.
func (k *normChain) share(f *frame[float32], out, in []float32, n int, part func(lo, hi int)) {
	k.f, k.out, k.in, k.k, k.stats = f, out, in, n, f.aux.(*batchStats)
	simd.Parallel(k.op.Channels, 1+grain/(f.batch*n*k.hw), part)
}

func (k *normChain) forward(f *frame[float32]) {
	if !f.train {
		panic("nn: a fused chain is for training")
	}
	k.prepare(f)
	k.share(f, f.y, f.x[0], 1, k.forwardChannels)
	k.op.Mean.Changed()
	k.op.Variance.Changed()
}

func (k *normChain) forwardRange(lo, hi int) {
	mask := k.planes.borrow(k.hw)
	defer k.planes.giveBack(mask)
	for c := lo; c < hi; c++ {
		a, b := k.measure(c)
		for e := range k.f.batch {
			y, x := k.plane(k.out, e, c), k.plane(k.in, e, c)
			switch {
			case k.rectifier == nil:
				simd.ScaleShift(y, x, float32(a), float32(b))
			case k.rectifier.zero:
				simd.ScaleShift(y, x, float32(a), float32(b))
				simd.ReLU(y, y)
			default:
				simd.ScaleShiftLeaky(y, x, float32(a), float32(b), k.slope)
			}
			if k.dropout != nil {
				k.draw(mask, e, c)
				simd.Mul(y, y, mask)
			}
		}
	}
}

// draw makes the part of the dropout mask that belongs to channel c of example e.
func (k *normChain) draw(mask []float32, e, c int) {
	at := (e*k.op.Channels + c) * k.hw
	simd.DropoutMask(mask, k.f.seed, uint64(at), float32(1-k.dropout.p))
}

// pull sets dst to d times the derivatives of what follows the BatchNorm, in
// channel c of example e. work is scratch.
func (k *normChain) pull(dst, d, work []float32, e, c int) {
	if k.dropout != nil {
		k.draw(work, e, c)
		simd.Mul(dst, d, work)
		d = dst
	}
	if k.rectifier == nil {
		if k.dropout == nil {
			copy(dst, d)
		}
		return
	}
	a := float64(k.op.Scale.Data[c]) * k.stats.invStd[c]
	b := float64(k.op.Shift.Data[c]) - a*k.stats.mean[c]
	simd.ScaleShift(work, k.plane(k.f.x[0], e, c), float32(a), float32(b))
	if k.rectifier.zero {
		simd.ReLUMask(dst, d, work)
	} else {
		simd.LeakyReLUMask(dst, d, work, k.slope)
	}
}

func (k *normChain) jvp(f *frame[float32], dy []float32, dx [][]float32, n int) {
	k.batchNorm.jvp(f, dy, dx, n)
	k.share(f, dy, dy, n, k.tangentChannels)
}

func (k *normChain) tangentRange(lo, hi int) {
	work := k.planes.borrow(k.hw)
	defer k.planes.giveBack(work)
	for c := lo; c < hi; c++ {
		for v := range k.f.batch * k.k {
			d := k.plane(k.out, v, c)
			k.pull(d, d, work, v/k.k, c)
		}
	}
}

func (k *normChain) vjp(f *frame[float32], dx [][]float32, dy []float32, n int) {
	if dx[0] != nil {
		k.learn = false
		k.share(f, dx[0], dy, n, k.backChannels)
	}
}

func (k *normChain) grad(f *frame[float32], dy []float32)          { k.chainGrad(f, nil, dy, 1) }
func (k *normChain) overwriteGrad(f *frame[float32], dy []float32) { k.chainGrad(f, nil, dy, 0) }

func (k *normChain) overwriteGradVJP(f *frame[float32], dx, dy []float32) { k.chainGrad(f, dx, dy, 0) }

// chainGrad computes the gradients and, unless dx is nil, the input's cotangent.
func (k *normChain) chainGrad(f *frame[float32], dx, dy []float32, keep float32) {
	k.keep, k.learn = keep, true
	k.share(f, dx, dy, 1, k.backChannels)
}

// backRange goes channel by channel, whose planes stay in the cache from the sums
// to the cotangents made with them.
func (k *normChain) backRange(lo, hi int) {
	work, lone := k.planes.borrow(k.hw), k.planes.borrow(k.hw)
	defer k.planes.giveBack(work, lone)
	for c := lo; c < hi; c++ {
		for j := range k.k {
			var sum, dot float64
			for e := range k.f.batch {
				v, dst := e*k.k+j, lone
				if k.out != nil {
					dst = k.plane(k.out, v, c)
				}
				k.pull(dst, k.plane(k.in, v, c), work, e, c)
				s, d := simd.DotAndSum(dst, k.plane(k.f.x[0], e, c))
				sum, dot = sum+s, dot+d
			}
			dot = (dot - sum*k.stats.mean[c]) * k.stats.invStd[c]
			if k.learn {
				k.addGrad(c, sum, dot)
			}
			if k.out != nil {
				k.project(k.out, c, j, sum, dot)
			}
		}
	}
}
