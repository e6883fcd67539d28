package simd

// Even sets dst[i] = src[2i]. src may be longer than the 2·len(dst) − 1 elements
// that this takes; the two must not overlap.
func Even[T Float](dst, src []T) {
	if len(dst) == 0 {
		return
	}
	even(dst, src[:2*len(dst)-1])
}

// AddEven adds src[i] to dst[2i]. dst may be longer than the 2·len(src) − 1
// elements that this takes; the two must not overlap.
func AddEven[T Float](dst, src []T) {
	if len(src) == 0 {
		return
	}
	addEven(dst[:2*len(src)-1], src)
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
