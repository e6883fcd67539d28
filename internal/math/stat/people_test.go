package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

// 95 % of people gain 1 and 5 % lose 19, so the mean is 0: signs are not exact for such skew and reject far more
// often than their level, and the bet, scaled to [−1, 1], does not. Both find a mean that is there.
func TestMeansOfPeople(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	const tries, people, level = 1000, 30, .05
	skewed := func() float64 {
		if r.Float64() < .05 {
			return -1
		}
		return 1. / 19
	}
	even := func() float64 { return 2*r.Float64() - 1 }
	count := func(draw func() float64) (flips, bets float64) {
		x := make([]float64, people)
		for range tries {
			for i := range x {
				x[i] = draw()
			}
			flips += one(FlipTest(x, 0, 199, r).P <= level) / tries
			bets += one(BetTest(x, 0) <= level) / tries
		}
		return flips, bets
	}
	const beyond = 4.5 * .5 / 31.6 // standard errors of 1000 tries: false-failure rate below 1e-5
	if flips, bets := count(skewed); flips < .15 || bets > level+beyond {
		t.Errorf("skewed: signs reject in %v and bets in %v", flips, bets)
	}
	if flips, bets := count(even); flips > level+beyond || bets > level+beyond {
		t.Errorf("symmetric: signs reject in %v and bets in %v", flips, bets)
	}
	if flips, bets := count(func() float64 { return .35 + .6*even() }); flips < .8 || bets < .4 {
		t.Errorf("a mean of .35 is found in %v and %v", flips, bets)
	}
	for _, c := range []struct{ mean, deviation float64 }{{.1, .5}, {.15, .6}, {.05, .4}} { // power as computed, and as counted
		want, found := PeoplePower(300, c.mean, c.deviation, .02, level), 0.
		x := make([]float64, 300)
		for range 200 {
			for i := range x {
				x[i] = min(max(c.mean+c.deviation*math.Sqrt(3)*even(), -1), 1)
			}
			found += one(FlipTest(x, .02, 199, r).P <= level && BetTest(x, .02) <= level) / 200
		}
		if math.Abs(found-want) > .2 {
			t.Errorf("%+v: found in %v, computed %v", c, found, want)
		}
	}
}

// one is 1 if something is so, else 0.
func one(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// The limits of a skewed mean of 60 people hold at their confidence, and where no value differs, they
// allow for a rare kind of person who was not drawn.
func TestPeopleMean(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	below, above := 0., 0.
	const tries = 1000
	for range tries {
		x := make([]float64, 60)
		for i := range x {
			x[i] = r.ExpFloat64()
		}
		in := NewPeopleMean(x, r).Limits(.95)
		below, above = below+one(in.High < 1)/tries, above+one(in.Low > 1)/tries
	}
	if below > .05+.032 || above > .05+.032 { // 4.6 standard errors
		t.Errorf("limits fail in %v and %v", below, above)
	}
	if in := NewPeopleMean(make([]float64, 100), r).Limits(.95); math.Abs(in.High-math.Log(20)/100) > 1e-12 || in.Low != -in.High {
		t.Errorf("limits of zeros %+v", in)
	}
	if got := GroupMeans([]float64{1, 5, 3}, []int{0, 1, 0}, 2); got[0] != 2 || got[1] != 5 {
		t.Errorf("means %v", got)
	}
}

// The means of rows of a width are compared as those of numbers are, and a dependence of any column shows.
func TestPermuteMeansOfRows(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	group, rows := make([]int, 200), make([]float64, 400)
	for i := range group {
		group[i] = r.IntN(2)
		rows[2*i], rows[2*i+1] = r.NormFloat64(), r.NormFloat64()+float64(group[i])
	}
	if p := PermuteMeans(group, 2, rows, 999, r).P; p > .01 {
		t.Errorf("p %v", p)
	}
	r.Shuffle(len(group), func(i, j int) { group[i], group[j] = group[j], group[i] })
	if p := PermuteMeans(group, 2, rows, 999, r).P; p < 1e-3 {
		t.Errorf("p %v of a shuffle", p)
	}
}
