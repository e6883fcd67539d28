package curious

import (
	"context"
	"fmt"
	"math"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/classify"
	"tattle/internal/engine/nn"
)

// defaultRidge is the weight of ½‖w‖² beside the samples' summed losses: that of the
// usual programs, and what makes separable classes have a finite optimum.
const defaultRidge = 1

// fitLogistic returns Θ of the classifier ŷ = σ(Θᵀ[x, 1]) of B appendix A: a convex F that answers y and carries the first
// sensitive attribute of a table, of two classes each. The targets of B eq. (12) are βy·y + βs·s, scaled to βy + βs = 1. A ridge of
// 0 is defaultRidge. βx must be 0: eq. (12) has no entropy.
func fitLogistic(ctx context.Context, set *dataset.Set, b Beta, ridge float64) ([]float64, error) {
	if len(set.Shape) != 1 || len(set.Values) == 0 || len(set.Sensitive) == 0 {
		return nil, fmt.Errorf("logistic regression: %q must be a table and have a sensitive attribute", set.Name)
	}
	a := set.Sensitive[0]
	if len(set.YNames) != 2 || len(a.Values) != 2 {
		return nil, fmt.Errorf("logistic regression: %d and %d classes: group %s and %s into two each", len(set.YNames), len(a.Values), set.YName, a.Name)
	}
	if ridge == 0 {
		ridge = defaultRidge
	}
	total := b.Y + b.S
	if !(total > 0) || math.IsInf(total, 0) || b.X != 0 || !(ridge > 0) {
		return nil, fmt.Errorf("logistic regression: beta %v and ridge %v: βy + βs and the ridge must be positive, βx 0", b, ridge)
	}
	z := make([]float64, set.Len())
	for i, y := range set.Y {
		z[i] = (b.Y*float64(y) + b.S*float64(a.Labels[i])) / total
	}
	return classify.LogisticWeights(ctx, set.Values, set.Shape[0], z, ridge)
}

// logisticGraph returns the classifier as a graph of scores [0, Θᵀ[x, 1]], whose softmax is
// [1 − ŷ, ŷ].
func logisticGraph(name string, theta []float64) *nn.Graph {
	d := len(theta) - 1
	w := param("weight", 2, d)
	for j := range d {
		w.Data[d+j] = float32(theta[j])
	}
	bias := &nn.Param{Name: "bias", Shape: []int{2}, Data: []float32{0, float32(theta[d])}}
	g := newGraph(name, d)
	appendNode(g, "scores", &nn.Dense{In: d, Out: 2, Weight: w, Bias: bias}, g.Input)
	return g
}
