package simd

import (
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// gonumMultiply computes out = alpha left right + beta out with gonum's own
// product, which clears C first where beta is zero. Whatever its blocks, it then
// adds alpha·a(i,p)·b(p,j) to c(i,j) for one p after the other, if alpha·a(i,p) is
// not zero. Only where A lies as it is and B transposed does it take inner products
// (of float32 in an order that depends on their addresses), hence the copy.
func gonumMultiply[T Float](left, right, out matrix[T], alpha, beta T) {
	if trans, _ := right.stored(); trans != blas.NoTrans {
		pool := turnedPool[T]()
		turned := pool.Get().(*Packed[T])
		defer pool.Put(turned)
		turned.copy(right)
		right = turned.source
	}
	m, n, k := out.rows, out.cols, left.cols
	tA, lda := left.stored()
	var own gonum.Implementation
	switch c := any(out.data).(type) {
	case []float32:
		a, b := any(left.data).([]float32), any(right.data).([]float32)
		own.Sgemm(tA, blas.NoTrans, m, n, k, float32(alpha), a, lda, b, right.rs, float32(beta), c, out.rs)
	case []float64:
		a, b := any(left.data).([]float64), any(right.data).([]float64)
		own.Dgemm(tA, blas.NoTrans, m, n, k, float64(alpha), a, lda, b, right.rs, float64(beta), c, out.rs)
	}
}

// turned32 and turned64 keep the copies' storage.
var (
	turned32 = sync.Pool{New: func() any { return new(Packed[float32]) }}
	turned64 = sync.Pool{New: func() any { return new(Packed[float64]) }}
)

func turnedPool[T Float]() *sync.Pool {
	if _, ok := any(T(0)).(float32); ok {
		return &turned32
	}
	return &turned64
}

// stored says how x lies in its slice.
func (x matrix[T]) stored() (trans blas.Transpose, ld int) {
	if x.cs == 1 && x.rs >= x.cols {
		return blas.NoTrans, x.rs
	}
	return blas.Trans, x.cs
}

// copy keeps b row by row.
func (p *Packed[T]) copy(b matrix[T]) {
	p.k, p.n = b.rows, b.cols
	p.data = grow(p.data, p.k*p.n)
	p.source = matrix[T]{p.data, p.k, p.n, max(1, p.n), 1}
	if p.k == 0 || p.n == 0 {
		return
	}
	trans, ld := b.stored()
	if trans == blas.NoTrans {
		for i := range p.k {
			copy(p.data[i*p.n:][:p.n], b.data[i*ld:])
		}
		return
	}
	for j := 0; j < p.n; j += transposeTile {
		turn(p.data, b.data, p.n, ld, j, min(j+transposeTile, p.n), 0, p.k)
	}
}
