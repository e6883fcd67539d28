package simd

// tileGo computes tile[i*nr+j] = alpha Σ_p a[p*mr+i] b[p*nr+j].
func tileGo[T Float](tile []T, nr, kc int, alpha T, a, b []T) {
	for i := 0; i < mr; i += 2 {
		for j := 0; j < nr; j += 4 {
			var c00, c01, c02, c03, c10, c11, c12, c13 T
			for p := range kc {
				x := a[p*mr+i:][:2]
				y := b[p*nr+j:][:4]
				c00 += x[0] * y[0]
				c01 += x[0] * y[1]
				c02 += x[0] * y[2]
				c03 += x[0] * y[3]
				c10 += x[1] * y[0]
				c11 += x[1] * y[1]
				c12 += x[1] * y[2]
				c13 += x[1] * y[3]
			}
			t := tile[i*nr+j:]
			t[0], t[1], t[2], t[3] = alpha*c00, alpha*c01, alpha*c02, alpha*c03
			t = t[nr:]
			t[0], t[1], t[2], t[3] = alpha*c10, alpha*c11, alpha*c12, alpha*c13
		}
	}
}
