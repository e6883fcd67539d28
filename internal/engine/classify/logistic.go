package classify

import (
	"cmp"
	"context"

	"tattle/internal/math/simd"
)

// logisticRidge·r/2 times the squared weights of the r components is added to the loss in
// nats, summed over the rows; the intercept is free. All columns together then move a score
// by about one unit, whatever their number, so that many columns and few rows do not fit
// noise perfectly.
const logisticRidge = 1

// Logistic is multinomial logistic regression and, for numbers, linear regression. It
// looks at the principal components of the standardised columns, each scaled to
// variance 1, so that what is hidden in a faint direction counts as what is plain, and
// columns that determine one another do no harm.
type Logistic struct {
	ridge float64 // 0 is logisticRidge
}

// Name returns "logistic".
func (Logistic) Name() string { return "logistic" }

// Suits returns true.
func (Logistic) Suits(Target) bool { return true }

// linear is a fitted Logistic.
type linear struct {
	d       int
	white   *whitening
	models  []linearModel
	targets []int // widths
}

// linearModel is what was learned of one target.
type linearModel struct {
	response
	weights []float32 // [r+1, scores], the intercepts last
}

// Fit minimises the ridged loss by L-BFGS, or solves for it where targets are numbers.
// The seed is not used.
func (l Logistic) Fit(ctx context.Context, x []float32, d int, targets []Target, seed uint64) (Fitted, error) {
	n, err := check(l, x, d, targets)
	if err != nil {
		return nil, err
	}
	ridge := cmp.Or(l.ridge, logisticRidge)
	white, err := newWhitening(ctx, x, d)
	if err != nil {
		return nil, err
	}
	f := &linear{d: d, white: white, models: make([]linearModel, len(targets))}
	z := f.components(x)
	for k, t := range targets {
		f.targets = append(f.targets, t.Width())
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if t.Labels == nil {
			f.models[k] = regression(z, n, ridge, t)
		} else if f.models[k], err = softmaxRegression(ctx, z, n, ridge, t); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// components returns x's components and a column of ones, [n, r+1].
func (f *linear) components(x []float32) []float32 {
	n, stride := len(x)/f.d, f.white.r+1
	z := make([]float32, n*stride)
	f.white.rows(z, stride, x)
	for i := range n {
		z[i*stride+stride-1] = 1
	}
	return z
}

// regression returns Σ z·y/(n + ridge·r): the columns of z, but the ones, are
// orthogonal and have mean 0 and variance 1.
func regression(z []float32, n int, ridge float64, t Target) linearModel {
	r, _, values := newResponse(t)
	m := linearModel{response: r}
	stride := len(z) / n
	sums := make([]float64, stride)
	for i, y := range values {
		for c, v := range z[i*stride : (i+1)*stride] {
			sums[c] += y * float64(v)
		}
	}
	m.weights = make([]float32, stride)
	for c := range stride - 1 {
		m.weights[c] = float32(sums[c] / (float64(n) + ridge*float64(stride-1)))
	}
	return m
}

// predictBlock rows are guessed at once.
const predictBlock = 4096

// Predict gives log-odds of the classes up to a constant, or numbers.
func (f *linear) Predict(ctx context.Context, dst [][]float32, x []float32) error {
	n := checkPredict(dst, x, f.d, f.targets)
	for lo := 0; lo < n; lo += predictBlock {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(n, lo+predictBlock)
		z := f.components(x[lo*f.d : hi*f.d])
		for t, w := range f.targets {
			if dst[t] != nil {
				f.models[t].predict(dst[t][lo*w:hi*w], z, hi-lo)
			}
		}
	}
	return nil
}

func (m *linearModel) predict(dst, z []float32, n int) {
	k, stride := m.scores(), len(z)/n
	scores := make([]float32, n*k)
	simd.Gemm(false, false, n, k, stride, 1, z, stride, m.weights, k, 0, scores, k)
	m.deliver(dst, scores)
}
