package simd

// tilesGo, packAlongGo and packQuadsGo are tiles, packAlong and packQuads in plain Go, for processors
// without kernels: two rows and four columns at a time.
func tilesGo[T Float](n, nr, kc int, alpha T, a matrix[T], aStep int, b []T, bs, bStep int, beta T, c []T, cr, cStep int) {
	for t := range n {
		if t > 0 && aStep != 0 {
			a.data = a.data[aStep:]
		} else if t > 0 {
			b = b[bStep:]
		}
		for i := 0; i < mr; i += 2 {
			for j := 0; j < nr; j += 4 {
				var s0, s1, s2, s3, t0, t1, t2, t3 T
				at, below, line := i*a.rs, (i+1)*a.rs, b[j:]
				for p := range kc {
					x, y, w := a.data[at], a.data[below], line[p*bs:][:4]
					s0 += T(x * w[0])
					s1 += T(x * w[1])
					s2 += T(x * w[2])
					s3 += T(x * w[3])
					t0 += T(y * w[0])
					t1 += T(y * w[1])
					t2 += T(y * w[2])
					t3 += T(y * w[3])
					at, below = at+a.cs, below+a.cs
				}
				for q, v := range [...]T{s0, s1, s2, s3, t0, t1, t2, t3} {
					to := &c[t*cStep+(i+q/4)*cr+j+q%4]
					if v *= alpha; beta != 0 {
						v += T(beta * *to)
					}
					*to = v
				}
			}
		}
	}
}

func packAlongGo[T Float](dst []T, w, panels, kc int, x matrix[T]) {
	for p := range kc {
		line := x.data[p*x.cs:]
		for i := range panels {
			copy(dst[(i*kc+p)*w:][:w], line[i*w:])
		}
	}
}

func packQuadsGo[T Float](dst []T, w int, src []T, ld, quads int) {
	n := 4 * quads
	a, b, c, d := src[:n], src[ld:][:n], src[2*ld:][:n], src[3*ld:][:n]
	for p, v := range a {
		to := dst[p*w:][:4]
		to[0], to[1], to[2], to[3] = v, b[p], c[p], d[p]
	}
}
