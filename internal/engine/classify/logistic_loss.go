package classify

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/optimize"

	"tattle/internal/math/simd"
)

const (
	// logisticSteps bounds the steps of L-BFGS. Components of variance 1 leave a
	// condition for which some twenty do, unless the classes are separable, when what
	// further steps gain is steepness alone.
	logisticSteps = 150
	// logisticGradient is the largest entry of the mean gradient at which the weights
	// count as found: the rounding of the float32 products is about 10⁻⁷.
	logisticGradient = 1e-5
	// logisticChange, over logisticPatience steps, is a change of the mean loss in nats
	// that moves no guess.
	logisticChange   = 1e-7
	logisticPatience = 5
	// lossBlock rows are one term of the loss's sum, so that it does not depend on the
	// number of cores.
	lossBlock = 1024
)

// linearLoss is the mean over n rows of −log softmax(z·W)_label, or half the squared error of numbers, and a ridge.
type linearLoss struct {
	response
	z         []float32 // [n, stride], the last column of ones
	labels    []int32
	values    []float64
	n, stride int
	k         int     // scores of a row
	ridge     float64 // per row

	at       []float64 // where value and gradient were taken, nil at first
	value    float64
	gradient []float64
	w, g     []float32 // [stride, k]
	scores   []float32 // [n, k]
	sums     []float64 // of blocks
}

func newLinearLoss(z []float32, stride int, ridge float64, t Target) *linearLoss {
	n := len(z) / stride
	l := &linearLoss{z: z, n: n, stride: stride, ridge: ridge, sums: make([]float64, (n+lossBlock-1)/lossBlock)}
	l.response, l.labels, l.values = newResponse(t)
	l.k = l.response.scores()
	l.gradient, l.w, l.g = make([]float64, stride*l.k), make([]float32, stride*l.k), make([]float32, stride*l.k)
	l.scores = make([]float32, n*l.k)
	return l
}

// minimise returns the weights, [stride, k], starting from a guess that is the same for all rows. The loss is strictly convex, except for a
// constant added to all intercepts, so L-BFGS converges. It has converged when the line search finds no
// differences between values any more.
func (l *linearLoss) minimise(ctx context.Context) ([]float64, error) {
	start := make([]float64, l.stride*l.k)
	for i, s := range l.constant(l.labels) {
		start[(l.stride-1)*l.k+i] = float64(s)
	}
	problem := optimize.Problem{
		Func:   func(w []float64) float64 { l.evaluate(w); return l.value },
		Grad:   func(g, w []float64) { l.evaluate(w); copy(g, l.gradient) },
		Status: func() (optimize.Status, error) { return optimize.NotTerminated, ctx.Err() },
	}
	settings := &optimize.Settings{
		GradientThreshold: logisticGradient, MajorIterations: logisticSteps,
		Converger: &optimize.FunctionConverge{Absolute: logisticChange, Iterations: logisticPatience},
	}
	r, err := optimize.Minimize(problem, start, settings, &optimize.LBFGS{})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if r == nil {
		return nil, fmt.Errorf("logistic: %w", err)
	}
	return r.X, nil
}

// evaluate computes value and gradient at w, once even if both are requested.
func (l *linearLoss) evaluate(w []float64) {
	if l.at != nil && slices.Equal(l.at, w) {
		return
	}
	l.at = append(l.at[:0], w...)
	for i, v := range w {
		l.w[i] = float32(v)
	}
	simd.Gemm(false, false, l.n, l.k, l.stride, 1, l.z, l.stride, l.w, l.k, 0, l.scores, l.k)
	simd.Parallel(len(l.sums), 1, func(lo, hi int) {
		for b := lo; b < hi; b++ {
			if lo, hi := b*lossBlock, min(l.n, (b+1)*lossBlock); l.values == nil {
				l.sums[b] = l.residuals(lo, hi)
			} else {
				l.sums[b] = l.errors(lo, hi)
			}
		}
	})
	simd.Gemm(true, false, l.stride, l.k, l.n, 1, l.z, l.stride, l.scores, l.k, 0, l.g, l.k)
	l.value = 0
	for _, s := range l.sums {
		l.value += s / float64(l.n)
	}
	for i, g := range l.g {
		l.gradient[i] = float64(g) / float64(l.n)
	}
	for i := range l.gradient[:(l.stride-1)*l.k] {
		l.value += .5 * l.ridge * w[i] * w[i]
		l.gradient[i] += l.ridge * w[i]
	}
}

// residuals returns the loss of rows lo to hi and turns their scores into
// softmax − onehot.
func (l *linearLoss) residuals(lo, hi int) (loss float64) {
	for i := lo; i < hi; i++ {
		s := l.scores[i*l.k : (i+1)*l.k]
		top := simd.Max(s)
		label := l.labels[i]
		loss += float64(top - s[label])
		for c := range s {
			s[c] -= top
		}
		simd.Exp(s, s)
		var sum float64
		for _, e := range s {
			sum += float64(e)
		}
		loss += math.Log(sum)
		for c := range s {
			s[c] = float32(float64(s[c]) / sum)
		}
		s[label]--
	}
	return loss
}

// errors returns the loss of rows lo to hi of numbers and turns their scores into score − number.
func (l *linearLoss) errors(lo, hi int) (loss float64) {
	for i := lo; i < hi; i++ {
		e := float64(l.scores[i]) - l.values[i]
		loss += e * e / 2
		l.scores[i] = float32(e)
	}
	return loss
}
