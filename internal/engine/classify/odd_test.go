package classify

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/shared"
)

// oddRows returns rows with everything that outputs can have: constants, copies of
// columns and rows, huge and tiny numbers, and targets with missing and single classes.
func oddRows(n int) ([]float32, int, []Target) {
	const d = 7
	r := rand.New(rand.NewPCG(uint64(n), 5))
	x := make([]float32, n*d)
	one, gap, many := make([]int, n), make([]int, n), make([]int, n)
	numbers, same := make([]float64, n), make([]float64, n)
	for i := range n {
		row := x[i*d : (i+1)*d]
		a := float32(r.NormFloat64())
		copy(row, []float32{a, a, 3, math.MaxFloat32 * (r.Float32() - .5), 1e-42 * a, float32(i % 2), 0})
		if i%5 == 4 {
			copy(row, x[(i-1)*d:i*d])
		}
		one[i], gap[i], many[i] = 2, 1+3*r.IntN(2), r.IntN(30)
		numbers[i], same[i] = 1e20*r.NormFloat64(), -7
	}
	return x, d, []Target{
		{Labels: one, Classes: 4}, {Labels: gap, Classes: 6}, {Labels: many, Classes: 40}, {Values: numbers}, {Values: same},
	}
}

// TestOddRows wants finite scores for any input, and guesses of classes that were seen.
func TestOddRows(t *testing.T) {
	for _, n := range []int{1, 2, 3, 7, 30, 150} {
		x, d, targets := oddRows(n)
		other, _, _ := oddRows(n + 1)
		for _, l := range Learners() {
			ts := targets
			if !l.Suits(ts[0]) {
				ts = []Target{{Labels: make([]int, n), Classes: 2}}
				ts[0].Labels[n-1] = 1
			}
			for k, scores := range guesses(t, l, x, d, ts, other) {
				for i, v := range scores {
					if v-v != 0 {
						t.Fatalf("%s, %d rows, target %d: score %d is %v", l.Name(), n, k, i, v)
					}
				}
				checkSeen(t, l.Name(), ts[k], scores)
			}
		}
	}
}

func checkSeen(t *testing.T, name string, target Target, scores []float32) {
	t.Helper()
	w := target.Width()
	for i := range len(scores) / w {
		if target.Labels == nil {
			if target.Values[0] == -7 && scores[i] != -7 {
				t.Fatalf("%s guesses %v where all are -7", name, scores[i])
			}
		} else if g := nn.Largest(scores[i*w : (i+1)*w]); !slices.Contains(target.Labels, g) {
			t.Fatalf("%s guesses class %d, which no row had", name, g)
		}
	}
}

// TestWide fits more columns than rows. Logistic regression uses components of them, the
// trees a part; one column in seven depends on the class.
func TestWide(t *testing.T) {
	shared.Long(t, "fits wide outputs")
	const n, d = 120, 147
	r := rand.New(rand.NewPCG(9, 9))
	x, labels, values := make([]float32, 2*n*d), make([]int, 2*n), make([]float64, 2*n)
	for i := range labels {
		labels[i] = r.IntN(2)
		values[i] = float64(labels[i])
		for j := range d {
			x[i*d+j] = float32(r.NormFloat64()) + 2*float32(labels[i])*indicator(j%7 == 0)
		}
	}
	targets := []Target{{Labels: labels[:n], Classes: 2}, {Values: values[:n]}}
	for _, l := range []Learner{Network{}, Logistic{}, Trees{}} {
		got := guesses(t, l, x[:n*d], d, targets, x[n*d:])
		if a, r2 := right(got[0], labels[n:]), explained(got[1], values[n:]); a < .8 || r2 < .1 {
			t.Errorf("%s: accuracy %v, R² %v", l.Name(), a, r2)
		} else {
			t.Logf("%s: accuracy %v, R² %v", l.Name(), a, r2)
		}
	}
}

// One far row blinds no learner to the others: their sign still says the label.
func TestFarRow(t *testing.T) {
	const n, d = 400, 2
	r := rand.New(rand.NewPCG(7, 8))
	x, labels := make([]float32, n*d), make([]int, n)
	for i := range n {
		a := r.NormFloat64()
		x[i*d], x[i*d+1], labels[i] = float32(a), float32(r.NormFloat64()), int(math.Ceil(max(0, min(1, a*1e9))))
	}
	seen := slices.Clone(x)
	seen[0], seen[1] = 1e30, -1e30
	for _, l := range Learners() {
		without := right(guesses(t, l, x, d, []Target{{Labels: labels, Classes: 2}}, x)[0], labels)
		if with := right(guesses(t, l, seen, d, []Target{{Labels: labels, Classes: 2}}, x)[0], labels); with < without-.02 {
			t.Errorf("%s: right for %v, without the far row for %v", l.Name(), with, without)
		}
	}
}

// The rows of a rare class are not cut off: in the column of its probability, their numbers stay different.
func TestRareClassIsNotFar(t *testing.T) {
	const n = 600
	r := rand.New(rand.NewPCG(9, 10))
	x := make([]float32, n)
	for i := range x {
		if x[i] = 1e-6 * r.Float32(); i%60 == 0 {
			x[i] = .5 + .5*r.Float32()
		}
	}
	z := make([]float64, n)
	standardise(newScaler(x, 1), networkFar, z, x)
	for i := 60; i < n; i += 60 {
		if z[i] == z[0] {
			t.Fatalf("%v and %v both become %v", x[i], x[0], z[0])
		}
	}
}
