package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The area is that of all pairs within strata, gone through here, each counting as the shares of its examples; copies of a person's
// examples change neither it nor its error, and of one stratum it is NewROC's.
func TestStratifiedAreaAgainstAllPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for range 20 {
		n := 60
		score, positive, strata := make([]float64, n), make([]bool, n), make([][]int, 3)
		person, share := make([]int, n), make([]float64, 20)
		for i := range n {
			score[i], positive[i], person[i] = float64(r.IntN(8)), r.IntN(4) == 0, i%20
			if i >= 20 {
				person[i] = r.IntN(20)
			}
			share[person[i]]++
			k := r.IntN(3)
			strata[k] = append(strata[k], i)
		}
		right, pairs := 0.0, 0.0
		for _, at := range strata {
			for _, i := range at {
				for _, j := range at {
					if positive[i] && !positive[j] {
						weight := 1 / share[person[i]] / share[person[j]]
						pairs += weight
						if score[i] > score[j] {
							right += weight
						} else if score[i] == score[j] {
							right += weight / 2
						}
					}
				}
			}
		}
		a, ok := NewStratifiedArea(score, positive, person, 20, strata)
		if ok != (pairs > 0) || math.Abs(a.Area-right/pairs) > 1e-12 {
			t.Errorf("%+v, %v of %v pairs", a, right, pairs)
		}
		alone, _ := NewStratifiedArea(score, positive, upTo(n), n, strata)
		var copied []float64
		var kind []bool
		var of []int
		again := make([][]int, 3)
		for k, at := range strata {
			for _, i := range at {
				for range 1 + i%4 {
					again[k] = append(again[k], len(copied))
					copied, kind, of = append(copied, score[i]), append(kind, positive[i]), append(of, i)
				}
			}
		}
		if b, _ := NewStratifiedArea(copied, kind, of, n, again); math.Abs(b.Area-alone.Area) > 1e-12 || math.Abs(b.StandardError-alone.StandardError) > 1e-12 || b.Positives != alone.Positives {
			t.Errorf("copied %+v, want %+v", b, alone)
		}
		one, _ := NewStratifiedArea(score, positive, upTo(n), n, [][]int{upTo(n)})
		if roc := NewROC(score, positive, .95); math.Abs(one.Area-roc.Area) > 1e-12 || one.Positives != roc.Positives {
			t.Errorf("one stratum: %+v, want %v", one, roc.Area)
		}
	}
	if _, ok := NewStratifiedArea([]float64{1, 2}, []bool{true, false}, upTo(2), 2, [][]int{{0}, {1}}); ok {
		t.Error("strata without a pair have an area")
	}
}

func upTo(n int) []int {
	at := make([]int, n)
	for i := range at {
		at[i] = i
	}
	return at
}

// pickAt returns the elements of x at the given places.
func pickAt[T any](x []T, at []int) []T {
	y := make([]T, len(at))
	for k, i := range at {
		y[k] = x[i]
	}
	return y
}

// Where the score of a person has nothing to do with the kind given the stratum, whatever both have to do with it, the area is
// beyond ½ by Student's t as often as it should be, though people have one to eight examples that are nearly alike: of 1,000, p ≤ .05 in 50 ± 6.9
// on either side, and more than 82 once in 10⁵ times.
func TestStratifiedAreaIsCalibrated(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 8))
	above, below := 0, 0
	for range 1000 {
		var score []float64
		var positive []bool
		var person []int
		strata := make([][]int, 4)
		for p := range 200 {
			k := p % 4
			own, kind := math.Round(2*r.NormFloat64())+float64(3*k), r.Float64() < .1+.2*float64(k)
			for range 1 + r.IntN(8) {
				strata[k] = append(strata[k], len(score))
				score, positive, person = append(score, own+math.Round(.5*r.NormFloat64())), append(positive, kind), append(person, p)
			}
		}
		a, _ := NewStratifiedArea(score, positive, person, 200, strata)
		df := float64(min(a.Positives, a.Negatives) - 1)
		if StudentAbove(a.Area-.5, a.StandardError, df) <= .05 {
			above++
		}
		if StudentAbove(.5-a.Area, a.StandardError, df) <= .05 {
			below++
		}
	}
	if above > 82 || below > 82 || above+below < 45 {
		t.Errorf("of 1000 p-values %d are at most .05, and %d on the other side", above, below)
	}
}
