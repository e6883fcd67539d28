package curious

import (
	"fmt"
	"math"

	"tattle/internal/engine/nn"
)

// divergence is B eq. (11) with Hinton's temperature T: the mean over the batch of
//
//	T²·KL(p ‖ q) = T²·Σ p·log(p/q),  q = softmax(z/T),
//
// in nats, p being the teacher's probabilities and z the student's scores.
type divergence[T nn.Float] struct {
	temperature float64
	q, logq     []float64
	scaled      []T
}

// at returns the loss of scores against probabilities, both [batch, Y], and
// overwrites grad with the gradient with respect to the scores, T·(q − p)/batch.
// Where a teacher's p do not quite sum to 1, that is T·(q·Σp − p)/batch.
func (l *divergence[T]) at(grad, scores []T, teacher []float32, batch int) (loss float64) {
	if batch == 0 || len(scores)%batch != 0 || len(scores) != len(teacher) {
		panic(fmt.Sprintf("curious: %d scores and %d probabilities of %d examples", len(scores), len(teacher), batch))
	}
	n, t := len(scores)/batch, l.temperature
	l.q, l.logq, l.scaled = sized(l.q, n), sized(l.logq, n), sized(l.scaled, n)
	for k := range batch {
		p := teacher[k*n:][:n]
		for i, z := range scores[k*n:][:n] {
			l.scaled[i] = T(float64(z) / t)
		}
		softmax(l.q, l.logq, l.scaled)
		sum := 0.0
		for i, v := range p {
			sum += float64(v)
			if v > 0 {
				loss += float64(v) * (math.Log(float64(v)) - l.logq[i])
			}
		}
		for i, v := range p {
			grad[k*n+i] = T(t / float64(batch) * (l.q[i]*sum - float64(v)))
		}
	}
	return t * t * loss / float64(batch)
}

// temper overwrites scores [n, Y] with the softmax of scores/T.
func temper(scores []float32, classes int, temperature float64) {
	p, logp := make([]float64, classes), make([]float64, classes)
	for lo := 0; lo < len(scores); lo += classes {
		row := scores[lo:][:classes]
		for i, z := range row {
			row[i] = float32(float64(z) / temperature)
		}
		softmax(p, logp, row)
		for i, v := range p {
			row[i] = float32(v)
		}
	}
}
