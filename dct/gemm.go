package dct

func gemm(transA, transB bool, m, n, k int, a, b, c []float64) {
	at := func(t bool, x []float64, i, j, rows, cols int) float64 {
		if t {
			return x[j*rows+i]
		}
		return x[i*cols+j]
	}
	for i := range m {
		for j := range n {
			var s float64
			for l := range k {
				s += at(transA, a, i, l, m, k) * at(transB, b, l, j, k, n)
			}
			c[i*n+j] = s
		}
	}
}
