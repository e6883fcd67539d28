package simd

// Even sets dst[i] = src[2i]. src has at least the 2·len(dst) − 1 elements that this
// takes; the two must not overlap.
func Even[T Float](dst, src []T) {
	if len(dst) == 0 {
		return
	}
	checkPairs(len(dst), len(dst), len(src)+1, 1, len(dst), 2*len(dst))
	even(dst, src)
}

// AddEven adds src[i] to dst[2i]. dst has at least the 2·len(src) − 1 elements that
// this takes; the two must not overlap.
func AddEven[T Float](dst, src []T) {
	if len(src) == 0 {
		return
	}
	checkPairs(len(src), len(src), len(dst)+1, 1, len(src), 2*len(src))
	addEven(dst, src)
}

func evenGo[T Float](dst, src []T) {
	for i := range dst {
		dst[i] = src[2*i]
	}
}

func addEvenGo[T Float](dst, src []T) {
	for i, v := range src {
		dst[2*i] += v
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
