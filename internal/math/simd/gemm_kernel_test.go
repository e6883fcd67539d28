//go:build !purego && (amd64 || arm64)

package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// tileGo is the definition of a tile.
func tileGo[T Float](kc int, alpha T, a matrix[T], b []T, beta T, c []T, cr int) {
	nr := lanes[T]()
	for i := range mr {
		for j := range nr {
			var sum T
			for p := range kc {
				sum += a.data[i*a.rs+p*a.cs] * b[p*nr+j]
			}
			c[i*cr+j] = alpha*sum + beta*c[i*cr+j]
		}
	}
}

// The kernels against plain Go: packing byte for byte, tiles to rounding, with
// operands packed and as they lie.
func TestKernelsAgainstGo(t *testing.T) {
	both(t, testKernelsAgainstGo[float32], testKernelsAgainstGo[float64])
}

func testKernelsAgainstGo[T Float](t *testing.T) {
	if !hasKernels() {
		t.Skip("products do not run in assembly here")
	}
	r := rand.New(rand.NewPCG(15, 16))
	nr := lanes[T]()
	for kc := 1; kc <= 13; kc++ {
		for _, w := range []int{mr, nr} {
			for panels := 1; panels <= 3; panels++ {
				rows := panels * w
				for _, x := range []matrix[T]{
					{normal[T](r, rows*(kc+2)), rows, kc, kc + 2, 1},
					{normal[T](r, kc*(rows+2)), rows, kc, 1, rows + 2},
				} {
					// The last line ends where the operand does.
					x.data = x.data[: (rows-1)*x.rs+(kc-1)*x.cs+1 : (rows-1)*x.rs+(kc-1)*x.cs+1]
					got, want := normal[T](r, rows*kc), make([]T, rows*kc)
					pack(got, w, panels, kc, x)
					packGo(want, w, panels, kc, x)
					if !sameBytes(got, want) {
						t.Fatalf("packing %d panels of %d, %d terms, strides %d %d", panels, w, kc, x.rs, x.cs)
					}
				}
			}
		}
		for _, way := range []struct {
			along bool
			onto  int // where another column's B begins
		}{{along: true}, {}, {onto: kc * nr}} {
			for _, beta := range []T{0, 1, -.3} {
				for _, a := range []matrix[T]{{normal[T](r, 2*mr*kc), mr, kc, 1, mr}, {normal[T](r, 2*mr*(kc+1)), mr, kc, kc + 1, 1}} {
					aStep, bStep, cStep, cr := len(a.data)/2, way.onto, mr*(nr+3), nr+3
					if way.along {
						aStep, bStep, cStep, cr = 0, kc*nr, nr, 2*nr+1
					}
					b, c := normal[T](r, 2*kc*nr), normal[T](r, 2*mr*(2*nr+3))
					got, want := append([]T(nil), c...), append([]T(nil), c...)
					tiles(2, nr, kc, T(.9), a, aStep, b, nr, bStep, beta, got, cr, cStep)
					for at := range 2 {
						a := a
						a.data = a.data[at*aStep:]
						if way.along {
							b = b[at*bStep:]
						}
						tileGo(kc, T(.9), a, b, beta, want[at*cStep:], cr)
					}
					for i := range got {
						// Sums of at most 13 terms below 6² and a few more.
						if math.Abs(float64(got[i]-want[i])) > 2*16*16*36*epsilonOf[T]() {
							t.Fatalf("%d terms, %+v, beta %v: element %d is %v, want %v", kc, way, beta, i, got[i], want[i])
						}
					}
				}
			}
		}
	}
}
