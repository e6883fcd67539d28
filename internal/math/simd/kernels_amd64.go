//go:build !purego

package simd

// The kernels of amd64 alone: their comments are in the assembly. Calls need AVX2, and those called wide AVX-512.

//go:noescape
func channelForwardF32(dst, x *float32, n int, c *channelArgs)

//go:noescape
func channelForwardStreamF32(dst, x *float32, n int, c *channelArgs)

//go:noescape
func channelSumsF32(d, x *float32, n int, c *channelArgs) (sum, dot float64)

//go:noescape
func channelCombineF32(dst, d, x *float32, n int, c *channelArgs)

//go:noescape
func channelCombineStreamF32(dst, d, x *float32, n int, c *channelArgs)

// clipF32 is for multiples of eight.
//
//go:noescape
func clipF32(dst, x *float32, n int, lo, hi float32)

//go:noescape
func correlateWideF32(dst *float32, dstStep int, src *float32, srcStep int, offsets *int, w *float32, taps, block, blocks int, bias *float32)

//go:noescape
func correlateWideF64(dst *float64, dstStep int, src *float64, srcStep int, offsets *int, w *float64, taps, block, blocks int, bias *float64)

//go:noescape
func expF32(dst, x *float32, n int, lanes *uint32)

//go:noescape
func expSumF32(dst, x *float32, n int, lanes *uint32, shift float32) float32

//go:noescape
func sigmoidF32(dst, x *float32, n int, lanes *uint32)

//go:noescape
func sigmoidSlopeF32(dst, d, x *float32, n int, lanes *uint32)

//go:noescape
func geluF32(dst, x *float32, n int, lanes *uint32)

//go:noescape
func geluSlopeF32(dst, d, x *float32, n int, lanes *uint32)

//go:noescape
func finishF32(dst, src, add, sign *float32, rows, n, dstStride, srcStride int, bias *float32, biasStep int, slope float32)

//go:noescape
func finishF64(dst, src, add, sign *float64, rows, n, dstStride, srcStride int, bias *float64, biasStep int, slope float64)

//go:noescape
func largerF32(dst, a, b *float32, n int)

//go:noescape
func largerF64(dst, a, b *float64, n int)

//go:noescape
func sumAndSquaresF32(x *float32, n int) (sum, sumsq float64)

//go:noescape
func dotAndSumF32(d, x *float32, n int) (sum, dot float64)

//go:noescape
func dropoutMaskAVX2(words *uint64, n int, keys *philoxKeys, block uint64, last uint16)

//go:noescape
func rivalF32(best, x *float32, at *int32, blocks int, first, step int32)

// maxF32 is for n ≥ 8.
//
//go:noescape
func maxF32(x *float32, n int) float32

//go:noescape
func normForwardF32(dst, x, scale, shift *float32, n int, mean, invStd float32)

//go:noescape
func normGradientF32(scale, shift, d, x *float32, n int, mean, invStd float32)

//go:noescape
func copyRowsF32(dst, src *float32, rows, n, dstStride, srcStride int)

//go:noescape
func evenF32(dst, src *float32, rows, n, dstStride, srcStride int)

//go:noescape
func addEvenF32(dst, src *float32, rows, n, dstStride, srcStride int)

//go:noescape
func deinterleaveF32(even, odd, src *float32, rows, n, stride int)

//go:noescape
func interleaveF32(dst, even, odd *float32, rows, n, stride int)

//go:noescape
func rankF64(x *float64, n int, lo, hi float64) (largest float64, atLeast, above int)

//go:noescape
func expSumsF64(dst, x *float64, n int, shift, least float64, lanes *float64) (sum, moment float64)

//go:noescape
func winogradIn(dst *float32, step int, plane *float32, offsets *int, stride int, room *float32)

//go:noescape
func tallF32(panels, k int, a, b, c *float32, add bool)

//go:noescape
func fewF32(k int, a *float32, aStep int, b *float32, bStep int, c *float32, cStep int, add bool)

//go:noescape
func winogradExpand(dst *float32, step int, src *float32, halves int)

//go:noescape
func winogradOut(plane *float32, offsets *int, stride int, src *float32, step int, room *float32)

//go:noescape
func winogradInWide(dst *float32, step int, plane *float32, offsets *int, stride int, room *float32)

//go:noescape
func winogradOutWide(plane *float32, offsets *int, stride int, src *float32, step int, room *float32)

// eightFirst are the numbers of eight lanes.
//
//lint:ignore U1000 the assembly reads it
var eightFirst = [8]int32{0, 1, 2, 3, 4, 5, 6, 7}

// vecMask holds the masks of eight lanes: that of the first r begins r lanes before the zeros.
//
//lint:ignore U1000 the assembly reads it
var vecMask = [16]int32{-1, -1, -1, -1, -1, -1, -1, -1}

// channelLanes are the shifts that bring each lane's bit to the top, of eight lanes and the next eight.
//
//lint:ignore U1000 the assembly reads it
var channelLanes = [16]uint32{31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16}

// philoxLanes are the counters of the four blocks of a group, relative to the first.
//
//lint:ignore U1000 the assembly reads it
var philoxLanes = [4]uint64{0, 1, 2, 3}
