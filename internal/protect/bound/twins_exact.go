package bound

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"tattle/internal/math/qp"
	"tattle/internal/math/simd"
)

const (
	// cleanings is how often ε is projected: once takes what the programme left, a
	// second time what rounding did.
	cleanings = 3
	// exactness is how much of a row of length 1, over 1 + ‖ε‖, counts as zero: well
	// within what the certificate allows for rounding.
	exactness = 1e-13
)

// A cleaner turns a solution of a programme into one that is exact in float64.
type cleaner struct {
	weight, scaled, gram, left []float64
}

// exact moves eps onto the equations of p, inputs by as much as they are far from
// their limits, which none then crosses, and reports whether all constraints hold.
func (c *cleaner) exact(eps []float64, p *qp.Problem) bool {
	for range cleanings {
		clamp(eps, p.Low, p.High)
		if p.Equal == 0 {
			break
		}
		if !c.project(eps, p) {
			return false
		}
	}
	clamp(eps, p.Low, p.High)
	return holds(eps, p)
}

func clamp(x, low, high []float64) {
	for i, v := range x {
		x[i] = min(max(v, low[i]), high[i])
	}
}

// project subtracts W Aᵀ(A W Aᵀ)⁻¹A ε, W being the squared distances to the nearer
// limit: the shortest way to A ε = 0 in that measure. It reports false if A W Aᵀ
// is singular.
func (c *cleaner) project(eps []float64, p *qp.Problem) bool {
	n, k := len(eps), p.Equal
	c.weight, c.scaled, c.gram, c.left = room(c.weight, n), room(c.scaled, k*n), room(c.gram, k*k), room(c.left, k)
	for i, e := range eps {
		c.weight[i] = min(e-p.Low[i], p.High[i]-e)
	}
	for j := range k {
		row := p.Rows[j*n : (j+1)*n]
		c.left[j] = dotExact(row, eps)
		simd.Mul(c.scaled[j*n:(j+1)*n], row, c.weight)
	}
	simd.Gram(false, k, n, 1, c.scaled, n, 0, c.gram, k)
	simd.Mirror(k, c.gram, k)
	var chol mat.Cholesky
	if !chol.Factorize(mat.NewSymDense(k, c.gram)) {
		return false
	}
	left := mat.NewVecDense(k, c.left)
	if err := chol.SolveVecTo(left, left); err != nil {
		if _, poor := err.(mat.Condition); !poor {
			return false
		}
	}
	for i := range c.weight {
		c.weight[i] *= -c.weight[i]
	}
	move := c.scaled[:n]
	clear(move)
	for j := range k {
		simd.Axpy(c.left[j], p.Rows[j*n:(j+1)*n], move)
	}
	for i := range eps {
		eps[i] += c.weight[i] * move[i]
	}
	return true
}

// dotExact is the scalar product in twice the precision: what is left of the
// equations is far below the terms.
func dotExact(x, y []float64) float64 {
	var s, rest float64
	for i, v := range x {
		h := float64(v * y[i]) // not fused into what follows, as it may be elsewhere
		low := math.FMA(v, y[i], -h)
		var e float64
		s, e = twoSum(s, h)
		rest += e + low
	}
	return s + rest
}

// holds reports whether eps, within its limits, satisfies the rows of p: inequalities up
// to half the margin that they keep.
func holds(eps []float64, p *qp.Problem) bool {
	n, size, in := len(eps), 1+math.Sqrt(square(eps)), margin*(1+simd.MaxAbs(p.Right))
	for j, right := range p.Right {
		x := dotExact(p.Rows[j*n:(j+1)*n], eps) - right
		if j < p.Equal && !(math.Abs(x) <= exactness*size) || j >= p.Equal && !(x <= in/2) {
			return false
		}
	}
	return true
}
