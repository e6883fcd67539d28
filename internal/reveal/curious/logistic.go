package curious

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/math/gram"
	"tattle/internal/math/stat"
)

// logisticTolerance is the largest derivative of the mean loss at the optimum.
const logisticTolerance = 1e-13

// A logisticLoss has the losses of the classifier ŷ = σ(Θᵀ[x, 1]) of B appendix A, a convex F that answers y and carries the
// first sensitive attribute of a table, of two classes each. Losses are means over the examples, with the ridge ½Σλᵢ·Θᵢ².
type logisticLoss struct {
	x     []float64 // [n, d], the last column of ones
	n, d  int
	y, s  []float64
	ridge []float64 // λ of each of Θ
}

// A logisticPoint is some Θ, with σ(Θᵀx) of each example and the losses.
type logisticPoint struct {
	theta, sigma []float64
	ly, ls       float64
}

// newLogisticLoss returns the losses of a table without a ridge.
func newLogisticLoss(set *dataset.Set) (*logisticLoss, error) {
	if len(set.Shape) != 1 || len(set.Values) == 0 || len(set.Sensitive) == 0 || len(set.YNames) != 2 || len(set.Sensitive[0].Values) != 2 {
		return nil, fmt.Errorf("logistic regression: %q must be a table with a target and a sensitive attribute of two classes each", set.Name)
	}
	l := &logisticLoss{n: set.Len(), d: set.Shape[0] + 1}
	for i := range l.n {
		for _, v := range set.Values[i*(l.d-1):][:l.d-1] {
			l.x = append(l.x, float64(v))
		}
		l.x = append(l.x, 1)
		l.y, l.s = append(l.y, float64(set.Y[i])), append(l.s, float64(set.Sensitive[0].Labels[i]))
	}
	l.ridge = make([]float64, l.d)
	return l, nil
}

func (l *logisticLoss) row(i int) []float64 { return l.x[i*l.d:][:l.d] }

// at returns the losses at Θ.
func (l *logisticLoss) at(theta []float64) *logisticPoint {
	p := &logisticPoint{theta: theta, sigma: make([]float64, l.n)}
	for i := range l.n {
		u := floats.Dot(theta, l.row(i))
		e := math.Exp(-math.Abs(u))
		p.sigma[i] = 1 / (1 + e)
		if u < 0 {
			p.sigma[i] = e / (1 + e)
		}
		soft := max(u, 0) + math.Log1p(e) // −log(1 − ŷ)
		p.ly += soft - l.y[i]*u
		p.ls += soft - l.s[i]*u
	}
	ridge := 0.
	for j, v := range theta {
		ridge += l.ridge[j] / 2 * v * v
	}
	p.ly, p.ls = p.ly/float64(l.n)+ridge, p.ls/float64(l.n)+ridge
	return p
}

// slope returns σ′ of example i.
func (p *logisticPoint) slope(i int) float64 { return p.sigma[i] * (1 - p.sigma[i]) }

// gradient returns that of L = (1 − βs)·Ly + βs·Ls, whose targets are those of B eq. (12).
func (l *logisticLoss) gradient(p *logisticPoint, bs float64) []float64 {
	g := make([]float64, l.d)
	for i := range l.n {
		floats.AddScaled(g, (p.sigma[i]-(1-bs)*l.y[i]-bs*l.s[i])/float64(l.n), l.row(i))
	}
	for j, v := range p.theta {
		g[j] += l.ridge[j] * v
	}
	return g
}

// hessian returns the lower triangle of Σ weight·xxᵀ/n and the ridge, [d, d]. With the weights σ′ it is that of Ly, of Ls and of L.
func (l *logisticLoss) hessian(weight func(i int) float64) []float64 {
	h := make([]float64, l.d*l.d)
	for j, v := range l.ridge {
		h[j*l.d+j] = v
	}
	for i := range l.n {
		x, w := l.row(i), weight(i)/float64(l.n)
		for j, v := range x {
			floats.AddScaled(h[j*l.d:][:j+1], w*v, x[:j+1])
		}
	}
	return h
}

// minimum returns the minimum of L. The last step of Newton's method is smaller than the values of L can show.
func (l *logisticLoss) minimum(bs float64) (*logisticPoint, error) {
	m, err := stat.Minimize(l.d, logisticTolerance, func(theta []float64) (float64, []float64, []float64) {
		p := l.at(theta)
		return (1-bs)*p.ly + bs*p.ls, l.gradient(p, bs), l.hessian(p.slope)
	})
	var step []float64
	if err == nil {
		step = l.gradient(l.at(m.X), bs)
		err = gram.Solve(m.Hessian, l.d, step)
	}
	if err != nil {
		return nil, fmt.Errorf("logistic regression: %w", err)
	}
	return l.at(floats.SubTo(m.X, m.X, step)), nil
}

// defaultRidge is the weight of ½‖w‖² beside the examples' summed losses, where w is Θ without the last: that of the
// usual programs, and what makes separable classes have a finite optimum.
const defaultRidge = 1

// newRidgedLoss returns the losses with defaultRidge.
func newRidgedLoss(set *dataset.Set) (*logisticLoss, error) {
	l, err := newLogisticLoss(set)
	if err != nil {
		return nil, err
	}
	for j := range l.d - 1 {
		l.ridge[j] = defaultRidge / float64(l.n)
	}
	return l, nil
}

// graph returns the classifier with the weight βs, as a graph of scores [0, Θᵀ[x, 1]] whose softmax is [1 − ŷ, ŷ].
func (l *logisticLoss) graph(name string, bs float64) (*nn.Graph, error) {
	p, err := l.minimum(bs)
	if err != nil {
		return nil, err
	}
	d := l.d - 1
	w := param("weight", 2, d)
	for j := range d {
		w.Data[d+j] = float32(p.theta[j])
	}
	bias := &nn.Param{Name: "bias", Shape: []int{2}, Data: []float32{0, float32(p.theta[d])}}
	g := newGraph(name, d)
	appendNode(g, "scores", &nn.Dense{In: d, Out: 2, Weight: w, Bias: bias}, g.Input)
	return g, nil
}
