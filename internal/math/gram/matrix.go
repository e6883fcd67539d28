// Package gram solves with X Xᵀ + λI for a matrix X that may be larger than memory. X (float32)
// and the Cholesky factor L of X Xᵀ + λI (float64) are files of some rows each. Rows of L follow
// from the rows of X up to them and the rows of L before them, so that an interrupted computation
// continues where it stopped.
package gram

import (
	"context"
	"fmt"
	"slices"

	"tattle/internal/file"
	"tattle/internal/math/simd"
)

// Options describe a Matrix.
type Options struct {
	Dir        string    // holds the files, and is made if there is none
	Files      *file.Dir // changes them; nil: any files
	Rows, Cols int       // of X; L is [Rows, Rows]
	Block      int       // rows of a file
	Shift      float64   // λ: rounding of X Xᵀ, some 1e-14 of its largest eigenvalue, must be less
	Memory     int64     // bytes for files that stay in memory, besides what WorkingBytes returns
}

// A Matrix is X, with the Cholesky factor of X Xᵀ + λI. Its methods are not safe for concurrent use.
type Matrix struct {
	Options
	x *blocks[float32]
	l *blocks[float64]

	row         []float64 // the block of L under way
	left, right []float64 // some columns of a block of X
	buffer      []float64 // of forward and backward
}

// stripe is how many columns of X are converted to float64 at once.
const stripe = 2048

// New returns a matrix whose rows are still to be built.
func New(o Options) *Matrix {
	room := o.Memory * o.bytesX() / (o.bytesX() + o.bytesL())
	return &Matrix{Options: o, x: newBlocks[float32](o.Files, o.Dir, "jacobian", room), l: newBlocks[float64](o.Files, o.Dir, "factor", o.Memory-room)}
}

func (o Options) bytesX() int64 { return 4 * int64(o.Rows) * int64(o.Cols) }

// bytesL counts whole blocks, which stand out over the diagonal.
func (o Options) bytesL() int64 { return 4 * int64(o.Rows) * int64(o.Rows+o.Block) }

// DiskBytes returns the size of all files.
func (o Options) DiskBytes() int64 { return o.bytesX() + o.bytesL() }

// WorkingBytes returns the memory that is needed besides files that stay in memory.
func (o Options) WorkingBytes() int64 {
	block, cols, rows := int64(min(o.Block, o.Rows)), int64(o.Cols), int64(o.Rows)
	return block * (2*4*cols + 2*8*rows + 2*8*stripe + 8*panel)
}

// Operations returns the number of floating-point operations for L.
func (o Options) Operations() float64 {
	d := float64(o.Rows)
	return d*d*float64(o.Cols) + d*d*d/3
}

// span returns the rows of block i: first and count.
func (o Options) span(i int) (first, count int) {
	first = i * o.Block
	return first, min(o.Block, o.Rows-first)
}

func (o Options) blocks() int { return (o.Rows + o.Block - 1) / o.Block }

// A ShiftError says that X Xᵀ + λI is not positive definite in float64.
type ShiftError struct{ Row int }

func (e *ShiftError) Error() string {
	return fmt.Sprintf("the Gram matrix has no Cholesky factor from row %d on: the matrix is not finite, or the shift is too small", e.Row)
}

// Build computes the files that are missing or damaged. fill overwrites dst with the rows of X
// from first on. It returns ctx's error if that ends, an error of fill or of the disk, or a
// *ShiftError. What is finished is kept.
func (m *Matrix) Build(ctx context.Context, fill func(first int, dst []float32) error) error {
	if err := m.Files.MkdirAll(m.Dir); err != nil {
		return err
	}
	var x []float32
	for i := range m.blocks() {
		_, count := m.span(i)
		x = slices.Grow(x[:0], m.Block*m.Cols)[:count*m.Cols]
		if err := m.fill(i, x, fill); err != nil {
			return err
		}
		if err := m.factor(ctx, i, x); err != nil {
			return err
		}
	}
	return nil
}

// fill overwrites x with block i of X, from its file or by fill.
func (m *Matrix) fill(i int, x []float32, fill func(first int, dst []float32) error) error {
	if known, err := m.x.get(i, len(x)); err == nil {
		copy(x, known)
		return nil
	}
	first, _ := m.span(i)
	if err := fill(first, x); err != nil {
		return err
	}
	return m.x.put(i, x)
}

// factor computes block i of L, if there is no file of it: with the blocks before, L_i solves
// L_i Lᵀ = X_i Xᵀ up to the diagonal.
func (m *Matrix) factor(ctx context.Context, i int, x []float32) error {
	first, count := m.span(i)
	width := first + count
	if _, err := m.l.get(i, count*width); err == nil {
		return nil
	}
	m.row = slices.Grow(m.row[:0], min(m.Block, m.Rows)*m.Rows)[:count*width]
	row := m.row
	for j := range i {
		if err := ctx.Err(); err != nil {
			return err
		}
		_, other := m.span(j)
		y, err := m.x.get(j, other*m.Cols)
		if err != nil {
			return err
		}
		m.product(row[j*m.Block:], width, x, y)
	}
	m.product(row[first:], width, x, x)
	for k := range count {
		row[k*width+first+k] += m.Shift
	}
	if err := m.forward(ctx, row, count, width, i); err != nil {
		return err
	}
	diagonal := row[first:]
	simd.Gemm(false, true, count, count, first, -1, row, width, row, width, 1, diagonal, width)
	if !cholesky(diagonal, count, width, m.scratch(count)) {
		return &ShiftError{first}
	}
	return m.l.put(i, row)
}

// product overwrites dst, with ld elements from row to row, with x yᵀ of two blocks.
func (m *Matrix) product(dst []float64, ld int, x, y []float32) {
	rows, cols, beta := len(x)/m.Cols, len(y)/m.Cols, 0.
	for c := 0; c < m.Cols; c += stripe {
		w := min(stripe, m.Cols-c)
		m.left, m.right = m.widen(m.left, x, c, w), m.widen(m.right, y, c, w)
		simd.Gemm(false, true, rows, cols, w, 1, m.left, w, m.right, w, beta, dst, ld)
		beta = 1
	}
}

// widen overwrites dst with columns c to c+w of some rows, in float64.
func (m *Matrix) widen(dst []float64, x []float32, c, w int) []float64 {
	rows := len(x) / m.Cols
	dst = slices.Grow(dst[:0], min(m.Block, m.Rows)*min(stripe, m.Cols))[:rows*w]
	simd.Parallel(rows, 16, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			to := dst[i*w : (i+1)*w]
			for k, v := range x[i*m.Cols+c:][:w] {
				to[k] = float64(v)
			}
		}
	})
	return dst
}

// scratch returns the buffer for forward and backward on k rows.
func (m *Matrix) scratch(k int) []float64 {
	m.buffer = slices.Grow(m.buffer[:0], k*panel)[:k*panel]
	return m.buffer
}
