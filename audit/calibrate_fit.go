package audit

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// calibrationProblem is the penalised likelihood of the parameters (a, b, d), a left out
// of a numeric attribute.
type calibrationProblem struct {
	goal  *goal
	joint *joint
	rows  []int
	z     []float64 // [rows, width], centred, of standard deviation 1
	width int
}

// size returns how many parameters there are, and the place of the common slope.
func (p *calibrationProblem) size() (n, common int) {
	if p.goal.target.Labels != nil {
		common = p.width
	}
	return common + 1 + p.joint.groups(), common
}

// solve returns the parameters, the log-likelihood that they gain over 0, and their
// effective number, the trace of H·(H + ridge)⁻¹.
func (p *calibrationProblem) solve() (x []float64, gained, freedom float64) {
	n, common := p.size()
	ridge := make([]float64, n)
	for i := range ridge {
		ridge[i] = calibrationRidge
		if i > common {
			ridge[i] = calibrationOwn
		}
	}
	x = make([]float64, n)
	start, grad, hess := p.loss(x)
	at := start
	for range calibrationSteps {
		step, ok := newton(x, grad, hess, ridge)
		if !ok {
			break
		}
		next, value, nextGrad, nextHess := p.search(x, step, at, ridge)
		if next == nil {
			break
		}
		done := at+penalty(x, ridge)-value-penalty(next, ridge) < 1e-7*(1+math.Abs(value))
		x, at, grad, hess = next, value, nextGrad, nextHess
		if done {
			break
		}
	}
	return x, start - at, effective(hess, ridge)
}

// search halves the step until the penalised loss falls; nil if it does not.
func (p *calibrationProblem) search(x, step []float64, at float64, ridge []float64) ([]float64, float64, []float64, *mat.SymDense) {
	was := at + penalty(x, ridge)
	for scale := 1.0; scale > 1e-4; scale /= 2 {
		next := make([]float64, len(x))
		for i := range x {
			next[i] = x[i] - scale*step[i]
		}
		if value, grad, hess := p.loss(next); value+penalty(next, ridge) <= was {
			return next, value, grad, hess
		}
	}
	return nil, 0, nil, nil
}

func penalty(x, ridge []float64) float64 {
	sum := 0.0
	for i, v := range x {
		sum += ridge[i] * v * v / 2
	}
	return sum
}

// newton returns (H + ridge)⁻¹·(gradient + ridge·x).
func newton(x, grad []float64, hess *mat.SymDense, ridge []float64) ([]float64, bool) {
	var chol mat.Cholesky
	if !chol.Factorize(ridged(hess, ridge)) {
		return nil, false
	}
	g := mat.NewVecDense(len(x), nil)
	for i := range x {
		g.SetVec(i, grad[i]+ridge[i]*x[i])
	}
	var step mat.VecDense
	if chol.SolveVecTo(&step, g) != nil {
		return nil, false
	}
	return step.RawVector().Data, true
}

func ridged(h *mat.SymDense, ridge []float64) *mat.SymDense {
	r := mat.NewSymDense(len(ridge), nil)
	r.CopySym(h)
	for i, v := range ridge {
		r.SetSym(i, i, r.At(i, i)+v)
	}
	return r
}

// effective returns the trace of H·(H + ridge)⁻¹ = n − Σ ridge·((H + ridge)⁻¹)ii.
func effective(h *mat.SymDense, ridge []float64) float64 {
	var chol mat.Cholesky
	var inverse mat.SymDense
	n := float64(len(ridge))
	if !chol.Factorize(ridged(h, ridge)) || chol.InverseTo(&inverse) != nil {
		return n
	}
	for i, v := range ridge {
		n -= v * inverse.At(i, i)
	}
	return max(0, n)
}

// loss returns the negative log-likelihood in nats, of a numeric attribute that of a
// normal variable whose variance is what the joint table leaves, with its gradient and
// its Hessian.
func (p *calibrationProblem) loss(x []float64) (float64, []float64, *mat.SymDense) {
	if p.goal.target.Labels == nil {
		return p.squaredLoss(x)
	}
	return p.logLoss(x)
}

func (p *calibrationProblem) logLoss(x []float64) (float64, []float64, *mat.SymDense) {
	n, common := p.size()
	grad, hess := make([]float64, n), mat.NewSymDense(n, nil)
	h := hess.RawSymmetric().Data
	log, prob := make([]float64, p.width), make([]float64, p.width)
	loss := 0.0
	for i, row := range p.rows {
		z, own := p.z[i*p.width:][:p.width], common+1+p.joint.group(row)
		slope := x[common] + x[own]
		for k, q := range p.joint.of(row) {
			log[k] = q + x[k] + slope*z[k]
		}
		logNormalise(log)
		s := p.goal.target.Labels[row]
		loss -= log[s]
		mean, square := 0.0, 0.0
		for k := range log {
			prob[k] = math.Exp(log[k])
			mean += prob[k] * z[k]
			square += prob[k] * z[k] * z[k]
			grad[k] += prob[k]
		}
		grad[s]--
		g, v := mean-z[s], square-mean*mean
		grad[common] += g
		grad[own] += g
		h[common*n+common] += v
		h[common*n+own] += v
		h[own*n+own] += v
		for k, pk := range prob {
			for l := k; l < p.width; l++ {
				h[k*n+l] -= pk * prob[l]
			}
			h[k*n+k] += pk
			cross := pk * (z[k] - mean)
			h[k*n+common] += cross
			h[k*n+own] += cross
		}
	}
	return loss, grad, hess
}

func (p *calibrationProblem) squaredLoss(x []float64) (float64, []float64, *mat.SymDense) {
	n, common := p.size()
	grad, hess := make([]float64, n), mat.NewSymDense(n, nil)
	h := hess.RawSymmetric().Data
	variance := 0.0
	for _, row := range p.rows {
		e := p.goal.target.Values[row] - p.joint.of(row)[0]
		variance += e * e / float64(len(p.rows))
	}
	loss := 0.0
	if variance == 0 {
		return 0, grad, hess
	}
	for i, row := range p.rows {
		z, own := p.z[i], common+1+p.joint.group(row)
		e := p.goal.target.Values[row] - p.joint.of(row)[0] - (x[common]+x[own])*z
		loss += e * e / 2 / variance
		grad[common] -= e * z / variance
		grad[own] -= e * z / variance
		h[common*n+common] += z * z / variance
		h[common*n+own] += z * z / variance
		h[own*n+own] += z * z / variance
	}
	return loss, grad, hess
}
