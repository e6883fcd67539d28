package simd

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestFinish compares with the definition, byte by byte, and that nothing beside is
// written.
func TestFinish(t *testing.T) {
	t.Run("float32", testFinish[float32])
	t.Run("float64", testFinish[float64])
}

func testFinish[T Float](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	draw := func(n int) []T { return awkward[T](r, n, true) }
	for n := 1; n < 40; n++ {
		for form := range 24 {
			rows := 1 + form/8
			dstStride, srcStride := n+form%3, n+form%2
			dstSize, srcSize := (rows-1)*dstStride+n, (rows-1)*srcStride+n
			src, add, sign := draw(srcSize), draw(dstSize), draw(dstSize)
			biases, step := 1+form/4%2*(rows-1), min(form/4%2, rows-1)
			bias, slope := draw(biases), []T{0, .25, 1}[r.IntN(3)]
			if form&1 != 0 {
				add = nil
			}
			if form&2 != 0 {
				sign = nil
			}
			own := bias
			if form&7 == 0 {
				own, bias = nil, []T{0}
			}
			got := draw(dstSize + 1)
			want := slices.Clone(got)
			Finish(got[:dstSize], src, add, sign, rows, n, dstStride, srcStride, own, slope)
			finishRowsGo(want[:dstSize], src, add, sign, rows, n, dstStride, srcStride, bias, step, slope)
			assertSame(t, fmt.Sprintf("form %d, slope %v: %d rows of %d", form, slope, rows, n), got, want)
		}
	}
}
