package lsqr

import (
	"math/rand/v2"
	"testing"

	"tattle/internal/simd"
)

// gemm is one matrix for all systems.
type gemm struct {
	n int
	a []float32
}

func (g gemm) Dims() (rows, cols int) { return g.n, g.n }

func (g gemm) Mul(dst, v []float32) {
	simd.Gemm(false, true, len(v)/g.n, g.n, g.n, 1, v, g.n, g.a, g.n, 0, dst, g.n)
}

func (g gemm) MulTrans(dst, u []float32) {
	simd.Gemm(false, false, len(u)/g.n, g.n, g.n, 1, u, g.n, g.a, g.n, 0, dst, g.n)
}

// The vector work should be small beside the products.
func BenchmarkStep(b *testing.B) {
	const n, batch, steps = 784, 200, 10
	r := rand.New(rand.NewPCG(1, 2))
	normal := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(r.NormFloat64())
		}
		return x
	}
	op, rhs := gemm{n, normal(n * n)}, normal(batch*n)
	b.Run("solve", func(b *testing.B) {
		var s Solver[float32]
		for b.Loop() {
			s.Solve(op, rhs, batch, Options{ATol: -1, BTol: -1, MaxIter: steps})
		}
		b.ReportMetric(float64(b.N)*batch*steps/b.Elapsed().Seconds(), "steps/s")
	})
	b.Run("products", func(b *testing.B) {
		dst := make([]float32, len(rhs))
		for b.Loop() {
			for range steps {
				op.Mul(dst, rhs)
				op.MulTrans(dst, rhs)
			}
		}
		b.ReportMetric(float64(b.N)*batch*steps/b.Elapsed().Seconds(), "steps/s")
	})
}
