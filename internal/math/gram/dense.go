package gram

import (
	"context"
	"errors"
	"slices"

	"tattle/internal/math/simd"
)

// ErrIndefinite says that a matrix has no Cholesky factor in floating point.
var ErrIndefinite = errors.New("not positive definite in floating point")

const (
	denseBlock = 256 // rows that are eliminated before the rest of the matrix is updated
	denseRows  = 256 // rows of right sides that are solved for together
)

// A Factor is the Cholesky factor L of a matrix A = L Lᵀ in memory.
type Factor struct {
	n      int
	l      []float64 // [n, n], as cholesky leaves it
	buffer []float64
}

// Factorize overwrites a, [n, n], by its factor. It reads the lower triangle only. It returns ErrIndefinite if a is not
// positive definite in float64, and heeds ctx between blocks.
func Factorize(ctx context.Context, a []float64, n int) (*Factor, error) {
	f := &Factor{n, a, make([]float64, max(n, denseRows)*panel)}
	for k := 0; k < n; k += denseBlock {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		w := min(denseBlock, n-k)
		d := a[k*n+k:]
		if !cholesky(d, w, n, f.buffer) {
			return nil, ErrIndefinite
		}
		if rest := n - k - w; rest > 0 {
			below := a[(k+w)*n+k:]
			forward(below, rest, n, d, w, n, f.buffer)
			simd.Gram(false, rest, w, -1, below, n, 1, below[w:], n)
		}
	}
	return f, nil
}

// Len returns n.
func (f *Factor) Len() int { return f.n }

// Solve overwrites the rows of y, [·, n], with those of y A⁻¹. As Forward and Backward do, it
// heeds ctx between some rows and others.
func (f *Factor) Solve(ctx context.Context, y []float64) error {
	if err := f.Forward(ctx, y); err != nil {
		return err
	}
	return f.Backward(ctx, y)
}

// Solve overwrites the rows of y, [·, n], with those of y A⁻¹, and leaves the matrix a, [n, n], as it is. It reads the lower
// triangle only. It returns ErrIndefinite if a is not positive definite in float64.
func Solve(a []float64, n int, y []float64) error {
	f, err := Factorize(context.Background(), slices.Clone(a), n)
	if err != nil {
		return err
	}
	return f.Solve(context.Background(), y)
}

// Forward overwrites the rows of y with those of y L⁻ᵀ.
func (f *Factor) Forward(ctx context.Context, y []float64) error { return f.apply(ctx, y, forward) }

// Backward overwrites the rows of y with those of y L⁻¹.
func (f *Factor) Backward(ctx context.Context, y []float64) error { return f.apply(ctx, y, backward) }

// substitution is forward or backward.
type substitution func(y []float64, k, ldy int, l []float64, n, ldl int, buffer []float64)

func (f *Factor) apply(ctx context.Context, y []float64, substitute substitution) error {
	for some := range slices.Chunk(y, denseRows*f.n) {
		if err := ctx.Err(); err != nil {
			return err
		}
		substitute(some, len(some)/f.n, f.n, f.l, f.n, f.n, f.buffer)
	}
	return nil
}

// Lower returns L, with zeros above the diagonal.
func (f *Factor) Lower() []float64 {
	l := slices.Clone(f.l)
	for t := 0; t < f.n; t += panel {
		invert(l[t*f.n+t:], min(panel, f.n-t), f.n)
	}
	for i := range f.n {
		clear(l[i*f.n+i+1 : (i+1)*f.n])
	}
	return l
}
