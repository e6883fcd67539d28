package nn

import "math"

// batchStats is what the frame of a training step keeps: the statistics by channel,
// and the mask of a Dropout that has been joined to the operator.
type batchStats struct {
	mean, invStd []float64
	mask         []uint64
}

// prepare makes room for the statistics in the frame.
func (k *normChain) prepare(f *frame[float32]) {
	s, ok := f.aux.(*batchStats)
	if !ok {
		s = &batchStats{mean: make([]float64, k.op.Channels), invStd: make([]float64, k.op.Channels)}
		f.aux = s
	}
	k.stats = s
}

// settle takes the statistics of channel c of the batch from Σ x and Σ x² over the channel, moves
// the running ones and returns the a and c with which y = a·x + c.
func (k *normChain) settle(c int, sum, squares float64) (a, shift float64) {
	b, n := k.op, float64(k.f.batch*k.hw)
	mean, variance := spread(sum, squares, n)
	invStd := 1 / math.Sqrt(variance+b.epsilon())
	k.stats.mean[c], k.stats.invStd[c] = mean, invStd
	m := b.momentum()
	move(&b.Mean.Data[c], mean, m)
	move(&b.Variance.Data[c], variance*n/max(n-1, 1), m)
	a = float64(b.Scale.Data[c]) * invStd
	return a, float64(b.Shift.Data[c]) - a*mean
}

// spread returns the mean and the biased variance of n numbers.
func spread(sum, squares, n float64) (mean, variance float64) {
	mean = sum / n
	return mean, max(squares/n-mean*mean, 0)
}

// move leaves a running statistic as it is where the batch's is not finite: one bad
// batch, whose loss is not finite either, must not ruin the net.
func move(running *float32, batch, momentum float64) {
	moved := float32((1-momentum)*float64(*running) + momentum*batch)
	if !math.IsNaN(float64(moved)) && !math.IsInf(float64(moved), 0) {
		*running = moved
	}
}

// projection returns what makes J·d = a·d + b·x + shift in channel c, given Σ d and Σ d·x̂. The
// statistics make J a projection: with r = 1/√(variance+ε) and means over the n inputs of the channel,
//
//	J·d = Scale·r·(d − mean(d) − x̂·mean(d·x̂)),   x̂ = r·(x − mean(x)),
//
// a symmetric matrix, so that it is its own transpose.
func (k *normChain) projection(c int, sum, dot float64) (a, b, shift float64) {
	n := float64(k.f.batch * k.hw)
	a = float64(k.op.Scale.Data[c]) * k.stats.invStd[c]
	b = -a * k.stats.invStd[c] * dot / n
	return a, b, -a*sum/n - b*k.stats.mean[c]
}

// addGrad sets ∂Scale = Σ dy·x̂ + keep·∂Scale and ∂Shift = Σ dy + keep·∂Shift.
func (k *normChain) addGrad(c int, sum, dot float64) {
	addTo(&k.op.Scale.Grad[c], k.keep, dot)
	addTo(&k.op.Shift.Grad[c], k.keep, sum)
}

// addTo sets x to keep·x + v; keep = 0 does not read x.
func addTo(x *float32, keep float32, v float64) {
	if keep == 0 {
		*x = 0
	}
	*x = keep*(*x) + float32(v)
}
