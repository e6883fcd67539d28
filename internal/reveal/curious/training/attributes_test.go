package training

import (
	"strings"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/classify"
	"tattle/internal/reveal/curious"
)

// TestAlike names attributes that say the same, or too little beside the target.
func TestAlike(t *testing.T) {
	set := func(y []int, sensitive ...[]int) *dataset.Set {
		s := &dataset.Set{Y: y, YName: "y"}
		for i, labels := range sensitive {
			s.Sensitive = append(s.Sensitive, dataset.Attribute{Name: "s" + string(rune('1'+i)), Labels: labels})
		}
		return s
	}
	y := []int{0, 1, 2, 0, 1, 2}
	for _, c := range []struct {
		set     *dataset.Set
		refused string
		warned  int
	}{
		{set(y), "", 0},
		{set(y, []int{0, 1, 0, 1, 0, 1}), "", 0},
		{set(y, []int{2, 0, 1, 2, 0, 1}), "s1 is the same attribute as the target", 1},
		{set(y, []int{0, 1, 1, 0, 1, 1}), "", 1},
		{set([]int{0, 1, 1, 0, 1, 1}, y), "", 0},
		{set(y, []int{0, 0, 0, 1, 1, 1}, []int{1, 1, 1, 0, 0, 0}), "s1 and s2 are the same", 0},
	} {
		err := alike(c.set)
		if (err != nil) != (c.refused != "") || err != nil && !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%v: %v, want %q", c.set, err, c.refused)
		}
		if said := attributeWarnings(c.set, curious.Overlearning, &curious.Evaluation{}); len(said) != c.warned {
			t.Errorf("%v: warned %q, want %d", c.set, said, c.warned)
		}
	}
}

// TestRelated: attributes are reported if the interval of their information excludes zero.
func TestRelated(t *testing.T) {
	said := attributeWarnings(&dataset.Set{}, curious.Overlearning, &curious.Evaluation{Correlations: []classify.MutualInformation{
		{Between: [2]string{"age", "sex"}, Bits: .25, Interval: [2]float64{.125, .5}},
		{Between: [2]string{"age", "race"}, Bits: .001, Interval: [2]float64{0, .01}},
	}})
	want := "age and sex share 0.25 bits in the test examples (95 % interval 0.125 to 0.5)"
	if len(said) != 1 || !strings.HasPrefix(said[0], want) {
		t.Errorf("%q, want %q", said, want)
	}
}

// TestWorstSeed: the first lines of several trainings are about the one whose attack shows an excess, or the larger one, tested for all.
func TestWorstSeed(t *testing.T) {
	of := func(excess, p float64) *Result {
		return &Result{Measure: Measure{Evaluation: &curious.Evaluation{Sensitive: []curious.Curiosity{
			{Attribute: "age", Excess: -.1, ExcessInterval: [2]float64{-.2, 0}, PValue: 1},
			{Attribute: "race", Excess: excess, ExcessInterval: [2]float64{excess - .02, excess + .02}, PValue: p},
		}}}}
	}
	for _, c := range []struct {
		seeds []*Result
		worst int
		shown bool
	}{
		{[]*Result{of(-.1, 1), of(.04, 1e-9), of(.03, 1e-9)}, 1, true},
		{[]*Result{of(.05, .2), of(-.1, 1), of(.04, 1e-9)}, 2, true},
		{[]*Result{of(-.1, 1), of(-.05, .9), of(.01, .5)}, 2, false},
		{[]*Result{of(-.1, 1), of(.04, .02)}, 1, false},
		{[]*Result{{Measure: Measure{Evaluation: &curious.Evaluation{}}}, {Measure: Measure{Evaluation: &curious.Evaluation{}}}}, 0, false},
	} {
		is := WorstSeed(c.seeds)
		v := c.seeds[is].Evaluation
		if is != c.worst || len(v.Sensitive) > 0 && (v.Worst() != 1 || v.Sensitive[1].Shown() != c.shown) {
			t.Errorf("seed %d is worst, attribute %d: want %d, and an excess %v", is, v.Worst(), c.worst, c.shown)
		}
	}
}

// TestBetterAttack: a student's verdict is of the attack that shows an excess, or the larger one, tested for both.
func TestBetterAttack(t *testing.T) {
	of := func(excess, p float64) *curious.Evaluation {
		return &curious.Evaluation{Sensitive: []curious.Curiosity{{Attribute: "race", Excess: excess, ExcessInterval: [2]float64{excess - .02, excess + .02}, PValue: p}}}
	}
	for _, c := range []struct {
		name             string
		teachers, fitted *curious.Evaluation
		excess           float64
		shown            bool
	}{
		{"the fitted attack", of(-.1, 1), of(.04, 1e-9), .04, true},
		{"the teacher's", of(.1, 1e-9), of(.04, 1e-9), .1, true},
		{"the one that shows it", of(.05, .2), of(.04, 1e-9), .04, true},
		{"neither", of(-.1, 1), of(-.05, .9), -.05, false},
		{"no more for the second", of(-.1, 1), of(.04, .04), .04, false},
	} {
		s := &Student{Result: &Result{Measure: Measure{Evaluation: c.teachers}}, Refitted: c.fitted}
		curious.Adjust(c.teachers, c.fitted)
		if got := s.best().Sensitive[0]; got.Excess != c.excess || got.Shown() != c.shown {
			t.Errorf("%s: excess %v, shown %v", c.name, got.Excess, got.Shown())
		}
	}
	if none := (&Student{Result: &Result{Measure: Measure{Evaluation: &curious.Evaluation{}}}}).best(); len(none.Sensitive) > 0 {
		t.Error("attacks of a student that none attacked")
	}
}
