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

// softmaxLoss is the mean over n rows of −log softmax(z·W)_label and a ridge.
type softmaxLoss struct {
	z         []float32 // [n, stride], the last column of ones
	labels    []int32
	n, stride int
	k         int     // classes
	ridge     float64 // per row

	at       []float64 // where value and gradient were taken, nil at first
	value    float64
	gradient []float64
	w, g     []float32 // [stride, k]
	scores   []float32 // [n, k]
	sums     []float64 // of blocks
}

// softmaxRegression fits the classes that are present.
func softmaxRegression(ctx context.Context, z []float32, n int, ridge float64, t Target) (linearModel, error) {
	r, labels, _ := newResponse(t)
	m := linearModel{response: r}
	stride, k := len(z)/n, r.scores()
	start := make([]float64, stride*k)
	for i, s := range r.shares(labels) {
		start[(stride-1)*k+i] = math.Log(s)
	}
	l := newSoftmaxLoss(z, labels, stride, k, ridge*float64(stride-1)/float64(n))
	w, err := l.minimise(ctx, start)
	if err != nil {
		return m, err
	}
	m.weights = make([]float32, len(w))
	for i, v := range w {
		m.weights[i] = float32(v)
	}
	return m, nil
}

func newSoftmaxLoss(z []float32, labels []int32, stride, k int, ridge float64) *softmaxLoss {
	n := len(labels)
	return &softmaxLoss{
		z: z, labels: labels, n: n, stride: stride, k: k, ridge: ridge,
		gradient: make([]float64, stride*k), w: make([]float32, stride*k), g: make([]float32, stride*k),
		scores: make([]float32, n*k), sums: make([]float64, (n+lossBlock-1)/lossBlock),
	}
}

// minimise returns the weights, [stride, k]. The loss is strictly convex, except for a constant
// added to all intercepts, so L-BFGS converges. It has converged when the line search finds no
// differences between values any more.
func (l *softmaxLoss) minimise(ctx context.Context, start []float64) ([]float64, error) {
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
func (l *softmaxLoss) evaluate(w []float64) {
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
			l.sums[b] = l.residuals(b*lossBlock, min(l.n, (b+1)*lossBlock))
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
func (l *softmaxLoss) residuals(lo, hi int) (loss float64) {
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
