package curious

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"tattle/internal/data/dataset"
	"tattle/internal/math/simd"
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

// Neighbourhoods follows gradient descent from Θ = 0 with each of the weights βs. It bounds the distance from the
// optimum for y alone (B appendix A.2). The losses are those of logistic regression (logisticLoss)
// with the ridge ½λ‖Θ‖² of all of Θ.
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
// βy within the integral. That does not hold (TestNeighbourhoodsPrinted). If Ls is μ-strongly convex too, as B assumes without use
// of it, dV has the further term −βs·μ·V dt. The rate is then (2βy + βs)μ = (1 + βy)μ.
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
func Neighbourhoods(ctx context.Context, set *dataset.Set, weights []float64, steps int) (all []Neighbourhood, err error) {
	l, err := newDescent(set)
	for i := 0; i < len(weights) && err == nil; i++ {
		var n Neighbourhood
		n, err = l.descend(ctx, weights[i], steps)
		all = append(all, n)
	}
	return all, err
}

// A descent is gradient descent on the losses.
type descent struct {
	*logisticLoss
	step   float64        // η = 1/M
	origin *logisticPoint // Θy*
}

// newDescent finds M, which is the largest eigenvalue where σ′ is ¼, and Θy*.
func newDescent(set *dataset.Set) (*descent, error) {
	losses, err := newLogisticLoss(set)
	if err != nil {
		return nil, err
	}
	l := &descent{logisticLoss: losses}
	for j := range l.ridge {
		l.ridge[j] = NeighbourhoodRidge
	}
	l.step = 1 / l.eigenvalues(func(int) float64 { return .25 })[l.d-1]
	l.origin, err = l.minimum(0)
	return l, err
}

// descend makes the steps with one weight.
func (l *descent) descend(ctx context.Context, bs float64, steps int) (n Neighbourhood, err error) {
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

// distance returns ‖Θ − Θy*‖.
func (l *descent) distance(p *logisticPoint) float64 {
	return floats.Distance(p.theta, l.origin.theta, 2)
}

// gain returns Ls(Θy*) − Ls(Θ), rounded up: each sum of n numbers is off by less than n units in its last place.
func (l *descent) gain(p *logisticPoint) float64 {
	return l.origin.ls - p.ls + float64(l.n)*0x1p-52*(l.origin.ls+p.ls)
}

// eigenvalues returns those of a Hessian, in ascending order.
func (l *descent) eigenvalues(weight func(i int) float64) []float64 {
	var e mat.EigenSym
	h := l.hessian(weight)
	simd.Mirror(l.d, h, l.d)
	if !e.Factorize(mat.NewSymDense(l.d, h), false) {
		panic("curious: the QL iteration of a small matrix does not converge")
	}
	return e.Values(nil)
}

// convexity returns μ: that of the losses between Θ and Θy*.
func (l *descent) convexity(p *logisticPoint) float64 {
	return l.eigenvalues(func(i int) float64 { return min(p.slope(i), l.origin.slope(i)) })[0]
}
