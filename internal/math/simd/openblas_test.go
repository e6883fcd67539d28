//go:build openblas

package simd

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas"

	"tattle/internal/math/simd/openblas"
)

// BenchmarkGemmVsOpenBLAS times both in turn, so that the ratio (ours to
// OpenBLAS's rate) means something on a busy machine: the median over pairs.
func BenchmarkGemmVsOpenBLAS(b *testing.B) {
	openblas.SetThreads(min(2, runtime.GOMAXPROCS(0)))
	b.Logf("%s", openblas.Config())
	for _, s := range gemmShapes {
		b.Run(fmt.Sprintf("f32/%s", s.name), func(b *testing.B) {
			compareGemm(b, s, openblas.Implementation{}.Sgemm)
		})
		b.Run(fmt.Sprintf("f64/%s", s.name), func(b *testing.B) {
			compareGemm(b, s, openblas.Implementation{}.Dgemm)
		})
	}
}

type blasGemm[T Float] func(tA, tB blas.Transpose, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int)

func compareGemm[T Float](b *testing.B, s gemmShape, theirs blasGemm[T]) {
	// OpenBLAS's threads spin for 2^28 cycles after a call, on cores that ours
	// then lack: let them go to sleep first. Both sides start from the same rest,
	// and a turn does at least 10 GFLOP, so that waking up does not count.
	const rest = 150 * time.Millisecond
	x, y, z, lda, ldb, ldc := operands[T](s)
	tA, tB := blas.NoTrans, blas.NoTrans
	if s.transA {
		tA = blas.Trans
	}
	if s.transB {
		tB = blas.Trans
	}
	runs := 1 + int(1e10/s.flops())
	turn := func(f func()) float64 {
		time.Sleep(rest)
		f()
		start := time.Now()
		for range runs {
			f()
		}
		return float64(runs) * s.flops() / time.Since(start).Seconds() / 1e9
	}
	var ratios, our, their []float64
	for b.Loop() {
		g := turn(func() { Gemm(s.transA, s.transB, s.m, s.n, s.k, 1, x, lda, y, ldb, 0, z, ldc) })
		o := turn(func() { theirs(tA, tB, s.m, s.n, s.k, 1, x, lda, y, ldb, 0, z, ldc) })
		our, their, ratios = append(our, g), append(their, o), append(ratios, g/o)
	}
	b.ReportMetric(median(our), "GFLOP/s")
	b.ReportMetric(median(their), "openblas-GFLOP/s")
	b.ReportMetric(median(ratios), "ratio")
	b.ReportMetric(1/median(ratios), "x-openblas") // of the time
	b.ReportMetric(0, "ns/op")
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}
