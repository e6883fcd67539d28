package release

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"tattle/internal/math/stat"
	"tattle/internal/must"
)

// With the norm of Gaussian noise, Monte Carlo gives A eq. (12), exp(‖z‖²/σ²) − 1.
func TestIsotropicOfGaussianNorm(t *testing.T) {
	for _, n := range []int{1, 12, 784} {
		draws := drawPolar(n, func(r *rand.Rand) float64 { return math.Sqrt(distuv.ChiSquared{K: float64(n), Src: r}.Rand()) })
		for _, size := range []float64{1. / 200, .1, .5} {
			chi := make([]float64, len(draws))
			for i, y := range draws {
				chi[i] = y.chi(size, func(_, q float64) float64 { return -q / 2 })
			}
			// Six standard errors: 2e-9 by the central limit theorem.
			if mean, std := stat.MeanStd(chi); math.Abs(mean-math.Expm1(size*size)) > 6*std/math.Sqrt(float64(len(chi))) {
				t.Errorf("%d features, ‖z‖ = %v σ: χ² = %v ± %v, want %v", n, size, mean, std/math.Sqrt(float64(len(chi))), math.Expm1(size*size))
			}
		}
	}
}

// On one feature the noise is Laplace's, whose χ² is a closed form. On many the limit stays close to Fisher·‖z‖².
func TestIsotropicLimit(t *testing.T) {
	one, laplace := must.Get(NewIsotropicLaplace(1.1, 1))(t), must.Get(NewLaplace(1.1))(t)
	for _, d := range []float64{1e-7, 1e-3, .5} {
		got, want := one.Bound([]float64{d}, []float64{0}), laplace.Bound([]float64{d}, []float64{0})
		if back, wide := one.Bound([]float64{-.9 * d}, []float64{.1 * d}), one.Bound([]float64{.9 * d}, []float64{.1 * d}); !(got >= want && got <= 1.15*want && back == wide) {
			t.Errorf("limit %v of χ² = %v at %v", got, want, d)
		}
	}
	many := must.Get(NewIsotropicLaplace(1.1, 784))(t)
	z, e := make([]float64, 784), make([]float64, 784)
	for size, loose := range map[float64]float64{1e-9: 1.1, 1. / 1000: 1.1, 1. / 200: 1.1, .1: 1.5, 7: math.Inf(1)} {
		z[3] = size * 1.1
		if limit, least := many.Bound(z, e), many.Fisher()*z[3]*z[3]; !(limit >= least && limit <= loose*least) {
			t.Errorf("‖z‖ = %v σ: limit %v, Fisher information gives %v", size, limit, least)
		}
	}
	levels := 1. // each has its share of the risk
	for at := isotropicNearest; at < isotropicFarthest; at *= isotropicFiner {
		levels++
	}
	if !(isotropicLevels >= levels && isotropicLevels <= levels+2) {
		t.Errorf("%v levels share the risk, of %v", isotropicLevels, levels)
	}
	must.Fail(t, must.Err(NewIsotropicLaplace(1, 0)), "at least 1")
	z[3] = 1e9
	if b := many.Bound(z, e); !math.IsInf(b, 1) {
		t.Errorf("limit %v of a shift of 1e9", b)
	}
	z[3] = math.NaN()
	if b := many.Bound(z, e); !math.IsInf(b, 1) {
		t.Errorf("limit %v of no number", b)
	}
}

// Sample has the density and the variance that the limit speaks of.
func TestIsotropicSample(t *testing.T) {
	const n, draws = 12, 50000
	l := must.Get(NewIsotropicLaplace(.7, n))(t)
	z, x, moved := make([]float64, n), make([]float64, n), make([]float64, n)
	z[0], z[5] = .1, -.15
	squares, chi := make([]float64, draws), make([]float64, draws)
	r := rand.New(rand.NewPCG(9, 10))
	for i := range draws {
		l.Sample(x, r)
		for j, v := range x {
			moved[j] = v - z[j]
		}
		squares[i] = floats.Dot(x, x) / n
		d := math.Expm1(l.LogDensity(moved) - l.LogDensity(x))
		chi[i] = d * d
	}
	if m, s := stat.MeanStd(squares); math.Abs(m-.49) > 6*s/math.Sqrt(draws) {
		t.Errorf("variance %v, want .49", m)
	}
	m, s := stat.MeanStd(chi)
	if bound := l.Bound(z, make([]float64, n)); bound < m-6*s/math.Sqrt(draws) || bound > 1.2*m {
		t.Errorf("limit %v of χ² = %v over draws", bound, m)
	}
}
