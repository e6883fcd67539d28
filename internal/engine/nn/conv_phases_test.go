package nn

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"tattle/internal/math/simd"
)

// phasesCases have strides and dilations that meet some phases only, paddings, channels that fill no
// panel, several tiles and blocks, and sums in two parts.
var phasesCases = []convCase{
	{in: 3, out: 10, kernel: [2]int{7, 7}, stride: [2]int{2, 2}, pad: [4]int{3, 3, 3, 3}, height: 61, width: 58},
	{in: 50, out: 64, kernel: [2]int{3, 3}, stride: [2]int{2, 2}, pad: [4]int{1, 1, 0, 2}, height: 27, width: 30},
	{in: 5, out: 9, kernel: [2]int{1, 1}, stride: [2]int{2, 2}, height: 29, width: 31, noBias: true},
	{in: 3, out: 8, kernel: [2]int{3, 3}, pad: [4]int{1, 1, 1, 1}, height: 20, width: 23, noBias: true},
	{in: 60, out: 70, kernel: [2]int{3, 3}, stride: [2]int{2, 2}, pad: [4]int{1, 1, 1, 1}, height: 14, width: 14},
	{in: 4, out: 3, kernel: [2]int{2, 4}, stride: [2]int{1, 2}, dilation: [2]int{3, 1}, pad: [4]int{2, 0, 1, 5}, height: 22, width: 40},
	{in: 2, out: 17, kernel: [2]int{2, 3}, stride: [2]int{2, 2}, height: 17, width: 64},
	{in: 2, out: 5, kernel: [2]int{3, 3}, stride: [2]int{2, 2}, pad: [4]int{0, 9, 8, 0}, height: 20, width: 31}, // phases that begin outside
}

// TestConvPhases checks that convolutions by phases give the same bytes as those by columns: for several
// batch sizes and numbers of cores, and with and without an addition and a rectifier after them.
func TestConvPhases(t *testing.T) {
	if _, columns := simd.ShiftedTile(); columns == 0 {
		t.Skip("this processor has no AVX2, or TATTLE_SIMD forbids it: convolutions by phases need it")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, c := range phasesCases {
		k := c.op().kernel32(c.shape()).(*conv[float32])
		quick, ok := k.quick.(*convPhases)
		if !ok {
			t.Errorf("%v does not go by phases", c)
			continue
		}
		r := rand.New(rand.NewPCG(3, 3))
		for _, n := range []int{1, 2, 5} {
			x := randomSlice[float32](r, n*Size(c.shape()), 1)
			got, want := make([]float32, n*k.op.OutChannels*k.outHW), make([]float32, n*k.op.OutChannels*k.outHW)
			var b []float32
			if k.op.Bias != nil {
				b = k.op.Bias.Data
			}
			for _, end := range []ending[float32]{
				{}, {add: randomSlice[float32](r, len(got), 1), rectify: true, slope: .1, k: 1, images: 1, size: k.op.OutChannels * k.outHW},
			} {
				k.products.apply(want, x, k.op.Weight.Data, b, n, end)
				for _, cores := range []int{1, 2, 8} {
					runtime.GOMAXPROCS(cores)
					for range 2 { // the second time with used buffers
						clear(got)
						quick.apply(got, x, k.op.Weight, b, n, end)
						sameArrays(t, fmt.Sprintf("%v, %d images on %d cores", c, n, cores), [][]float32{got}, [][]float32{want})
					}
				}
			}
		}
	}
}
