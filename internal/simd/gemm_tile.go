package simd

// tilesGo computes n tiles of mr × nr elements below one another,
// C = alpha Σ_p A_p B_p + beta C with kc terms, where row p of B begins at
// b[p*bs] and row i of C at c[i*cr]; the next tile's A is step further.
func tilesGo[T Float](n, kc int, alpha T, a matrix[T], step int, b []T, bs int, beta T, c []T, cr int) {
	nr := lanes[T]()
	for t := range n {
		for i := 0; i < mr; i += 2 {
			for j := 0; j < nr; j += 4 {
				top := a.data[t*step+i*a.rs:]
				sum := patchGo(kc, top, top[a.rs:], a.cs, b[j:], bs)
				row := c[(t*mr+i)*cr+j:]
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

// packGo stores columns p0 to p1 of the first valid rows of x in dst[p*w+r].
func packGo[T Float](dst []T, w, valid, p0, p1 int, x matrix[T]) {
	if x.rs == 1 {
		for p := p0; p < p1; p++ {
			copy(dst[p*w:p*w+valid], x.data[p*x.cs:])
		}
		return
	}
	for r := range valid {
		for p, v := range x.data[r*x.rs:][p0:p1] {
			dst[(p0+p)*w+r] = v
		}
	}
}
