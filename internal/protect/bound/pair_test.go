package bound

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
	"tattle/internal/protect/release"
	"tattle/internal/shared"
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

// The share of a distance that is off by its tolerance differs by no more than the slack.
func TestSlackOfShares(t *testing.T) {
	for d := 0.; d < 50; d += .1 {
		v := Divergence{ZNorm: d, Share: release.GaussianPairShare(d)}
		if other := release.GaussianPairShare(d * (1 + certificateTolerance)); other < v.Share*(1-v.slack()) {
			t.Errorf("h(%v) = %v, and %v a little beyond: more than %v off", d, v.Share, other, v.slack())
		}
	}
}

// Of a linear model the Bayes risk on two inputs is known: no floor is above it, and none
// below half of it, for Gaussian and Laplace noise and several releases.
func TestPairFloorIsTheBayesRisk(t *testing.T) {
	shared.Long(t, "integrates the Bayes risk of pairs")
	r := rand.New(rand.NewPCG(61, 61))
	for range 6 {
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
	}
}

// pairExperiment has every kind of witness that proves pair floors.
func pairExperiment(t *testing.T) (Model, nn.Rows, Experiment) {
	m, data, e := small(t)
	box := box(data)
	e.Far = FarOptions{Starts: 2, Domain: box}
	e.Twins = TwinOptions{Examples: 2, Domain: box}
	e.Pairs = PairOptions{Witnesses: MostPairs, Groups: 3, Domain: box}
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
		for i, s := range r.Kind(SearchPairs).Pair.MeanSquare {
			if far := r.Kind(SearchFar).Pair.MeanSquare[i]; s < far*.999 || s == 0 {
				t.Errorf("%v: example %d: %g by the search for pair floors, %g by far witnesses", noise, i, s, far)
			}
		}
		for _, v := range []struct {
			array, says string
			at          int
		}{
			{"pair_eps", "of example 1", 8*24 + 3}, // of a group of coordinates
			{"far_eps", "of example 1", 2*24 + 3}, {"pair_share", "pair_share of example 1", 5}, {"far_pair_share", "far_pair_share of example 1", 2},
			{"far_pair_floor", "far_pair_floor of example", 1}, {"twin_pair_mean_square", "twin_pair_mean_square of example 1", 1}, {"s200_pair_floor", "s200_pair_floor of example", 1},
		} {
			if found := verified(t, m, data, r, forge(t, r, v.array, v.at, .01)); !names(found, v.says) {
				t.Errorf("%v: %s changed: %v", noise, v.array, found)
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
		if s.Status != StatusCertified || s.UnboundedFraction != 0 {
			t.Errorf("%+v", s)
		}
	}
	for _, search := range []string{Direct, SearchFar, SearchTwins, SearchPairs} {
		if rows[search] != 3 {
			t.Errorf("%d rows by %s, want those of all coordinates, of the low band and of whole inputs", rows[search], search)
		}
	}
}

// Of a linear model a = Aθ with Gaussian noise the best pair for a coordinate w is known:
// ε = t·(AᵀA)⁻¹w, whose floor is σ√(wᵀ(AᵀA)⁻¹w)·max d√h(d). No floor is larger, and those of
// witnesses that are searched for each coordinate come nearer to it than those of witnesses
// that are searched for whole inputs, which are among them.
func TestPairFloorsOfCoordinatesOnLinearModels(t *testing.T) {
	shared.Long(t, "pair floors against a closed form")
	const p, n, sigma = 6, 8, .3
	top := 0.
	for d := .5; d < 5; d += 1e-3 {
		top = max(top, d*math.Sqrt(release.GaussianPairShare(d)))
	}
	r := rand.New(rand.NewPCG(63, 63))
	var gain, reached float64
	const models = 5
	for range models {
		m, a := linearNet(t, r, p, n), mat.NewDense(n, p, nil)
		for i, v := range m.Graph().Nodes[0].Op.(*nn.Dense).Weight.Data {
			a.Set(i/p, i%p, float64(v))
		}
		var gram, inverse mat.Dense
		gram.Mul(a.T(), a)
		must.Do(t, inverse.Inverse(&gram))
		data := nn.Rows{X: make([]float32, p), P: p, Labels: []int{0}}
		e := Experiment{Noise: release.Gaussian{Sigma: sigma}, Coordinates: Pixels(p), Settings: Settings{Far: FarOptions{Starts: 2}, Pairs: PairOptions{Witnesses: MostPairs}}}
		whole := mustRun(t, m, data, upTo(1), e).Kind(SearchPairs).Pair
		e.Pairs.Groups = p
		single := mustRun(t, m, data, upTo(1), e).Kind(SearchPairs).Pair
		if single.MeanSquare[0] < whole.MeanSquare[0] {
			t.Errorf("the floor of the whole input is %g, and %g without groups", single.MeanSquare[0], whole.MeanSquare[0])
		}
		for k := range p {
			best := sigma * math.Sqrt(inverse.At(k, k)) * top
			if single.Std[k] < whole.Std[k] || single.Std[k] > best*(1+1e-6) {
				t.Errorf("coordinate %d: %g, for whole inputs %g, at most %g", k, single.Std[k], whole.Std[k], best)
			}
			gain += single.Std[k] / max(whole.Std[k], best/100) / p / models
			reached += single.Std[k] / best / p / models
		}
	}
	if reached < .75 || gain < 1.4 {
		t.Errorf("%.3f of the best, %.2f times those of whole inputs", reached, gain)
	}
}

// With as many groups as coordinates the directions are the coordinates; with fewer they are
// orthonormal, and each is equally far along all coordinates of its group. Vectors that cancel have no direction.
func TestPairDirections(t *testing.T) {
	same := must.Get(Vectors("same", slices.Repeat([]float64{1}, 40), 1))(t)
	for _, w := range pairDirections(same, 20) {
		if w[0] != 0 && math.Abs(float64(w[0])) != 1 {
			t.Errorf("a direction %v", w)
		}
	}
	for _, c := range []Coordinates{Pixels(20), DCT([]int{4, 5}), DCT([]int{28, 28})} {
		for _, groups := range []int{1, 3, 8, min(c.Len(), 20)} {
			members := 0
			for i, w := range pairDirections(c, groups) {
				y := make([]float64, c.Len())
				c.Apply(y, nn.Float64s(w))
				most, own := 0., 0
				for _, v := range y {
					most = max(most, math.Abs(v))
				}
				for k, v := range y {
					if math.Abs(v) > most/2 {
						own++
						if math.Abs(math.Abs(v)-most) > 1e-6 {
							t.Errorf("%s, group %d of %d: %g of coordinate %d, %g of others", c.Name(), i, groups, v, k, most)
						}
					}
				}
				members += own
				if math.Abs(most*math.Sqrt(float64(own))-1) > 1e-6 {
					t.Errorf("%s, group %d of %d: %d coordinates, %g of each", c.Name(), i, groups, own, most)
				}
			}
			if members != c.Len() {
				t.Errorf("%s: %d groups of %d coordinates, not of %d", c.Name(), groups, members, c.Len())
			}
		}
	}
}

// The second search of an input, along directions, begins at the best witness of the first one. Here are two inputs.
func TestFurther(t *testing.T) {
	s := newPairSearch(netOf(t, 1, weights(1, 1, 1)), Free, []float32{0, 0}, 2, 1)
	s.best, s.score = []float32{1, 2, 3, 4}, []float64{5, 6, 8, 7}
	if got := s.further([][]float32{{1}, {1}, {1}}).eps; !slices.Equal(got, []float32{2, 2, 2, 3, 3, 3}) {
		t.Errorf("begins at %v", got)
	}
}

// The logarithm that searches use is that of the certificate, and its derivative that of it.
func TestLogPairShare(t *testing.T) {
	const by = 1e-3
	for d := 0.; d < 40; d += .37 {
		log, slope := logPairShare(d)
		if want := math.Log(release.GaussianPairShare(d)); d < 30 && math.Abs(log-want) > 1e-4 {
			t.Errorf("d = %g: ln h is %g, not %g", d, log, want)
		}
		above, _ := logPairShare(d + by)
		below, _ := logPairShare(math.Abs(d - by))
		if d > by && math.Abs(slope-(below-above)/(2*by)) > 1e-3*(1+slope) {
			t.Errorf("d = %g: the slope is %g, not %g", d, slope, (below-above)/(2*by))
		}
	}
	for _, d := range []float64{1e5, 1e7, math.Inf(1)} { // as without the factor M
		if log, slope := logPairShare(d); !(log >= -d*d/8*(1+1e-8) && log <= -d*d/8*(1-1e-8)) || !(slope >= d/4 && slope <= d/4*(1+1e-8)) {
			t.Errorf("d = %g: ln h is %g, its slope %g", d, log, slope)
		}
	}
}

// On six images the search finds strong floors. Their medians are 22.9 grey levels of coordinates and 27.0 of whole
// images at σ, and 52.6 and 57.2 at 5 σ.
func TestPairSearchOnMNIST(t *testing.T) {
	shared.Long(t, "searches witnesses for images")
	o := loadOracle(t)
	for _, c := range []struct{ strength, coordinate, whole float64 }{{1, 21.5, 24.5}, {5, 49, 55}} {
		e := o.experiment(Direct)
		e.Noise = release.Gaussian{Sigma: c.strength * o.sigma}
		e.Sizes, e.Search.Restarts = []float64{1. / 200}, 1
		e.Far, e.Pairs = FarOptions{Starts: 2, Domain: mnistRange()}, PairOptions{Witnesses: MostPairs, Groups: MostPairGroups, Domain: mnistRange()}
		f := mustRun(t, o.net, o.data, upTo(6), e).Kind(SearchPairs).Pair
		coordinate, whole := middle(f.Std)*greyMNIST, math.Sqrt(middle(f.MeanSquare))*greyMNIST
		if coordinate < c.coordinate || whole < c.whole {
			t.Errorf("%g σ: median floors of %.1f for coordinates and %.1f for whole images, want at least %g and %g", c.strength, coordinate, whole, c.coordinate, c.whole)
		}
	}
}

// middle is the upper median.
func middle(x []float64) float64 { return slices.Sorted(slices.Values(x))[len(x)/2] }

func mnistRange() Domain {
	low, high := float64(float32((0-.1307)/.3081)), float64(float32((1-.1307)/.3081))
	return boxOf(784, low-1e-6, high+1e-6)
}
