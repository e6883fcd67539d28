package simd

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestGram compares the lower triangle with Gemm's, byte for byte.
func TestGram(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for _, trans := range []bool{false, true} {
		for _, n := range []int{0, 1, 5, gramStripe, gramStripe + 1, 2*gramStripe + 33} {
			for _, k := range []int{0, 1, 37, 400} {
				t.Run(fmt.Sprint(trans, n, k), func(t *testing.T) {
					rows, cols := n, k
					if trans {
						rows, cols = k, n
					}
					x := newStored(rows, cols, 3, r.Float64)
					want := newStored(n, n, 2, r.Float64)
					Mirror(n, want.x, want.ld) // a symmetric old value
					got := want.clone()
					Gemm(trans, !trans, n, n, k, 1./3, x.x, x.ld, x.x, x.ld, 1./7, want.x, want.ld)
					Mirror(n, want.x, want.ld) // gonum's product scales the left operand first
					Gram(trans, n, k, 1./3, x.x, x.ld, 1./7, got.x, got.ld)
					Mirror(n, got.x, got.ld)
					if !sameBytes(got.all, want.all) {
						t.Error("not the bytes of Gemm")
					}
				})
			}
		}
	}
}
