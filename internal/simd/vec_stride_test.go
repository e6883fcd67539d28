package simd

import (
	"slices"
	"testing"
)

func TestStride(t *testing.T) {
	t.Run("float32", testStride[float32])
	t.Run("float64", testStride[float64])
}

// testStride compares with the definitions at every length around the blocks, and
// that nothing beyond the operands changes.
func testStride[T Float](t *testing.T) {
	for n := range 70 {
		short, long := make([]T, n+3), make([]T, 2*n+5)
		for i := range short {
			short[i] = T(i) + .5
		}
		for i := range long {
			long[i] = T(3*i) - 7
		}
		want := slices.Clone(short)
		for i := range n {
			want[i] = long[2*i]
		}
		got := slices.Clone(short)
		Even(got[:n], long[:max(2*n-1, 0)])
		if !slices.Equal(got, want) {
			t.Fatalf("n = %d: Even gives %v, want %v", n, got, want)
		}
		want = slices.Clone(long)
		for i := range n {
			want[2*i] += short[i]
		}
		got = slices.Clone(long)
		AddEven(got[:max(2*n-1, 0)], short[:n])
		if !slices.Equal(got, want) {
			t.Fatalf("n = %d: AddEven gives %v, want %v", n, got, want)
		}
	}
}
