package classify_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/engine/classify"
	"tattle/internal/math/stat"
)

func ExampleCompare() {
	truth := []int{0, 0, 0, 0, 1, 1, 1, 1}
	attack := []int{0, 0, 0, 1, 1, 1, 1, 1}
	group := []int{0, 1, 0, 1, 0, 1, 0, 1} // says nothing of the truth
	baseline := classify.LookUp(classify.MostFrequent(group, truth, 2, 2), group)
	c := classify.Compare(attack, baseline, truth)
	fmt.Printf("%.3f more often right, p = %.3f\n", c.Difference(), c.P(0))
	// Output: 0.375 more often right, p = 0.188
}

// TestComparisonP checks that the p-value is never below that of either test, and that a
// true hypothesis is refused at most as often as the level says, however few examples tell
// the guesses apart: Tango's test alone refuses more often.
func TestComparisonP(t *testing.T) {
	const draws, n, level = 20000, 40, .05
	r := rand.New(rand.NewPCG(1, 2))
	for _, apart := range []float64{.05, .1, .3, 1} { // share of examples that one guess alone has right
		refused, tango := 0, 0
		for range draws {
			c := classify.Comparison{Examples: n}
			for range n {
				if r.Float64() < apart {
					if r.IntN(2) == 0 {
						c.First++
					} else {
						c.Second++
					}
				}
			}
			p, score := c.P(0), stat.PairedTest(c.First, c.Second, n, 0)
			if p < score || p < stat.McNemar(c.First, c.Second) {
				t.Fatalf("%+v: p = %v is below one of its tests", c, p)
			}
			if p <= level {
				refused++
			}
			if score <= level {
				tango++
			}
		}
		if limit := level + 4*math.Sqrt(level/draws); float64(refused)/draws > limit {
			t.Errorf("%v apart: refused %d of %d times, over the level", apart, refused, draws)
		}
		if refused > tango {
			t.Errorf("%v apart: refused %d times, Tango's test alone %d", apart, refused, tango)
		}
	}
}

// TestMostFrequent checks ties and groups without examples.
func TestMostFrequent(t *testing.T) {
	got := classify.MostFrequent([]int{0, 0, 0, 1, 1, 3}, []int{2, 2, 1, 0, 1, 1}, 4, 3)
	if fmt.Sprint(got) != "[2 0 1 1]" {
		t.Errorf("%v", got)
	}
}
