package audit

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/math/stat"
	"tattle/internal/must"
	"tattle/internal/reveal/curious"
	"tattle/internal/shared"
)

// flagged draws n examples of which a tenth has s = 1, independent of y; outputs are
// raised for 91 % of these and 11 % of the others (AUC .90), whatever y is.
func flagged(n int, seed uint64) *Sample {
	r := rand.New(rand.NewPCG(seed, 5))
	s := &Sample{Name: "rare", Kind: curious.Raw, Target: "y", Classes: []string{"0", "1"}}
	at := Attribute{Name: "s", Values: []string{"no", "yes"}}
	for i := range n {
		y, l, flag := r.IntN(2), 0, .11
		if r.Float64() < .1 {
			l, flag = 1, .91
		}
		s.Y, at.Labels = append(s.Y, y), append(at.Labels, l)
		s.Outputs = append(s.Outputs, float32(r.NormFloat64()), float32(r.NormFloat64()))
		s.Outputs[2*i+y] += 3
		if r.Float64() < flag {
			s.Outputs[2*i] += 20
			s.Outputs[2*i+1] += 20
		}
	}
	s.Sensitive = []Attribute{at}
	return s
}

// A rare attribute that does not change the accuracy is found by the proper score: H(s) = .469
// bits, and the flag reveals .183 of them. The gain differs from that by less than 4.5 standard
// errors plus the cost of learning, and the AUC from .9 by less than 4.5/1.96 half intervals:
// either fails once in 10⁵ times.
func TestRareAttributeIsFound(t *testing.T) {
	o := Options{Seed: 1, Attacks: []string{"logistic", "trees"}, Permutations: 999}
	s := flagged(1500, 1)
	f := examined(t, s, o).Findings[0]
	if f.Excess.Value > .01 {
		t.Fatalf("accuracy sees it, too: %+v", f.Excess)
	}
	g := f.Given
	if math.Abs(g.Mean-.183) > 4.5*g.StandardError+.02 || g.Low <= 0 || g.P > 1e-5 {
		t.Errorf("gain %+v, want .183 bits", g)
	}
	positives := 0
	for _, l := range s.Sensitive[0].Labels {
		if s.Sensitive[0].Values[l] == g.Order.Class {
			positives++
		}
	}
	degrees := float64(min(positives, s.Len()-positives) - 1)
	if half := g.Order.StandardError * stat.StudentQuantile(.975, degrees); math.Abs(g.Order.Area-half-g.Order.Low) > 1e-12 || g.Order.High != min(1, g.Order.Area+half) {
		t.Errorf("limits %v and %v of an area of %v ± %v", g.Order.Low, g.Order.High, g.Order.Area, half)
	}
	if x := g.Order; x.Class != "yes" || math.Abs(x.Area-.9) > 4.5*x.StandardError || x.P > 1e-8 {
		t.Errorf("area %+v, want .90", x)
	}
	if f.Verdict != LeakyBeyond || !slices.Contains(f.RestsOn(DefaultConfidence), figureGain) {
		t.Errorf("%q by %q", f.Verdict, f.RestsOn(DefaultConfidence))
	}
}

// Where the table of y and label says all, the calibration is the table, or nearly so; what
// the scores add it takes.
func TestCalibrationAddsToTheTable(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, slope := range []float64{0, 2} {
		s := randomSample(r, 2000, 2, 2, .3)
		s.Sensitive = s.Sensitive[:1]
		at := &s.Sensitive[0]
		score := make([]float64, 2*s.Len())
		at.Labels, at.Values = make([]int, s.Len()), []string{"a", "b"}
		for i := range at.Labels {
			z := r.NormFloat64()
			score[2*i+1] = z
			if r.Float64() < 1/(1+math.Exp(1+float64(s.Y[i])-slope*z)) {
				at.Labels[i] = 1
			}
		}
		g, why := goalOf(s, 0)
		if g == nil {
			t.Fatal(why)
		}
		rows := span(0, s.Len())
		j := newJoint(newFolded(s, Options{}), g, rows[:1000])
		c := calibrate(g, j, rows[1000:], score[2000:], slices.Repeat([]float64{1}, len(rows)-1000))
		three, thrice, third := []int{}, []float64{}, make([]float64, 3*(len(rows)-1000)) // every example three times, as of one person
		for _, i := range rows[1000:] {
			three, thrice = append(three, i, i, i), slices.Concat(thrice, score[2*i:2*i+2], score[2*i:2*i+2], score[2*i:2*i+2])
		}
		for k := range third {
			third[k] = 1. / 3
		}
		if again := calibrate(g, j, three, thrice, third); math.Abs(again.merit-c.merit) > 2e-4 || math.Abs(again.slope[0]-c.slope[0]) > 1e-3 {
			t.Errorf("of people with three equal examples: merit %v and slope %v, want %v and %v", again.merit, again.slope[0], c.merit, c.slope[0])
		}
		got, gain := make([]float64, 2), 0.0
		for _, i := range rows[:1000] {
			base := j.of(i)
			c.apply(got, base, i, score[2*i:2*i+2])
			if p := math.Exp(got[0]) + math.Exp(got[1]); math.Abs(p-1) > 1e-9 {
				t.Fatalf("probabilities sum to %v", p)
			}
			gain += (got[g.target.Labels[i]] - base[g.target.Labels[i]]) / 1000
		}
		if slope == 0 && math.Abs(gain) > .01 || slope > 0 && gain < .15 {
			t.Errorf("slope %v: gain of %v nats", slope, gain)
		}
	}
}

// The margin in bits is the capacity of a binary symmetric channel.
func TestMarginBits(t *testing.T) {
	for margin, want := range map[float64]float64{0: 0, .02: .00115446, .5: 1, .9: 1} {
		if got := marginBits(margin); math.Abs(got-want) > 1e-7 {
			t.Errorf("margin %v: %v bits, want %v", margin, got, want)
		}
	}
}

// A number that y nearly determines, of which the outputs tell the rest: little of its
// variance, so that R² does not see it, and most of what y leaves.
func TestNumberGivenTarget(t *testing.T) {
	s := made{n: 1500, classes: 3, seed: 22}.sample()
	r := rand.New(rand.NewPCG(6, 6))
	v := make([]float64, s.Len())
	for i := range v {
		rest := r.NormFloat64()
		v[i] = 12*float64(s.Y[i]) + 2*rest
		for j := range 3 {
			s.Outputs[3*i+j] += float32(1.5 * rest)
		}
	}
	s.Sensitive = []Attribute{{Name: "age", Numbers: v}}
	f := examined(t, s, Options{Seed: 2, Attacks: []string{"trees"}, Permutations: 99}).Findings[0]
	if f.Excess.P <= .05 {
		t.Fatalf("R² sees it, too: %+v", f.Excess)
	}
	if f.Given.Low < .1 || f.Verdict != LeakyBeyond {
		t.Errorf("%q, %+v", f.Verdict, f.Given)
	}
}

// linear returns a function that makes a logistic regression.
func linear(shape []int) func(classes int, seed uint64) *nn.Graph {
	return func(classes int, seed uint64) *nn.Graph {
		b := nn.NewBuilder("linear", shape...)
		b.Add("", nn.Flatten())
		b.Dense("", classes, true)
		b.Graph.Init(seed)
		return b.Graph
	}
}

// Adult's income by logistic regression, and race, which it has among its inputs: within
// one class of y and one answer the scores rank pairs better than chance.
func TestAdultRace(t *testing.T) {
	shared.Long(t, "trains on Adult")
	path := shared.Path(t, "data/adult")
	p := must.Get(dataset.OpenParts(context.Background(), path, dataset.Options{Kind: dataset.KindAdult, Sensitive: []string{"race: White; *"}}))(t)
	trained := must.Get(curious.Train(context.Background(), p, curious.Options{Attack: curious.Standard, Outputs: curious.Raw, Net: linear(p.Train.Shape), Epochs: 3, Seed: 1}))(t)
	s := must.Get(fromModel(context.Background(), trained.Classifier, "", p.Test.Subset(span(0, 8000))))(t)
	f := examined(t, s, Options{Seed: 1, Attacks: []string{"logistic", "trees"}, Permutations: 999}).Findings[0]
	if f.Excess.Value > DefaultMargin {
		t.Errorf("accuracy sees race: %+v", f.Excess)
	}
	if f.Given.Permutation.P > .01 || f.Verdict != LeakyBeyond || f.Given.Order == nil || f.Given.Order.Area < .55 || f.Given.Order.Adjusted > .05 {
		t.Errorf("%q: %+v", f.Verdict, f.Given)
	}
}
