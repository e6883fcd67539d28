package curious

import (
	"math"
	"testing"

	"tattle/classify"
)

func evaluationOf(honesty, curiosity, base, bits float64, examples int) *Evaluation {
	return &Evaluation{Examples: examples, Honesty: classify.Proportion{Value: honesty}, Entropy: Entropy{MeanBits: bits},
		Sensitive: []Curiosity{{Attribute: "sex", Attack: NetworkAttack, Curiosity: classify.Proportion{Value: curiosity}, BaselineValue: base, Excess: curiosity - base}}}
}

func TestSummarize(t *testing.T) {
	s := Summarize([]*Evaluation{evaluationOf(.8, .9, .5, .2, 100), evaluationOf(.9, .7, .5, .4, 90), evaluationOf(.7, .8, .5, .3, 110)})
	if s.Seeds != 3 || s.Examples != 90 || len(s.Sensitive) != 1 {
		t.Errorf("%+v", s)
	}
	for name, c := range map[string]struct {
		got       MeanStd
		mean, std float64
	}{
		"honesty": {s.Honesty, .8, .1}, "entropy": {s.Entropy, .3, .1}, "curiosity": {s.Sensitive[0].Curiosity, .8, .1},
		"baseline": {s.Sensitive[0].Baseline, .5, 0}, "excess": {s.Sensitive[0].Excess, .3, .1},
	} {
		if math.Abs(c.got.Mean-c.mean) > 1e-12 || math.Abs(c.got.Std-c.std) > 1e-12 || c.got.Seeds != 3 {
			t.Errorf("%s: %+v, want %v ± %v", name, c.got, c.mean, c.std)
		}
	}
	if one := Summarize([]*Evaluation{evaluationOf(.8, .9, .5, .2, 100)}); one.Honesty != (MeanStd{.8, 0, 1}) {
		t.Errorf("of one: %+v", one.Honesty)
	}
}

func TestSummaryDifference(t *testing.T) {
	// .03² + .04² + .5·.5/2500 = .0026.
	got, ok := SummaryDifference(MeanStd{Mean: .6, Std: .03}, .4, .04, 2500)
	if !ok || math.Abs(got-.2/math.Sqrt(.0026)) > 1e-12 {
		t.Errorf("%v", got)
	}
	if got, ok := SummaryDifference(MeanStd{Mean: .2, Std: .03}, .7, .04, 0); !ok || math.Abs(got+10) > 1e-12 {
		t.Errorf("without examples: %v", got)
	}
	if _, ok := SummaryDifference(MeanStd{Mean: 1}, 1, 0, 100); ok {
		t.Error("a difference in units of 0")
	}
}
