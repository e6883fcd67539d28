package classical

import (
	"fmt"
	"math"
)

// SoftmaxZero is a softmax over the scores that are not 0; those that are stay 0.
type SoftmaxZero struct{}

// Kind returns "SOFTMAX_ZERO".
func (SoftmaxZero) Kind() string { return "SOFTMAX_ZERO" }

// Width returns in.
func (SoftmaxZero) Width(in int) (int, error) { return in, nil }

// Row32 overwrites y with the shares of the scores x.
func (SoftmaxZero) Row32(y, x []float32) { softmaxZero(y, x) }

// Row64 is Row32 in float64.
func (SoftmaxZero) Row64(y, x []float64) { softmaxZero(y, x) }

// nearZero is the magnitude up to which ONNX Runtime takes a score for 0.
const nearZero = 1e-7

func softmaxZero[T float32 | float64](y, x []T) {
	top, sum := T(math.Inf(-1)), T(0)
	for _, v := range x {
		top = max(top, v)
	}
	for i, v := range x {
		if float64(v) > nearZero || float64(v) < -nearZero {
			y[i] = T(math.Exp(float64(v - top)))
			sum += y[i]
		} else {
			y[i] = v * T(math.Exp(-float64(top)))
		}
	}
	for i := range y {
		y[i] /= sum
	}
}

// Bound is +Inf: none is known.
func (SoftmaxZero) Bound(ey, _, _, _ []float64) { fill(ey, math.Inf(1)) }

// Probit is the quantile function of the normal distribution by Winitzki's approximation of
// the inverse error function, with its constant a = 0.147.
type Probit struct{}

// Kind returns "PROBIT".
func (Probit) Kind() string { return "PROBIT" }

// Width returns in.
func (Probit) Width(in int) (int, error) { return in, nil }

// Row32 overwrites y with the quantiles of x.
func (Probit) Row32(y, x []float32) { probit(y, x) }

// Row64 is Row32 in float64.
func (Probit) Row64(y, x []float64) { probit(y, x) }

func probit[T float32 | float64](y, x []T) {
	const a = 0.147
	for i, v := range x {
		u := 2*float64(v) - 1
		l := math.Log((1 - u) * (1 + u))
		b := 2/(math.Pi*a) + l/2
		y[i] = T(math.Copysign(math.Sqrt2*math.Sqrt(math.Sqrt(b*b-l/a)-b), u))
	}
}

// Bound is +Inf: none is known.
func (Probit) Bound(ey, _, _, _ []float64) { fill(ey, math.Inf(1)) }

// Coupling turns the probabilities of pairs of classes, first of each pair (0, 1), (0, 2) …,
// into those of the classes: the second method of Wu, Lin and Weng, Probability Estimates
// for Multi-class Classification by Pairwise Coupling, JMLR 5 (2004), with the stopping rule
// of LIBSVM.
type Coupling struct{ Classes int }

// Kind returns "SVMClassifier".
func (Coupling) Kind() string { return "SVMClassifier" }

// Width returns the number of classes, or an error if there are not as many pairs.
func (c Coupling) Width(in int) (int, error) {
	if in != c.Classes*(c.Classes-1)/2 {
		return 0, fmt.Errorf("rows of %d for the pairs of %d classes", in, c.Classes)
	}
	return c.Classes, nil
}

// Row32 overwrites y with the probabilities of the classes.
func (c Coupling) Row32(y, x []float32) { couple(y, x) }

// Row64 is Row32 in float64.
func (c Coupling) Row64(y, x []float64) { couple(y, x) }

// couplingRounds bounds the iterations.
const couplingRounds = 100

// couple minimises pᵀQp over distributions p, where Qₜₜ = Σ rₛₜ² over s ≠ t, and Qₜₛ =
// −rₜₛ·rₛₜ: formulas (19) to (22).
func couple[T float32 | float64](p, pairs []T) {
	k, at := len(p), 0
	q, qp := make([]T, k*k), make([]T, k)
	for i := range k {
		for j := i + 1; j < k; j++ {
			r := pairs[at]
			at++
			q[i*k+i] += (1 - r) * (1 - r)
			q[j*k+j] += r * r
			q[i*k+j], q[j*k+i] = -r*(1-r), -r*(1-r)
		}
	}
	for i := range p {
		p[i] = 1 / T(k)
	}
	for range couplingRounds {
		var square, worst T
		for i := range k {
			qp[i] = 0
			for j, v := range p {
				qp[i] += q[i*k+j] * v
			}
			square += p[i] * qp[i]
		}
		for _, v := range qp {
			worst = max(worst, T(math.Abs(float64(v-square))))
		}
		if worst < 0.005/T(k) {
			return
		}
		for i := range k {
			step := (square - qp[i]) / q[i*k+i]
			p[i] += step
			square = (square + step*(step*q[i*k+i]+2*qp[i])) / (1 + step) / (1 + step)
			for j := range k {
				qp[j] = (qp[j] + step*q[i*k+j]) / (1 + step)
				p[j] /= 1 + step
			}
		}
	}
}

// Bound is +Inf: none is known.
func (Coupling) Bound(ey, _, _, _ []float64) { fill(ey, math.Inf(1)) }

// PairVotes chooses the label of the class that wins most pairs: the first of each where its
// score is positive.
type PairVotes struct{ Labels []float64 }

// Kind returns "SVMClassifier".
func (*PairVotes) Kind() string { return "SVMClassifier" }

// Width returns 1, or an error if there are not as many pairs.
func (v *PairVotes) Width(in int) (int, error) {
	_, err := Coupling{len(v.Labels)}.Width(in)
	return 1, err
}

// Row32 overwrites y with the label.
func (v *PairVotes) Row32(y, x []float32) { y[0] = float32(elect(v, x)) }

// Row64 is Row32 in float64.
func (v *PairVotes) Row64(y, x []float64) { y[0] = elect(v, x) }

func elect[T float32 | float64](v *PairVotes, x []T) float64 {
	votes, at := make([]int, len(v.Labels)), 0
	for i := range votes {
		for j := i + 1; j < len(votes); j++ {
			if x[at] > 0 {
				votes[i]++
			} else {
				votes[j]++
			}
			at++
		}
	}
	best := 0
	for i, n := range votes {
		if n > votes[best] {
			best = i
		}
	}
	return v.Labels[best]
}

// Bound is 0 where the scores are exact.
func (v *PairVotes) Bound(ey, _, _, ex []float64) { (&Label{}).Bound(ey, nil, nil, ex) }
