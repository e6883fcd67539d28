package curious

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/math/stat"
)

// defaultRidge is the weight of ½‖w‖² beside the samples' summed losses: that of the
// usual programs, and what makes separable classes have a finite optimum.
const defaultRidge = 1

// newtonTolerance bounds the derivatives per sample at the minimum: what float64 resolves.
const newtonTolerance = 1e-10

// Logistic is the classifier ŷ = σ(Θᵀ[x, 1]) of B appendix A: a convex F that answers y and carries
// s, on the inputs. It is no attack. classify.Logistic, which is one, guesses classes from outputs;
// it takes no targets between the classes, standardises, and stops at the precision of float32.
type Logistic struct {
	Theta []float64 // of the inputs, and last of the constant 1
	Steps int       // of Newton's method
}

// logisticLoss is B eq. (12) of samples with targets z = βy·y + βs·s, plus ½·ridge·‖w‖²,
// which leaves out the weight of the constant.
type logisticLoss struct {
	x     []float32 // [n, d]
	z     []float64 // [n]
	d     int
	ridge float64
}

// fitLogistic minimises B eq. (12), summed over the samples of a table whose target
// and sensitive attribute have two classes each, plus ½·ridge·‖w‖² (0 is
// defaultRidge), by Newton's method; the multipliers are scaled to βy + βs = 1. βx must
// be 0: eq. (12) has no entropy.
func fitLogistic(set *dataset.Set, index int, b Beta, ridge float64) (*Logistic, error) {
	if len(set.Shape) != 1 || len(set.Values) == 0 || index < 0 || index >= len(set.Sensitive) {
		return nil, fmt.Errorf("logistic regression: %q is no table with a sensitive attribute %d", set.Name, index)
	}
	a := set.Sensitive[index]
	if len(set.YNames) != 2 || len(a.Values) != 2 {
		return nil, fmt.Errorf("logistic regression: %d and %d classes: group %s and %s into two each", len(set.YNames), len(a.Values), set.YName, a.Name)
	}
	if ridge == 0 {
		ridge = defaultRidge
	}
	total := b.Y + b.S
	if !(total > 0) || math.IsInf(total, 0) || b.X != 0 || !(ridge > 0) {
		return nil, fmt.Errorf("logistic regression: beta %v and ridge %v: βy + βs and the ridge must be positive, βx 0", b, ridge)
	}
	l := &logisticLoss{x: set.Values, z: make([]float64, set.Len()), d: set.Shape[0], ridge: ridge}
	for i, y := range set.Y {
		l.z[i] = (b.Y*float64(y) + b.S*float64(a.Labels[i])) / total
	}
	m, err := stat.Minimize(l.d+1, newtonTolerance*float64(len(l.z)), l.value)
	switch {
	case errors.Is(err, stat.ErrNotFinite):
		return nil, fmt.Errorf("logistic regression: %w: look for bad values in the data", err)
	case errors.Is(err, stat.ErrSingular):
		return nil, fmt.Errorf("logistic regression: the inputs depend on each other: drop some or raise the ridge above %v", ridge)
	case err != nil:
		return nil, fmt.Errorf("logistic regression: %w: raise the ridge above %v", err, ridge)
	}
	return &Logistic{Theta: m.X, Steps: m.Steps}, nil
}

// value returns the loss at Θ, its gradient, [d+1], and its Hessian.
func (l *logisticLoss) value(theta []float64) (sum float64, grad []float64, hessian *mat.SymDense) {
	grad, hessian = make([]float64, l.d+1), mat.NewSymDense(l.d+1, nil)
	for i, z := range l.z {
		x := l.x[i*l.d:][:l.d]
		t := theta[l.d]
		for j, v := range x {
			t += theta[j] * float64(v)
		}
		p, cost := sigmoid(t)
		sum += cost - z*t
		addOuter(grad, hessian, x, p-z, p*(1-p))
	}
	for j, w := range theta[:l.d] {
		sum += .5 * l.ridge * w * w
		grad[j] += l.ridge * w
		hessian.SetSym(j, j, hessian.At(j, j)+l.ridge)
	}
	return sum, grad, hessian
}

// addOuter adds first·[x, 1] to grad, and second·[x, 1]·[x, 1]ᵀ to the upper half of the Hessian.
func addOuter(grad []float64, hessian *mat.SymDense, x []float32, first, second float64) {
	d := len(x)
	h := hessian.RawSymmetric()
	for j, v := range x {
		grad[j] += first * float64(v)
		row := h.Data[j*h.Stride:][:d+1]
		w := second * float64(v)
		for k := j; k < d; k++ {
			row[k] += w * float64(x[k])
		}
		row[d] += w
	}
	grad[d] += first
	h.Data[d*h.Stride+d] += second
}

// sigmoid returns p = 1/(1 + e^−t) and −log(1 − p) = log(1 + e^t).
func sigmoid(t float64) (p, cost float64) {
	e := math.Exp(-math.Abs(t))
	p = 1 / (1 + e)
	if t < 0 {
		p *= e
	}
	return p, max(t, 0) + math.Log1p(e)
}

// Graph returns the classifier as a graph of scores [0, Θᵀ[x, 1]], whose softmax is
// [1 − ŷ, ŷ].
func (m *Logistic) Graph(name string) *nn.Graph {
	d := len(m.Theta) - 1
	w := param("weight", 2, d)
	for j := range d {
		w.Data[d+j] = float32(m.Theta[j])
	}
	bias := &nn.Param{Name: "bias", Shape: []int{2}, Data: []float32{0, float32(m.Theta[d])}}
	g := newGraph(name, d)
	appendNode(g, "scores", &nn.Dense{In: d, Out: 2, Weight: w, Bias: bias}, g.Input)
	return g
}
