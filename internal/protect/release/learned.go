package release

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
	"tattle/internal/protect/shape"
)

// learnedExamples is how many training examples at most a projection is learned from:
// many more than there are directions. Principal directions take the first ones, and
// discriminant directions, which need all classes, ones that are evenly spaced.
const learnedExamples = 20000

// learn learns the projection from training data.
func (s Spec) learn(ctx context.Context, front, head *nn.Graph, n int, train nn.Source) (*Map, error) {
	if train == nil {
		return nil, fmt.Errorf("%s directions are those of training data, and there are none: give some, or choose the projection %s", s.Projection, ProjectionFirst)
	}
	if n > mostLearned {
		return nil, fmt.Errorf("%d features are too many for %s directions, at most %d: choose the projection %s", n, s.Projection, mostLearned, ProjectionFirst)
	}
	net, err := nn.NewNet(front)
	if err != nil {
		return nil, err
	}
	if s.Projection == ProjectionPrincipal {
		return principalMap(ctx, net, s.Keep, train)
	}
	shapes, err := head.Shapes()
	if err != nil {
		return nil, err
	}
	spaced := nn.Indices(min(train.Len(), learnedExamples))
	for i := range spaced {
		spaced[i] = i * train.Len() / len(spaced)
	}
	return Discriminant(ctx, net, nn.Size(shapes[head.Output]), s.Keep, nn.Choose(train, spaced))
}

// principalMap takes the eigenvectors of the largest eigenvalues of the features'
// covariance.
func principalMap(ctx context.Context, front nn.Model, keep int, train nn.Source) (*Map, error) {
	_, n := front.Dims()
	mean, cov, err := featureCovariance(ctx, front, nn.Choose(train, nn.Indices(min(train.Len(), learnedExamples))))
	if err != nil {
		return nil, err
	}
	weight, err := shape.Principal(mat.NewSymDense(n, cov), keep)
	if err != nil {
		return nil, fmt.Errorf("%w: choose the projection %s", err, ProjectionFirst)
	}
	return &Map{In: n, Out: keep, Weight: weight, Mean: mean}, nil
}

// featureCovariance returns the mean, [n], and the covariance, [n, n], of the features of
// the examples.
func featureCovariance(ctx context.Context, front nn.Model, data nn.Source) (mean, cov []float64, err error) {
	_, n := front.Dims()
	mean, cov = make([]float64, n), make([]float64, n*n)
	wide := make([]float64, batchSize*n)
	err = forEachBatch(ctx, front, data, func(first int, features []float32) error {
		for i, v := range features {
			if !finite(v) {
				return fmt.Errorf("training example %d: feature %d is %v", first+i/n, i%n, v)
			}
			wide[i] = float64(v)
		}
		b := len(features) / n
		simd.SumRows(mean, b, n, wide[:b*n])
		simd.Gram(true, n, b, 1, wide, n, 1, cov, n)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	simd.Scale(1/float64(data.Len()), mean)
	simd.Scale(1/float64(data.Len()), cov)
	simd.Gram(false, n, 1, -1, mean, 1, 1, cov, n)
	simd.Mirror(n, cov, n)
	return mean, cov, nil
}
