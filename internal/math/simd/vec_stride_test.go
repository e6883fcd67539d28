package simd

import (
	"slices"
	"testing"
)

func TestStride(t *testing.T) { both(t, testStride[float32], testStride[float64]) }

func TestInterleave(t *testing.T) { both(t, testInterleave[float32], testInterleave[float64]) }

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

// testStride compares with the definitions at every length around the blocks, and that
// nothing else changes.
func testStride[T Float](t *testing.T) {
	for n := range 70 {
		for rows := range 4 {
			short, long := make([]T, rows*(n+3)+1), make([]T, rows*(2*n+2)+1)
			for i := range short {
				short[i] = T(i) + .5
			}
			for i := range long {
				long[i] = T(3*i) - 7
			}
			end := func(n, stride int) int { return max((rows-1)*stride+n, 0) } // of the last entry used
			check := func(name string, before []T, call func(dst []T), definition func(dst []T, r, i int)) {
				got, want := slices.Clone(before), slices.Clone(before)
				call(got)
				for r := range rows {
					for i := range n {
						definition(want, r, i)
					}
				}
				if !slices.Equal(got, want) {
					t.Fatalf("%d rows of %d: %s gives %v, want %v", rows, n, name, got, want)
				}
			}
			check("CopyRows", short,
				func(dst []T) { CopyRows(dst[:end(n, n+3)], long[:end(n, 2*n+2)], rows, n, n+3, 2*n+2) },
				func(dst []T, r, i int) { dst[r*(n+3)+i] = long[r*(2*n+2)+i] })
			check("Even", short,
				func(dst []T) { Even(dst[:end(n, n+3)], long[:end(2*n-1, 2*n+2)], rows, n, n+3, 2*n+2) },
				func(dst []T, r, i int) { dst[r*(n+3)+i] = long[r*(2*n+2)+2*i] })
			check("AddEven", long,
				func(dst []T) { AddEven(dst[:end(2*n-1, 2*n+2)], short[:end(n, n+3)], rows, n, 2*n+2, n+3) },
				func(dst []T, r, i int) { dst[r*(2*n+2)+2*i] += short[r*(n+3)+i] })
		}
	}
}
