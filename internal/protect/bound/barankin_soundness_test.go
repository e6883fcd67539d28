package bound

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
	"tattle/internal/protect/release"
	"tattle/internal/shared"
)

// exactSteps returns z of each witness in real arithmetic.
func exactSteps(m *nn.Net, theta, eps []float32) (z [][]*big.Float) {
	p := len(theta)
	at := func(eps []float32) []*big.Float {
		x := make([]*big.Float, p)
		for i, v := range theta {
			x[i] = new(big.Float).SetPrec(exactBits).Add(exact(float64(v)), exact(float64(eps[i])))
		}
		return exactForward(m, x)
	}
	from := at(make([]float32, p))
	for lo := 0; lo < len(eps); lo += p {
		to := at(eps[lo : lo+p])
		for j := range to {
			to[j].Sub(to[j], from[j])
		}
		z = append(z, to)
	}
	return z
}

func exactDot(a, b []*big.Float) *big.Float {
	sum := exact(0)
	for i := range a {
		sum.Add(sum, exactProduct(a[i], b[i]))
	}
	return sum
}

// The adversary's test of the combination: over nets, inputs, witnesses, noise,
// queries and coefficients of any size, no bound exceeds (cᵀg)²/(cᵀMc) in real
// arithmetic, with the c that floating point made of B g.
func TestNoCombinationExceedsRealArithmetic(t *testing.T) {
	shared.Long(t, "combined bounds against real arithmetic")
	r := rand.New(rand.NewPCG(21, 21))
	const trials = 400
	checked, sharp := 0, 0
	for trial := range trials {
		m, count := wildNet(t, r), 1+r.IntN(5)
		theta, _ := wildStep(r)
		var eps []float32
		for range count {
			_, e := wildStep(r)
			eps = append(eps, e...)
		}
		z := exactSteps(m, theta, eps)
		norm := 0.
		for i := range z {
			v, _ := new(big.Float).Sqrt(exactDot(z[i], z[i])).Float64()
			norm = max(norm, v)
		}
		for _, sigma := range []float64{1, norm / 2, norm * math.Exp(8*r.Float64()), norm * math.Exp(30*r.Float64())} {
			if !(sigma > 1e-100 && sigma < 1e100) {
				continue
			}
			c := Certifier{Net: m, Noise: release.Gaussian{Sigma: sigma}, Queries: r.IntN(4)}
			if trial%2 == 0 {
				c.Noise = overlapping{opaque{release.Gaussian{Sigma: sigma}}}
			}
			ds, ms := together(t.Context(), &c, theta, eps)
			solve := ms[0].coefficients(ds)
			if trial%3 > 0 {
				for i := range solve {
					solve[i] *= 1 + r.NormFloat64()*float64(trial%3-1)
				}
			}
			if trial%7 == 0 {
				for i := range solve {
					solve[i] = r.NormFloat64() * math.Exp(20*r.NormFloat64())
				}
			}
			std, g, gerr := make([]float64, 5), widened64(eps), make([]float64, count)
			if trial%4 == 3 { // wᵀε as badly computed as is said
				for i := range g {
					gerr[i/5] = 1e-5 * length(g[i/5*5:i/5*5+5])
				}
				for i := range g {
					g[i] += gerr[i/5] * (1 - 1e-9) * float64(1-2*r.IntN(2))
				}
			}
			ms[0].std(std, nil, g, gerr, solve) // clears what is void in g
			coef := make([]float64, len(g))
			simd.Gemm(false, false, count, 5, count, 1, solve, count, g, 5, 0, coef, 5)
			for k, bound := range std {
				if bound == 0 {
					continue
				}
				top, under := exact(0), exact(0)
				for i := range count {
					if ms[0].void[i] {
						continue
					}
					ci := exact(coef[i*5+k])
					top.Add(top, exactProduct(ci, exact(float64(eps[i*5+k]))))
					for j := range count {
						if ms[0].void[j] {
							continue
						}
						q := exactDot(z[i], z[j])
						q.Mul(q, exact(float64(max(1, c.Queries))))
						q.Quo(q, exactProduct(exact(sigma), exact(sigma)))
						under.Add(under, exactProduct(exactProduct(ci, exact(coef[j*5+k])), exactExpm1(q)))
					}
				}
				checked++
				left, right := exactProduct(exactProduct(exact(bound), exact(bound)), under), exactProduct(top, top)
				if left.Cmp(right) > 0 {
					ratio, _ := new(big.Float).Quo(left, right).Float64()
					t.Errorf("trial %d, σ %g, %d witnesses: std %g exceeds the exact bound, squares' ratio 1+%g", trial, sigma, count, bound, ratio-1)
				} else if ratio, _ := new(big.Float).Quo(left, right).Float64(); ratio > 1-1e-9 {
					sharp++
				}
			}
		}
	}
	if checked < 4*trials || sharp < checked/6 {
		t.Error("the test is idle")
	}
}
