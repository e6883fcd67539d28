// Package dct computes the orthonormal discrete cosine transform of type II
// over the rows and columns of images.
package dct

import (
	"fmt"
	"math"
	"slices"

	"tattle/internal/math/simd"
)

// matrix returns the orthonormal DCT-II of n points as a row-major n×n matrix,
//
//	C[k,j] = √((2 − δ(k,0))/n) · cos(π k (2j + 1)/(2n)),
//
// row k being mode k. C Cᵀ = 1. It panics unless n is positive.
func matrix(n int) []float64 {
	if n <= 0 {
		panic(fmt.Sprintf("dct: %d points", n))
	}
	c := make([]float64, n*n)
	for j := range n {
		c[j] = math.Sqrt(1 / float64(n))
	}
	for k := 1; k < n; k++ {
		for j := range n {
			c[k*n+j] = math.Sqrt(2/float64(n)) * cosine(k*(2*j+1), n)
		}
	}
	return c
}

// cosine returns cos(π m/(2n)), for m ≥ 0. The angle is reduced in integers to
// at most π/4, so the result is right to the last digit or so however large m.
func cosine(m, n int) float64 {
	m %= 4 * n // cos has period 2π
	m = min(m, 4*n-m)
	sign := 1.0
	if m > n { // beyond π/2
		m, sign = 2*n-m, -1
	}
	if 2*m > n {
		return sign * math.Sin(math.Pi*float64(n-m)/float64(2*n))
	}
	return sign * math.Cos(math.Pi*float64(m)/float64(2*n))
}

// A Plan transforms batches of images of one size. It keeps scratch space: it
// is not safe for concurrent use.
type Plan struct {
	rows, cols   int
	overRows     []float64 // the matrix applied down the columns, rows×rows
	overCols     []float64 // the matrix applied along the rows, cols×cols
	intermediate []float64
}

// NewPlan returns a Plan for images of rows×cols. It panics unless both are
// positive.
func NewPlan(rows, cols int) *Plan {
	p := &Plan{rows: rows, cols: cols, overRows: matrix(rows)}
	p.overCols = p.overRows
	if cols != rows {
		p.overCols = matrix(cols)
	}
	return p
}

// Dims returns the size of an image.
func (p *Plan) Dims() (rows, cols int) { return p.rows, p.cols }

// Forward overwrites each image of dst, [batch, rows, cols], with the transform
// C x Cᵀ of that of x: mode (k,l) has k half-waves down and l across. Lengths,
// norms and inner products are kept. dst may be x. It panics unless the two
// have the same length, a multiple of rows·cols.
func (p *Plan) Forward(dst, x []float64) { p.transform(dst, x, false) }

// Inverse overwrites each image of dst with Cᵀ x C, which undoes Forward.
func (p *Plan) Inverse(dst, x []float64) { p.transform(dst, x, true) }

func (p *Plan) transform(dst, x []float64, inverse bool) {
	size := p.rows * p.cols
	if len(dst) != len(x) || len(x)%size != 0 {
		panic(fmt.Sprintf("dct: %d and %d values for images of %d×%d", len(dst), len(x), p.rows, p.cols))
	}
	r, c := p.rows, p.cols
	for len(x) > 0 {
		n := min(len(x), max(1, atOnce/size)*size)
		// Along the rows of some images at once, then down the columns of each.
		p.intermediate = slices.Grow(p.intermediate[:0], n)[:n]
		simd.Gemm(false, !inverse, n/c, c, c, 1, x[:n], c, p.overCols, c, 0, p.intermediate, c)
		for i := 0; i < n; i += size {
			simd.Gemm(inverse, false, r, c, r, 1, p.overRows, r, p.intermediate[i:i+size], c, 0, dst[i:i+size], c)
		}
		dst, x = dst[n:], x[n:]
	}
}

// atOnce is how many values are transformed at once: 1 MB.
const atOnce = 1 << 17
