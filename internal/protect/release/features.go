package release

import (
	"context"
	"errors"
	"fmt"
	"math"

	"tattle/internal/engine/nn"
)

// batchSize is the number of examples that go through a model at once.
const batchSize = 128

// FeatureScale returns the root mean square of all features of all examples, the scale in
// which A gives its noise, and the largest absolute value. It returns an error if there are no examples, if a feature is
// not finite, naming the example, and if all features are zero.
func FeatureScale(ctx context.Context, m nn.Model, data nn.Source) (rms, largest float64, err error) {
	_, n := m.Dims()
	var sum float64
	err = forEachBatch(ctx, m, data, func(first int, features []float32) error {
		for i, v := range features {
			if !finite(v) {
				return fmt.Errorf("example %d: feature %d is %v: look for bad values in the data and the model", first+i/n, i%n, v)
			}
			sum += float64(v) * float64(v)
			largest = max(largest, math.Abs(float64(v)))
		}
		return nil
	})
	if err != nil {
		return 0, 0, err
	}
	if sum == 0 {
		return 0, 0, errors.New("all features of all examples are zero: choose other features")
	}
	return math.Sqrt(sum / float64(data.Len()) / float64(n)), largest, nil
}

// forEachBatch calls f with the outputs of m on one batch after the other, until ctx ends.
func forEachBatch(ctx context.Context, m nn.Model, data nn.Source, f func(first int, outputs []float32) error) error {
	p, n := m.Dims()
	if data.Len() == 0 {
		return errors.New("the data has no examples")
	}
	y := make([]float32, min(batchSize, data.Len())*n)
	return nn.EachBatch(ctx, data, p, nn.Indices(data.Len()), batchSize, func(indices []int, x []float32) error {
		m.Forward(y[:len(indices)*n], x)
		return f(indices[0], y[:len(indices)*n])
	})
}

func finite(v float32) bool { return v-v == 0 }
