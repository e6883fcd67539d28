package simd

// tilesGo computes n tiles of mr × nr elements, C = alpha Σ_p A_p B_p + beta C
// with kc terms, where row p of B begins at b[p*bs] and row i of C at c[i*cr].
// The next tile's A, B and C are aStep, bStep and cStep further: a column of
// tiles has bStep 0 and a row of tiles has aStep 0.
func tilesGo[T Float](n, kc int, alpha T, a matrix[T], aStep int, b []T, bs, bStep int, beta T, c []T, cr, cStep int) {
	nr := lanes[T]()
	for t := range n {
		for i := 0; i < mr; i += 2 {
			for j := 0; j < nr; j += 4 {
				top := a.data[t*aStep+i*a.rs:]
				sum := patchGo(kc, top, top[a.rs:], a.cs, b[t*bStep+j:], bs)
				row := c[t*cStep+i*cr+j:]
				storeGo(row[:4], sum[:4], alpha, beta)
				storeGo(row[cr:][:4], sum[4:], alpha, beta)
			}
		}
	}
}

// patchGo returns two rows of four elements of the product: eight sums that
// processors with 16 registers can hold.
func patchGo[T Float](kc int, a0, a1 []T, cs int, b []T, bs int) [8]T {
	var c00, c01, c02, c03, c10, c11, c12, c13 T
	for p := range kc {
		x, y, z := a0[p*cs], a1[p*cs], b[p*bs:][:4]
		c00 += x * z[0]
		c01 += x * z[1]
		c02 += x * z[2]
		c03 += x * z[3]
		c10 += y * z[0]
		c11 += y * z[1]
		c12 += y * z[2]
		c13 += y * z[3]
	}
	return [8]T{c00, c01, c02, c03, c10, c11, c12, c13}
}

// storeGo computes c = alpha sum + beta c. The conversions keep compilers from
// fusing, as merge and the kernels do not.
func storeGo[T Float](c, sum []T, alpha, beta T) {
	for j, v := range sum {
		switch beta {
		case 0:
			c[j] = alpha * v
		case 1:
			c[j] += T(alpha * v)
		default:
			c[j] = T(alpha*v) + T(beta*c[j])
		}
	}
}
