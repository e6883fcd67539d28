package bound

import (
	"context"
	"math"

	"tattle/internal/engine/nn"
	"tattle/internal/protect/release"
)

// A Certifier evaluates certificates of a net, many witnesses at a time, in
// storage of its own. It is not safe for concurrent use.
type Certifier struct {
	Net     Net
	Noise   release.Noise
	Queries int // independent releases of one input; 0 is 1
	Domain  Domain
	// Rounding says how the rounding of features is known; by default
	// RoundingProved. For the others Net must be a Model.
	Rounding string
	// Runtime is how far a released feature may lie from the one that the net gives in
	// real arithmetic, as the runtime that releases it computes in float32: 0 for real
	// arithmetic. It is counted toward the adversary for every witness if Counted, else
	// for those alone that move the features by no more than rounding. Under Lattice noise
	// it must be counted.
	Runtime float64
	Counted bool

	x, xerr, a, b []float64
	illegal       []bool
}

// normOnly reports whether of an error of the features only its norm counts.
func (c *Certifier) normOnly() bool {
	_, ok := c.Noise.(release.Gaussian)
	return ok
}

// rows is how many points go through the net together.
func (c *Certifier) rows() int { return certifyRowsOf(c.Net.Dims()) }

// Divergences returns the divergence of every witness: theta is [examples, p], eps is
// [examples, witnesses, p] and the result [examples, witnesses]. If ctx is cancelled, the result means nothing.
func (c *Certifier) Divergences(ctx context.Context, theta, eps []float32) []Divergence {
	p, _ := c.Net.Dims()
	each := len(eps) / len(theta)
	return c.evaluate(ctx, theta, each, func(i int) []float64 { return nn.Float64s(rowOf(eps, i, each*p)) })
}

// evaluate is Divergences for each witnesses of every example, which eps returns.
func (c *Certifier) evaluate(ctx context.Context, theta []float32, each int, eps func(i int) []float64) []Divergence {
	_, n := c.Net.Dims()
	per := 1 + each
	c.forward(ctx, theta, per, eps)
	out := make([]Divergence, len(c.illegal)/per*(per-1))
	parallel(len(c.illegal)/per, func(i int) {
		first := i * per
		a0, b0 := c.a[first*n:(first+1)*n], c.b[first*n:(first+1)*n]
		for k := 1; k < per; k++ {
			r := first + k
			d := c.divergence(a0, b0, c.a[r*n:(r+1)*n], c.b[r*n:(r+1)*n])
			if c.illegal[r] || c.illegal[first] {
				d.Status, d.Share = Illegal, 0
			}
			out[i*(per-1)+k-1] = d
		}
	})
	return out
}

// forward computes the features at θ and at θ+ε of its witnesses, in that order, per points of every example,
// with their error bounds.
func (c *Certifier) forward(ctx context.Context, theta []float32, per int, eps func(i int) []float64) {
	p, n := c.Net.Dims()
	examples := len(theta) / p
	c.grow(examples*per, p, n)
	parallel(examples, func(i int) { c.points(i*per, per, rowOf(theta, i, p), eps(i)) })
	for lo := 0; lo < len(c.illegal) && ctx.Err() == nil; lo += c.rows() {
		c.features(lo, min(len(c.illegal), lo+c.rows()))
	}
	if l, ok := c.Noise.(release.Lattice); ok {
		c.round(l)
	}
}

// points fills rows of x with θ and θ+ε, and of xerr with their exact errors.
func (c *Certifier) points(first, rows int, theta []float32, eps []float64) {
	p := len(theta)
	for k := range rows {
		r := first + k
		x, xerr := c.x[r*p:(r+1)*p], c.xerr[r*p:(r+1)*p]
		c.illegal[r] = false
		for i, t := range theta {
			var e float64
			if k > 0 {
				e = eps[(k-1)*p+i]
			}
			s, err := twoSum(float64(t), e)
			x[i], xerr[i] = s, math.Abs(err)
			if !c.Domain.contains(i, s, err) {
				c.illegal[r] = true
			}
		}
		if !c.Domain.stored(x, xerr) {
			c.illegal[r] = true
		}
	}
}

func (c *Certifier) grow(rows, p, n int) {
	if cap(c.illegal) < rows {
		c.x, c.xerr = make([]float64, rows*p), make([]float64, rows*p)
		c.a, c.b = make([]float64, rows*n), make([]float64, rows*n)
		c.illegal = make([]bool, rows)
	}
	c.x, c.xerr, c.a, c.b, c.illegal = c.x[:rows*p], c.xerr[:rows*p], c.a[:rows*n], c.b[:rows*n], c.illegal[:rows]
}
