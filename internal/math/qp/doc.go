// Package qp solves convex quadratic programmes with a diagonal Hessian,
//
//	minimise ½ Σ_i D_i x_i² + Σ_i Q_i x_i
//	subject to  A x = b,  G x ≤ h,  Low ≤ x ≤ High,
//
// linear programmes (D = 0) among them, by a primal-dual interior point method
// (S. Mehrotra, On the implementation of a primal-dual interior point method, SIAM
// J. Optimization 2, 1992) on dense matrices in float64. Every step factors one
// matrix with a row for each row of A and G.
package qp
