package audit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/stat"
)

func TestSubgroupsAgainstPicking(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	s := randomSample(r, 200, 4, 3, .3)
	for i := range s.Y {
		if s.Y[i] == 3 && i > 60 {
			s.Y[i] = 0 // few are left of class 3
		}
	}
	truth := s.Sensitive[0].Labels
	guess, base := make([]int, 200), make([]int, 200)
	for i := range guess {
		guess[i], base[i] = r.IntN(3), r.IntN(2)
	}
	o := Options{}.withDefaults()
	got := subgroups(s, 0, guess, base, o)
	if got.LeftOut != 1 || len(got.List) != 6 { // three of y, three of s
		t.Fatalf("%d groups, %d left out: %+v", len(got.List), got.LeftOut, got)
	}
	for i, g := range got.List {
		labels, names := s.Y, s.Classes
		if g.Attribute == "s" {
			labels, names = truth, s.Sensitive[0].Values
		}
		var rows []int
		for k, l := range labels {
			if names[l] == g.Value {
				rows = append(rows, k)
			}
		}
		p := Options{Confidence: 1 - .05/6}.withDefaults()
		want := compare("", pick(truth, rows), pick(guess, rows), pick(base, rows), p)
		if g.Excess != want.Difference || math.Abs(g.Low-want.Low) > 1e-12 || g.Baseline.Correct != want.Accuracy.Correct || g.Curiosity.Examples != len(rows) {
			t.Errorf("%+v, want %+v", g, want)
		}
		if i > 0 && g.Excess > got.List[i-1].Excess {
			t.Errorf("group %d has more excess than the one before", i)
		}
	}
}

func TestEntropies(t *testing.T) {
	s := &Sample{Kind: "soft", Classes: []string{"a", "b", "c", "d"}, Y: []int{0, 1, 2}, Outputs: []float32{.25, .25, .25, .25, 1, 0, 0, 0, .5, .5, 0, 0}}
	for i, want := range []float64{2, 0, 1} {
		if got := entropies(s)[i]; math.Abs(got-want) > 1e-12 {
			t.Errorf("row %d: %v bits, want %v", i, got, want)
		}
	}
	raw := s.with([]float32{7, 7, 7, 7, 900, 0, 0, 0, 60, 60, -60, -60}, "raw")
	for i, want := range []float64{2, 0, 1} {
		if got := entropies(raw)[i]; math.Abs(got-want) > 1e-12 {
			t.Errorf("scores of row %d: %v bits, want %v", i, got, want)
		}
	}
}

// Entropies that depend on y, as s does, and on s by .1 bits more: the difference given
// y is found, not the confounded one, and the interval misses at most 1 % and 4.5
// standard deviations of 400 samples at confidence .99 (3.4e-6).
func TestEntropyDifferenceIsGivenTheTarget(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	const samples, n = 400, 400
	missed, sum := 0, 0.0
	for range samples {
		at := &Attribute{Name: "s", Values: []string{"low", "high", "rare"}}
		y, h := make([]int, n), make([]float64, n)
		for i := range y {
			y[i] = r.IntN(2)
			v := y[i]
			if r.IntN(4) == 0 {
				v = 1 - v
			}
			if i < 5 {
				v = 2
			}
			at.Labels = append(at.Labels, v)
			h[i] = 1 - .5*float64(y[i]) + .1*float64(v) + .1*r.NormFloat64()
		}
		d := entropyDifference(at, y, 2, h, .99)
		sum += d.Bits
		if d.Highest != "high" || d.Lowest != "low" || d.Interval[0] > .1 || d.Interval[1] < .1 {
			missed++
		}
	}
	if float64(missed) > samples*.01+4.5*math.Sqrt(samples*.01) {
		t.Errorf("missed in %d of %d", missed, samples)
	}
	if math.Abs(sum/samples-.1) > .01 {
		t.Errorf("%v bits on average", sum/samples)
	}
	at := &Attribute{Values: []string{"a", "b"}, Labels: slices.Repeat([]int{0}, 50)}
	if entropyDifference(at, make([]int, 50), 1, make([]float64, 50), .95) != nil {
		t.Error("one class differs from itself")
	}
}

func TestEntropyShift(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 10))
	s := randomSample(r, 100, 3, 2, 0)
	o := Options{}.withDefaults()
	if e := entropyShift(s, o); e.P != nil || e.References != 0 || e.MeanBits <= 0 {
		t.Errorf("without references: %+v", e)
	}
	var means []float64
	for range 4 {
		ref := *s
		ref.Outputs = randomSample(r, 100, 3, 2, 0).Outputs
		o.References = append(o.References, &ref)
		mean, _ := stat.MeanStd(entropies(&ref))
		means = append(means, mean)
	}
	e := entropyShift(s, o)
	_, p := stat.OneMore(e.MeanBits, means, 0)
	if math.Abs(*e.P-2*min(p, 1-p)) > 1e-12 || math.Abs(*e.ShiftBits-(e.MeanBits-*e.ReferenceMean)) > 1e-12 {
		t.Errorf("%+v", e)
	}
	unpaired := o
	unpaired.Unpaired = true
	if u := entropyShift(s, unpaired); *u.P < *e.P {
		t.Errorf("on other examples p is %v, on the same %v", *u.P, *e.P)
	}
	sharp := s.with(slices.Clone(s.Outputs), s.Kind)
	for i := range sharp.Outputs {
		sharp.Outputs[i] *= 10
	}
	if e := entropyShift(sharp, o); *e.P > .05 || *e.ShiftBits > -.1 {
		t.Errorf("ten times as sharp: %+v", e)
	}
}
