package bayes

import (
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/math/simd"
	"tattle/internal/math/stat"
	"tattle/internal/shared"
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
}

// TestPopulationAttributes: an attribute of two classes with probability q of the second, and a
// release that is right about it with probability .8, have known bits and AUC. Limits are made
// from many lists of labels; the list's own posterior is exact.
func TestPopulationAttributes(t *testing.T) {
	shared.Long(t, "limits from many lists of labels")
	const n, lists, alpha, right = 2000, 2000, .05, .8
	entropy := func(p ...float64) float64 { return stat.EntropyBits(p) }
	left := func(q float64) float64 { // H(s|y)
		one := right*q + (1-right)*(1-q) // probability of the answer 1
		a, b := right*q/one, (1-right)*q/(1-one)
		return one*entropy(a, 1-a) + (1-one)*entropy(b, 1-b)
	}
	random := rand.New(rand.NewPCG(7, 8))
	for _, q := range []float64{.5, .1} {
		var wrong [3]float64
		var most []float64
		for range lists {
			counts := [2]int{}
			for range n {
				k := 0
				if random.Float64() < q {
					k = 1
				}
				counts[k]++
			}
			p := Population{N: n, Alpha: alpha}
			e, share := p.Entropy([]float64{float64(counts[0]) / n, float64(counts[1]) / n}), float64(counts[1])/n
			bits := p.Bits(left(share), e, 2)
			most = append(most, bits)
			for k, bad := range []bool{e < entropy(q, 1-q), bits < entropy(q, 1-q)-left(q), p.AUC(right, counts) < right} {
				if bad {
					wrong[k] += 1. / lists
				}
			}
		}
		for k, share := range wrong {
			if share > []float64{alpha, 2 * alpha, 0}[k]+6*math.Sqrt(alpha/lists) {
				t.Errorf("q = %v: limit %d is wrong for %v of the lists", q, k, share)
			}
		}
		if mean, true := simd.Sum(most)/lists, entropy(q, 1-q)-left(q); mean > true+.35 {
			t.Errorf("q = %v: at most %v bits, and there are %v", q, mean, true)
		}
	}
	if p := (Population{N: 10, Alpha: .1}); p.AUC(.7, [2]int{10, 0}) != 1 || p.Entropy([]float64{.3, .3, .4}) != math.Log2(3) {
		t.Error("a class without inputs limits nothing")
	}
}
