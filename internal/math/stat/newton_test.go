package stat

import (
	"errors"
	"math"
	"testing"
)

// Minimize finds the minimum of Σ cosh(x_i − c_i) + ½x², whose derivative is sinh(x − c) + x, and says what keeps it
// from one.
func TestMinimize(t *testing.T) {
	at := []float64{-3, 0, 10}
	m, err := Minimize(len(at), 1e-12, func(x []float64) (v float64, grad, hess []float64) {
		grad, hess = make([]float64, len(x)), make([]float64, len(x)*len(x))
		for i, c := range at {
			v += math.Cosh(x[i]-c) + x[i]*x[i]/2
			grad[i] = math.Sinh(x[i]-c) + x[i]
			hess[i*len(x)+i] = math.Cosh(x[i]-c) + 1
		}
		return v, grad, hess
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range at {
		if g := math.Sinh(m.X[i]-c) + m.X[i]; math.Abs(g) > 1e-7 {
			t.Errorf("variable %d: %v has the derivative %g", i, m.X[i], g)
		}
	}
	// From 0 the first step for ln cosh(x − 3) goes too far.
	m, err = Minimize(1, 1e-9, func(x []float64) (float64, []float64, []float64) {
		u := x[0] - 3
		return math.Log(math.Cosh(u)), []float64{math.Tanh(u)}, []float64{1 - math.Tanh(u)*math.Tanh(u)}
	})
	if err != nil || math.Abs(m.X[0]-3) > 1e-8 {
		t.Errorf("%+v, %v: want 3", m, err)
	}
	linear := func(value, curve float64) func(x []float64) (float64, []float64, []float64) {
		return func(x []float64) (float64, []float64, []float64) {
			return value - x[0], []float64{-1}, []float64{curve}
		}
	}
	for want, f := range map[error]func(x []float64) (float64, []float64, []float64){
		ErrNotFinite: linear(math.NaN(), 1), ErrSingular: linear(0, 0), ErrNoMinimum: linear(0, 1),
	} {
		if _, err := Minimize(1, 0, f); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
}
