package audit

import (
	"math"
)

// How the scores of an attack become probabilities given y and the answered label.
const (
	// calibrationRidge is the prior precision of the offsets of the classes and of the
	// common slope, on scores of standard deviation 1: a slope of 1 is not unlikely.
	calibrationRidge = 1
	// calibrationOwn is the prior precision of the slopes by y about the common one.
	calibrationOwn = 4
	// calibrationSteps of Newton's method are more than a convex loss with a ridge needs.
	calibrationSteps = 12
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
// whose joint table was learned on others.
func calibrate(g *goal, j *joint, rows []int, score []float64) *calibration {
	c := &calibration{centre: newMeans(j.targets*j.targets, j.width), joint: j, slope: make([]float64, j.groups())}
	c.centreOn(rows, score)
	p := &calibrationProblem{goal: g, joint: j, rows: rows, z: make([]float64, len(score)), width: j.width}
	for i, row := range rows {
		c.centred(p.z[i*j.width:][:j.width], row, score[i*j.width:])
	}
	if c.spread = rms(p.z); c.spread < leastSpread {
		c.spread = 0
		clear(p.z)
	} else {
		for i := range p.z {
			p.z[i] /= c.spread
			c.most = max(c.most, math.Abs(p.z[i]))
		}
	}
	x, gained, freedom := p.solve()
	n := float64(len(rows))
	c.merit = (gained - freedom) / n
	shrink := 0.0
	if gained > 0 {
		shrink = max(0, 1-freedom/(2*gained))
	}
	if g.target.Labels != nil {
		c.offset = scaled(x[:j.width], shrink)
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
		c.centre.add(c.joint.at(row), z)
	}
	for k := range c.centre.n {
		c.centre.smooth(k, all.of(0), jointPrior)
	}
}

func (c *calibration) centred(dst []float64, row int, score []float64) {
	for k, m := range c.centre.of(c.joint.at(row)) {
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
func logNormalise(x []float64) {
	top := x[0]
	for _, v := range x {
		top = max(top, v)
	}
	sum := 0.0
	for _, v := range x {
		sum += math.Exp(v - top)
	}
	for k := range x {
		x[k] -= top + math.Log(sum)
	}
}

func rms(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v * v
	}
	return math.Sqrt(sum / float64(max(1, len(x))))
}

func scaled(x []float64, by float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = by * v
	}
	return y
}

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
