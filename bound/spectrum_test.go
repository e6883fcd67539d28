package bound

import (
	"context"
	"math"
	"testing"

	"tattle/internal/must"
	"tattle/internal/shared"
	"tattle/nn"
)

// exactly returns the singular values of J, descending.
func exactly(t testing.TB, m nn.Model, theta []float32) []float64 {
	t.Helper()
	f := must.Get(factorsAt(context.Background(), m, theta))(t)
	return f[0].S
}

// estimatedOf estimates the spectrum of one input.
func estimatedOf(t testing.TB, m nn.Model, theta []float32, seed uint64, probes, steps int) Spectrum {
	t.Helper()
	s := &spectra{probes: probes, steps: steps}
	s.columns().grow(1)
	must.Do(t, s.fill(context.Background(), m, theta, 0, 0, seed))
	return s.of(0)
}

// Within every radius is a singular value, the largest are found, and the smallest is
// not claimed where it is not seen.
func TestExtremes(t *testing.T) {
	for _, net := range []*nn.Net{smallNet(t, 60, 90, 70), smallNet(t, 90, 60, 200)} {
		p, _ := net.Dims()
		data := noise(p, 12)
		for i := range 12 {
			theta := data.x[i*p : (i+1)*p]
			s := exactly(t, net, theta)
			for _, steps := range []int{8, 20, 64} {
				e := estimatedOf(t, net, theta, 5, 4, steps)
				for k, v := range e.Ritz {
					near := math.Inf(1)
					for _, x := range append(s, 0) {
						near = min(near, math.Abs(x-v))
					}
					if near > e.Radius[k]+1e-9 {
						t.Fatalf("example %d, %d steps: no singular value within %g of %g, %g off", i, steps, e.Radius[k], v, near)
					}
				}
				x := e.Extremes()
				if x.Largest-x.LargestRadius > s[0] || steps >= 20 && s[0] > x.Largest+x.LargestRadius {
					t.Errorf("example %d, %d steps: largest %g ± %g, want %g", i, steps, x.Largest, x.LargestRadius, s[0])
				}
				if steps == 8 && !x.Unresolved {
					t.Errorf("example %d: %d steps claim the whole spectrum", i, steps)
				}
				if !x.Unresolved && math.Abs(x.Smallest-s[len(s)-1]) > x.SmallestRadius+lanczosRounding*s[0] {
					t.Errorf("example %d, %d steps: smallest %g ± %g, want %g", i, steps, x.Smallest, x.SmallestRadius, s[len(s)-1])
				}
			}
		}
	}
}

// The interval of a count holds the true one in 19 of 20 cases at least, few steps or
// many, at thresholds anywhere: of independent seeds, so many misses that chance gives
// them once in 10⁵ runs fail the test.
func TestCountsAreCovered(t *testing.T) {
	shared.Long(t, "coverage of the intervals of counts, over 150 seeds")
	const seeds = 150
	net := smallNet(t, 80, 120, 90)
	theta := noise(80, 1).x
	s := exactly(t, net, theta)
	for _, steps := range []int{6, 24} {
		var of [seeds]Spectrum
		for seed := range of {
			of[seed] = estimatedOf(t, net, theta, uint64(seed), 8, steps)
		}
		for _, k := range []int{1, 4, len(s) / 2, len(s) - 2} {
			at := math.Sqrt(s[k-1] * s[k]) // k of them are above
			misses, width, bias := 0, 0., 0.
			for i := range of {
				c := of[i].count(at)
				misses += one(!(c.Low <= float64(k) && float64(k) <= c.High))
				width += (c.High - c.Low) / seeds
				bias += (c.Estimate - float64(k)) / seeds
			}
			if most := binomialMost(seeds, .05, 1e-5); misses > most {
				t.Errorf("%d steps, %d of %d: %d misses of %d, at most %d", steps, k, len(s), misses, seeds, most)
			}
			if steps == 24 && k <= 4 && width > .1 {
				t.Errorf("the %d largest are known only to %g", k, width)
			}
		}
	}
}

// binomialMost is the least k with P(more than k of n) ≤ tail.
func binomialMost(n int, p, tail float64) int {
	above, term := 1., math.Pow(1-p, float64(n))
	for k := 0; ; k++ {
		if above -= term; above <= tail {
			return k
		}
		term *= p / (1 - p) * float64(n-k) / float64(k+1)
	}
}

// Radau's rules: the measure of points lies within the bounds, which meet where there
// are as many steps as points.
func TestQuadratureBounds(t *testing.T) {
	points, weights := []float64{.1, .5, .9, 2, 2.1, 5}, []float64{.2, .1, .3, .1, .2, .1}
	for steps := 1; steps <= 6; steps++ {
		m := lanczosOf(points, weights, steps)
		for _, at := range []float64{.01, .3, .5000001, .7, 1.5, 2.05, 3, 4.9, 6} {
			want := 0.
			for i, x := range points {
				if x >= at {
					want += 7 * weights[i]
				}
			}
			low, high := m.from(at)
			if low > want+1e-6 || high < want-1e-6 || steps == 6 && high-low > 1e-6 {
				t.Errorf("%d steps, from %g on: %g to %g, want %g", steps, at, low, high, want)
			}
		}
	}
}

// lanczosOf is the process of a diagonal matrix from a start with those weights, of
// mass 7.
func lanczosOf(points, weights []float64, steps int) probed {
	n := len(points)
	q, before, m := make([]float64, n), make([]float64, n), probed{mass: 7}
	for i, w := range weights {
		q[i] = math.Sqrt(w)
	}
	b := 0.
	for range steps {
		a, next := 0., make([]float64, n)
		for i, x := range points {
			a += x * q[i] * q[i]
		}
		for i, x := range points {
			next[i] = (x-a)*q[i] - b*before[i]
		}
		if b = length(next); b < 1e-9 {
			b = 0
		}
		m.a, m.b = append(m.a, a), append(m.b, b)
		before, q = q, next
		for i := range q {
			q[i] /= max(b, 1e-300)
		}
	}
	return m
}

// An estimate is unbiased where the quadrature is exact: over many seeds its mean is
// the count but for five standard errors, which chance exceeds less than once in 10⁶.
func TestProbesAreUnbiased(t *testing.T) {
	shared.Long(t, "estimates over many seeds")
	const seeds = 400
	net := smallNet(t, 24, 40, 30)
	theta := noise(24, 1).x
	s := exactly(t, net, theta)
	k := len(s) / 2
	at, mean, square := math.Sqrt(s[k-1]*s[k]), 0., 0.
	for seed := range uint64(seeds) {
		e := estimatedOf(t, net, theta, seed, 2, 40)
		x := e.count(at).Estimate
		mean, square = mean+x/seeds, square+x*x/seeds
	}
	if se := math.Sqrt((square - mean*mean) / seeds); math.Abs(mean-float64(k)) > 5*se+1e-9 {
		t.Errorf("mean %g ± %g, want %d", mean, se, k)
	}
}

// A run that is too large to be decomposed estimates, says so, and is verified.
func TestRunEstimatesSpectra(t *testing.T) {
	m, data, e := small(t)
	exact := mustRun(t, m, data, upTo(10), e)
	e.Search.Search = Algorithm1
	e.Spectrum.Steps = 20
	e.Spectrum.Probes, e.SkipCramerRao = 8, true
	r := mustRun(t, m, data, upTo(10), e)
	if len(r.Estimated) != 10 || r.Spectra != nil {
		t.Fatalf("%d estimates", len(r.Estimated))
	}
	for i, s := range exact.Spectra {
		for _, at := range []float64{.3, 1, 3, 10, 100} {
			want := float64(Resolvable(s, e.Scale(), []float64{at})[0])
			if c := r.Estimated[i].count(e.Scale() / at); want < c.Low-1 || want > c.High+1 {
				t.Errorf("example %d, within %g: %+v, want %g", i, at, c, want)
			}
		}
	}
	a, ok := exact.Directions(3)
	b, ok2 := r.Directions(3)
	if !ok || !ok2 || !a.Exact || b.Exact || a.Estimate < b.Low || a.Estimate > b.High {
		t.Errorf("exactly %+v, estimated %+v", a, b)
	}
	claims := Claims{r.Path, r.SHA256}
	if found, err := Verify(context.Background(), m, data, r.Experiment, claims, nil); err != nil || len(found) > 0 {
		t.Errorf("%v %v", found, err)
	}
}
