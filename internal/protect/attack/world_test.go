package attack

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
)

// gaussian is a world in which the best attack is known: θ ~ N(μ, Σ) and a = Aθ.
type gaussian struct {
	p, n  int
	prior *Prior
	a     []float64 // [n, p]
	front *nn.Net
}

func newGaussian(t testing.TB, p, n int, seed uint64) gaussian {
	r := rand.New(rand.NewPCG(seed, 1))
	g := gaussian{p: p, n: n, prior: &Prior{P: p, Mean: make([]float64, p), Covariance: make([]float64, p*p)}}
	root := make([]float64, p*p)
	for i := range root {
		root[i] = r.NormFloat64() / math.Sqrt(float64(p)) * math.Pow(.7, float64(i%p))
	}
	for i := range p {
		g.prior.Mean[i] = r.NormFloat64()
		for j := range p {
			for k := range p {
				g.prior.Covariance[i*p+j] += root[i*p+k] * root[j*p+k]
			}
		}
		g.prior.Covariance[i*p+i] += .01
	}
	layer := &nn.Dense{In: p, Out: n, Weight: nn.NewParam("w", n, p)}
	for i := range layer.Weight.Data {
		layer.Weight.Data[i] = float32(r.NormFloat64())
		g.a = append(g.a, float64(layer.Weight.Data[i]))
	}
	b := nn.NewBuilder("linear", p)
	b.Add("", layer)
	g.front = must.Get(nn.NewNet(b.Graph))(t)
	return g
}

// draw returns examples of the world.
func (g gaussian) draw(count int, seed uint64) nn.Rows {
	var c mat.Cholesky
	c.Factorize(mat.NewSymDense(g.p, g.prior.Covariance))
	var l mat.TriDense
	c.LTo(&l)
	r := rand.New(rand.NewPCG(seed, 2))
	s, z := nn.Rows{P: g.p, X: make([]float32, count*g.p)}, make([]float64, g.p)
	for i := range count {
		for j := range z {
			z[j] = r.NormFloat64()
		}
		for j := range g.p {
			v := g.prior.Mean[j]
			for k := range j + 1 {
				v += l.At(j, k) * z[k]
			}
			s.X[i*g.p+j] = float32(v)
		}
	}
	return s
}

// least is the posterior variance, which no attack beats and some attain: the trace of
// (AᵀA/σ² + Σ⁻¹)⁻¹ over p.
func (g gaussian) least(t testing.TB, sigma float64) float64 {
	var inv, info mat.Dense
	must.Do(t, inv.Inverse(mat.NewDense(g.p, g.p, slices.Clone(g.prior.Covariance))))
	a := mat.NewDense(g.n, g.p, g.a)
	info.Mul(a.T(), a)
	info.Scale(1/(sigma*sigma), &info)
	info.Add(&info, &inv)
	must.Do(t, inv.Inverse(&info))
	return mat.Trace(&inv) / float64(g.p)
}

// meanError returns the mean of the errors per input and its standard error.
func meanError(r *Result) (mean, std float64) {
	for _, v := range r.MeanSquare {
		mean += v / float64(len(r.MeanSquare))
	}
	for _, v := range r.MeanSquare {
		std += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(std) / float64(len(r.MeanSquare))
}

// features is the part of a net up to its features.
func features(t testing.TB, g *nn.Graph) *nn.Net {
	t.Helper()
	node := must.Get(g.FeatureNode())(t)
	f, _ := must.Get2(g.Cut(node))(t)
	return must.Get(nn.NewNet(f))(t)
}
