package bound

import (
	"context"

	"tattle/internal/engine/nn"
)

// moved overwrites z, [examples, each, n], with how far perturbations eps, [examples, each, p], of
// the inputs theta move the features: a(θ+ε) − a(θ), the difference of two float64 passes. It errs
// by the rounding of both. That is far below what a search notices: perturbations move the features
// by 10⁻⁵ of the noise or more. If ctx is cancelled, z means nothing.
func moved[T nn.Float](ctx context.Context, m nn.Model, z, theta, eps []T) {
	p, n := m.Dims()
	each := len(eps) / len(theta)
	a0 := make([]float64, len(theta)/p*n)
	m.Forward64(a0, nn.Float64s(theta))
	rows := len(eps) / p
	most := min(rows, certifyRowsOf(p, n))
	x, a := make([]float64, most*p), make([]float64, most*n)
	for lo := 0; lo < rows && ctx.Err() == nil; lo += most {
		count := min(most, rows-lo)
		parallel(count, func(i int) {
			e, t, to := rowOf(eps, lo+i, p), rowOf(theta, (lo+i)/each, p), rowOf(x, i, p)
			for k, v := range e {
				to[k] = float64(t[k]) + float64(v)
			}
		})
		m.Forward64(a[:count*n], x[:count*p])
		parallel(count, func(i int) {
			from, at, to := rowOf(a0, (lo+i)/each, n), rowOf(a, i, n), rowOf(z, lo+i, n)
			for k, v := range at {
				to[k] = T(v - from[k])
			}
		})
	}
}
