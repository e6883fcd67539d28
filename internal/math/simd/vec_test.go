package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"tattle/internal/must"
)

// lengths covers every tail of the kernels, then a few passes of the main loops.
func lengths() []int {
	var n []int
	for i := range 71 {
		n = append(n, i)
	}
	return append(n, 255, 1000, 4097)
}

func both(t *testing.T, f32 func(*testing.T), f64 func(*testing.T)) {
	t.Run("float32", f32)
	t.Run("float64", f64)
}

// awkward returns n numbers off the alignment of their array, with zeros of both
// signs, denormals and equal magnitudes among them; rare ones hold NaN and ±Inf.
func awkward[T Float](r *rand.Rand, n int, rare bool) []T {
	x := make([]T, n+3)[3:]
	tiny := T(math.SmallestNonzeroFloat32)
	odd := []T{0, T(math.Copysign(0, -1)), tiny, -tiny, 1, -1}
	if rare {
		odd = append(odd, T(math.NaN()), T(math.Inf(1)), T(math.Inf(-1)))
	}
	for i := range x {
		if r.IntN(4) == 0 {
			x[i] = odd[r.IntN(len(odd))]
		} else {
			x[i] = T(r.NormFloat64())
		}
	}
	return x
}

// normal returns n normal numbers.
func normal[T Float](r *rand.Rand, n int) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = T(r.NormFloat64())
	}
	return x
}

// epsilonOf is the unit roundoff.
func epsilonOf[T Float]() float64 {
	if any(T(0)) == any(float32(0)) {
		return 0x1p-24
	}
	return 0x1p-53
}

// elementwise is one loop dst[i] = f(a[i], b[i]): the kernel, what it is in
// float64 and how many roundings of numbers no larger than scale may lie between.
// Without roundings the two must agree to the bit.
type elementwise[T Float] struct {
	name  string
	run   func(dst, a, b []T)
	want  func(a, b float64) float64
	scale func(a, b float64) float64
	exact bool
}

func elementwiseKernels[T Float]() []elementwise[T] {
	const k, l, c = 0.75, -1.5, 0.375
	slope := float64(T(0.01))
	abs := func(x float64) float64 { // of an input that counts: one that does not may be NaN
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return 0
		}
		return math.Abs(x)
	}
	sumOf := func(a, b float64) float64 { return abs(a) + abs(b) + 2 }
	return []elementwise[T]{
		{"Axpy", func(d, a, b []T) { copy(d, b); Axpy(k, a, d) }, func(a, b float64) float64 { return k*a + b }, sumOf, false},
		{"Scale", func(d, a, b []T) { copy(d, a); Scale(k, d) }, func(a, b float64) float64 { return k * a }, sumOf, false},
		{"Add", Add[T], func(a, b float64) float64 { return a + b }, sumOf, false},
		{"Mul", Mul[T], func(a, b float64) float64 { return a * b }, func(a, b float64) float64 { return abs(a * b) }, false},
		{"ScaleShift", func(d, a, b []T) { ScaleShift(d, a, k, l) }, func(a, b float64) float64 { return k*a + l }, sumOf, false},
		{"Combine", func(d, a, b []T) { Combine(d, a, b, k, l, c) }, func(a, b float64) float64 { return k*a + l*b + c }, func(a, b float64) float64 { return 2 * sumOf(a, b) }, false},
		{"Rectify to zero", func(d, a, b []T) { Rectify(d, b, a, 0) }, func(a, b float64) float64 { return rectified(b, a, 0) }, nil, true},
		{"Rectify", func(d, a, b []T) { Rectify(d, b, a, T(slope)) }, func(a, b float64) float64 { return rectified(b, a, slope) }, sumOf, false},
	}
}

func rectified(d, x, slope float64) float64 {
	if x <= 0 {
		return sloped(d, slope)
	}
	return d
}

func TestElementwise(t *testing.T) { both(t, testElementwise[float32], testElementwise[float64]) }

// testElementwise also holds that an element has the same bytes wherever it stands.
func testElementwise[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, k := range elementwiseKernels[T]() {
		for _, n := range lengths() {
			a, b := awkward[T](r, n, true), awkward[T](r, n, true)
			keepA, keepB := append([]T{}, a...), append([]T{}, b...)
			dst := make([]T, n+2)
			dst[0], dst[n+1] = 7, 7
			k.run(dst[1:n+1], a, b)
			if dst[0] != 7 || dst[n+1] != 7 {
				t.Fatalf("%s wrote outside %d elements", k.name, n)
			}
			for i, got := range dst[1 : n+1] {
				x, y := float64(keepA[i]), float64(keepB[i])
				if !k.agrees(float64(got), x, y) {
					t.Fatalf("%s of %d: element %d of (%v, %v) is %v, want %v", k.name, n, i, x, y, got, k.want(x, y))
				}
				if !sameBits(a[i], keepA[i]) || !sameBits(b[i], keepB[i]) {
					t.Fatalf("%s changed an input", k.name)
				}
			}
			cut, parts := r.IntN(n+1), make([]T, n)
			k.run(parts[:cut], a[:cut], b[:cut])
			k.run(parts[cut:], a[cut:], b[cut:])
			assertSame(t, fmt.Sprintf("%s of %d cut at %d", k.name, n, cut), parts, dst[1:n+1])
			k.testAliases(t, dst[1:n+1], a, b)
		}
	}
}

func (k elementwise[T]) agrees(got, x, y float64) bool {
	want := k.want(x, y)
	if strings.HasSuffix(k.name, "Shift") && math.IsInf(x, 0) && k.name != "ScaleShift" {
		return true // the difference of two infinities
	}
	if math.IsNaN(want) {
		return math.IsNaN(got)
	}
	if k.exact || math.IsInf(want, 0) || got == want {
		return sameBits(got, want) || !k.exact && got == want
	}
	return math.Abs(got-want) <= 4*epsilonOf[T]()*k.scale(x, y)+math.SmallestNonzeroFloat32
}

// The destination may be the first or the second input.
func (k elementwise[T]) testAliases(t *testing.T, want, a, b []T) {
	first, second := append([]T{}, a...), append([]T{}, b...)
	if k.name != "Axpy" {
		k.run(first, first, b)
		assertSame(t, k.name+" onto its first input", first, want)
	}
	if k.name != "Scale" {
		k.run(second, a, second)
		assertSame(t, k.name+" onto its second input", second, want)
	}
}

func TestLengthsMustMatch(t *testing.T) {
	x, y := make([]float32, 3), make([]float32, 4)
	calls := map[string]func(){
		"Axpy": func() { Axpy(1, x, y) }, "Add": func() { Add(x, x, y) }, "Dot": func() { Dot(x, y) },
		"Rectify": func() { Rectify(x, y, x, 1) }, "Combine": func() { Combine(x, y, x, 1, 1, 1) },
		"AddRows": func() { AddRows(x, 1, 3, y) }, "SumRows": func() { SumRows(y, 1, 3, x) },
		"AdamStep":  func() { AdamStep(x, x, x, y, AdamCoefficients{}) },
		"DotAndSum": func() { DotAndSum(x, y) }, "Even": func() { Even(x, y[:4:4], 1, 3, 3, 5) }, "Even within the capacity": func() { Even(x, make([]float32, 4, 9), 1, 3, 3, 5) },
		"AddEven within the capacity": func() { AddEven(make([]float32, 4, 9), x, 1, 3, 5, 3) }, "CopyRows": func() { CopyRows(x, y, 2, 2, 2, 3) },
		"CopyRows of rows that overlap": func() { CopyRows(x, y, 2, 2, 1, 2) },
		"Interleave of an overflow":     func() { Interleave(x, x[:0], x[:0], 1<<33, 1<<33, 1<<34) }, "Deinterleave": func() { Deinterleave(x, x, y, 3, 1, 1<<62) },
	}
	for name, call := range calls {
		must.Panic(t, call, name)
	}
}

func TestVectorsDoNotAllocate(t *testing.T) { both(t, testAllocs[float32], testAllocs[float64]) }

func testAllocs[T Float](t *testing.T) {
	a, b, c := make([]T, 100), make([]T, 100), make([]T, 100)
	f, g := make([]float32, 100), make([]float32, 100)
	words := make([]uint64, 3)
	channel := Channel{A: 1, Slope: 1, Scale: 1, Mask: words}
	var total T
	kernels := elementwiseKernels[T]()
	allocs := testing.AllocsPerRun(20, func() {
		for _, k := range kernels {
			k.run(a, b, c)
		}
		AddRows(a, 5, 20, b[:20])
		SumRows(a[:20], 5, 20, b)
		total += Dot(a, b) + Sum(a) + SumSquares(a) + MaxAbs(a)
		SumAndSquares(f)
		DotAndSum(f, g)
		DropoutMask(words, 1, 3, .5)
		channel.Forward(f, g, 5, true)
		channel.Sums(f, g, 5)
		channel.Combine(f, f, g, 1, 2, 3, 5, true)
		AdamStep(f, f, g, g, AdamCoefficients{})
	})
	if allocs != 0 {
		t.Fatalf("%v allocations", allocs)
	}
}

func near(t *testing.T, name string, got, want, bound float64) {
	t.Helper()
	if !(math.Abs(got-want) <= bound) {
		t.Fatalf("%s is %v, want %v within %v", name, got, want, bound)
	}
}

func sameBits[T Float](a, b T) bool {
	return a != a && b != b || math.Float64bits(float64(a)) == math.Float64bits(float64(b))
}

func assertSame[T Float](t *testing.T, name string, got, want []T) {
	t.Helper()
	for i := range want {
		if !sameBits(got[i], want[i]) {
			t.Fatalf("%s: element %d is %v, want %v", name, i, got[i], want[i])
		}
	}
}

func TestRectifyOfSpecialValues(t *testing.T) {
	nan, inf, negativeZero := float32(math.NaN()), float32(math.Inf(1)), float32(math.Copysign(0, -1))
	x := []float32{nan, inf, -inf, negativeZero, 0, 1e-45, -1e-45, 2, -2}
	d := []float32{1, 2, 3, 4, 5, 6, 7, nan, nan}
	dst := make([]float32, len(x))
	Rectify(dst, x, x, 0)
	assertSame(t, "ReLU", dst, []float32{nan, inf, 0, 0, 0, 1e-45, 0, 2, 0})
	Rectify(dst, d, x, 0)
	assertSame(t, "derivative of ReLU", dst, []float32{1, 2, 0, 0, 0, 6, 0, nan, 0})
	Rectify(dst, x, x, .5)
	assertSame(t, "LeakyReLU", dst, []float32{nan, inf, -inf, negativeZero, 0, 1e-45, negativeZero, 2, -1})
	Rectify(dst, d, x, .5)
	assertSame(t, "derivative of LeakyReLU", dst, []float32{1, 2, 1.5, 2, 2.5, 6, 3.5, nan, nan})
	for _, add := range []func(dst []float32){
		func(dst []float32) { Add(dst, []float32{negativeZero, 0}, []float32{negativeZero, negativeZero}) },
		func(dst []float32) { copy(dst, []float32{negativeZero, 0}); Axpy(-1, []float32{0, 0}, dst) },
		func(dst []float32) { copy(dst, []float32{0, negativeZero}); Scale(-1, dst) },
	} {
		add(dst[:2])
		assertSame(t, "zeros with signs", dst[:2], []float32{negativeZero, 0})
	}
}
