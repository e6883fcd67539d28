package bound

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"tattle/release"
)

// risk is the two-point Bayes risk ½∫f0f1/(f0+f1) of features that differ by z, by a sum
// over a fine grid of one or two features. density is that of the noise on one feature.
func risk(density func(t float64) float64, z []float64, step, reach float64) (h float64) {
	var sum func(k int, f0, f1 float64) float64
	sum = func(k int, f0, f1 float64) (s float64) {
		if k == len(z) {
			return f0 * f1 / (f0 + f1 + math.SmallestNonzeroFloat64) / 2
		}
		for y := -reach; y < reach+math.Abs(z[k]); y += step {
			s += step * sum(k+1, f0*density(y), f1*density(y-math.Abs(z[k])))
		}
		return s
	}
	return sum(0, 1, 1)
}

// Of a linear model the Bayes risk on two inputs is known: no floor is above it, and none
// below half of it, for Gaussian and Laplace noise and several releases.
func TestPairFloorIsTheBayesRisk(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 61))
	for range 12 {
		m := affine{make([]float64, 6), 3, 2}
		for i := range m.a {
			m.a[i] = r.NormFloat64()
		}
		theta, eps := make([]float32, 3), make([]float32, 3)
		scale := math.Exp(3*r.Float64() - 2)
		for i := range eps {
			theta[i], eps[i] = float32(r.NormFloat64()), float32(scale*r.NormFloat64())
		}
		z := make([]float64, 2)
		for j := range z {
			for i, e := range eps {
				z[j] += m.a[j*3+i] * float64(e)
			}
		}
		for _, queries := range []int{1, 4} {
			d := (&Certifier{Net: m, Noise: release.Gaussian{Sigma: 1}, Queries: queries}).Divergences(t.Context(), theta, eps)[0]
			apart := math.Hypot(z[0], z[1]) * math.Sqrt(float64(queries))
			truth := risk(func(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }, []float64{apart}, 1e-3, 12)
			if d.Share > truth*(1+1e-9) || d.Share < truth/2 {
				t.Errorf("Gaussian, ‖z‖√k = %g: %g, the risk is %g", apart, d.Share, truth)
			}
		}
		laplace := release.Laplace{Sigma: math.Sqrt2, Scale: 1}
		d := (&Certifier{Net: m, Noise: laplace}).Divergences(t.Context(), theta, eps)[0]
		truth := risk(func(x float64) float64 { return math.Exp(-math.Abs(x)) / 2 }, z, .02, 14)
		if d.Share > truth*(1+1e-3) || math.Hypot(z[0], z[1]) < 1.5 && d.Share < truth/2 {
			t.Errorf("Laplace, z = %v: %g, the risk is %g", z, d.Share, truth)
		}
		for i, e := range eps {
			g := math.Abs(float64(e))
			if f := d.Pair(g, 0); f > g*math.Sqrt(truth)*(1+1e-3) {
				t.Errorf("coordinate %d: %g, the risk is %g", i, f, g*math.Sqrt(truth))
			}
			if f, less := d.Pair(g, g/2), d.Pair(g/2, 0); f > less*(1+1e-12) || d.Pair(g, 2*g) != 0 {
				t.Errorf("an error of wᵀε is not counted: %g, %g", f, less)
			}
		}
	}
}

// No estimator errs by less than the floor on average over the two inputs: not one that
// ignores the release, nor the likelihood-ratio rule, nor the posterior mean.
func TestNoEstimatorBeatsAPairFloor(t *testing.T) {
	const draws, n = 20000, 30
	m, data, _ := small(t)
	r := rand.New(rand.NewPCG(62, 62))
	theta, eps := data.x[:24], make([]float32, 24)
	for _, sigma := range []float64{.05, .3, 2} {
		for i := range eps {
			eps[i] = float32(.3 * r.NormFloat64())
		}
		d := (&Certifier{Net: m, Noise: release.Gaussian{Sigma: sigma}}).Divergences(t.Context(), theta, eps)[0]
		wide := widened64(eps)
		floor, most := d.PairMeanSquare(wide), square(wide)/24
		x := append(widened64(theta), widened64(theta)...)
		for i, e := range wide {
			x[24+i] += e
		}
		a := make([]float64, 2*n)
		m.Forward64(a, x)
		var rule, mean float64
		for k := range draws {
			truth, likelihood := k%2, 0. // of the second over the first
			for j := range n {
				y := a[truth*n+j] + sigma*r.NormFloat64()
				likelihood += (math.Pow(y-a[j], 2) - math.Pow(y-a[n+j], 2)) / (2 * sigma * sigma)
			}
			p := 1 / (1 + math.Exp(-likelihood))
			if (likelihood > 0) != (truth == 1) {
				rule += most / draws
			}
			mean += most * math.Pow(float64(truth)-p, 2) / draws
		}
		slack := 4 * most / math.Sqrt(draws)
		for name, err := range map[string]float64{"always θ": most / 2, "the midpoint": most / 4, "the likelihood ratio": rule + slack, "the posterior mean": mean + slack} {
			if err < floor {
				t.Errorf("σ = %g: %s errs by %g, the floor is %g", sigma, name, err, floor)
			}
		}
		if mean-slack > 2*floor && mean > 10*slack {
			t.Errorf("σ = %g: a floor of %g, where the best adversary errs by %g", sigma, floor, mean)
		}
	}
}

// pairExperiment has every kind of witness that proves pair floors.
func pairExperiment(t *testing.T) (Model, pictures, Experiment) {
	m, data, e := small(t)
	box := data.box()
	e.Far = FarOptions{Starts: 2, Domain: box}
	e.Twins = TwinOptions{Examples: 2, Domain: box}
	e.Pairs = PairOptions{Witnesses: MostPairs, Domain: box}
	return m, data, e
}

// Verify confirms pair floors, notices a changed witness and a changed figure, and the
// search for them finds at least what far witnesses prove.
func TestVerifyPairFloors(t *testing.T) {
	m, data, e := pairExperiment(t)
	for _, noise := range []release.Noise{release.Gaussian{Sigma: .3}, release.Laplace{Sigma: .2 * math.Sqrt2, Scale: .2}} {
		e.Noise = noise
		r := mustRun(t, m, data, upTo(5), e)
		if found := verified(t, m, data, r, r.claims()); len(found) != 0 {
			t.Errorf("%v: %v", noise, found)
		}
		for i, s := range r.Pairs.Pair.MeanSquare {
			if far := r.Far.Pair.MeanSquare[i]; s < far*.999 || s == 0 {
				t.Errorf("%v: example %d: %g by the search for pair floors, %g by far witnesses", noise, i, s, far)
			}
		}
		to := filepath.Join(t.TempDir(), "forged.npz")
		for name, says := range map[string]string{
			"pair_eps": "of example 1", "far_eps": "of example 1", "pair_share": "pair_share of example 1", "far_pair_share": "far_pair_share of example 1",
			"far_pair_floor": "far_pair_floor of example", "twin_pair_mean_square": "twin_pair_mean_square of example 1", "s200_pair_floor": "s200_pair_floor of example",
		} {
			at := 1
			switch name {
			case "pair_eps", "far_eps":
				at = 2*24 + 3
			case "pair_share", "far_pair_share":
				at = 2
			}
			if found := verified(t, m, data, r, forge(t, r, to, name, at, .01)); !names(found, says) {
				t.Errorf("%v: %s changed: %v", noise, name, found)
			}
		}
	}
}

// The rows of pair floors are certified, and say whom they bind.
func TestPairSummaries(t *testing.T) {
	m, data, e := pairExperiment(t)
	rows := map[string]int{}
	for _, s := range mustRun(t, m, data, upTo(4), e).Summaries {
		if !s.Pair() {
			continue
		}
		rows[s.Search]++
		if s.Status != StatusCertified || s.UnboundedFraction != 0 || len(s.Notes) < 2 {
			t.Errorf("%+v", s)
		}
	}
	for _, search := range []string{Direct, SearchFar, SearchTwins, SearchPairs} {
		if rows[search] != 3 {
			t.Errorf("%d rows by %s, want those of all coordinates, of the low band and of whole inputs", rows[search], search)
		}
	}
}

func TestPairOptionsAreChecked(t *testing.T) {
	m, data, e := pairExperiment(t)
	for _, o := range []PairOptions{{Witnesses: -1}, {Witnesses: MostPairs + 1}, {Witnesses: 1, Domain: boxOf(23, 0, 1)}} {
		e.Pairs = o
		if _, err := Run(t.Context(), m, data, upTo(2), e, RunOptions{Dir: t.TempDir()}); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}
