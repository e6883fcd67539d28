package release

import (
	"cmp"
	"context"
	"fmt"

	"tattle/internal/engine/nn"
)

// The projections of a release.
const (
	ProjectionFirst     = "first"     // the first entries as they are
	ProjectionPrincipal = "principal" // onto the directions in which training features vary most

	// ProjectionDiscriminant is onto Fisher's linear discriminants: see [Discriminant].
	ProjectionDiscriminant = "discriminant"
)

// projections lists the values of Spec.Projection.
func projections() []string {
	return []string{ProjectionFirst, ProjectionPrincipal, ProjectionDiscriminant}
}

// Learned reports whether the projection is learned from training data.
func (s Spec) Learned() bool {
	return s.Projection == ProjectionPrincipal || s.Projection == ProjectionDiscriminant
}

func (s Spec) projection() string { return cmp.Or(s.Projection, ProjectionFirst) }

// The largest projections: of the numbers in P (a gigabyte with its copies), and of the
// features whose covariance is decomposed (minutes, and a gigabyte).
const (
	mostProjection = 1 << 26
	mostLearned    = 1 << 13
)

// project returns the layers that project the outputs of front, which head classifies. A learned projection needs training
// data. Without them, kept must have it.
func (s Spec) project(ctx context.Context, front, head *nn.Graph, train nn.Source, kept map[string]layers) (l layers, err error) {
	n, err := flat(front)
	switch {
	case err != nil:
		return l, err
	case s.Keep > n:
		return l, fmt.Errorf("there are %d entries to project: keep at most that many, not %d", n, s.Keep)
	case s.Keep > mostProjection/n:
		return l, fmt.Errorf("%d of %d entries are too many to project: keep at most %d", s.Keep, n, mostProjection/n)
	case s.Learned() && train == nil && kept != nil:
		return kept["project"], kept["project"].inverse(n, s.Keep, s.Projection == ProjectionPrincipal)
	}
	m := &Map{In: n, Out: s.Keep, Weight: make([]float64, s.Keep*n)}
	switch s.projection() {
	case ProjectionFirst:
		for i := range s.Keep {
			m.Weight[i*n+i] = 1
		}
	default:
		if m, err = s.learn(ctx, front, head, n, train); err != nil {
			return l, err
		}
	}
	return m.layers("project"), nil
}
