package simd

import (
	"slices"
	"testing"
)

func TestStride(t *testing.T) {
	t.Run("float32", testStride[float32])
	t.Run("float64", testStride[float64])
}

func TestInterleave(t *testing.T) {
	t.Run("float32", testInterleave[float32])
	t.Run("float64", testInterleave[float64])
}

// testInterleave compares with the definitions, that nothing between the rows
// changes, and the way there and back.
func testInterleave[T Float](t *testing.T) {
	for n := range 40 {
		for rows := range 4 {
			stride := 2*n + 3
			src := make([]T, rows*stride+5)
			for i := range src {
				src[i] = T(i) + .5
			}
			even, odd := make([]T, rows*n), make([]T, rows*n)
			Deinterleave(even, odd, src, rows, n, stride)
			dst := make([]T, len(src))
			Interleave(dst, even, odd, rows, n, stride)
			for i, v := range dst {
				r, c := i/stride, i%stride
				switch {
				case r >= rows || c >= 2*n:
					if v != 0 {
						t.Fatalf("%d rows of %d: element %d outside the pairs is %v", rows, n, i, v)
					}
				case v != src[i] || c%2 == 0 && even[r*n+c/2] != v || c%2 == 1 && odd[r*n+c/2] != v:
					t.Fatalf("%d rows of %d: element %d is %v there and back", rows, n, i, v)
				}
			}
		}
	}
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
