package attack

import (
	"context"
	"errors"
	"math"

	"tattle/internal/math/simd"
)

// system holds symmetric positive definite equations beside their right sides: A in
// the upper triangle of the first n columns of x, [n, width], and B in the others.
type system struct {
	n, width int
	x        []float64
}

const (
	systemBlock = 96  // rows that are eliminated one by one; all else is products
	systemStrip = 256 // columns or rows that are worked on together
)

var errSingular = errors.New("not positive definite in floating point: give stronger noise or more data")

// eliminate overwrites A by R, A = RᵀR, and B by R⁻ᵀB. It returns an error if A is not
// positive definite in float64, and heeds ctx between blocks.
func (s *system) eliminate(ctx context.Context) error {
	for k := 0; k < s.n; k += systemBlock {
		if err := ctx.Err(); err != nil {
			return err
		}
		end := min(s.n, k+systemBlock)
		for i := k; i < end; i++ { // the square on the diagonal
			s.subtract(i, k, i, i, end)
			if d := s.x[i*s.width+i]; !(d > 0) || math.IsInf(d, 1) {
				return errSingular
			}
			simd.Scale(1/math.Sqrt(s.x[i*s.width+i]), s.x[i*s.width+i:i*s.width+end])
		}
		s.strips(end, func(lo, hi int) {
			for i := k; i < end; i++ {
				s.subtract(i, k, i, lo, hi)
				simd.Scale(1/s.x[i*s.width+i], s.x[i*s.width+lo:i*s.width+hi])
			}
		})
		for lo := end; lo < s.n; lo += systemStrip {
			above := s.x[k*s.width+lo:]
			simd.Gemm(true, false, min(systemStrip, s.n-lo), s.width-lo, end-k, -1, above, s.width, above, s.width, 1, s.x[lo*s.width+lo:], s.width)
		}
	}
	return nil
}

// subtract takes R_ji times row j from row i, for the rows from k to end above it
// and the columns lo to hi.
func (s *system) subtract(i, k, end, lo, hi int) {
	row := s.x[i*s.width+lo : i*s.width+hi]
	for j := k; j < end; j++ {
		simd.Axpy(-s.x[j*s.width+i], s.x[j*s.width+lo:j*s.width+hi], row)
	}
}

// strips calls f with ranges of the columns from first on, which do not depend on
// the cores.
func (s *system) strips(first int, f func(lo, hi int)) {
	simd.Parallel((s.width-first+systemStrip-1)/systemStrip, 1, func(from, to int) {
		for c := from; c < to; c++ {
			f(first+c*systemStrip, min(s.width, first+(c+1)*systemStrip))
		}
	})
}

// substitute overwrites what eliminate left of B by A⁻¹B.
func (s *system) substitute(ctx context.Context) error {
	for k := (s.n - 1) / systemBlock * systemBlock; k >= 0; k -= systemBlock {
		if err := ctx.Err(); err != nil {
			return err
		}
		end := min(s.n, k+systemBlock)
		s.strips(s.n, func(lo, hi int) {
			for i := end - 1; i >= k; i-- {
				row := s.x[i*s.width+lo : i*s.width+hi]
				for j := i + 1; j < end; j++ {
					simd.Axpy(-s.x[i*s.width+j], s.x[j*s.width+lo:j*s.width+hi], row)
				}
				simd.Scale(1/s.x[i*s.width+i], row)
			}
		})
		simd.Gemm(false, false, k, s.width-s.n, end-k, -1, s.x[k:], s.width, s.x[k*s.width+s.n:], s.width, 1, s.x[s.n:], s.width)
	}
	return nil
}

// right returns a copy of the columns beside A, [n, width−n].
func (s *system) right() []float64 {
	cols := s.width - s.n
	out := make([]float64, s.n*cols)
	for i := range s.n {
		copy(out[i*cols:(i+1)*cols], s.x[i*s.width+s.n:])
	}
	return out
}
