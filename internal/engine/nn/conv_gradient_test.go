package nn

import (
	"math/rand/v2"
	"testing"
)

// TestConvGradientByTile compares the two ways of sharing a gradient.
func TestConvGradientByTile(t *testing.T) {
	for _, c := range convCases {
		op := c.op()
		k, ok := op.kernel64(c.shape()).(*conv[float64])
		if !ok {
			continue
		}
		columns, ok := k.products.(*convColumns[float64])
		if !ok {
			continue
		}
		const n = 19
		out, _ := op.Shape(c.shape())
		r := rand.New(rand.NewPCG(3, 3))
		x, dy := randomSlice[float64](r, n*Size(c.shape()), 1), randomSlice[float64](r, n*Size(out), 1)
		dw, db := make([]float64, len(op.Weight.Data)), make([]float64, c.out)
		columns.gradient(dw, db, x, dy, n, 0)
		want, wantB := randomSlice[float64](r, len(dw), 1), make([]float64, c.out)
		got, gotB := append([]float64(nil), want...), make([]float64, c.out)
		columns.gradient(want, wantB, x, dy, n, .5)
		columns.byTile = true
		columns.gradTiling = newConvTiling(k.convPlan, 70)
		columns.gradient(got, gotB, x, dy, n, .5)
		closeTo(t, "weight", got, want, 1e-13)
		closeTo(t, "bias", gotB, wantB, 1e-13)
		columns.gradient(got, gotB, x, dy, n, 0)
		closeTo(t, "weight alone", got, dw, 1e-13)
	}
}
