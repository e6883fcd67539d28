package bayes

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// near reports whether two numbers are equal but for rounding.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*(1+math.Abs(b)) }

// Independent draws of a class count its candidates, or the people who have it.
func TestCounts(t *testing.T) {
	class := []int{1, 1, 0, 1, 1}
	for _, c := range []struct {
		people, want []int
		ok           bool
	}{{nil, []int{1, 4}, true}, {[]int{0, 0, 1, 2, 2}, []int{1, 2}, true}, {[]int{0, 1, 1, 2, 3}, nil, false}} {
		if got, ok := (Attribute{Classes: 2, Class: class, People: c.people}).Counts(); ok != c.ok || !slices.Equal(got, c.want) {
			t.Errorf("people %v: %v, %t", c.people, got, ok)
		}
	}
}

// TestAttributeLimits compares what the draws say of an attribute with their formulas, where rounding
// may change every posterior probability by a tenth.
func TestAttributeLimits(t *testing.T) {
	const draws, alpha, rounding = 400, .01, .1
	r := rand.New(rand.NewPCG(3, 4))
	a := Attribute{Classes: 2, Class: []int{0, 0, 0, 1, 1, 0, 1, 0}, Target: []int{0, 1, 0, 0, 1, 0, 0, 0}}
	h := func(p float64) float64 { return -p*math.Log2(p) - (1-p)*math.Log2(1-p) }
	alone, given := a.Entropies()
	if want := .75*h(2./6) + .25*h(.5); !near(alone, h(3./8)) || !near(given, want) {
		t.Errorf("entropies %v and %v, want %v and %v", alone, given, h(3./8), want)
	}
	res := &Result{Rounding: rounding, Attributes: make([][]Inference, 1)}
	var scores [2][]float64
	x, y := make([]float64, draws), make([]float64, draws)
	for b := range draws {
		truth := r.IntN(len(a.Class))
		score := math.Floor(10*r.Float64()+3*float64(a.Class[truth])) / 13 // with ties
		scores[a.Class[truth]] = append(scores[a.Class[truth]], score)
		x[b], y[b] = .3+.4*r.Float64(), .1+.2*r.Float64()
		res.Draws = append(res.Draws, Draw{Truth: truth})
		res.Attributes[0] = append(res.Attributes[0], Inference{Entropy: x[b], GivenEntropy: y[b], Score: []float64{1 - score, score}})
	}
	bits := [2]Limit{}
	bits[0], bits[1] = res.AttributeBits(0, a, alpha)
	for i, entropy := range []float64{alone, given} {
		l, off := limits([][]float64{x, y}[i], 1, 0, alpha), rounding*3
		if want := (Limit{entropy - l.Mean, max(entropy-l.High-off, 0), min(entropy-l.Low+off, entropy)}); !near(bits[i].Mean, want.Mean) || !near(bits[i].Low, want.Low) || !near(bits[i].High, want.High) {
			t.Errorf("bits %v, want %v", bits[i], want)
		}
	}
	eight := make([]float64, draws)
	for b, v := range x {
		eight[b] = 8 * v
	}
	if got, one := limits(eight, 8, rounding, alpha), limits(x, 1, rounding, alpha); !near(got.Low, 8*one.Low) || !near(got.High, 8*one.High) {
		t.Errorf("limits %v, and %v of eight times as much", one, got)
	}
	area := func(by float64) (sum float64) {
		for _, zero := range scores[0] {
			for _, one := range scores[1] {
				switch one *= by; {
				case one > zero:
					sum++
				case one == zero:
					sum += .5
				}
			}
		}
		return sum / float64(len(scores[0])*len(scores[1]))
	}
	off := math.Sqrt(-math.Log(alpha) / 2 / float64(min(len(scores[0]), len(scores[1]))))
	if got := res.AUC(0, a, alpha); !near(got.Mean, area(1)) || !near(got.Low, area(1-2*rounding)-off) || !near(got.High, min(area(1+2*rounding)+off, 1)) {
		t.Errorf("AUC %v, want %v from %v to %v", got, area(1), area(1-2*rounding)-off, area(1+2*rounding)+off)
	}
	if p, left := summarise([]float64{1, 2, 0, 5}); p != 5./8 || !near(left, 3./8+.25*2+5./8*math.Log2(8./5)) {
		t.Errorf("of weights 1, 2, 0, 5 the largest share is %v, and %v bits", p, left)
	}
}
