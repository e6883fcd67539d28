package simd

// Prefetch asks the processor for x, which will soon be read, and changes nothing. It helps where one
// reads a short piece here and there: the processor foresees long ones by itself.
func Prefetch[T Float](x []T) { prefetch(x) }

// CopyRows copies rows of n entries: dst[r·dstStride + i] = src[r·srcStride + i]. dst and src end with
// the last entry used, or later; they must not overlap.
func CopyRows[T Float](dst, src []T, rows, n, dstStride, srcStride int) {
	if checkRows(len(dst), rows, n, dstStride) && checkRows(len(src), rows, n, srcStride) {
		copyRows(dst, src, rows, n, dstStride, srcStride)
	}
}

// Even takes every other entry of rows that lie apart:
//
//	dst[r·dstStride + i] = src[r·srcStride + 2i],  i < n.
//
// dst and src end with the last entry used, or later; they must not overlap.
func Even[T Float](dst, src []T, rows, n, dstStride, srcStride int) {
	if checkRows(len(dst), rows, n, dstStride) && checkRows(len(src), rows, 2*n-1, srcStride) {
		even(dst, src, rows, n, dstStride, srcStride)
	}
}

// AddEven is the adjoint of [Even], added to dst:
//
//	dst[r·dstStride + 2i] += src[r·srcStride + i],  i < n.
func AddEven[T Float](dst, src []T, rows, n, dstStride, srcStride int) {
	if checkRows(len(dst), rows, 2*n-1, dstStride) && checkRows(len(src), rows, n, srcStride) {
		addEven(dst, src, rows, n, dstStride, srcStride)
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

func copyRowsGo[T Float](dst, src []T, rows, n, dstStride, srcStride int) {
	for r := range rows {
		copy(dst[r*dstStride:][:n], src[r*srcStride:][:n])
	}
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
	deinterleave(even, odd, src, rows, n, stride)
}

// Interleave is the inverse of [Deinterleave]: it overwrites the pairs in dst.
func Interleave[T Float](dst, even, odd []T, rows, n, stride int) {
	checkPairs(len(even), len(odd), len(dst), rows, n, stride)
	interleave(dst, even, odd, rows, n, stride)
}

func checkPairs(even, odd, pairs, rows, n, stride int) {
	checkArea(rows, n, even, odd)
	// The last of these is pairs < (rows-1)*stride + 2*n, which might overflow.
	if stride/2 < n || rows > 0 && n > 0 && (pairs/2 < n || (pairs-2*n)/stride < rows-1) {
		panic("simd: slices do not fit the pairs")
	}
}

func deinterleaveGo[T Float](even, odd, src []T, rows, n, stride int) {
	for r := range rows {
		a, b, pairs := even[r*n:][:n], odd[r*n:][:n], src[r*stride:][:2*n]
		for i := range a {
			a[i], b[i] = pairs[2*i], pairs[2*i+1]
		}
	}
}

func interleaveGo[T Float](dst, even, odd []T, rows, n, stride int) {
	for r := range rows {
		a, b, pairs := even[r*n:][:n], odd[r*n:][:n], dst[r*stride:][:2*n]
		for i, v := range a {
			pairs[2*i], pairs[2*i+1] = v, b[i]
		}
	}
}
