package simd

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// gemmShape is one product of the engine: C[m,n] = op(A) op(B).
type gemmShape struct {
	name           string
	transA, transB bool
	m, n, k        int
}

var gemmShapes = []gemmShape{
	{"1024x784x784", false, true, 1024, 784, 784},
	{"3072x3072x3072", false, false, 3072, 3072, 3072},
	{"conv4096x128x512", false, false, 4096, 128, 512},
	{"conv128x102400x12", false, false, 128, 102400, 12},
	{"conv102400x128x12", false, true, 102400, 128, 12},
	// A batch of 32 through a layer of in → out: forward, vector-Jacobian
	// product and weight gradient.
	{"forward32x784x784", false, true, 32, 784, 784},
	{"vjp32x784x784", false, false, 32, 784, 784},
	{"grad784x784x32", true, false, 784, 784, 32},
	{"forward32x3072x3072", false, true, 32, 3072, 3072},
	{"vjp32x3072x3072", false, false, 32, 3072, 3072},
	{"grad3072x3072x32", true, false, 3072, 3072, 32},
	{"forward32x3072x9216", false, true, 32, 3072, 9216},
	{"vjp32x9216x3072", false, false, 32, 9216, 3072},
	{"grad3072x9216x32", true, false, 3072, 9216, 32},
}

func (s gemmShape) flops() float64 { return 2 * float64(s.m) * float64(s.n) * float64(s.k) }

// operands returns A, B and C with their leading dimensions.
func operands[T Float](s gemmShape) (a, b, c []T, lda, ldb, ldc int) {
	r := rand.New(rand.NewPCG(1, 1))
	fill := func(n int) []T {
		x := make([]T, n)
		for i := range x {
			x[i] = T(r.Float32() - .5)
		}
		return x
	}
	lda, ldb, ldc = s.k, s.n, s.n
	if s.transA {
		lda = s.m
	}
	if s.transB {
		ldb = s.k
	}
	return fill(s.m * s.k), fill(s.k * s.n), make([]T, s.m*s.n), lda, ldb, ldc
}

func BenchmarkGemm(b *testing.B) {
	for _, s := range gemmShapes {
		b.Run(fmt.Sprintf("f32/%s", s.name), func(b *testing.B) { benchmarkGemm[float32](b, s) })
		b.Run(fmt.Sprintf("f64/%s", s.name), func(b *testing.B) { benchmarkGemm[float64](b, s) })
	}
}

func benchmarkGemm[T Float](b *testing.B, s gemmShape) {
	x, y, z, lda, ldb, ldc := operands[T](s)
	for b.Loop() {
		Gemm(s.transA, s.transB, s.m, s.n, s.k, 1, x, lda, y, ldb, 0, z, ldc)
	}
	b.ReportMetric(s.flops()*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}
