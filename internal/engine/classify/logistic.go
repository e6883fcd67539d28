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
// looks at uncorrelated components of the standardised columns, each scaled to
// variance 1. So what is hidden in a faint direction counts as what is plain, and
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
	shape
	*scaler
	models []linearModel
}

// linearModel is what was learned of one target.
type linearModel struct {
	response
	weights   []float64 // [d, scores], of the standardised columns
	intercept []float64 // [scores]
}

// Fit minimises the ridged loss by L-BFGS. The seed is not used.
func (l Logistic) Fit(ctx context.Context, rows Rows, targets []Target, seed uint64) (Fitted, error) {
	s, err := check(l, rows, targets)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	white, ridge := rows.white(), cmp.Or(l.ridge, logisticRidge)
	f, stride := &linear{shape: s, scaler: white.scaler}, white.r+1
	z := make([]float32, 0, rows.Len()*stride)
	for _, at := range rows.at {
		z = append(z, white.z[at*stride:][:stride]...)
	}
	for _, t := range targets {
		loss := newLinearLoss(z, stride, ridge*float64(white.r)/float64(rows.Len()), t)
		w, err := loss.minimise(ctx)
		if err != nil {
			return nil, err
		}
		k := loss.k
		m := linearModel{loss.response, make([]float64, white.d*k), w[white.r*k:]}
		if white.r > 0 {
			simd.Gemm(false, false, white.d, k, white.r, 1, white.w, white.r, w, k, 0, m.weights, k)
		}
		f.models = append(f.models, m)
	}
	return f, nil
}

// linearBlock rows are guessed at once, while they are at hand.
const linearBlock = 256

// Predict gives log-odds of the classes up to a constant, or numbers.
func (f *linear) Predict(ctx context.Context, dst [][]float32, rows Rows) error {
	n, d := f.check(dst, rows), f.d
	z := make([]float64, min(n, linearBlock)*d)
	for lo := 0; lo < n; lo += linearBlock {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(n, lo+linearBlock)
		for i := lo; i < hi; i++ {
			standardise(f.scaler, farthest, z[(i-lo)*d:], rows.Row(i))
		}
		for t, w := range f.widths {
			if dst[t] != nil {
				f.models[t].predict(dst[t][lo*w:hi*w], z[:(hi-lo)*d], hi-lo)
			}
		}
	}
	return nil
}

func (m *linearModel) predict(dst []float32, z []float64, n int) {
	k, d := m.scores(), len(z)/n
	sums, scores := make([]float64, n*k), make([]float32, n*k)
	simd.Gemm(false, false, n, k, d, 1, z, d, m.weights, k, 0, sums, k)
	for i, v := range sums {
		scores[i] = float32(v + m.intercept[i%k])
	}
	m.deliver(dst, scores)
}
