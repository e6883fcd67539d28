package simd

import (
	"math/rand/v2"
	"testing"
)

// No small product and no normalised row touches memory beside its slices.
func TestSmallStaysInside(t *testing.T) {
	both(t, testSmallStaysInside[float32], testSmallStaysInside[float64])
}

func testSmallStaysInside[T Float](t *testing.T) {
	const most = 70
	var p [4]pages
	for i := range p {
		p[i] = newPages(t, most*most*8)
	}
	r := rand.New(rand.NewPCG(23, 24))
	var s Small[T]
	for range 1000 {
		m, n, k, atEnd := 1+r.IntN(most), 1+r.IntN(most), 1+r.IntN(most), r.IntN(2) == 0
		transA, transB := r.IntN(2) == 0, r.IntN(2) == 0
		lda, ldb := k, n
		if transA {
			lda = m
		}
		if transB {
			ldb = k
		}
		c := slice[T](p[2], m*n, atEnd)
		s.Right(transB, k, n, slice[T](p[1], k*n, atEnd), ldb)
		s.MulTo(c, transA, m, slice[T](p[0], m*k, atEnd), lda)
		for i, v := range c {
			if v != T(k) {
				t.Fatalf("%d×%d×%d: element %d is %v", m, k, n, i, v)
			}
		}
	}
	for n := range 40 {
		for _, atEnd := range []bool{true, false} {
			a, b := slice[T](p[0], n, atEnd), slice[T](p[1], n, atEnd)
			c, d := slice[T](p[2], n, atEnd), slice[T](p[3], n, atEnd)
			NormForward(a, b, c, d, 1, 1)
			NormTangent(a, b, c, d, 1, 1, 1)
			NormCotangent(a, b, c, d, 1, 1, 1)
			NormSums(a, b, c)
			NormGradient(a, b, c, d, 1, 1)
		}
	}
}
