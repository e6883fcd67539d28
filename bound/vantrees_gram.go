package bound

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"tattle/internal/simd"
	"tattle/nn"
)

// meanGram returns the mean of JᵀJ over inputs x, [·, p], J from float32 products: it only
// directs a search.
func (a *affinities) meanGram(ctx context.Context, x []float32) ([]float64, error) {
	p, _ := a.m.Dims()
	sum := make([]float64, p*p)
	if !finite32(x) {
		return nil, fmt.Errorf("van Trees bound: the prior has draws that are not finite")
	}
	if err := addGrams(ctx, sum, a.m, x, float64(p)/float64(len(x)), a.count); err != nil {
		return nil, err
	}
	simd.Mirror(p, sum, p)
	if s := simd.SumSquares(sum); math.IsNaN(s) || math.IsInf(s, 0) {
		return nil, fmt.Errorf("the Jacobian of the features is not finite: the model's weights are too large")
	}
	return sum, nil
}

// addGrams adds alpha·JᵀJ at every input of x, [·, p], to the lower triangle of sum,
// and reports how many more inputs are done.
func addGrams(ctx context.Context, sum []float64, m nn.Model, x []float32, alpha float64, onProgress func(more int)) error {
	p, n := m.Dims()
	on := activity(m.Linearize(x), len(x)/p*n)
	size := max(1, min(rowGroupSize, rowBudget/(p*n)))
	point, rows := make([]float32, size*p), []float64(nil)
	for _, group := range groupByRows(on, n, size) {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i, k := range group.at {
			copy(rowOf(point, i, p), rowOf(x, k, p))
		}
		rows = rows[:0]
		for _, j := range jacobians(ctx, m.Linearize(point[:len(group.at)*p]), len(group.at), p, n) {
			rows = append(rows, j.Rows...)
		}
		simd.Gram(true, p, len(rows)/p, alpha, rows, p, 1, sum, p)
		onProgress(len(group.at))
	}
	return nil
}

// posterior returns (G + Σ⁻¹)⁻¹ = Tᵀ T with Σ = RᵀR, I + R G Rᵀ = L Lᵀ and T =
// L⁻¹R, given R as root: no inverse of Σ is formed, and the matrix that is factored has
// no eigenvalue below 1.
func posterior(root, g []float64, p int) ([]float64, error) {
	rg, inner := make([]float64, p*p), make([]float64, p*p)
	simd.Gemm(false, false, p, p, p, 1, root, p, g, p, 0, rg, p)
	simd.Gemm(false, true, p, p, p, 1, rg, p, root, p, 0, inner, p)
	for i := range p {
		inner[i*p+i]++
	}
	var c mat.Cholesky
	if !c.Factorize(mat.NewSymDense(p, inner)) {
		return nil, fmt.Errorf("the information of the release is not finite: the noise is too weak")
	}
	var lower mat.TriDense
	c.LTo(&lower)
	var t mat.Dense
	if err := lower.SolveTo(&t, false, mat.NewDense(p, p, root)); err != nil {
		return nil, fmt.Errorf("van Trees bound: %w", err)
	}
	simd.Gemm(true, false, p, p, p, 1, t.RawMatrix().Data, p, t.RawMatrix().Data, p, 0, inner, p)
	return inner, nil
}
