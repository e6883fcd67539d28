package nn

// averagePool is the kernel of AveragePool, a linear map.
type averagePool[T Float] struct {
	poolPlan
	all bool // padding counts in the mean
}

func newAveragePool[T Float](p *AveragePool, in [][]int) *averagePool[T] {
	return &averagePool[T]{newPoolPlan(p.Kernel, p.Stride, p.Dilation, p.Pad, in), p.CountIncludePad}
}

// count returns what the sum over output (i, j)'s window is divided by.
func (k *averagePool[T]) count(i, j int) T {
	if k.all {
		return T(k.kH * k.kW)
	}
	return T(k.rows[i].entries(k.dilH) * k.columns[j].entries(k.dilW))
}

// apply overwrites n examples of y with the means of x.
func (k *averagePool[T]) apply(y, x []T, n int) {
	k.eachPlane(n, func(p int) {
		x, y := x[p*k.inHW:][:k.inHW], y[p*k.outHW:][:k.outHW]
		for i, rows := range k.rows {
			for j, columns := range k.columns {
				var sum T
				for h := rows.lo; h < rows.hi; h += k.dilH {
					line := x[h*k.inW:][:columns.hi]
					for w := columns.lo; w < len(line); w += k.dilW {
						sum += line[w]
					}
				}
				y[i*k.outW+j] = sum / k.count(i, j)
			}
		}
	})
}

func (k *averagePool[T]) forward(f *frame[T]) { k.apply(f.y, f.x[0], f.batch) }

func (k *averagePool[T]) jvp(f *frame[T], dy []T, dx [][]T, n int) { k.apply(dy, dx[0], f.batch*n) }

func (k *averagePool[T]) vjp(f *frame[T], dx [][]T, dy []T, n int) {
	if dx[0] == nil {
		return
	}
	k.eachPlane(f.batch*n, func(p int) {
		dx, dy := dx[0][p*k.inHW:][:k.inHW], dy[p*k.outHW:][:k.outHW]
		clear(dx)
		for i, rows := range k.rows {
			for j, columns := range k.columns {
				share := dy[i*k.outW+j] / k.count(i, j)
				for h := rows.lo; h < rows.hi; h += k.dilH {
					line := dx[h*k.inW:][:columns.hi]
					for w := columns.lo; w < len(line); w += k.dilW {
						line[w] += share
					}
				}
			}
		}
	})
}
