package bound

import (
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/shared"
	"tattle/nn"
)

// fixedNet is a net whose J is everywhere the same.
func fixedNet(t testing.TB, j Jacobian) *nn.Net {
	t.Helper()
	w := make([]float32, len(j.Rows))
	for i, v := range j.Rows {
		w[i] = float32(v)
	}
	return netOf(t, j.P, weights(len(j.Active), j.P, w...))
}

// Spectra with repeated values, in clusters, of deficient rank and of nothing at all,
// J wide and tall: a count holds the true one at thresholds anywhere and exactly at a
// singular value, where rounding lets it be on either side. Of 10 seeds at each, so
// many misses that chance gives them once in 10⁵ runs fail the test.
func TestCountsAtTheEdges(t *testing.T) {
	shared.Long(t, "counts of singular values over many spectra")
	r := rand.New(rand.NewPCG(56, 1))
	spectra := map[string]func(i int) float64{
		"one value":  func(i int) float64 { return 2 },
		"steps":      func(i int) float64 { return float64(3 - i/4) },
		"clusters":   func(i int) float64 { return float64(3-i/4) * (1 + 1e-5*float64(i)) },
		"low rank":   func(i int) float64 { return max(0, float64(5-i)) },
		"small ends": func(i int) float64 { return math.Pow(10, -float64(i)/2) },
		"nothing":    func(i int) float64 { return 0 },
	}
	const seeds = 10
	for name, of := range spectra {
		for _, size := range [][2]int{{12, 20}, {20, 12}} {
			s := make([]float64, 12)
			for i := range s {
				s[i] = max(0, of(i))
			}
			net := fixedNet(t, jacobianWith(r, s, size[0], size[1]))
			theta := make([]float32, size[1])
			s = exactly(t, net, theta)
			for _, steps := range []int{1, 3, 6, 16} {
				misses, tries := 0, 0
				for seed := range uint64(seeds) {
					e := estimatedOf(t, net, theta, seed, 8, steps)
					e.Extremes()
					for _, at := range append([]float64{.7, 1e-3, 1e-5}, s...) {
						c, k := e.count(at), 0
						for _, v := range s {
							k += one(v >= at)
						}
						tries++
						if misses += one(!(c.Low <= float64(k) && float64(k) <= c.High)); c.Low > c.High {
							t.Errorf("%s: from %g to %g", name, c.Low, c.High)
						}
					}
				}
				if most := binomialMost(tries, .05, 1e-5); misses > most {
					t.Errorf("%s, %v, %d steps: %d misses of %d", name, size, steps, misses, tries)
				}
			}
		}
	}
}

// A value that the start meets only once is counted at itself as often as it is there.
func TestCountAtARepeatedValue(t *testing.T) {
	j := Jacobian{Rows: make([]float64, 144), P: 12}
	for i := range 12 {
		j.Active, j.Rows[i*13] = append(j.Active, i), .7
	}
	net := fixedNet(t, j)
	for seed := range uint64(20) {
		e := estimatedOf(t, net, make([]float32, 12), seed, 8, 6)
		if c := e.count(float64(float32(.7))); c.Low > 12 || c.High < 12 {
			t.Fatalf("seed %d: %+v, want 12", seed, c)
		}
	}
}

// Of features that are all off there is nothing to be seen.
func TestSpectrumOfNothing(t *testing.T) {
	net := netOf(t, 3, weights(2, 3, 1, 0, 0, 0, 1, 0, -9, -9), &nn.ReLU{})
	e := estimatedOf(t, net, make([]float32, 3), 1, 4, 5)
	if x := e.Extremes(); x != (Extremes{}) {
		t.Errorf("extremes %+v", x)
	}
	if c := e.count(.5); c.Estimate != 0 || c.High != 0 {
		t.Errorf("count %+v", c)
	}
}
