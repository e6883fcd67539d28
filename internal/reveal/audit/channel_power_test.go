package audit

import (
	"context"
	"math"
	"testing"

	"tattle/internal/must"
	"tattle/internal/shared"
)

// TestPlantsHaveFoldsOfTheirOwn plants attributes of one code among many classes. The folds of an audit follow the frequencies
// of its attribute. So must those of each plant: else the best baseline is right less often than it is in an audit.
func TestPlantsHaveFoldsOfTheirOwn(t *testing.T) {
	o := Options{Seed: 1, Attacks: []string{"lookup"}}.withDefaults()
	s := softly(1000, 50, 1)
	r := random(1, streamChannel, 1)
	kind := channelsOf(s)[1]
	code, none := codeOf(kind, s, r)
	if none != "" {
		t.Fatal(none)
	}
	x := code.write(s, r)
	kept := must.Get(x.reader(code.read, o))(t)
	for plant := range 3 {
		x.say(.1, r)
		_, luck := must.Get2(x.read(t.Context(), kept, o, 7))(t)
		_, want := must.Get2(x.read(t.Context(), must.Get(x.reader(code.read, o))(t), o, 7))(t)
		if luck != want || luck < .03 {
			t.Errorf("plant %d: the best baseline is right %.3f more often than one half, in an audit %.3f", plant, luck, want)
		}
	}
}

// TestChannelPower wants codes to be found at sizes that are not far above what would be
// found if attacks knew them: at 1,000 examples twice as large; and outputs that cannot
// carry a code to be named.
func TestChannelPower(t *testing.T) {
	shared.Long(t, "the power against codes")
	o := Options{Seed: 1}
	list, err := measureChannels(context.Background(), softly(1000, 3, 1), 2, o)
	must.Do(t, err)
	known := excessTest{1000, DefaultMargin, .05 / float64(testsOf(2)), false}.smallest(evenly)
	for _, c := range list {
		if c.Planted == nil || *c.Planted < known || *c.Planted > 2*known || math.Abs(*c.Planted-known-c.LearningLoss) > 1e-12 {
			t.Errorf("%+v where %.3f is found of a known code", c, known)
		}
	}
	whole := softly(100, 2, 1)
	whole.Kind = "raw"
	for i := range whole.Outputs {
		whole.Outputs[i] = float32(i % 7)
	}
	list = must.Get(measureChannels(context.Background(), whole, 1, o))(t)
	for i, want := range []string{"the outputs have no decimals", "", "", "2 outputs have no order beside the largest"} {
		if list[i].Note != want || want != "" && list[i].Planted != nil {
			t.Errorf("%+v, want %q", list[i], want)
		}
	}
	o.Attacks = []string{"logistic", "trees"}
	if list, err = measureChannels(context.Background(), whole, 1, o); err != nil || list[1].Note != `the attack "lookup" was left out` {
		t.Errorf("%+v, %v", list, err)
	}
}
