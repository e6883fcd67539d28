package release

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"tattle/internal/engine/nn"
	"tattle/internal/protect/shape"
)

// Discriminant returns the map onto Fisher's linear discriminants of the features that front
// gives, as [shape.Moments.Discriminant] computes them: the keep directions in which the means
// of the classes of train lie farthest apart, measured in standard deviations within the
// classes. The way back is the linear regression of the features on them, so a head for the
// features fits behind it.
//
// The classes are 0 to classes−1. It returns an error unless keep is from 1 to classes−1, every
// example has a label and every class an example.
func Discriminant(ctx context.Context, front nn.Model, classes, keep int, train nn.Source) (*Map, error) {
	_, n := front.Dims()
	if most := min(classes-1, n); keep < 1 || keep > most {
		return nil, fmt.Errorf("%d classes and %d features have at most %d discriminant directions: keep at most that many, not %d", classes, n, max(0, most), keep)
	}
	moments, err := shape.NewMoments(ctx, featuresOf{train, front}, n, classes)
	if err != nil {
		return nil, fmt.Errorf("discriminant directions of the training data: %w", err)
	}
	layer, err := moments.Discriminant(keep)
	if err != nil {
		return nil, fmt.Errorf("%w: choose the projection %s", err, ProjectionPrincipal)
	}
	m := &Map{In: n, Out: keep, Weight: nn.Float64s(layer.Weight.Data), Mean: moments.Mean}
	return m, m.regress(moments.Covariance())
}

// featuresOf is a source of the features that front computes of another's inputs.
type featuresOf struct {
	nn.Source
	front nn.Model
}

func (f featuresOf) Examples(features []float32, indices []int) {
	p, n := f.front.Dims()
	// Neither the context nor the function fails.
	_ = nn.EachBatch(context.Background(), f.Source, p, indices, batchSize, func(batch []int, x []float32) error {
		f.front.Forward(features[:len(batch)*n], x)
		features = features[len(batch)*n:]
		return nil
	})
}

// isCondition reports that a system was solved although its matrix is ill-conditioned.
func isCondition(err error) bool { return errors.As(err, new(mat.Condition)) }

// regress sets the way back to the regression of the features, of the given covariance, on
// the map's numbers: B = CWᵀ(WCWᵀ)⁻¹. Then WB is the identity.
func (m *Map) regress(covariance *mat.SymDense) error {
	weight := mat.NewDense(m.Out, m.In, m.Weight)
	var across, own, back mat.Dense // WC, WCWᵀ and Bᵀ
	across.Mul(weight, covariance)
	own.Mul(&across, weight.T())
	if err := back.Solve(&own, &across); err != nil && !isCondition(err) {
		return fmt.Errorf("the features cannot be regressed on their discriminant directions: %w", err)
	}
	m.Back = mat.DenseCopyOf(back.T()).RawMatrix().Data
	return nil
}
