package nn

import (
	"math/rand/v2"
	"testing"

	"tattle/internal/must"
)

// TestConvGradient compares the gradients with the definition, and overwriting with adding.
func TestConvGradient(t *testing.T) {
	for _, c := range convCases {
		t.Run(c.String(), func(t *testing.T) {
			const n = 4
			op, size := c.op(), Size(c.shape())
			out := must.Get(op.Shape(c.shape()))(t)
			r := rand.New(rand.NewPCG(8, 8))
			x, u := randomSlice[float32](r, n*size, 1), randomSlice[float32](r, n*Size(out), 1)
			want := map[*Param][]float64{op.Weight: make([]float64, len(op.Weight.Data)), op.Bias: make([]float64, c.out)}
			for e := range n {
				for _, s := range convTerms(op, c.shape(), out) {
					want[op.Weight][s.w] += float64(x[e*size+s.x]) * float64(u[e*Size(out)+s.y])
				}
				for o, v := range u[e*Size(out):][:Size(out)] {
					want[op.Bias][o/(out[1]*out[2])] += float64(v)
				}
			}
			k := op.kernel32(c.shape())
			f := &frame[float32]{batch: n, x: [][]float32{x}, y: make([]float32, len(u)), train: true}
			k.forward(f)
			for _, p := range paramsOf(op) {
				p.Grad = randomSlice[float32](r, len(p.Data), 1) // overwritten
			}
			for _, p := range paramsOf(op) {
				k.(learner).grad(f, u, 0)
				closeTo(t, p.Name, wide(p.Grad), want[p], 1e-5)
				once := append([]float32(nil), p.Grad...)
				k.(learner).grad(f, u, 1)
				for i := range once {
					once[i] *= 2
				}
				closeTo(t, p.Name+" added", p.Grad, once, 1e-6)
			}
		})
	}
}

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
