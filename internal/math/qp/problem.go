package qp

import "fmt"

// A Problem is a programme in n variables with m rows: the first Equal rows of
// Rows are A and the first Equal entries of Right b; the others are G and h.
type Problem struct {
	D         []float64 // [n], each at least 0; nil for a linear programme
	Q         []float64 // [n]
	Rows      []float64 // [m, n]
	Right     []float64 // [m]
	Equal     int       // how many rows are equations
	Low, High []float64 // [n], finite
}

// check panics if lengths do not match, and returns an error for values that make no sense.
func (p *Problem) check() error {
	n, m := len(p.Q), len(p.Right)
	if len(p.Rows) != m*n || p.D != nil && len(p.D) != n || len(p.Low) != n || len(p.High) != n || p.Equal < 0 || p.Equal > m {
		panic(fmt.Sprintf("qp: %d variables, %d rows of which %d equations: matrix of length %d, limits of %d and %d, Hessian of %d",
			n, m, p.Equal, len(p.Rows), len(p.Low), len(p.High), len(p.D)))
	}
	if n == 0 {
		return fmt.Errorf("a programme without variables")
	}
	for i := range n {
		switch {
		case !finite(p.Q[i]) || p.D != nil && !(finite(p.D[i]) && p.D[i] >= 0):
			return fmt.Errorf("variable %d: the objective's coefficients must be finite and the Hessian at least 0", i)
		case !finite(p.Low[i]) || !finite(p.High[i]) || p.Low[i] > p.High[i]:
			return fmt.Errorf("variable %d: limits from %g to %g", i, p.Low[i], p.High[i])
		}
	}
	return p.checkRows(n)
}

func (p *Problem) checkRows(n int) error {
	for j, b := range p.Right {
		if !finite(b) {
			return fmt.Errorf("row %d: right side %g", j, b)
		}
		for _, v := range p.Rows[j*n : (j+1)*n] {
			if !finite(v) {
				return fmt.Errorf("row %d has a coefficient %g", j, v)
			}
		}
	}
	return nil
}

func finite(x float64) bool { return x-x == 0 }
