package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestWinograd convolves tiles scattered over planes of some channels with 3×3
// kernels and compares with the sum itself, in float64: errors stay within some
// roundings of the sums' own.
func TestWinograd(t *testing.T) {
	if !HasWinograd() {
		t.Skip("no AVX2")
	}
	for _, c := range []struct{ channels, outs int }{{1, 1}, {5, 7}, {17, 12}, {400, 13}} {
		const side, stride = 20, 23
		r := rand.New(rand.NewPCG(1, uint64(c.channels)))
		planes, kernels := normal[float32](r, c.channels*side*stride), normal[float32](r, c.outs*c.channels*9)
		var in, out [WinogradColumns]int
		for i := range in {
			in[i] = 4 * (r.IntN(side-5)*stride + r.IntN(side-5))
			out[i] = 4 * 16 * i
		}
		room := &WinogradRoom{}
		step := c.channels*WinogradColumns + 16
		v := make([]float32, WinogradPoints*step)
		for ch := range c.channels {
			WinogradIn(v[ch*WinogradColumns:], step, planes[ch*side*stride:][:side*stride], &in, stride, room)
		}
		height := WinogradRows()
		rows := (c.outs + height - 1) / height * height
		m := make([]float32, WinogradPoints*rows*WinogradColumns)
		for point := range WinogradPoints {
			a := make([]float32, rows*c.channels)
			for o := range c.outs {
				for ch := range c.channels {
					u := WinogradWeights((*[9]float32)(kernels[(o*c.channels+ch)*9:]))
					a[panelAt(o, ch, rows, c.channels, height)] = u[point]
				}
			}
			WinogradMultiply(m[point*rows*WinogradColumns:], a, v[point*step:], c.outs, c.channels)
		}
		for o := range c.outs {
			y := make([]float32, 16*16)
			WinogradOut(y, &out, 4, m[o*WinogradColumns:], rows*WinogradColumns, room)
			for i := range y {
				tile, row, col := i/16, i/4%4, i%4
				want := 0.0
				for k := range c.channels * 9 {
					at := k/9*side*stride + in[tile]/4 + (row+k/3%3)*stride + col + k%3
					want += float64(planes[at]) * float64(kernels[o*c.channels*9+k])
				}
				if off := math.Abs(float64(y[i]) - want); !(off <= 1e-5*math.Sqrt(float64(9*c.channels))) {
					t.Fatalf("%d channels: output %d of %d is %v, want %v", c.channels, i, o, y[i], want)
				}
			}
		}
	}
}

// panelAt returns where element (i, p) of a matrix of so many rows and columns is in panels of height
// rows.
func panelAt(i, p, rows, k, height int) int {
	block := Block(k)
	p0 := p / block * block
	return p0*rows + i/height*height*min(block, k-p0) + (p-p0)*height + i%height
}
