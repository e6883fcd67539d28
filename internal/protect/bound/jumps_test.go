package bound

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"tattle/internal/engine/nn"
	"tattle/internal/math/float16"
	"tattle/internal/protect/release"
)

// A run on a net that rounds its features to 16 bits certifies what the best witness of each example proves. It leaves
// out what a Jacobian cannot say.
func TestRunLeavesOutJacobiansOfSteps(t *testing.T) {
	m := netOf(t, 24, drawn(rand.New(rand.NewPCG(2, 2)), 30, 24), &nn.Unary{Function: "BFloat16"})
	_, d, e := small(t)
	e.Noise = release.Gaussian{Sigma: .05}
	for _, search := range []string{Auto, Direct} {
		e.Search.Search = search
		r := mustRun(t, m, d, []int{0, 3}, e)
		if r.CramerRao != nil || r.Spectra != nil {
			t.Error("there are Cramér-Rao figures of steps")
		}
		if all := strings.Join(r.Warnings, " "); !strings.Contains(all, `node "BFloat161" (BFloat16) jumps`) {
			t.Errorf("no warning says why: %q", all)
		}
		eps, best := nn.Float64s(witnesses(t, r, r.Kinds[0].Size)), make([]float64, 2)
		for k := range len(eps) / 24 {
			i, x, a := k/r.Kinds[0].Witnesses, make([]float64, 48), make([]float64, 60)
			theta := nn.Float64s(rowOf(d.X, []int{0, 3}[i], 24))
			copy(x, theta)
			floats.AddTo(x[24:], theta, rowOf(eps, k, 24))
			m.Forward64(a, x)
			z := floats.Distance(a[:30], a[30:], 2) / .05
			best[i] = max(best[i], square(rowOf(eps, k, 24))/24/math.Expm1(z*z))
		}
		for i, got := range r.Kinds[0].MeanSquare {
			if !(got <= best[i]) || got < .999*best[i] {
				t.Errorf("%s, example %d: certified %v, the witnesses prove %v", search, i, got, best[i])
			}
		}
	}
}

// castNet is an affine layer whose outputs are rounded to 16 bits.
func castNet(t testing.TB, r *rand.Rand, p, n int, function string) *nn.Net {
	t.Helper()
	return netOf(t, p, weights(n, p, normals(r, n*p+n, 1)...), &nn.Unary{Function: function})
}

// exactCast evaluates a castNet in real arithmetic: a sum that is not a float64 lies on
// one side of the float64 nearest to it.
func exactCast(m *nn.Net, x []float64) []float64 {
	nodes := m.Graph().Nodes
	d := nodes[0].Op.(*nn.Dense)
	round := float16.Half.Round
	if nodes[1].Op.Kind() == "BFloat16" {
		round = float16.Brain.Round
	}
	y := make([]float64, d.Out)
	for j := range y {
		sum := exact(float64(d.Bias.Data[j]))
		for i, v := range x {
			sum.Add(sum, exactProduct(exact(v), exact(float64(d.Weight.Data[j*d.In+i]))))
		}
		near, _ := sum.Float64()
		y[j] = round(near)
		if side := sum.Cmp(exact(near)); side != 0 {
			beyond := math.Nextafter(near, math.Inf(side))
			if opposite := math.Nextafter(near, math.Inf(-side)); round(opposite) != round(beyond) { // near is where it jumps
				y[j] = round(beyond)
			}
		}
	}
	return y
}

// likelihoodRatio returns the standard deviation at θ of the estimator of wᵀθ that is
// unbiased at θ and θ+ε: wᵀθ + wᵀε·(L(y) − 1)/χ², L the ratio of the densities of the
// release y, for a change of the features by z in all. Its mean square is a sum over a
// fine grid of y along z, which is all that L depends on.
func likelihoodRatio(step, z, sigma float64) (std, bias float64) {
	chi := math.Expm1(z * z / sigma / sigma)
	var mean, moved, square float64
	const h = 1. / 64 // the trapezium rule converges exponentially
	for u := -12.; u <= 12+z/sigma; u += h {
		density := math.Exp(-u*u/2) / math.Sqrt(2*math.Pi) * h
		l := math.Exp(u*z/sigma - z*z/sigma/sigma/2)
		estimate := step * (l - 1) / chi
		mean, square, moved = mean+density*estimate, square+density*estimate*estimate, moved+density*l*estimate
	}
	return math.Sqrt(square - mean*mean), math.Abs(mean) + math.Abs(moved-step)
}

// No certified value of a net that rounds exceeds what an explicit unbiased estimator
// reaches on it, features and all in real arithmetic; and those of the same net with the
// cast left out do, which is what they were before.
func TestNoBoundExceedsTheCast(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 16))
	held, sharp, wrong, edges := 0, 0, 0, 0
	for trial := range 600 {
		function := []string{"Float16", "BFloat16"}[trial%2]
		ulp := []float64{0x1p-10, 0x1p-7}[trial%2] // of numbers from 1 to 2
		m := castNet(t, r, 2, 1+r.IntN(3), function)
		plain := netOf(t, 2, m.Graph().Nodes[0].Op)
		theta, eps := make([]float32, 2), make([]float32, 2)
		for i := range theta {
			theta[i], eps[i] = float32(r.NormFloat64()), float32(4*ulp*r.NormFloat64())
		}
		if trial%3 == 0 { // θ+ε on an edge, where float64 does not know the side
			d := m.Graph().Nodes[0].Op.(*nn.Dense)
			d.Bias.Data[0], d.Weight.Data[0], d.Weight.Data[1] = float32(ulp/2), float32(1), float32(0x1p-30)
			d.Bias.Changed()
			d.Weight.Changed()
			theta[0], theta[1], eps[0], eps[1] = 1+float32(ulp), 0, 0, float32([]float64{0x1p-40, -0x1p-40, 0x1p-10}[trial%9/3])
		}
		x0, x1 := nn.Float64s(theta), nn.Float64s(theta)
		for i, v := range eps {
			x1[i] += float64(v)
		}
		z := floats.Distance(exactCast(m, x0), exactCast(m, x1), 2)
		for _, sigma := range []float64{ulp / 2, 2 * ulp, 20 * ulp} {
			c, before := &Certifier{Net: m, Noise: release.Gaussian{Sigma: sigma}}, &Certifier{Net: plain, Noise: release.Gaussian{Sigma: sigma}}
			d, b := c.Divergences(t.Context(), theta, eps)[0], before.Divergences(t.Context(), theta, eps)[0]
			if d.Allowance > ulp/4 {
				edges++
			}
			for _, e := range eps {
				if e == 0 || z == 0 || z > 6*sigma {
					continue
				}
				std, bias := likelihoodRatio(math.Abs(float64(e)), z, sigma)
				if bias > 1e-6*math.Abs(float64(e)) {
					t.Fatalf("the estimator has a bias of %v", bias)
				}
				held++
				if got := d.Std(float64(e), 0); got > std*(1+1e-6) {
					t.Errorf("%s, σ %v: certified %v, but an unbiased estimator has %v", function, sigma, got, std)
				} else if got > std*.999 {
					sharp++
				}
				if b.Std(float64(e), 0) > std*1.01 {
					wrong++
				}
			}
		}
	}
	if held < 1000 || sharp < held/2 || wrong < held/10 || edges < 50 {
		t.Error("the test is idle")
	}
}
