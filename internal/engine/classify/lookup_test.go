package classify

import (
	"math/rand/v2"
	"testing"

	"tattle/internal/engine/nn"
)

// coded returns rows of d random digits. The parity of column 3 is flip's complement of
// the first target, of two classes; column 5 is the second target, of ten classes, and
// column 7 less its mean a third of the third, a number.
func coded(n, d int, flip float64, seed uint64) ([]float32, []Target) {
	r := rand.New(rand.NewPCG(seed, 9))
	x := make([]float32, n*d)
	targets := []Target{{Labels: make([]int, n), Classes: 2}, {Labels: make([]int, n), Classes: 10}, {Values: make([]float64, n)}}
	value := rand.New(rand.NewPCG(9, 9)).Perm(10)
	for i := range n {
		row := x[i*d : (i+1)*d]
		for j := range row {
			row[j] = float32(r.IntN(10))
		}
		targets[0].Labels[i] = int(row[3]) % 2
		if r.Float64() < flip {
			targets[0].Labels[i] ^= 1
		}
		targets[1].Labels[i] = int(row[5])
		targets[2].Values[i] = 3*float64(value[int(row[7])]) + r.NormFloat64()
	}
	return x, targets
}

// TestLookup wants codes in one of 200 columns of digits to be read: a parity that is
// right for .8 of rows, a digit and a number. Of 1000 rows .8 has a standard error of
// .013, of which .06 is more than four.
func TestLookup(t *testing.T) {
	x, targets := coded(1000, 200, .2, 1)
	other, truth := coded(1000, 200, .2, 1<<32)
	value := guesses(t, Lookup{}, x, 200, targets, other)
	if a := right(value[0], truth[0].Labels); a < .74 {
		t.Errorf("a parity is read right for %.3f of rows, .8 are possible", a)
	}
	if a := right(value[1], truth[1].Labels); a < .99 {
		t.Errorf("a digit is read right for %.3f of rows", a)
	}
	if r2 := explained(value[2], truth[2].Values); r2 < .95 {
		t.Errorf("numbers are explained by %.3f", r2)
	}
}

// TestLookupUnknown wants a value that a fit has not seen, or once, to be guessed as the
// values that are there once.
func TestLookupUnknown(t *testing.T) {
	const n = 400
	x, labels := make([]float32, n), make([]int, n)
	for i := range n {
		x[i] = float32(i)
		if labels[i] = i % 2; i%2 == 1 {
			x[i] = .5
		}
	}
	got := guesses(t, Lookup{}, x, 1, []Target{{Labels: labels, Classes: 2}}, []float32{.5, -3, 1e30})[0]
	for i, want := range []int{1, 0, 0} {
		if nn.Largest(got[2*i:2*i+2]) != want {
			t.Errorf("row %d is guessed as %d, want %d", i, 1-want, want)
		}
	}
}

// TestLookupChance wants the best of 300 columns of digits not to be believed where it is
// chance: of 1000 rows one in four is of the second class, and as many are guessed
// wrong by the majority. The best of so many columns costs one rule a point at most.
func TestLookupChance(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	const n, d = 1000, 300
	x, labels := make([]float32, 2*n*d), make([]int, 2*n)
	for i := range x {
		x[i] = float32(r.IntN(10))
	}
	second := 0
	for i := range labels {
		labels[i] = int(indicator(r.Float64() < .25))
		if i >= n {
			second += labels[i]
		}
	}
	got := right(guesses(t, Lookup{}, x[:n*d], d, []Target{{Labels: labels[:n], Classes: 2}}, x[n*d:])[0], labels[n:])
	if got < 1-float64(second)/n-.01 {
		t.Errorf("accuracy %.3f where the majority has %.3f", got, 1-float64(second)/n)
	}
}
