package simd

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"

	"tattle/internal/must"
)

// The kernels stand behind gonum's BLAS, and nothing where they do not run.
func TestRegistration(t *testing.T) {
	_, own32 := blas32.Implementation().(gonum.Implementation)
	_, own64 := blas64.Implementation().(gonum.Implementation)
	if want := Accelerated() == "purego"; own32 != want || own64 != want {
		t.Errorf("blas32 is gonum's own: %t, blas64: %t; want %t", own32, own64, want)
	}
}

func TestRegisteredBLAS(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	flags := []blas.Transpose{blas.NoTrans, blas.Trans}
	for trans := range 4 {
		tA, tB := flags[trans&1], flags[trans>>1]
		p := newProduct[float32](r, tA == blas.Trans, tB == blas.Trans, 19, 37, 23, .7, -1, 3)
		c := p.c.clone()
		blas32.Gemm(tA, tB, p.alpha, general32(p.a), general32(p.b), p.beta, general32(c))
		p.check(t, c)
		if want := p.run(); Accelerated() != "purego" && !sameBytes(c.all, want.all) {
			t.Errorf("%v: blas32 is not this package's", p)
		}
		q := newProduct[float64](r, tA == blas.Trans, tB == blas.Trans, 19, 37, 23, .7, -1, 3)
		d := q.c.clone()
		blas64.Gemm(tA, tB, q.alpha, general64(q.a), general64(q.b), q.beta, general64(d))
		q.check(t, d)
		if want := q.run(); Accelerated() != "purego" && !sameBytes(d.all, want.all) {
			t.Errorf("%v: blas64 is not this package's", q)
		}
	}
}

func general32(s stored[float32]) blas32.General {
	return blas32.General{Rows: s.rows, Cols: s.cols, Stride: s.ld, Data: s.x}
}

func general64(s stored[float64]) blas64.General {
	return blas64.General{Rows: s.rows, Cols: s.cols, Stride: s.ld, Data: s.x}
}

// gonum's dense matrices reach the kernels, and the rest of its BLAS still works
// beside them.
func TestRegisteredBLASUnderMat(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	p := newProduct[float64](r, false, false, 60, 60, 60, 1, 0, 0)
	a, b := mat.NewDense(60, 60, p.a.x), mat.NewDense(60, 60, p.b.x)
	var c, back mat.Dense
	c.Mul(a, b)
	if want := p.run(); Accelerated() != "purego" && !sameBytes(c.RawMatrix().Data, want.x) {
		t.Error("mat.Dense.Mul is not this package's product")
	}
	must.Do(t, back.Solve(a, &c))
	if !mat.EqualApprox(&back, b, 1e-8) {
		t.Error("solving A X = A B does not give B")
	}
}

func TestBLASPanicsOnTranspose(t *testing.T) {
	x := []float32{1}
	must.Panic(t, func() { blas32.Implementation().Sgemm('x', blas.NoTrans, 1, 1, 1, 1, x, 1, x, 1, 0, x, 1) })
}
