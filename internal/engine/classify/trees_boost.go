package classify

import (
	"math"

	"tattle/internal/math/simd"
)

const (
	// Sums of quantised slopes stay below 2³¹, two to a word.
	slopeSum = 1<<31 - 1
	// leastCurvature keeps rows that are as good as sure from vanishing.
	leastCurvature = 1e-4
	// A leaf has at least so much curvature: ten rows of even odds, more of uneven
	// ones; or so many rows where targets are numbers.
	leastOdds = 2.5
	leastRows = 10
	// slopeGrain rows are worth a core.
	slopeGrain = 2048
)

// boosted is the ensemble of one target, and its training.
type boosted struct {
	response
	outputs int       // trees of a round: 1 for two classes and for numbers, 0 for one class
	start   []float64 // scores without any tree
	rounds  [][]tree  // in the fit; then those that are kept
	best    int       // rounds that are kept

	learning bool      // further rounds are worth it
	chosen   []int     // columns that trees are drawn from, ascending
	labels   []int32   // in the order of the rows, of classes
	values   []float64 // standardised, of numbers
	scores   [][]float32
	packed   [][]int64 // slope·scale above, curvature·scale below, of the rows learned from
	scale    float64
	least    float64 // curvature of a leaf
	loss     float64 // of the best round, on the rows held out
	worse    int     // rounds since
}

// newBoosted starts from the shares of the classes, or the mean, of the first m rows.
func newBoosted(t Target, order []int, m int) *boosted {
	r, labels, values := newResponse(t)
	b := &boosted{response: r, labels: LookUp(labels, order), values: LookUp(values, order), loss: math.Inf(1)}
	if labels == nil {
		b.outputs, b.start, b.least = 1, []float64{0}, leastRows/farResidual
	} else {
		b.start, b.least = logShares(b.shares(b.labels[:m])), leastOdds
		if len(b.present) > 1 { // one class has no tree
			b.outputs = len(b.start)
		}
	}
	for _, s := range b.start[:b.outputs] {
		scores := make([]float32, len(order))
		for i := range scores {
			scores[i] = float32(s)
		}
		b.scores = append(b.scores, scores)
		b.packed = append(b.packed, make([]int64, m))
	}
	b.scale = math.Exp2(math.Floor(math.Log2(slopeSum / float64(m))))
	if m < len(order) {
		b.loss = b.heldOut(m, len(order))
	}
	return b
}

// slopes packs the first and second derivatives of the loss by the scores.
func (b *boosted) slopes(m int) {
	switch {
	case b.labels == nil:
		b.residuals(m)
	case b.outputs == 1:
		simd.Parallel(m, slopeGrain, b.logisticSlopes)
	case b.outputs > 1:
		simd.Parallel(m, slopeGrain, b.softmaxSlopes)
	}
}

// pack rounds slope and curvature to integers.
func (b *boosted) pack(slope, curvature float64) int64 {
	return int64(math.RoundToEven(slope*b.scale))<<32 + int64(curvature*b.scale+.5)
}

func (b *boosted) logisticSlopes(lo, hi int) {
	for i := lo; i < hi; i++ {
		p := sigmoid(float64(b.scores[0][i]))
		b.packed[0][i] = b.pack(p-float64(b.labels[i]), max(p*(1-p), leastCurvature))
	}
}

func (b *boosted) softmaxSlopes(lo, hi int) {
	p := make([]float64, b.outputs)
	for i := lo; i < hi; i++ {
		b.softmax(p, i)
		for c, q := range p {
			slope := q
			if int(b.labels[i]) == c {
				slope--
			}
			b.packed[c][i] = b.pack(slope, max(q*(1-q), leastCurvature))
		}
	}
}

// softmax sets p to the probabilities of row i and returns the logarithm of the sum
// that divided them.
func (b *boosted) softmax(p []float64, i int) float64 {
	for c, s := range b.scores {
		p[c] = float64(s[i])
	}
	return softmax(p)
}

// residuals packs the slopes of ½r², cut off, and their curvature 1, both over
// farResidual, so that a slope is at most 1.
func (b *boosted) residuals(m int) {
	for i := range m {
		r := float64(b.scores[0][i]) - b.values[i]
		r = min(max(r, -farResidual), farResidual) / farResidual
		b.packed[0][i] = b.pack(r, 1/farResidual)
	}
}

// farResidual, in standard deviations of the numbers, is where residuals are cut off
// (as in Huber's loss), lest one of them decide all splits.
const farResidual = 8.

// heldOut returns the mean loss of rows m to n.
func (b *boosted) heldOut(m, n int) float64 {
	var sum float64
	p := make([]float64, b.outputs)
	for i := m; i < n; i++ {
		switch {
		case b.labels == nil:
			r := math.Abs(float64(b.scores[0][i]) - b.values[i])
			near := min(r, farResidual)
			sum += near * (r - near/2)
		case b.outputs == 1:
			s := float64(b.scores[0][i])
			sum += math.Log1p(math.Exp(-math.Abs(s))) + max(s, 0) - s*float64(b.labels[i])
		case b.outputs > 1:
			sum += b.softmax(p, i) - float64(b.scores[b.labels[i]][i])
		}
	}
	return sum / float64(n-m)
}

// judge scores the rows held out after a round and reports whether to go on.
func (b *boosted) judge(m, n int) bool {
	if m == n {
		b.best = len(b.rounds)
		return b.outputs > 0 && b.best < blindRounds
	}
	if loss := b.heldOut(m, n); loss < b.loss {
		b.loss, b.best, b.worse = loss, len(b.rounds), 0
		return true
	}
	b.worse++
	return b.outputs > 0 && b.worse < treePatience
}

// finish keeps the best rounds, and of the training nothing.
func (b *boosted) finish() {
	b.rounds = b.rounds[:b.best]
	b.chosen, b.labels, b.values, b.scores, b.packed = nil, nil, nil, nil, nil
}
