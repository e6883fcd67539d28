package release

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/math/stat"
)

func TestOneHot(t *testing.T) {
	x := []float32{-3, -1, -2, 5, 5, 4}
	if OneHot(x, 3); !slices.Equal(x, []float32{0, 1, 0, 1, 0, 0}) {
		t.Errorf("the largest of each row: %v", x)
	}
}

// Of four drops the variance is their mean square less the square of their mean, over 3.
func TestDropOfFour(t *testing.T) {
	for _, c := range []struct {
		after        []float64
		mean, square float64
	}{{[]float64{0, 1, 1, 1}, .25, .25}, {[]float64{0, 0, 1, 1}, .5, .5}, {[]float64{0, .5, 1, 1}, .375, .3125}} {
		a := dropOf([]float64{1, 1, 1, 1}, c.after, nil)
		half := 1.959963984540054*math.Sqrt((c.square-c.mean*c.mean)/3) + math.Log(40)/4
		if a.Fraction != c.mean || math.Abs(a.Interval.Low-c.mean+half) > 1e-12 || math.Abs(a.Interval.High-c.mean-half) > 1e-12 {
			t.Errorf("after %v: %+v, want %v ± %v", c.after, a, c.mean, half)
		}
	}
}

// Accuracies and drops of people cover theirs: with rows of each that are right or wrong together, counts of rows do not. The limits are
// approximate, so .93 is asked for: fewer than 342 of 400 then have probability 1e-7. Of rows, fewer than 300 cover here.
func TestPeopleCover(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	const trials, n, p = 400, 80, .8
	covered, dropped, rows := 0, 0, 0
	for range trials {
		var people []int
		var hits, before []float64
		for person := range n {
			right, was := 0., 0.
			if r.Float64() < .9 {
				was = 1
			}
			if was == 1 && r.Float64() < p/.9 {
				right = 1
			}
			for range 1 + person%6 {
				people, hits, before = append(people, 7*person), append(hits, right), append(before, was)
			}
		}
		cover := func(in stat.Interval, x float64) int {
			if in.Low <= x && x <= in.High {
				return 1
			}
			return 0
		}
		in := newAccuracy(hits, 1, people).Interval
		if !(in.Low > .5 && in.High < 1) { // twice as far from .8 as the limits of 80 people are
			t.Errorf("accuracy of 80 people: %v", in)
		}
		covered += cover(in, p)
		dropped += cover(dropOf(before, hits, people).Interval, .9-p)
		rows += cover(newAccuracy(hits, 1, nil).Interval, p)
	}
	if covered < 342 || dropped < 342 || rows > 330 {
		t.Errorf("of %d intervals %d cover the accuracy, %d the drop, and of rows %d", trials, covered, dropped, rows)
	}
	if a := newAccuracy([]float64{1, 0, 0, 0}, 1, []int{3, 5, 5, 5}); a.Fraction != .5 || a.Correct != 1 {
		t.Errorf("of two people one is right, and %+v", a)
	}
	if a := newAccuracy([]float64{1, 1}, 1, []int{3, 3}); a.Interval != (stat.Interval{High: 1}) {
		t.Errorf("one person says %+v of others", a.Interval)
	}
}
