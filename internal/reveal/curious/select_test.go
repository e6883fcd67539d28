package curious

import (
	"math"
	"testing"
)

func TestThresholds(t *testing.T) {
	taus := thresholds()
	if len(taus) != 44 || taus[0] != .04 || taus[1] != .06 || taus[43] != .9 {
		t.Errorf("%d thresholds %v", len(taus), taus)
	}
	entropies := []float64{.1, .2, .3, .4, .5, .04, 0}
	for _, c := range []struct {
		s             []int
		tau, accuracy float64
	}{
		{[]int{0, 0, 1, 1, 1, 0, 0}, .2, 1},      // H = τ counts as 0
		{[]int{1, 1, 1, 1, 1, 0, 0}, .04, 1},     // the least that is as good
		{[]int{0, 0, 0, 0, 1, 0, 1}, .4, 6. / 7}, // an error that none avoids
		{[]int{0, 0, 0, 0, 0, 0, 0}, .5, 1},
	} {
		tau, accuracy := bestThreshold(entropies, c.s)
		if tau != c.tau || accuracy != c.accuracy {
			t.Errorf("%v: threshold %v guesses %v, want %v and %v", c.s, tau, accuracy, c.tau, c.accuracy)
		}
	}
}

func TestScore(t *testing.T) {
	for _, c := range []struct {
		b         Beta
		curiosity []float64
		want      float64
	}{
		{Beta{Y: 1}, nil, .8},
		{Beta{Y: .7, S: .3}, []float64{.6}, .74},
		{Beta{X: 5, Y: 2, S: 2}, []float64{.5, .7}, .7},
		{Beta{Y: 1}, []float64{.6}, .8},
	} {
		if got := score(c.b, .8, c.curiosity); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%v of %v: %v, want %v", c.b, c.curiosity, got, c.want)
		}
	}
}
