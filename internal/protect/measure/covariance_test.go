package measure

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/release"
)

// linearRelease is a net of p inputs, n = 5 features a = Aθ and 2 answers, whose features are
// released with noise of covariance σ²C.
type linearRelease struct {
	split *Split
	noise release.Noise
	// fisher is AᵀC⁻¹A/σ², the Fisher information about θ of one release.
	fisher *mat.SymDense
}

func newLinearRelease(t *testing.T, p int, sigma float64) linearRelease {
	t.Helper()
	const n, answers = 5, 2
	r := rand.New(rand.NewPCG(11, 12))
	layer := func(name, in, out string, from, to int) *nn.Node {
		w := &nn.Param{Name: name + ".weight", Shape: []int{to, from}, Data: make([]float32, to*from)}
		for i := range w.Data {
			w.Data[i] = float32(r.NormFloat64())
		}
		return &nn.Node{Name: name, Inputs: []string{in}, Output: out, Op: &nn.Dense{In: from, Out: to, Weight: w}}
	}
	g := &nn.Graph{Input: "x", InputShape: []int{p}, Output: "y", Nodes: []*nn.Node{layer("features", "x", "a", p, n), layer("classes", "a", "y", n, answers)}}
	a, root, c := mat.NewDense(n, p, nil), mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i, v := range g.Nodes[0].Op.(*nn.Dense).Weight.Data {
		a.Set(i/p, i%p, float64(v))
	}
	for i := range n {
		for j := range n {
			root.Set(i, j, r.NormFloat64())
		}
	}
	c.Mul(root, root.T())
	for i := range n {
		c.Set(i, i, c.At(i, i)+.1)
	}
	covariance := must.Get(release.NewCovariance(n, c.RawMatrix().Data))(t)
	var white, fisher mat.Dense
	must.Do(t, white.Solve(c, a))
	fisher.Mul(a.T(), &white)
	l := linearRelease{fisher: mat.NewSymDense(p, nil)}
	for i := range p {
		for j := range i + 1 {
			l.fisher.SetSym(i, j, fisher.At(i, j)/sigma/sigma)
		}
	}
	of := Release{Family: "gaussian", Sigma: sigma, Spec: release.Spec{Covariance: covariance}}
	l.split = must.Get(of.Split(context.Background(), g, nil))(t)
	l.noise = must.Get(of.Noise(sigma, n, ""))(t)
	return l
}

// inverse returns the diagonal of (k·F)⁻¹.
func (l linearRelease) inverse(t *testing.T, k float64) []float64 {
	t.Helper()
	p := l.fisher.SymmetricDim()
	m := mat.NewDense(p, p, nil)
	m.Scale(k, l.fisher)
	var inverse mat.Dense
	must.Do(t, inverse.Inverse(m))
	diagonal := make([]float64, p)
	for i := range diagonal {
		diagonal[i] = inverse.At(i, i)
	}
	return diagonal
}

// On a linear net the bounds for unbiased estimators are Cramér-Rao's,
// σ√(wᵀ(AᵀC⁻¹A)⁻¹w), by its own row and, from below, by witnesses.
func TestCovarianceCramerRao(t *testing.T) {
	const p, sigma = 3, 1.5
	l := newLinearRelease(t, p, sigma)
	for _, queries := range []int{1, 4} {
		e := bound.Experiment{Noise: l.noise, Queries: queries, Coordinates: bound.Pixels(p)}
		e.Barankin.Witnesses = 16
		found := must.Get(bound.Certify(context.Background(), l.split.Front, []float32{.1, -.2, .3}, e))(t)
		for k, v := range l.inverse(t, float64(queries)) {
			want := math.Sqrt(v)
			if got := found.CramerRao.Full[k]; math.Abs(got/want-1) > 1e-5 {
				t.Errorf("%d queries: Cramér-Rao bound %v of coordinate %d, want %v", queries, got, k, want)
			}
			if got := found.Kind(bound.SearchCombined).Std[k]; got > want*(1+1e-5) || got < .97*want {
				t.Errorf("%d queries: Barankin bound %v of coordinate %d, the truth is %v", queries, got, k, want)
			}
			for _, b := range found.Near() {
				if got := b.Std[k]; got > want*(1+1e-5) || got <= 0 {
					t.Errorf("%d queries: bound %v of coordinate %d by one witness, the truth is %v", queries, got, k, want)
				}
			}
		}
	}
}
