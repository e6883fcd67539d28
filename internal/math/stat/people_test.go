package stat

import (
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/must"
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
			bets += one(BetTest(x, -1, 0) <= level) / tries
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
			found += one(FlipTest(x, .02, 199, r).P <= level && BetTest(x, -1, .02) <= level) / 200
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

// Limits at 95 % are wrong in about 5 % of samples; where more, that is stated: rates are the larger ones of both sides, in 20,000
// samples. Each side fails here with a probability below 1e-5/14. Where no value differs, limits allow for a rare kind of person who
// was not drawn.
func TestPeopleMean(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	tries := 400
	if testing.Short() {
		tries = 100
	}
	of := func(values ...float64) func() float64 { // of 100 people
		return func() float64 { return values[min(r.IntN(100), len(values)-1)] }
	}
	for _, c := range []struct {
		name   string
		people int
		draw   func() float64
		mean   float64
		wrong  float64
	}{
		{"5 % of people lose what one can", 30, of(-1, -1, -1, -1, -1, 1), .9, .05},
		{"5 % of people gain what one can", 30, of(1, 1, 1, 1, 1, -1), -.9, .05},
		{"few differences", 40, of(1, 1, 1, 1, 1, 1, -1, -1, -1, -1, 0), .02, .088},
		{"heavy tails", 60, func() float64 { return r.NormFloat64() / math.Sqrt(r.ExpFloat64()) }, 0, .05},
		{"skewed", 60, r.ExpFloat64, 1, .055},
		{"very skewed", 60, func() float64 { return math.Exp(r.NormFloat64()) }, math.Exp(.5), .085},
		{"accuracy over 1 to 6 rows of most people, and 30 of others", 60, func() float64 {
			rows, accuracy, right := 1+r.IntN(6), .6+.4*r.Float64(), 0.
			if r.IntN(10) == 0 {
				rows = 30
			}
			for range rows {
				right += one(r.Float64() < accuracy) / float64(rows)
			}
			return right
		}, .8, .05},
	} {
		below, above, x := 0, 0, make([]float64, c.people)
		for range tries {
			for i := range x {
				x[i] = c.draw()
			}
			in := NewPeopleMean(x, -1, r).Limits(.95)
			below, above = below+int(one(in.High < c.mean-1e-12)), above+int(one(in.Low > c.mean+1e-12))
		}
		if most := must.BinomialMost(tries, c.wrong, 1e-5/14); below > most || above > most {
			t.Errorf("%s: of %d upper limits %d are wrong, and %d lower ones, at most %d may be", c.name, tries, below, above, most)
		}
	}
	if in := NewPeopleMean(make([]float64, 100), 0, r).Limits(.95); math.Abs(in.High-math.Log(20)/100) > 1e-12 || in.Low != -in.High {
		t.Errorf("limits of zeros %+v", in)
	}
	thirds := GroupMeans([]float64{1, 0, 0, 0, 0, 1}, []int{0, 0, 0, 1, 1, 1}, 2) // rounded in different ways
	if in := NewPeopleMean(thirds, 0, r).Limits(.95); math.Abs(in.High-1./3-math.Log(20)/2) > 1e-12 {
		t.Errorf("limits of thirds %+v", in)
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

// Limits by bets hold for every variable in [0, 1], drawn with or without replacement: of 400 at 95 %, more than most are wrong with a
// probability below 1e-5. Of a variable that varies little, they are narrower than Chernoff's.
func TestBetLow(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 4))
	most := must.BinomialMost(400, .05, 1e-5)
	for name, draw := range map[string]func() float64{
		"never":   func() float64 { return 0 },
		"rare":    func() float64 { return one(r.IntN(100) == 0) },
		"even":    func() float64 { return one(r.IntN(2) == 0) },
		"often":   func() float64 { return one(r.IntN(20) > 0) },
		"uniform": r.Float64,
		"heavy":   func() float64 { return math.Pow(r.Float64(), 20) },
		"narrow":  func() float64 { return .7 + .02*r.Float64() },
	} {
		all, mean := make([]float64, 300), 0.
		for i := range all {
			all[i] = draw()
			mean += all[i] / 300
		}
		wrong, wide, chernoff := [2]int{}, 0., 0.
		for range 400 {
			x := make([]float64, 80)
			order, sum := r.Perm(300), 0.
			for i := range x {
				if x[i] = all[order[i]]; name[0] < 'n' {
					x[i] = all[r.IntN(300)]
				}
				sum += x[i] / 80
			}
			low, high := BetLow(x, .05), 1-BetLow(mirrored(x), .05)
			wrong[0], wrong[1] = wrong[0]+int(one(low > mean+1e-12)), wrong[1]+int(one(high < mean-1e-12))
			wide, chernoff = wide+high-low, chernoff+1-ChernoffLow(1-min(sum, 1), 80, .05)-ChernoffLow(min(sum, 1), 80, .05)
		}
		if wrong[0] > most || wrong[1] > most {
			t.Errorf("%s: of 400 limits, %d are wrong; at most %d may be", name, wrong, most)
		}
		if (name == "narrow" || name == "uniform") && wide > .8*chernoff {
			t.Errorf("%s: %v wide, Chernoff's %v", name, wide/400, chernoff/400)
		}
	}
}

func mirrored(x []float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = 1 - v
	}
	return y
}

// One value says nothing about the mean of others.
func TestMeanOfOne(t *testing.T) {
	if p := NewPeopleMean([]float64{1}, 0, nil); p.Mean != 1 || p.StandardError != 0 || p.Limits(.95).Low > 0 {
		t.Errorf("%+v", p)
	}
}
