package audit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/math/stat"
	"tattle/internal/reveal/curious"
)

// randomSample returns n examples of random scores of as many classes of y as given, a
// categorical attribute that agrees with y as often as the given share and is else
// anything, and a numeric one.
func randomSample(r *rand.Rand, n, classes, values int, share float64) *Sample {
	s := &Sample{Name: "drawn", Kind: curious.Raw, Target: "y"}
	for c := range classes {
		s.Classes = append(s.Classes, fmt.Sprint("class ", c))
	}
	at, number := Attribute{Name: "s"}, Attribute{Name: "x"}
	for v := range values {
		at.Values = append(at.Values, fmt.Sprint("value ", v))
	}
	for range n {
		y, v := r.IntN(classes), r.IntN(values)
		if r.Float64() < share {
			v = y % values
		}
		s.Y, at.Labels, number.Numbers = append(s.Y, y), append(at.Labels, v), append(number.Numbers, float64(y)+r.NormFloat64())
		for c := range classes {
			z := r.NormFloat64()
			if c == y {
				z += 2
			}
			s.Outputs = append(s.Outputs, float32(z))
		}
	}
	s.Sensitive = []Attribute{at, number}
	return s
}

// dealt returns a fold for each of n examples.
func dealt(r *rand.Rand, n, folds int) []int {
	fold := make([]int, n)
	for i := range fold {
		fold[i] = i % folds
	}
	r.Shuffle(n, func(i, j int) { fold[i], fold[j] = fold[j], fold[i] })
	return fold
}

// foldedAt returns a sample with the given folds, however few examples they have.
func foldedAt(s *Sample, fold []int, folds int) *folded {
	x := newFolded(s, Options{})
	for a := range s.Sensitive {
		g, _ := goalOf(s, a)
		x.guesses[a] = newGuesses(x, g)
	}
	x.divide(fold, folds, Options{})
	return x
}

// slowBaseline guesses example i of attribute a by going through all others. What classes are called decides nothing: of
// equally frequent ones it guesses the one whose first example comes first.
func slowBaseline(s *Sample, a, i int, fold, group []int) (guess int, value float64) {
	at := &s.Sensitive[a]
	for _, whole := range []bool{false, true} {
		count, first, n := map[int]int{}, map[int]int{}, 0.0
		for j := range s.Y {
			if !at.Numeric() {
				if _, seen := first[at.Labels[j]]; !seen {
					first[at.Labels[j]] = j
				}
			}
			if fold[j] == fold[i] || (!whole && group[j] != group[i]) {
				continue
			}
			n++
			if at.Numeric() {
				value += at.Numbers[j]
			} else {
				count[at.Labels[j]]++
			}
		}
		if n == 0 {
			continue
		}
		for v, k := range count {
			if k > count[guess] || (k == count[guess] && first[v] < first[guess]) || count[guess] == 0 {
				guess = v
			}
		}
		return guess, value / n
	}
	panic("no examples")
}

func TestBaselinesAgainstGoingThroughAll(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		s := randomSample(r, 12+r.IntN(60), 2+r.IntN(6), 2+r.IntN(4), r.Float64())
		fold := dealt(r, s.Len(), 3)
		x := foldedAt(s, fold, 3)
		groups := [][]int{make([]int, s.Len()), s.Y, x.label, jointly(s.Y, x.label, len(s.Classes))}
		for a := range s.Sensitive {
			for k, b := range x.guesses[a].baselines() {
				for i := range s.Y {
					guess, value := slowBaseline(s, a, i, fold, groups[k])
					if s.Sensitive[a].Numeric() && math.Abs(b.value[i]-value) > 1e-12 || !s.Sensitive[a].Numeric() && b.guess[i] != guess {
						t.Fatalf("%s of example %d: %v or %v, want %v or %v", b.name, i, b.guess, b.value, guess, value)
					}
				}
			}
		}
	}
}

// guessed returns guesses of examples of as many people.
func guessed(truth, guess []int) *guesses {
	return &guesses{in: &folded{Sample: &Sample{Y: truth}, people: len(truth)}, goal: &goal{at: &Attribute{Labels: truth}}, best: guess}
}

func guessedNumbers(truth, value []float64) *guesses {
	g := guessed(make([]int, len(truth)), nil)
	g.at.Labels, g.at.Numbers, g.bestValue = nil, truth, value
	return g
}

func TestCompare(t *testing.T) {
	truth := []int{0, 0, 1, 1, 2, 2, 0, 0, 1, 2}
	guess := []int{0, 0, 1, 1, 2, 0, 1, 0, 1, 2}
	base := []int{0, 0, 0, 0, 0, 2, 0, 0, 0, 0}
	o := Options{}.withDefaults()
	var b Baseline
	b.compare(guessed(truth, guess), baselineGuess{guess: base}, 0, o, nil)
	if b.AttackAlone != 5 || b.BaselineAlone != 2 || b.Accuracy.Correct != 5 || b.Mean != .3 {
		t.Errorf("%+v", b)
	}
	if got := stat.PairedTest(5, 2, 10, b.Low); math.Abs(got-.05) > 1e-9 {
		t.Errorf("at the lower limit %v the test's p is %v", b.Low, got)
	}
	if got := 1 - stat.PairedTest(5, 2, 10, b.High); math.Abs(got-.05) > 1e-9 {
		t.Errorf("at the upper limit %v the test's p is %v", b.High, 1-got)
	}
	if want := math.Sqrt((.7 - .09) / 10); math.Abs(b.StandardError-want) > 1e-15 {
		t.Errorf("standard error %v, want %v", b.StandardError, want)
	}
}
