package lsqr

import "math"

// system holds the scalars of one system, under the paper's letters.
type system struct {
	status Status
	itn    int

	alfa, beta         float64 // αₖ₊₁ and βₖ₊₁ of the bidiagonalization
	rhobar, phibar     float64 // of the QR factorization
	rho, theta, phi    float64 // its row of this step
	cs2, sn2, z, znorm float64 // of the second factorization, for ‖x‖
	dnorm              float64 // ‖d₁ … dₖ‖, tending to the Frobenius norm of A⁺

	bnorm, anorm, acond, rnorm, arnorm, xnorm float64
}

// start takes β₁ = ‖b‖.
func (c *system) start(beta float64) {
	*c = system{status: running, beta: beta, phibar: beta, bnorm: beta, rnorm: beta, cs2: -1}
	if !finite(beta) {
		c.status = NotFinite
	} else if beta == 0 {
		c.status = ZeroSolution
	}
}

// startRight takes α₁ = ‖Aᵀu₁‖.
func (c *system) startRight(alfa float64) {
	c.alfa, c.rhobar = alfa, alfa
	c.arnorm = alfa * c.beta
	if !finite(alfa) {
		c.status = NotFinite
	} else if alfa == 0 {
		c.status = ZeroSolution
	}
}

// step takes βₖ₊₁ (in c.beta) and αₖ₊₁ and makes the QR factorization's row k,
//
//	[ c  s ] [ ρ̄ₖ    0     φ̄ₖ ]   [ ρₖ  θₖ₊₁  φₖ   ]
//	[ s −c ] [ βₖ₊₁  αₖ₊₁  0   ] = [ 0   ρ̄ₖ₊₁  φ̄ₖ₊₁ ].
func (c *system) step(alfa float64) {
	if !finite(alfa) || !finite(c.beta) {
		c.status = NotFinite
		return
	}
	if c.beta > 0 {
		c.anorm = math.Hypot(math.Hypot(c.anorm, c.alfa), c.beta) // ‖Bₖ‖ in Frobenius's norm
	}
	c.itn++
	c.alfa = alfa

	cs, sn, rho := rotation(c.rhobar, c.beta)
	c.rho = rho
	c.theta = sn * alfa
	c.rhobar = -cs * alfa
	c.phi = cs * c.phibar
	c.phibar = sn * c.phibar
	c.arnorm = alfa * math.Abs(sn*c.phi) // ‖Aᵀr‖ = φ̄ₖ₊₁ αₖ₊₁ |c|
}

// estimate updates the norms, given ‖wₖ‖. A rotation from the right makes the
// upper bidiagonal R lower bidiagonal, and ‖x‖ = ‖z‖ follows (section 5.2).
func (c *system) estimate(wnorm float64) {
	delta := c.sn2 * c.rho
	gammabar := -c.cs2 * c.rho
	rhs := c.phi - delta*c.z
	c.xnorm = math.Hypot(c.znorm, rhs/gammabar)
	gamma := math.Hypot(gammabar, c.theta)
	c.cs2 = gammabar / gamma
	c.sn2 = c.theta / gamma
	c.z = rhs / gamma
	c.znorm = math.Hypot(c.znorm, c.z)

	c.dnorm = math.Hypot(c.dnorm, wnorm/c.rho) // dₖ = wₖ/ρₖ
	c.acond = c.anorm * c.dnorm
	c.rnorm = c.phibar
}

// test applies the stopping tests in the order of the authors' implementation: a later test
// overrides an earlier one. T determines the machine precision.
func test[T Float](c *system, o Options) {
	test1 := c.rnorm / c.bnorm
	test2 := 0.0 // where ‖Aᵀr‖ is 0, ‖A‖ may be too: no β was ever positive
	if c.arnorm > 0 {
		test2 = c.arnorm / (c.anorm * c.rnorm)
	}
	test3 := 1 / c.acond
	size := c.anorm * c.xnorm / c.bnorm // ‖A‖‖x‖/‖b‖
	rtol := o.BTol + o.ATol*size
	negligible := func(t float64) bool { return 1+T(t) <= 1 }

	// As far as the arithmetic goes.
	if c.itn >= o.MaxIter {
		c.status = IterationLimit
	}
	if negligible(test3) {
		c.status = IllConditionedToPrecision
	}
	if negligible(test2) {
		c.status = LeastSquaresToPrecision
	}
	if negligible(test1 / (1 + size)) {
		c.status = CompatibleToPrecision
	}

	// As far as the caller asks.
	if o.ConLim > 0 && test3 <= 1/o.ConLim {
		c.status = IllConditioned
	}
	if test2 <= o.ATol {
		c.status = LeastSquares
	}
	if test1 <= rtol {
		c.status = Compatible
	}
}

// rotation returns c, s and ρ = ±√(a²+b²) with c a + s b = ρ and s a − c b = 0.
func rotation(a, b float64) (c, s, rho float64) {
	switch {
	case b == 0:
		return math.Copysign(1, a), 0, math.Abs(a)
	case a == 0:
		return 0, math.Copysign(1, b), math.Abs(b)
	case math.Abs(b) > math.Abs(a):
		t := a / b
		s = math.Copysign(1, b) / math.Sqrt(1+t*t)
		return s * t, s, b / s
	default:
		t := b / a
		c = math.Copysign(1, a) / math.Sqrt(1+t*t)
		return c, c * t, a / c
	}
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
