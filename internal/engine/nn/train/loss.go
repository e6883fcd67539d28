package train

import (
	"fmt"
	"math"

	"tattle/internal/engine/nn"
)

// CrossEntropy returns the mean over the batch of −log softmax(logits)_y, in nats,
// and how many examples have their largest logit at y. Unless grad is nil it is
// overwritten with the gradient with respect to the logits, [batch, classes]:
// (softmax(logits) − onehot(y))/batch. It panics if a label is no class.
func CrossEntropy(grad, logits []float32, y []int) (loss float64, correct int) {
	if len(y) == 0 || len(logits)%len(y) != 0 {
		panic(fmt.Sprintf("train: %d logits for %d labels", len(logits), len(y)))
	}
	n := len(logits) / len(y)
	for i, label := range y {
		if label < 0 || label >= n {
			panic(fmt.Sprintf("train: label %d of %d classes", label, n))
		}
		row := logits[i*n : (i+1)*n]
		best, logSum := LogSumExp(row)
		loss += logSum - float64(row[label])
		if best == label {
			correct++
		}
		if grad == nil {
			continue
		}
		for j, v := range row {
			grad[i*n+j] = float32(math.Exp(float64(v)-logSum) / float64(len(y)))
		}
		grad[i*n+label] = float32(math.Expm1(float64(row[label])-logSum) / float64(len(y)))
	}
	return loss / float64(len(y)), correct
}

// LogSumExp returns the first index of the largest entry and log Σ exp(x_i).
func LogSumExp[T nn.Float](x []T) (best int, logSum float64) {
	best = nn.Largest(x)
	top, sum := float64(x[best]), 0.0
	for _, v := range x {
		sum += math.Exp(float64(v) - top)
	}
	return best, top + math.Log(sum)
}
