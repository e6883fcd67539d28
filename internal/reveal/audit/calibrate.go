package audit

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"tattle/internal/math/gram"
	"tattle/internal/math/simd"
	"tattle/internal/math/stat"
)

// How the scores of an attack become probabilities given y and the answered label.
const (
	// calibrationRidge is the prior precision of the offsets of the classes and of the
	// common slope, on scores of standard deviation 1: a slope of 1 is not unlikely.
	calibrationRidge = 1
	// calibrationOwn is the prior precision of the slopes by y about the common one.
	calibrationOwn = 4
	// calibrationTolerance bounds the derivatives of the loss of an example where Newton's method ends.
	calibrationTolerance = 1e-5
	// ownMost is the most classes of y that have slopes of their own: with more, each class
	// would have few examples.
	ownMost = 32
	// leastSpread is the standard deviation of scores below which they are rounding errors.
	leastSpread = 1e-6
	// leastLog bounds log-probabilities of an attack from below.
	leastLog = -20
)

// calibration turns an attack's scores z of the classes of s into
//
//	p(s | z, y, ŷ) ∝ q(s | y, ŷ)·exp(a(s) + (b + d(y))·z'(s)),
//
// where z' is z less its mean among the examples of the same y and ŷ, over its standard
// deviation. The parameters a, b and d are those of the largest likelihood with a ridge,
// shrunk by max(0, 1 − f/G), f being the effective number of parameters and G twice the
// gain in log-likelihood: if the scores add nothing to q, they are usually 0, and p is q. If
// s is numeric, z is the prediction, and
//
//	E[s | z, y, ŷ] = mean(y, ŷ) + (b + d(y))·z'.
type calibration struct {
	centre *means // of the scores in each cell of y and ŷ
	joint  *joint
	spread float64   // standard deviation of z'; 0 if the scores do not vary
	most   float64   // largest |z'| seen over spread: scores farther out count as this
	offset []float64 // a; nil for a numeric attribute
	slope  []float64 // b + d by group of y
	merit  float64   // log-likelihood gained per example, less f over their number; in nats, or for a numeric s half the squared error in units of the variance left
}

// calibrate fits a calibration on the examples rows, whose scores are [rows, width] and
// whose joint table was learned on others. weight is what each example counts for: people count once.
func calibrate(g *goal, j *joint, rows []int, score, weight []float64) *calibration {
	c := &calibration{centre: newMeans(j.cells, j.width), joint: j, slope: make([]float64, j.groups())}
	c.centreOn(rows, score)
	p := &calibrationProblem{goal: g, joint: j, rows: rows, weight: weight, z: make([]float64, len(score)), width: j.width}
	for i, row := range rows {
		c.centred(p.z[i*j.width:][:j.width], row, score[i*j.width:])
	}
	if c.spread = stat.RMS(p.z); c.spread < leastSpread {
		c.spread = 0
		clear(p.z)
	} else {
		for i := range p.z {
			p.z[i] /= c.spread
			c.most = max(c.most, math.Abs(p.z[i]))
		}
	}
	x, gained, freedom := p.solve()
	n := simd.Sum(weight)
	c.merit = (gained - freedom) / n
	shrink := 0.0
	if gained > 0 {
		shrink = max(0, 1-freedom/(2*gained))
	}
	if g.target.Labels != nil {
		c.offset = floats.ScaleTo(make([]float64, j.width), shrink, x[:j.width])
	}
	common := x[len(x)-len(c.slope)-1]
	for y := range c.slope {
		c.slope[y] = shrink * (common + x[len(x)-len(c.slope)+y])
	}
	return c
}

// centreOn learns the mean scores of the cells; those with few examples follow the mean
// of all.
func (c *calibration) centreOn(rows []int, score []float64) {
	j := c.joint
	all := newMeans(1, j.width)
	for i, row := range rows {
		z := score[i*j.width:][:j.width]
		all.add(0, z)
		c.centre.add(c.joint.cell[row], z)
	}
	for k := range c.centre.n {
		c.centre.smooth(k, all.of(0), jointPrior)
	}
}

func (c *calibration) centred(dst []float64, row int, score []float64) {
	for k, m := range c.centre.of(c.joint.cell[row]) {
		dst[k] = score[k] - m
	}
}

// apply overwrites dst with log p(s | z, y, ŷ) of example row, or the expectation of its
// number; base is what the joint table says of it.
func (c *calibration) apply(dst, base []float64, row int, score []float64) {
	if c.spread == 0 {
		copy(dst, base)
		return
	}
	c.centred(dst, row, score)
	slope := c.slope[c.joint.group(row)]
	for k := range dst {
		dst[k] = base[k] + slope*min(max(dst[k]/c.spread, -c.most), c.most)
		if c.offset != nil {
			dst[k] += c.offset[k]
		}
	}
	if c.offset != nil {
		logNormalise(dst)
	}
}

// logNormalise subtracts log Σ exp(x) from x.
func logNormalise(x []float64) { floats.AddConst(-floats.LogSumExp(x), x) }

// logScores overwrites dst with the log-probabilities of the classes by an
// attack's scores, which are shares that sum to 1, or log-odds up to a constant.
func logScores(dst []float64, score []float32) {
	sum, least := 0.0, 0.0
	for k, v := range score {
		dst[k] = float64(v)
		sum, least = sum+dst[k], min(least, dst[k])
	}
	if least >= 0 && math.Abs(sum-1) < 1e-5 {
		for k, p := range dst {
			dst[k] = math.Log(max(p, probabilityFloor))
		}
	}
	logNormalise(dst)
	for k := range dst {
		dst[k] = max(dst[k], leastLog)
	}
}

// calibrationProblem is the penalised likelihood of the parameters (a, b, d), a left out
// of a numeric attribute.
type calibrationProblem struct {
	goal   *goal
	joint  *joint
	rows   []int
	weight []float64 // of each row
	z      []float64 // [rows, width], centred, of standard deviation 1
	width  int
}

// size returns how many parameters there are, and the place of the common slope.
func (p *calibrationProblem) size() (n, common int) {
	if p.goal.target.Labels != nil {
		common = p.width
	}
	return common + 1 + p.joint.groups(), common
}

// solve returns the parameters, the log-likelihood that they gain over 0, and their
// effective number, the trace of H·(H + ridge)⁻¹ = n − Σ ridge·((H + ridge)⁻¹)ii.
func (p *calibrationProblem) solve() (x []float64, gained, freedom float64) {
	n, common := p.size()
	ridge := make([]float64, n)
	for i := range ridge {
		ridge[i] = calibrationRidge
		if i > common {
			ridge[i] = calibrationOwn
		}
	}
	m, err := stat.Minimize(n, calibrationTolerance*float64(len(p.rows)), func(x []float64) (value float64, grad, hessian []float64) {
		loss, grad, hess := p.loss(x)
		for i, v := range ridge {
			loss += v * x[i] * x[i] / 2
			grad[i] += v * x[i]
			hess[i*n+i] += v
		}
		return loss, grad, hess
	})
	inverse := make([]float64, n*n)
	for i := range n {
		inverse[i*n+i] = 1
	}
	if err != nil || gram.Solve(m.Hessian, n, inverse) != nil {
		return make([]float64, n), 0, float64(n)
	}
	gained, _, _ = p.loss(make([]float64, n))
	gained -= m.Value
	for i, v := range ridge {
		gained += v * m.X[i] * m.X[i] / 2
		freedom += 1 - v*inverse[i*n+i]
	}
	return m.X, gained, max(0, freedom)
}

// loss returns the negative log-likelihood in nats, of a numeric attribute that of a
// normal variable whose variance is what the joint table leaves, with its gradient and
// the lower triangle of its Hessian.
func (p *calibrationProblem) loss(x []float64) (loss float64, grad, hess []float64) {
	if p.goal.target.Labels == nil {
		return p.squaredLoss(x)
	}
	return p.logLoss(x)
}

func (p *calibrationProblem) logLoss(x []float64) (loss float64, grad, hess []float64) {
	n, common := p.size()
	grad, hess = make([]float64, n), make([]float64, n*n)
	log, prob := make([]float64, p.width), make([]float64, p.width)
	for i, row := range p.rows {
		z, own, weight := p.z[i*p.width:][:p.width], common+1+p.joint.group(row), p.weight[i]
		slope := x[common] + x[own]
		for k, q := range p.joint.of(row) {
			log[k] = q + x[k] + slope*z[k]
		}
		logNormalise(log)
		s := p.goal.target.Labels[row]
		loss -= weight * log[s]
		mean, square := 0.0, 0.0
		for k := range log {
			prob[k] = math.Exp(log[k])
			mean += prob[k] * z[k]
			square += prob[k] * z[k] * z[k]
			grad[k] += weight * prob[k]
		}
		grad[s] -= weight
		g, v := weight*(mean-z[s]), weight*(square-mean*mean)
		grad[common] += g
		grad[own] += g
		hess[common*n+common] += v
		hess[own*n+common] += v
		hess[own*n+own] += v
		for k, pk := range prob {
			for l := range k + 1 {
				hess[k*n+l] -= weight * pk * prob[l]
			}
			hess[k*n+k] += weight * pk
			cross := weight * pk * (z[k] - mean)
			hess[common*n+k] += cross
			hess[own*n+k] += cross
		}
	}
	return loss, grad, hess
}

func (p *calibrationProblem) squaredLoss(x []float64) (loss float64, grad, hess []float64) {
	n, common := p.size()
	grad, hess = make([]float64, n), make([]float64, n*n)
	variance, count := 0.0, simd.Sum(p.weight)
	for i, row := range p.rows {
		e := p.goal.target.Values[row] - p.joint.of(row)[0]
		variance += p.weight[i] * e * e / count
	}
	if variance == 0 {
		return 0, grad, hess
	}
	for i, row := range p.rows {
		z, own, weight := p.z[i], common+1+p.joint.group(row), p.weight[i]
		e := p.goal.target.Values[row] - p.joint.of(row)[0] - (x[common]+x[own])*z
		loss += weight * e * e / 2 / variance
		grad[common] -= weight * e * z / variance
		grad[own] -= weight * e * z / variance
		hess[common*n+common] += weight * z * z / variance
		hess[own*n+common] += weight * z * z / variance
		hess[own*n+own] += weight * z * z / variance
	}
	return loss, grad, hess
}
