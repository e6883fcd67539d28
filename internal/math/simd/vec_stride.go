package simd

import "unsafe"

// longRow is the length from which a row is worth a call of its own.
const longRow = 128

// CopyRows copies rows of n entries: dst[r·dstStride + i] = src[r·srcStride + i]. dst and src end with
// the last entry used, or later; they must not overlap.
func CopyRows[T Float](dst, src []T, rows, n, dstStride, srcStride int) {
	switch {
	case !checkRows(len(dst), rows, n, dstStride) || !checkRows(len(src), rows, n, srcStride):
	case useAVX2 && is32[T]() && n < longRow:
		copyRowsF32(f32(dst), f32(src), rows, n, dstStride, srcStride)
	case useAVX2 && 2*n < longRow: // of float64: pairs of words
		copyRowsF32((*float32)(unsafe.Pointer(f64(dst))), (*float32)(unsafe.Pointer(f64(src))), rows, 2*n, 2*dstStride, 2*srcStride)
	default:
		for r := range rows {
			copy(dst[r*dstStride:][:n], src[r*srcStride:][:n])
		}
	}
}

// Even takes every other entry of rows that lie apart:
//
//	dst[r·dstStride + i] = src[r·srcStride + 2i],  i < n.
//
// dst and src end with the last entry used, or later; they must not overlap.
func Even[T Float](dst, src []T, rows, n, dstStride, srcStride int) {
	switch {
	case !checkRows(len(dst), rows, n, dstStride) || !checkRows(len(src), rows, 2*n-1, srcStride):
	case useAVX2 && is32[T]() && n >= 8:
		evenF32(f32(dst), f32(src), rows, n, dstStride, srcStride)
	default:
		evenGo(dst, src, rows, n, dstStride, srcStride)
	}
}

// AddEven is the adjoint of [Even], added to dst:
//
//	dst[r·dstStride + 2i] += src[r·srcStride + i],  i < n.
func AddEven[T Float](dst, src []T, rows, n, dstStride, srcStride int) {
	switch {
	case !checkRows(len(dst), rows, 2*n-1, dstStride) || !checkRows(len(src), rows, n, srcStride):
	case useAVX2 && is32[T]() && n >= 8:
		addEvenF32(f32(dst), f32(src), rows, n, dstStride, srcStride)
	default:
		addEvenGo(dst, src, rows, n, dstStride, srcStride)
	}
}

// checkRows reports whether there are entries at all, and panics unless rows of n entries, stride
// apart, lie in a slice.
func checkRows(length, rows, n, stride int) bool {
	if rows <= 0 || n <= 0 {
		return false
	}
	if stride < n && rows > 1 || length < n || rows > 1 && (length-n)/stride < rows-1 {
		panic("simd: slices do not fit the rows")
	}
	return true
}

func evenGo[T Float](dst, src []T, rows, n, dstStride, srcStride int) {
	for r := range rows {
		to, from := dst[r*dstStride:][:n], src[r*srcStride:][:2*n-1]
		for i := range to {
			to[i] = from[2*i]
		}
	}
}

func addEvenGo[T Float](dst, src []T, rows, n, dstStride, srcStride int) {
	for r := range rows {
		to, from := dst[r*dstStride:][:2*n-1], src[r*srcStride:][:n]
		for i, v := range from {
			to[2*i] += v
		}
	}
}

// Deinterleave splits rows of n pairs: with src's rows stride apart and those of
// even and odd lying end to end,
//
//	even[r·n + i] = src[r·stride + 2i],  odd[r·n + i] = src[r·stride + 2i + 1].
func Deinterleave[T Float](even, odd, src []T, rows, n, stride int) {
	checkPairs(len(even), len(odd), len(src), rows, n, stride)
	if useAVX2 && is32[T]() && rows > 0 && n > 0 {
		deinterleaveF32(f32(even), f32(odd), f32(src), rows, n, stride)
		return
	}
	for r := range rows {
		a, b, pairs := even[r*n:][:n], odd[r*n:][:n], src[r*stride:][:2*n]
		for i := range a {
			a[i], b[i] = pairs[2*i], pairs[2*i+1]
		}
	}
}

// Interleave is the inverse of [Deinterleave]: it overwrites the pairs in dst.
func Interleave[T Float](dst, even, odd []T, rows, n, stride int) {
	checkPairs(len(even), len(odd), len(dst), rows, n, stride)
	if useAVX2 && is32[T]() && rows > 0 && n > 0 {
		interleaveF32(f32(dst), f32(even), f32(odd), rows, n, stride)
		return
	}
	for r := range rows {
		a, b, pairs := even[r*n:][:n], odd[r*n:][:n], dst[r*stride:][:2*n]
		for i, v := range a {
			pairs[2*i], pairs[2*i+1] = v, b[i]
		}
	}
}

func checkPairs(even, odd, pairs, rows, n, stride int) {
	checkArea(rows, n, even, odd)
	// The last of these is pairs < (rows-1)*stride + 2*n, which might overflow.
	if stride/2 < n || rows > 0 && n > 0 && (pairs/2 < n || (pairs-2*n)/stride < rows-1) {
		panic("simd: slices do not fit the pairs")
	}
}
