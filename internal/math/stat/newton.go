package stat

import (
	"errors"
	"math"
	"slices"

	"tattle/internal/math/gram"
)

// How long Minimize goes on: more than convex problems were seen to take.
const (
	newtonSteps    = 100
	newtonHalvings = 40
)

// The errors of Minimize.
var (
	ErrNotFinite = errors.New("the value is not finite")
	ErrSingular  = errors.New("the Hessian is not positive definite")
	ErrNoMinimum = errors.New("no minimum was reached")
)

// A Minimum is where Minimize ended.
type Minimum struct {
	X       []float64
	Value   float64
	Hessian []float64 // [n, n]
	Steps   int
}

// Minimize returns the minimum of a strictly convex function of n variables by Newton's method from 0, each step
// halved until the value falls. It stops when no derivative is above the tolerance, or no float64 is
// better. f returns the value, the gradient and the Hessian at x. Only the lower triangle of the Hessian is read. The errors
// are ErrNotFinite, ErrSingular and ErrNoMinimum.
func Minimize(n int, tolerance float64, f func(x []float64) (value float64, grad, hessian []float64)) (*Minimum, error) {
	m := &Minimum{X: make([]float64, n)}
	value, grad, hessian := f(m.X)
	for m.Steps = range newtonSteps {
		m.Value, m.Hessian = value, hessian
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return nil, ErrNotFinite
		}
		if max(slices.Max(grad), -slices.Min(grad)) <= tolerance {
			return m, nil
		}
		step := grad
		if gram.Solve(hessian, n, step) != nil {
			return nil, ErrSingular
		}
		next, lower := make([]float64, n), false
		for h, size := 0, 1.; h < newtonHalvings && !lower; h, size = h+1, size/2 {
			for i := range next {
				next[i] = m.X[i] - size*step[i]
			}
			value, grad, hessian = f(next)
			lower = value < m.Value
		}
		if !lower {
			return m, nil
		}
		m.X = next
	}
	return nil, ErrNoMinimum
}
