package audit

import (
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/math/stat"
)

// predicted returns n normal numbers and predictions that explain the given share of
// their variance.
func predicted(r *rand.Rand, n int, share float64) (truth, value, base []float64) {
	truth, value, base = make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range truth {
		value[i] = math.Sqrt(share) * r.NormFloat64()
		truth[i] = value[i] + math.Sqrt(1-share)*r.NormFloat64()
	}
	return truth, value, base
}

// The gain is R² less the baseline's, its limits cover it, and the test keeps its level
// where the gain is the margin: of 1,000 samples each misses 5 %, within 4.5 standard
// deviations (7e-6) and 2.5 points for the skewness of squares.
func TestCompareNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	o := Options{Margin: new(.1)}.withDefaults()
	const samples = 1000
	below, above, refused := 0, 0, 0
	for range samples {
		truth, value, base := predicted(r, 300, .1)
		var b Baseline
		b.compare(guessedNumbers(truth, value), baselineGuess{value: base}, 1, o, nil)
		if b.Low > .1 {
			below++
		}
		if b.High < .1 {
			above++
		}
		if b.P <= .05 {
			refused++
		}
	}
	for name, k := range map[string]int{"low": below, "high": above, "test": refused} {
		if slack := 4.5*math.Sqrt(samples*.05*.95) + 25; math.Abs(float64(k)-samples*.05) > slack {
			t.Errorf("%s: %d of %d miss", name, k, samples)
		}
	}
	truth, value, base := predicted(r, 100, .5)
	_, sd := stat.MeanStd(truth)
	var b, same Baseline
	b.compare(guessedNumbers(truth, value), baselineGuess{value: base}, sd*sd, o, nil)
	rSquared := func(value []float64) float64 {
		r, _ := guessedNumbers(truth, value).in.rSquared(truth, value)
		return r
	}
	if want := (rSquared(value) - rSquared(base)) * 99 / 100; math.Abs(b.Mean-want) > 1e-12 {
		t.Errorf("difference %v, by R² %v", b.Mean, want)
	}
	if same.compare(guessedNumbers(truth, base), baselineGuess{value: base}, 1, o, nil); same.P != 1 || same.Mean != 0 {
		t.Errorf("the baseline against itself: %+v", same)
	}
}

func TestPermuteNumbersSeesAndStaysBlind(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	s := randomSample(r, 300, 3, 2, 0)
	g := foldedAt(s, dealt(r, 300, 3), 3).guesses[1]
	f := &Finding{Numeric: true, Given: &Given{}}
	copy(g.bestValue, s.Sensitive[1].Numbers)
	o := Options{}.withDefaults()
	f.permute(g, o)
	if p := f.Permutation; p.P != 1/float64(p.Draws+1) || p.Draws < numericDraws {
		t.Errorf("the numbers themselves: %+v", p)
	}
	for i, y := range s.Y {
		g.bestValue[i] = float64(y) // all that y explains
	}
	if f.permute(g, o); f.Permutation.P != 1 {
		t.Errorf("a function of y: %+v", f.Permutation)
	}
}
