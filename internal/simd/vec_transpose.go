package simd

// Transpose sets dst [cols, rows] to the transpose of src [rows, cols]. The two
// must not overlap.
func Transpose[T Float](dst, src []T, rows, cols int) {
	checkArea(rows, cols, len(dst), len(src))
	transpose(dst, src, rows, cols)
}

// transposeTile is the side of the square that is turned at a time, so that a
// line of the cache is used whole while it is there.
const transposeTile = 32

func transposeGo[T Float](dst, src []T, rows, cols int) {
	for r := 0; r < rows; r += transposeTile {
		for c := 0; c < cols; c += transposeTile {
			turn(dst, src, rows, cols, r, min(r+transposeTile, rows), c, min(c+transposeTile, cols))
		}
	}
}

// turn transposes the rows r0 to r1 and the columns c0 to c1 of src.
func turn[T Float](dst, src []T, rows, cols, r0, r1, c0, c1 int) {
	for c := c0; c < c1; c++ {
		line := dst[c*rows:]
		for r := r0; r < r1; r++ {
			line[r] = src[r*cols+c]
		}
	}
}
