package classical

import (
	"fmt"
	"math"

	"tattle/internal/engine/nn"
)

// SoftmaxZero is a softmax over the scores that are not 0; those that are stay 0.
func SoftmaxZero() *nn.Opaque {
	return &nn.Opaque{Operator: "SOFTMAX_ZERO", Width: same, Row: softmaxZero, Bound: boundless}
}

// nearZero is the magnitude up to which ONNX Runtime takes a score for 0.
const nearZero = 1e-7

func softmaxZero(y, x []float64) {
	top, sum := math.Inf(-1), 0.0
	for _, v := range x {
		top = max(top, v)
	}
	for i, v := range x {
		if v > nearZero || v < -nearZero {
			y[i] = math.Exp(v - top)
			sum += y[i]
		} else {
			y[i] = v * math.Exp(-top)
		}
	}
	for i := range y {
		y[i] /= sum
	}
}

// Probit is the quantile function of the normal distribution by Winitzki's approximation of
// the inverse error function, with its constant a = 0.147.
func Probit() *nn.Opaque {
	const a = 0.147
	return &nn.Opaque{Operator: "PROBIT", Width: same, Bound: boundless, Row: func(y, x []float64) {
		for i, v := range x {
			u := 2*v - 1
			l := math.Log((1 - u) * (1 + u))
			b := 2/(math.Pi*a) + l/2
			y[i] = math.Copysign(math.Sqrt2*math.Sqrt(math.Sqrt(b*b-l/a)-b), u)
		}
	}}
}

// ofPairs returns a function of the scores of all pairs of classes, in the order (0, 1), (0, 2) …. outputs is
// how many numbers it returns.
func ofPairs(classes, outputs int, row func(y, x []float64), bound func(ey, y, x, ex []float64)) *nn.Opaque {
	return &nn.Opaque{Operator: "SVMClassifier", Row: row, Bound: bound, Width: func(in int) (int, error) {
		if in != classes*(classes-1)/2 {
			return 0, fmt.Errorf("rows of %d for the pairs of %d classes", in, classes)
		}
		return outputs, nil
	}}
}

// Coupling turns the probabilities of pairs of classes into those of the classes: the second
// method of Wu, Lin and Weng, Probability Estimates for Multi-class Classification by Pairwise
// Coupling, JMLR 5 (2004), with the stopping rule of LIBSVM.
func Coupling(classes int) *nn.Opaque { return ofPairs(classes, classes, couple, boundless) }

// couplingRounds bounds the iterations.
const couplingRounds = 100

// couple minimises pᵀQp over distributions p, where Qₜₜ = Σ rₛₜ² over s ≠ t, and Qₜₛ =
// −rₜₛ·rₛₜ: formulas (19) to (22).
func couple(p, pairs []float64) {
	k, at := len(p), 0
	q, qp := make([]float64, k*k), make([]float64, k)
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
		p[i] = 1 / float64(k)
	}
	for range couplingRounds {
		var square, worst float64
		for i := range k {
			qp[i] = 0
			for j, v := range p {
				qp[i] += q[i*k+j] * v
			}
			square += p[i] * qp[i]
		}
		for _, v := range qp {
			worst = max(worst, math.Abs(v-square))
		}
		if worst < 0.005/float64(k) {
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

// PairVotes is the label of the class that wins most pairs: the first of each where its score is
// positive.
func PairVotes(labels []float64) *nn.Opaque {
	return ofPairs(len(labels), 1, func(y, x []float64) {
		votes := make([]float64, len(labels))
		for i := range votes {
			for j := i + 1; j < len(votes); j++ {
				if x[0] > 0 {
					votes[i]++
				} else {
					votes[j]++
				}
				x = x[1:]
			}
		}
		y[0] = labels[nn.Largest(votes)]
	}, exactOnly)
}
