package simd

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"tattle/internal/must"
)

// pages is memory between two pages that no one may touch.
type pages []byte

func newPages(t *testing.T, size int) pages {
	t.Helper()
	page := unix.Getpagesize()
	size = (size + page - 1) / page * page
	all := must.Get(unix.Mmap(-1, 0, size+2*page, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE))(t)
	t.Cleanup(func() { unix.Munmap(all) })
	inside := all[page : page+size]
	must.Do(t, unix.Mprotect(inside, unix.PROT_READ|unix.PROT_WRITE))
	return pages(inside)
}

// slice returns n ones that end with the pages or begin with them.
func slice[T Float | uint64](p pages, n int, atEnd bool) []T {
	if n == 0 {
		return nil
	}
	at := 0
	if atEnd {
		at = len(p) - n*int(unsafe.Sizeof(T(0)))
	}
	x := unsafe.Slice((*T)(unsafe.Pointer(&p[at])), n)
	for i := range x {
		x[i] = 1
	}
	return x
}

// No loop touches memory beside its slices: an access beyond the pages ends the
// test with a fault.
func TestLoopsStayInside(t *testing.T) {
	both(t, testLoopsStayInside[float32], testLoopsStayInside[float64])
}

func testLoopsStayInside[T Float](t *testing.T) {
	var p [4]pages
	for i := range p {
		p[i] = newPages(t, 4096)
	}
	for n := range 80 {
		for _, atEnd := range []bool{true, false} {
			of := func(i, n int) []T { return slice[T](p[i], n, atEnd) }
			of32 := func(i int) []float32 { return slice[float32](p[i], n, atEnd) }
			for _, k := range elementwiseKernels[T]() {
				k.run(of(0, n), of(1, n), of(2, n))
			}
			Dot(of(0, n), of(1, n))
			Sum(of(0, n))
			MaxAbs(of(0, n))
			SumAndSquares(of32(0))
			DotAndSum(of32(0), of32(1))
			Rank(slice[float64](p[0], n, atEnd), 0, 1)
			ExpSums(slice[float64](p[0], n, atEnd), slice[float64](p[1], n, atEnd), 2, -60)
			AdamStep(of32(0), of32(1), of32(2), of32(3), AdamRule{}.At(1))
			DropoutMask(slice[uint64](p[0], n, atEnd), 1, uint64(n), .5)
			for offset := range 9 {
				c := Channel{A: 1, Slope: .1, Scale: 2, Mask: slice[uint64](p[3], MaskWords(offset+n), atEnd)}
				c.Forward(of32(0), of32(1), offset, n%2 == 0)
				c.Sums(of32(0), of32(1), offset)
				c.Combine(of32(0), of32(1), of32(2), 1, 2, 3, offset, n%2 == 0)
			}
			for rows := 1; rows < 4; rows++ {
				CopyRows(of(0, rows*n), of(1, (rows-1)*(2*n+1)+n), rows, n, n, 2*n+1)
				Even(of(0, rows*n), of(1, max(rows*2*n-1, 0)), rows, n, n, 2*n)
				AddEven(of(1, max(rows*2*n-1, 0)), of(0, rows*n), rows, n, 2*n, n)
				Deinterleave(of(0, rows*n), of(1, rows*n), of(2, (rows-1)*(2*n+1)+2*n), rows, n, 2*n+1)
				Interleave(of(2, (rows-1)*(2*n+1)+2*n), of(0, rows*n), of(1, rows*n), rows, n, 2*n+1)
			}
			for rows := range 6 {
				AddRows(of(0, rows*n), rows, n, of(1, n))
				SumRows(of(1, n), rows, n, of(0, rows*n))
			}
		}
	}
}

func TestProductsStayInside(t *testing.T) {
	both(t, testProductsStayInside[float32], testProductsStayInside[float64])
}

func testProductsStayInside[T Float](t *testing.T) {
	const most = 101
	var p [3]pages
	for i := range p {
		p[i] = newPages(t, most*(most+3)*8)
	}
	r := rand.New(rand.NewPCG(19, 20))
	sizes := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 15, 16, 17, 31, 32, 33, 50, 96, most}
	size := func() int { return sizes[r.IntN(len(sizes))] }
	var packed Packed[T]
	for range 3000 {
		m, n, k, atEnd := size(), size(), size(), r.IntN(2) == 0
		transA, transB, beta := r.IntN(2) == 0, r.IntN(2) == 0, T(r.IntN(3))
		operand := func(i, rows, cols int, trans bool) (x []T, ld int) {
			if trans {
				rows, cols = cols, rows
			}
			ld = cols + r.IntN(4)
			return slice[T](p[i], (rows-1)*ld+cols, atEnd), ld
		}
		a, lda := operand(0, m, k, transA)
		b, ldb := operand(1, k, n, transB)
		c, ldc := operand(2, m, n, false)
		Gemm(transA, transB, m, n, k, 1, a, lda, b, ldb, beta, c, ldc)
		packed.Pack(transB, k, n, b, ldb)
		GemmPacked(transA, m, 1, a, lda, &packed, 0, c, ldc)
		for i := range m {
			for j, v := range c[i*ldc:][:n] {
				if v != T(k) {
					t.Fatalf("%s: element %d,%d is %v", fmt.Sprint(m, n, k, transA, transB), i, j, v)
				}
			}
		}
	}
}

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
			NormGradient(a, b, c, d, 1, 1)
		}
	}
}
