package bayes

import (
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/math/stat"
)

// twoPoints is the mean-square error of the best adversary about an input that is 1 with
// probability q and else 0, with Gaussian noise of strength sigma on it.
func twoPoints(q, sigma float64) float64 {
	const step = .02
	var risk float64
	for y := -8.; y < 8; y += step { // y is the release in units of sigma
		f0, f1 := (1-q)*math.Exp(-y*y/2), q*math.Exp(-(y-1/sigma)*(y-1/sigma)/2)
		if f0+f1 > 0 {
			risk += f0 * f1 / (f0 + f1) * step / math.Sqrt(2*math.Pi)
		}
	}
	return risk
}

// TestScaledPopulation: the strength of the noise may depend on the list in any way. The test chooses
// it for each list such that the limit is as wrong as it can be.
func TestScaledPopulation(t *testing.T) {
	const n, lists, alpha, q = 200, 1000, .2, .05
	var sigmas, risks []float64
	for sigma := .1; sigma < 5; sigma *= 1.1 {
		sigmas, risks = append(sigmas, sigma), append(risks, twoPoints(q, sigma))
	}
	random := rand.New(rand.NewPCG(5, 6))
	wrong := func(p Population) (share float64) {
		wrong := map[int]bool{} // whether one of the floors is, by the list's ones
		for range lists {
			ones := 0
			for range n {
				if random.Float64() < q {
					ones++
				}
			}
			if _, ok := wrong[ones]; !ok {
				for k, sigma := range sigmas {
					wrong[ones] = wrong[ones] || p.Floor(twoPoints(float64(ones)/n, sigma), 1) > risks[k]
				}
			}
			if wrong[ones] {
				share += 1. / lists
			}
		}
		return share
	}
	// Beyond alpha by six standard errors: 10⁻⁹.
	if share, most := wrong(Population{N: n, Alpha: alpha, Scaled: true}), alpha+6*math.Sqrt(alpha/lists); share > most {
		t.Errorf("wrong for %v of the lists, more than %v", share, most)
	}
}

func TestPopulationChoices(t *testing.T) {
	for _, g := range []float64{0, 1e-6, 1e-4, .01, .5, 1} {
		once := Population{N: 10000, Alpha: 1e-3}
		scaled, chosen := once, once
		scaled.Scaled, chosen.Choices = true, 64
		a, b, c := once.Floor(g, 4), scaled.Floor(g, 4), chosen.Floor(g, 4)
		if want := 4 * stat.ChernoffLow(g/4, 10000, 1e-3/64); b > a || c > a || c != want {
			t.Errorf("g = %v: %v, for all strengths %v, of 64 releases %v, want %v", g, a, b, c, want)
		}
		if q := chosen.Ceiling(1 - g); math.Abs(q-1+chosen.Floor(g, 1)) > 1e-12 || once.Floor(0, 0) != 0 {
			t.Errorf("g = %v: a right guess up to %v", g, q)
		}
		if g == .5 && b < .85*a {
			t.Errorf("for all strengths %v is far below %v", b, a)
		}
	}
	if p := (Population{N: 10, Alpha: .1}); p.AUC(.7, [2]int{10, 0}) != 1 || p.Entropy([]float64{.3, .3, .4}) != math.Log2(3) {
		t.Error("a class without inputs limits nothing")
	}
}

// Enough is the least number of draws that is enough.
func TestEnough(t *testing.T) {
	for _, scaled := range []bool{false, true} {
		p := Population{Alpha: .001, Scaled: scaled}
		good := func(q Population) bool { return q.Floor(.1, 2) >= .09 }
		p.N = p.Enough(good)
		fewer := p
		fewer.N--
		if p.N < 1000 || !good(p) || good(fewer) {
			t.Errorf("%d draws are enough", p.N)
		}
	}
	if n := (Population{Alpha: .001}).Enough(func(Population) bool { return true }); n != 1 {
		t.Errorf("%d, want one", n)
	}
	if n := (Population{Alpha: .001}).Enough(func(q Population) bool { return q.Floor(.1, 2) >= .1 }); n != 0 {
		t.Errorf("%d draws for what no number is enough for", n)
	}
}
