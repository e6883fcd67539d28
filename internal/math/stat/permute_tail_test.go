package stat

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// Each limit on the moments of a sum is above what all deals have, and so is the probability of the sum's tail.
func TestTailOfDeals(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, classes := range [][]int{{0, 1, 1, 1, 1, 1}, {0, 0, 0, 1, 1, 1}, {0, 1, 1, 2, 2, 2, 0}, {0, 0, 0, 0, 0, 1, 2}} {
		k := slices.Max(classes) + 1
		score := make([]float64, len(classes)*k)
		for i := range score {
			score[i] = r.NormFloat64() * math.Exp(r.NormFloat64())
		}
		centreColumns(score, k)
		d := dealtRows{score: score, classes: k, counts: make([]int, k), ends: []int{len(classes)}}
		for _, c := range classes {
			d.counts[c]++
		}
		var sums []float64
		moments, deals := map[float64]float64{-2: 0, -.3: 0, .3: 0, 1: 0, 4: 0}, 0.
		everyDeal(classes, func(dealt []int) {
			sum, first := 0., 0.
			for i, c := range dealt {
				if sum += score[i*k+c]; c == 0 {
					first += score[i*k] - score[i*k+k-1]
				}
			}
			for l := range moments {
				moments[l] += math.Exp(l * first)
			}
			sums, deals = append(sums, sum), deals+1
		})
		var v []float64
		for i := range classes {
			v = append(v, score[i*k]-score[i*k+k-1])
		}
		for l, m := range moments {
			if got, want := logMoment(len(v), d.counts[0], v, l), math.Log(m/deals); got < want-1e-9 {
				t.Errorf("%v, λ %v: limit %v, log moment %v", classes, l, got, want)
			}
		}
		for _, at := range sums[:min(len(sums), 200)] {
			reached := 0.
			for _, s := range sums {
				if s >= at-1e-9 {
					reached++
				}
			}
			if d.below(at, math.Log(reached/deals)-1e-9) {
				t.Errorf("%v: %v is reached by %v of %v deals, which is denied", classes, at, reached, deals)
			}
		}
	}
}

// A limit on a sum counts each stratum's own rows of each class, and its binomial probabilities are those of the definition.
func TestDealsOfStrata(t *testing.T) {
	d := dealtRows{score: []float64{1, 2, 4, 7, 11, 16, 22, 29, 37, 46}, classes: 2, counts: []int{1, 1, 0, 3}, ends: []int{2, 5}}
	var got [][]float64
	d.each(func(n, k int, v []float64) { got = append(got, append([]float64{float64(n), float64(k)}, v...)) })
	if want := [][]float64{{2, 1, -1, -3}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	d.counts = []int{1, 1, 2, 1}
	got = nil
	d.each(func(n, k int, v []float64) { got = append(got, append([]float64{float64(n), float64(k)}, v...)) })
	if want := [][]float64{{2, 1, -1, -3}, {3, 2, -5, -7, -9}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for k := range 8 {
		if got, want := logBinomial(7, k, .3), (distuv.Binomial{N: 7, P: .3}).LogProb(float64(k)); math.Abs(got-want) > 1e-12 {
			t.Errorf("%d of 7: %v, want %v", k, got, want)
		}
	}
}

// Where draws are ruled out, the p-value and all that is drawn later are as if they had been made.
func TestDrawsRuledOut(t *testing.T) {
	for _, classes := range []int{2, 3} {
		r := rand.New(rand.NewPCG(5, uint64(classes)))
		n := 600
		score, class, strata := make([]float64, n*classes), make([]int, n), make([][]int, 3)
		for i := range class {
			class[i], strata[i%3] = r.IntN(classes), append(strata[i%3], i)
			for c := range classes {
				score[i*classes+c] = r.NormFloat64()
			}
			score[i*classes+class[i]] += 3
		}
		later := func(draws int) (Permuted, uint64) {
			r := rand.New(rand.NewPCG(7, 8))
			p := PermuteScores(score, classes, class, strata, math.Sqrt2, draws, r)
			return p, r.Uint64()
		}
		few, next := later(300)
		if few != (Permuted{300, 1. / 301}) {
			t.Errorf("%d classes: %+v", classes, few)
		}
		many, after := later(1 << 40) // years, were they made
		if many.Draws != 1<<40 || next != after {
			t.Errorf("%d classes: %+v, and what follows depends on it", classes, many)
		}
		r = rand.New(rand.NewPCG(7, 8))
		if newStreams(r); r.Uint64() != next {
			t.Error("draws that are ruled out take other random numbers")
		}
	}
}
