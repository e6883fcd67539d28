package attack

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
	"tattle/internal/protect/release"
)

// Sizes on both sides of blocks and strips, against gonum.
func TestSystem(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 5, systemBlock, systemBlock + 1, 3*systemBlock + 7} {
		cols := 3 + n%systemStrip
		root := mat.NewDense(n, n+5, nil)
		for i := range n {
			for j := range n + 5 {
				root.Set(i, j, r.NormFloat64())
			}
		}
		var a, want mat.Dense
		a.Mul(root, root.T())
		b := mat.NewDense(n, cols, nil)
		s := &system{n, n + cols, make([]float64, n*(n+cols))}
		for i := range n {
			for j := i; j < n; j++ { // the lower triangle is not read
				s.x[i*s.width+j] = a.At(i, j)
			}
			for j := range cols {
				b.Set(i, j, r.NormFloat64())
				s.x[i*s.width+n+j] = b.At(i, j)
			}
		}
		must.Do(t, want.Solve(&a, b))
		got := must.Get(s.solve(context.Background()))(t)
		scale, limit := mat.Norm(&want, math.Inf(1)), 1e-13*mat.Cond(&a, 2)
		for i := range n {
			for j := range cols {
				if math.Abs(got[i*cols+j]-want.At(i, j)) > limit*scale {
					t.Fatalf("%d unknowns: entry %d, %d is %v, want %v", n, i, j, got[i*cols+j], want.At(i, j))
				}
			}
		}
	}
	indefinite := &system{2, 3, []float64{1, 2, 1, 0, 1, 1}}
	if err := indefinite.eliminate(context.Background()); err != errSingular {
		t.Errorf("eigenvalues 3 and −1: error %v", err)
	}
}

// The filter is C(C+λ)⁻¹, so that (C+λ)·filter = C.
func TestFilter(t *testing.T) {
	const added = .3
	ctx, g := context.Background(), newGaussian(t, 9, 7, 40)
	l := must.Get(NewLinear(ctx, Setting{Front: g.front, Noise: release.Gaussian{Sigma: 1}, Data: g.draw(500, 41)}))(t)
	f := must.Get(l.moments.filter(ctx, added))(t)
	c := func(i, j int) float64 { return l.moments.joint[min(i, j)*l.moments.width()+max(i, j)] }
	for i := range 7 {
		for j := range 7 {
			sum := added * f[i*7+j]
			for k := range 7 {
				sum += c(i, k) * f[k*7+j]
			}
			if math.Abs(sum-c(i, j)) > 1e-10*l.moments.scale() {
				t.Errorf("entry %d, %d: %v, want %v", i, j, sum, c(i, j))
			}
		}
	}
}

// wide is features that are the inputs.
func wide(t testing.TB, p int) *nn.Net {
	return chain(t, []int{p}, 0, &nn.Identity{})
}

// Progress counts every batch and every map once.
func TestLinearProgress(t *testing.T) {
	g, last, calls := newGaussian(t, 9, 7, 40), 0, 0
	must.Get(NewLinear(context.Background(), Setting{Front: g.front, Noise: release.Gaussian{Sigma: 1}, Data: g.draw(1400, 41), Progress: func(done, total int) {
		if done != calls+1 || done > total {
			t.Errorf("step %d of %d after %d", done, total, calls)
		}
		last, calls = total, done
	}}))(t)
	if calls != last || calls == 0 {
		t.Errorf("%d steps told of %d", calls, last)
	}
}
