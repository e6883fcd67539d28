package curious

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"tattle/internal/data/dataset"
)

// NeighbourhoodRidge is the weight λ of ½‖Θ‖² in the losses of Neighbourhoods. It makes them strongly convex enough
// for a hundred steps to show where gradient descent ends.
const NeighbourhoodRidge = .1

// A Neighbourhood is where gradient descent on βy·Ly + βs·Ls comes to.
type Neighbourhood struct {
	BetaS    float64   // = 1 − βy
	Distance []float64 // ‖Θ − Θy*‖ from the optimum for y alone, after 0, 1, 2 … steps
	Bound    []float64 // on Distance
	End      float64   // the distance of the minimum, where the steps lead
	Limit    float64   // the bound on End
}

// Neighbourhoods follows gradient descent from Θ = 0 with each of the weights βs, and bounds its distance from the
// optimum for y alone (B appendix A.2). The losses are those of fitLogistic as means over the
// examples, with the ridge ½λ‖Θ‖² of all of Θ.
//
// B shows for gradient flow dΘ = −∇L dt and V = ½‖Θ − Θy*‖², where Ly is μ-strongly convex and Ls convex, that
//
//	dV ≤ −βy·μ·‖Θ − Θy*‖² dt + βs·(Ls(Θy*) − Ls(Θ)) dt = −2βy·μ·V dt + βs·(Ls(Θy*) − Ls(Θ)) dt.
//
// Multiplied by e^{2βyμt} and integrated, this is
//
//	V(t) ≤ e^{−2βyμt}·V(0) + βs·∫₀ᵗ e^{−2βyμ(t−u)}·(Ls(Θy*) − Ls(Θ(u))) du.
//
// B's eq. (14) lacks the 2: it is true, and weaker. In the integrated form B prints Ly(Θt) in place of 2μ, and βs in place of
// βy within the integral. That does not hold (TestNeighbourhoods). If Ls is μ-strongly convex too, as B assumes without use
// of it, dV has the further term −βs·μ·V dt, and the rate is (2βy + βs)μ = (1 + βy)μ.
//
// A program makes steps Θ′ = Θ − η∇L(Θ). The same argument bounds them without a limit η → 0. Let w = Θy*,
// D = ‖Θ − w‖², D′ = ‖Θ′ − w‖² and η ≤ 1/M, where no second derivative of L exceeds M. Then
//
//	L(Θ′) ≤ L(Θ) − ½η‖∇L(Θ)‖²                    as η ≤ 1/M,
//	L(w)  ≥ L(Θ) + ∇L(Θ)ᵀ(w − Θ) + ½μD           as L is μ-strongly convex between Θ and w,
//	D′    = D − 2η∇L(Θ)ᵀ(Θ − w) + η²‖∇L(Θ)‖²
//	      ≤ (1 − ημ)·D + 2η·(L(w) − L(Θ′))       by the two lines above.
//
// As w is the minimum of Ly, which is μ′-strongly convex between Θ′ and w, Ly(w) − Ly(Θ′) ≤ −½μ′D′. So
//
//	(1 + ηβyμ′)·D′ ≤ (1 − ημ)·D + 2ηβs·(Ls(w) − Ls(Θ′)),
//
// which is the recursion of Bound². For small η it is the differential inequality with the rate (1 + βy)μ. At a fixed
// point D′ = D, so that D ≤ 2βs·(Ls(w) − Ls(Θ))/((1 + βy)μ), the square of Limit.
//
// Ly, Ls and L have the same second derivatives, Σ σ′(Θᵀx)·xxᵀ/n + λI. As σ′ falls with |Θᵀx|, which on a segment is
// largest at an end, they are nowhere between Θ and w below those with the smaller σ′ of the two ends: μ is
// the least eigenvalue of these.
func Neighbourhoods(ctx context.Context, set *dataset.Set, weights []float64, steps int) ([]Neighbourhood, error) {
	if len(set.Shape) != 1 || len(set.Sensitive) == 0 || len(set.YNames) != 2 || len(set.Sensitive[0].Values) != 2 {
		return nil, fmt.Errorf("the convex case: %q must be a table with two attributes of two classes", set.Name)
	}
	l, err := newLogisticLoss(set)
	if err != nil {
		return nil, err
	}
	var all []Neighbourhood
	for _, bs := range weights {
		n, err := l.descend(ctx, bs, steps)
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, nil
}

// descend makes the steps with one weight.
func (l *logisticLoss) descend(ctx context.Context, bs float64, steps int) (n Neighbourhood, err error) {
	at := l.at(make([]float64, l.d))
	mu, start := l.convexity(at), l.distance(at)
	n = Neighbourhood{BetaS: bs, Distance: []float64{start}, Bound: []float64{start}}
	square := start * start // of the bound
	for range steps {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		theta := slices.Clone(at.theta)
		floats.AddScaled(theta, -l.step, l.gradient(at, bs))
		at, square = l.at(theta), (1-l.step*mu)*square
		mu = l.convexity(at)
		square = (square + 2*l.step*bs*l.gain(at)) / (1 + l.step*(1-bs)*mu)
		n.Distance, n.Bound = append(n.Distance, l.distance(at)), append(n.Bound, math.Sqrt(square))
	}
	end, err := l.minimum(bs)
	if err != nil {
		return n, err
	}
	n.End, n.Limit = l.distance(end), math.Sqrt(2*bs*l.gain(end)/((2-bs)*l.convexity(end)))
	return n, nil
}

// logisticLoss has Ly and Ls of one table.
type logisticLoss struct {
	x      []float64 // [n, d], the last column of ones
	n, d   int
	y, s   []float64
	step   float64        // η = 1/M
	origin *logisticPoint // Θy*
}

// A logisticPoint is some Θ, with σ(Θᵀx) of each example and the losses.
type logisticPoint struct {
	theta, sigma []float64
	ly, ls       float64
}

// newLogisticLoss finds M, which is the largest eigenvalue where σ′ is ¼, and Θy*.
func newLogisticLoss(set *dataset.Set) (*logisticLoss, error) {
	l := &logisticLoss{n: set.Len(), d: set.Shape[0] + 1}
	for i := range l.n {
		for _, v := range set.Values[i*(l.d-1):][:l.d-1] {
			l.x = append(l.x, float64(v))
		}
		l.x = append(l.x, 1)
		l.y, l.s = append(l.y, float64(set.Y[i])), append(l.s, float64(set.Sensitive[0].Labels[i]))
	}
	l.step = 1 / l.eigenvalues(func(int) float64 { return .25 })[l.d-1]
	var err error
	l.origin, err = l.minimum(0)
	return l, err
}

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
	ridge := NeighbourhoodRidge / 2 * floats.Dot(theta, theta)
	p.ly, p.ls = p.ly/float64(l.n)+ridge, p.ls/float64(l.n)+ridge
	return p
}

func (l *logisticLoss) row(i int) []float64 { return l.x[i*l.d:][:l.d] }

// distance returns ‖Θ − Θy*‖.
func (l *logisticLoss) distance(p *logisticPoint) float64 {
	return floats.Distance(p.theta, l.origin.theta, 2)
}

// gain returns Ls(Θy*) − Ls(Θ), rounded up: each sum of n numbers is off by less than n units in its last place.
func (l *logisticLoss) gain(p *logisticPoint) float64 {
	return l.origin.ls - p.ls + float64(l.n)*0x1p-52*(l.origin.ls+p.ls)
}

// gradient returns that of L = (1 − βs)·Ly + βs·Ls.
func (l *logisticLoss) gradient(p *logisticPoint, bs float64) []float64 {
	g := make([]float64, l.d)
	for i := range l.n {
		floats.AddScaled(g, (p.sigma[i]-(1-bs)*l.y[i]-bs*l.s[i])/float64(l.n), l.row(i))
	}
	floats.AddScaled(g, NeighbourhoodRidge, p.theta)
	return g
}

// hessian returns Σ weight·xxᵀ/n + λI.
func (l *logisticLoss) hessian(weight func(i int) float64) *mat.SymDense {
	h := mat.NewSymDense(l.d, nil)
	for i := range l.n {
		x, w := l.row(i), weight(i)/float64(l.n)
		for j := range l.d {
			for k := j; k < l.d; k++ {
				h.SetSym(j, k, h.At(j, k)+w*x[j]*x[k])
			}
		}
	}
	for j := range l.d {
		h.SetSym(j, j, h.At(j, j)+NeighbourhoodRidge)
	}
	return h
}

// eigenvalues returns those of a hessian, in ascending order.
func (l *logisticLoss) eigenvalues(weight func(i int) float64) []float64 {
	var e mat.EigenSym
	if !e.Factorize(l.hessian(weight), false) {
		panic("curious: the QL iteration of a small matrix does not converge")
	}
	return e.Values(nil)
}

// slope returns σ′ of example i.
func (p *logisticPoint) slope(i int) float64 { return p.sigma[i] * (1 - p.sigma[i]) }

// convexity returns μ: that of the losses between Θ and Θy*.
func (l *logisticLoss) convexity(p *logisticPoint) float64 {
	return l.eigenvalues(func(i int) float64 { return min(p.slope(i), l.origin.slope(i)) })[0]
}

// newtonSteps are more than Newton's method takes to the minimum of these losses, up to rounding.
const newtonSteps = 20

// minimum returns the minimum of L by Newton's method.
func (l *logisticLoss) minimum(bs float64) (*logisticPoint, error) {
	p := l.at(make([]float64, l.d))
	for range newtonSteps {
		var c mat.Cholesky
		var step mat.VecDense
		if !c.Factorize(l.hessian(p.slope)) {
			return nil, fmt.Errorf("the convex case: the losses have no curvature at %v", p.theta)
		}
		if err := c.SolveVecTo(&step, mat.NewVecDense(l.d, l.gradient(p, bs))); err != nil {
			return nil, fmt.Errorf("the convex case: %w", err)
		}
		p = l.at(floats.SubTo(make([]float64, l.d), p.theta, step.RawVector().Data))
	}
	return p, nil
}
