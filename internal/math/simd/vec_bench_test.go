package simd

import (
	"fmt"
	"testing"
	"unsafe"
)

// Sizes in elements: in the first cache, in the second, and in memory.
var benchSizes = []int{1 << 10, 1 << 16, 1 << 24}

func BenchmarkVector32(b *testing.B) { benchmarkLoops[float32](b) }

func BenchmarkVector64(b *testing.B) { benchmarkLoops[float64](b) }

type benchmarkedLoop struct {
	name    string
	streams int // arrays read or written
	run     func()
}

// loopsOfOneType are those that there are for float32 or for float64 alone.
func loopsOfOneType[T Float](x, y, z []T) (loops []benchmarkedLoop) {
	switch x := any(x).(type) {
	case []float32:
		y, z := any(y).([]float32), any(z).([]float32)
		words := make([]uint64, len(x)/64)
		loops = []benchmarkedLoop{
			{"SumAndSquares", 1, func() { SumAndSquares(x) }},
			{"DotAndSum", 2, func() { DotAndSum(y, x) }},
			{"DropoutMask", 1, func() { DropoutMask(words, 1, 0, .75) }}, // of bits: as an array of numbers
		}
		for _, f := range transcendentals() {
			loops = append(loops, benchmarkedLoop{f.name, 3, func() { f.apply(z, y, x) }})
		}
	case []float64:
		z := any(z).([]float64)
		loops = []benchmarkedLoop{{"ExpSums", 2, func() { ExpSums(z, x, 0, -60) }}, {"Rank", 1, func() { Rank(x, -3, -3) }}}
	}
	return loops
}

// benchmarkLoops reports the bytes that a loop reads and writes.
func benchmarkLoops[T Float](b *testing.B) {
	for _, n := range benchSizes {
		x, y, z := make([]T, n), make([]T, n), make([]T, n)
		for i := range x {
			x[i], y[i], z[i] = T(i%17)-8, T(i%13)-6, 1
		}
		loops := []benchmarkedLoop{
			{"copy", 2, func() { copy(z, x) }},
			{"Axpy", 3, func() { Axpy(1e-9, x, z) }},
			{"Add", 3, func() { Add(z, x, y) }},
			{"Dot", 2, func() { Dot(x, y) }},
			{"Sum", 1, func() { Sum(x) }},
			{"MaxAbs", 1, func() { MaxAbs(x) }},
			{"ReLU", 2, func() { Rectify(z, x, x, 0) }},
			{"ReLUMask", 3, func() { Rectify(z, x, y, 0) }},
			{"ScaleShift", 2, func() { ScaleShift(z, x, 2, 3) }},
			{"Combine", 3, func() { Combine(z, x, y, 2, 3, 4) }},
		}
		for _, k := range append(loops, loopsOfOneType(x, y, z)...) {
			b.Run(fmt.Sprintf("%s/%d", k.name, n), func(b *testing.B) {
				measure(b, float64(n)*float64(k.streams)*float64(unsafe.Sizeof(x[0])), k.run)
			})
		}
	}
}

// BenchmarkAdam compares the step, which reads four arrays and writes three, with
// a copy of as many bytes, on one core and on all.
func BenchmarkAdam(b *testing.B) {
	for _, n := range []int{1_200_000, 38_000_000} {
		var s [4][]float32
		for i := range s {
			s[i] = make([]float32, n)
			for j := range s[i] {
				s[i][j] = float32(j%7) * .01
			}
		}
		p := AdamRule{Rate: 1e-3, Beta1: .9, Beta2: .999, Epsilon: 1e-8}.At(5)
		step := func(lo, hi int) { AdamStep(s[0][lo:hi], s[1][lo:hi], s[2][lo:hi], s[3][lo:hi], p) }
		halves := func(lo, hi int) { copy(s[0][lo:hi], s[1][lo:hi]); copy(s[2][lo:hi], s[3][lo:hi]) }
		for _, k := range []struct {
			name    string
			streams float64
			run     func()
		}{
			{"copy", 4, func() { halves(0, n) }},
			{"step", 7, func() { step(0, n) }},
			{"copy/cores", 4, func() { Parallel(n, 1<<16, halves) }},
			{"step/cores", 7, func() { Parallel(n, 1<<16, step) }},
		} {
			b.Run(fmt.Sprintf("%d/%s", n, k.name), func(b *testing.B) { measure(b, 4*k.streams*float64(n), k.run) })
		}
	}
}

func measure(b *testing.B, bytes float64, run func()) {
	b.ReportAllocs()
	for b.Loop() {
		run()
	}
	b.ReportMetric(bytes*float64(b.N)/b.Elapsed().Seconds()/1e9, "GB/s")
}
