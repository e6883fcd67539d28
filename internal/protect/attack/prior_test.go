package attack

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
	"tattle/internal/shared"
)

// gaussians draws n inputs of covariance A Aᵀ, A [p, p] of small integers.
func gaussians(r *rand.Rand, n, p int) (d nn.Rows, sigma []float64) {
	a := make([]float64, p*p)
	for i := range a {
		a[i] = float64(r.IntN(5)-2) / 2
	}
	for i := range p {
		a[i*p+i] += 3
	}
	sigma = make([]float64, p*p)
	for i := range p {
		for j := range p {
			for k := range p {
				sigma[i*p+j] += a[i*p+k] * a[j*p+k]
			}
		}
	}
	d = nn.Rows{P: p, X: make([]float32, n*p)}
	for e := range n {
		for k := range p {
			g := r.NormFloat64()
			for i := range p {
				d.X[e*p+i] += float32(a[i*p+k] * g)
			}
		}
	}
	return d, sigma
}

// A sample variance of 20,000 Gaussian values has a relative standard deviation of
// √(2/20000) = 1%, its root 0.5%: a root 5% off is ten of them, below 1e-20. The
// shrinkage is about (tr Σ)²/n over ‖Σ−μI‖², a few thousandths.
func TestPriorOfGaussians(t *testing.T) {
	const p = 8
	data, sigma := gaussians(rand.New(rand.NewPCG(5, 6)), 20000, p)
	prior := must.Get(NewPrior(context.Background(), data, p))(t)
	if !(prior.Shrinkage > 0 && prior.Shrinkage < .01) {
		t.Errorf("shrinkage %g of 20,000 examples", prior.Shrinkage)
	}
	for i := range p {
		s := math.Sqrt(prior.Covariance[i*p+i])
		if want := math.Sqrt(sigma[i*p+i]); math.Abs(s/want-1) > .05 {
			t.Errorf("input %d: standard deviation %g, want %g", i, s, want)
		}
	}
}

// Ledoit and Wolf's λ by its definition, a sum over examples of ‖xxᵀ − S‖².
func TestShrinkage(t *testing.T) {
	const n, p = 30, 10
	data, _ := gaussians(rand.New(rand.NewPCG(7, 8)), n, p)
	for e := range n {
		data.X[e*p+3] = 1.5 // an input that never changes
	}
	prior := must.Get(NewPrior(context.Background(), data, p))(t)
	s := mat.NewSymDense(p, nil)
	centred := make([]*mat.VecDense, n)
	for e := range n {
		centred[e] = mat.NewVecDense(p, nil)
		for i := range p {
			mean := 0.
			for k := range n {
				mean += float64(data.X[k*p+i]) / n
			}
			centred[e].SetVec(i, float64(data.X[e*p+i])-mean)
		}
		s.SymRankOne(s, 1./n, centred[e])
	}
	mu := mat.Trace(s) / p
	var b, d float64
	for _, x := range centred {
		var outer mat.Dense
		outer.Outer(1, x, x)
		outer.Sub(&outer, s)
		b += math.Pow(mat.Norm(&outer, 2), 2) / n / n
	}
	target := mat.DenseCopyOf(s)
	for i := range p {
		target.Set(i, i, s.At(i, i)-mu)
	}
	d = math.Pow(mat.Norm(target, 2), 2)
	if want := min(b/d, 1); math.Abs(prior.Shrinkage-want) > 1e-10 {
		t.Errorf("shrinkage %g, want %g", prior.Shrinkage, want)
	}
	if got, want := math.Sqrt(prior.Covariance[3*p+3]), math.Sqrt(prior.Shrinkage*mu); math.Abs(got/want-1) > 1e-6 {
		t.Errorf("an input that never changes has standard deviation %g, want %g", got, want)
	}
	if math.Abs(prior.Mean[3]-1.5) > 1e-12 {
		t.Errorf("its mean is %g", prior.Mean[3])
	}
}

func TestPriorRefuses(t *testing.T) {
	constant := nn.Rows{P: 5, X: make([]float32, 20)}
	broken := nn.Rows{P: 5, X: make([]float32, 20)}
	broken.X[7] = float32(math.NaN())
	for _, d := range []nn.Rows{constant, broken, {P: 5, X: make([]float32, 5)}} {
		if _, err := NewPrior(context.Background(), d, 5); err == nil {
			t.Errorf("a prior from %v", d.X)
		}
	}
	must.Fail(t, must.Err(NewPrior(context.Background(), constant, priorLimit+1))) // a prior of too many inputs
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := NewPrior(ctx, constant, 5); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

// The posterior mean over many examples comes near the best there is: of the distribution of
// signs the list holds both members, so that it is the best. The limit is 6 standard errors
// of a mean of 4,000 (1e-9).
func TestPosteriorIsTheBestOnALongList(t *testing.T) {
	shared.Long(t, "the posterior mean over a long list")
	ctx := context.Background()
	front := wide(t, 4)
	train, test := signs(3000, 1), signs(4000, 2)
	legal := must.Get(bound.Legal([]float64{-1, -1, -1, -1}, []float64{1, 1, 1, 1}))(t)
	noise := release.Gaussian{Sigma: 1.5}
	reach := func(a *Attack) float64 {
		r := must.Get(Measure(ctx, a, Setting{Front: front, Noise: noise, Data: test, Seed: 4}, nn.Indices(4000), Options{Draws: 1}))(t)
		mean, _ := meanError(r)
		return mean
	}
	a := must.Get(NewPosterior(ctx, Setting{Front: front, Noise: noise, Data: train, Domain: legal, Seed: 1}))(t)
	if got, best := reach(a), reach(signBayes(Setting{Front: front, Noise: noise})); got > 1.1*best || got < .98*best {
		t.Errorf("mean-square error %v, and the best is %v (%s)", got, best, a.About)
	}
	// Several queries, and other noise.
	laplace := must.Get(release.NewLaplace(1.5))(t)
	for _, noise := range []release.Noise{release.Gaussian{Sigma: 2}, laplace} {
		for _, queries := range []int{1, 4} {
			a := must.Get(NewPosterior(ctx, Setting{Front: front, Noise: noise, Data: train, Queries: queries, Domain: legal}))(t)
			dst := make([]float32, 8)
			must.Do(t, a.Reconstruct(ctx, dst, []float32{9, 9, 9, 9, -9, -9, -9, -9}))
			if dst[0] < .9 || dst[4] > -.9 {
				t.Errorf("%v, %d queries: %v", noise, queries, dst)
			}
		}
	}
}
