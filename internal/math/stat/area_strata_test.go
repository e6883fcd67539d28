package stat

import (
	"cmp"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// The area is that of all pairs within strata, gone through here; of one stratum, it is
// NewROC's, whose interval it contains nearly.
func TestStratifiedAreaAgainstAllPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for range 20 {
		n := 60
		score, positive, strata := make([]float64, n), make([]bool, n), make([][]int, 3)
		for i := range n {
			score[i], positive[i] = float64(r.IntN(8)), r.IntN(4) == 0
		}
		for i := range n {
			k := r.IntN(3)
			strata[k] = append(strata[k], i)
		}
		right, pairs := 0.0, 0.0
		for _, at := range strata {
			for _, i := range at {
				for _, j := range at {
					if positive[i] && !positive[j] {
						pairs++
						if score[i] > score[j] {
							right++
						} else if score[i] == score[j] {
							right += .5
						}
					}
				}
			}
		}
		a, ok := NewStratifiedArea(score, positive, strata, 1, .95)
		if ok != (pairs > 0) || math.Abs(a.Area-right/pairs) > 1e-12 || !(a.Interval.Low <= a.Area && a.Area <= a.Interval.High) {
			t.Errorf("%+v, %v of %v pairs", a, right, pairs)
		}
		one, _ := NewStratifiedArea(score, positive, [][]int{upTo(n)}, 1, .95)
		roc := NewROC(score, positive, .95)
		if math.Abs(one.Area-roc.Area) > 1e-12 || one.Positives != roc.Positives || math.Abs(one.Interval.Low-roc.Interval.Low) > .02 || math.Abs(one.Interval.High-roc.Interval.High) > .02 {
			t.Errorf("one stratum: %+v, want %v %+v", one, roc.Area, roc.Interval)
		}
		four, _ := NewStratifiedArea(score, positive, strata, 4, .95)
		if z := 4 * distuv.UnitNormal.Quantile(1-four.P); math.Abs(upperNormal(z)-a.P) > 1e-9 {
			t.Errorf("stretched by 4, p is %v, and %v without", four.P, a.P)
		}
	}
	if _, ok := NewStratifiedArea([]float64{1, 2}, []bool{true, false}, [][]int{{0}, {1}}, 1, .95); ok {
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

// Where the score has nothing to do with the kind given the stratum, whatever both have
// to do with it, p-values are uniform: of 1,000, p ≤ .05 in 50 ± 6.9, and the interval
// misses ½ in 5 %; either is beyond 4.5 standard deviations (82) once in 10⁵ times.
func TestStratifiedAreaIsCalibrated(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 8))
	small, missed := 0, 0
	for range 1000 {
		score, positive, strata := make([]float64, 200), make([]bool, 200), make([][]int, 4)
		for i := range score {
			k := i % 4
			strata[k] = append(strata[k], i)
			score[i], positive[i] = math.Round(2*r.NormFloat64())+float64(3*k), r.Float64() < .1+.2*float64(k)
		}
		a, _ := NewStratifiedArea(score, positive, strata, 1, .95)
		if a.P <= .05 {
			small++
		}
		if a.Interval.Low > .5 || a.Interval.High < .5 {
			missed++
		}
	}
	if small > 82 || small < 20 || missed > 82 {
		t.Errorf("of 1000 p-values %d are at most .05, and %d intervals miss", small, missed)
	}
}

// The variance of the ranks' sum, with ties, is that over all assignments.
func TestRankVarianceOfAllAssignments(t *testing.T) {
	score, m := []float64{1, 2, 2, 3, 3, 3, 7}, 3
	var sums []float64
	for set := range 1 << len(score) {
		if bits.OnesCount(uint(set)) != m {
			continue
		}
		u := 0.
		for i, a := range score {
			for j, b := range score {
				if set>>i&1 == 1 && set>>j&1 == 0 {
					u += .5 * float64(1+cmp.Compare(a, b))
				}
			}
		}
		sums = append(sums, u)
	}
	positive := make([]bool, len(score))
	positive[0], positive[3], positive[6] = true, true, true
	_, sd := MeanStd(sums)
	if got := rankVariance(tieSteps(score, positive), m, len(score)-m); math.Abs(got-sd*sd*34/35) > 1e-12 {
		t.Errorf("variance %v, of all %d assignments %v", got, len(sums), sd*sd*34/35)
	}
}
