package curious

import (
	"context"
	"slices"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/must"
)

// TestCheckRefuses wants one line, with the fix, for everything that can be checked before
// training.
func TestCheckRefuses(t *testing.T) {
	none := func(*dataset.Parts) {}
	for _, c := range []struct {
		o    Options
		data func(p *dataset.Parts)
		want string
	}{
		{Options{Attack: MixtureKind, Outputs: Raw, Attributes: []int{0}}, none, "leave out raw"},
		{Options{Beta: Beta{Y: .7, S: .3}}, none, "a standard classifier has no βs"},
		{Options{Attack: Overlearning, Beta: Beta{Y: .7, S: .3}}, none, "a standard classifier has no βs"},
		{Options{Attack: Parameterized, Beta: Beta{Y: 1}}, none, "nothing would be hidden"},
		{Options{Attack: Regularized, Beta: Beta{S: 1}}, none, "nothing would be honest"},
		{Options{Attack: Regularized}, none, `"r" has 3: group them`},
		{Options{Attack: MixtureKind}, none, "hides one sensitive attribute, not 2"},
		{Options{Attack: MixtureKind, Attributes: []int{2}}, func(p *dataset.Parts) {
			p.Train.Sensitive = append(p.Train.Sensitive, dataset.Attribute{Name: "q", Values: []string{"1", "2", "3", "4"}, Labels: slices.Clone(p.Train.Y)})
			p.Validation.Sensitive = append(p.Validation.Sensitive, p.Train.Sensitive[2])
			p.Train.Sensitive[2].Labels[0] = 3
		}, "hides at most as many classes as the target has, 3"},
		{Options{Attack: MixtureKind, Attributes: []int{0}, Beta: Beta{Y: .5, S: .5}}, none, "βy must be larger than βs"},
		{Options{Attack: Parameterized, Attributes: []int{2}}, none, "there is no sensitive attribute 2"},
		{Options{Attack: Parameterized, Attributes: []int{1, 1}}, none, `"r" is named twice`},
		{Options{Attack: Parameterized}, func(p *dataset.Parts) { p.Train.Sensitive, p.Validation.Sensitive = nil, nil }, "no sensitive attribute"},
		{Options{}, func(p *dataset.Parts) { p.Validation = nil }, "no validation examples"},
		{Options{}, func(p *dataset.Parts) { p.Train = &dataset.Set{} }, "no training examples"},
		{Options{}, func(p *dataset.Parts) { p.Train.YNames = append(p.Train.YNames, "d") }, `no training example has "d"`},
		{Options{Attack: Overlearning}, func(p *dataset.Parts) { clear(p.Train.Sensitive[0].Labels) }, `"s" is "no" in every training example`},
		{Options{Attack: Regularized, Attributes: []int{0}}, func(p *dataset.Parts) {
			p.Train.Sensitive[0].Values = []string{"no"}
			clear(p.Train.Sensitive[0].Labels)
		}, "one value only"},
	} {
		p := trainingParts(50)
		c.data(p)
		err := c.o.Check(p)
		must.Fail(t, err, c.want)
		if _, err := Train(context.Background(), p, c.o); err == nil {
			t.Errorf("%+v: trained", c.o)
		}
	}
	must.Fail(t, (Options{}).Check(nil)) // no data
	for _, kind := range []Kind{"", Overlearning, Parameterized} {
		must.Do(t, (Options{Attack: kind}).Check(trainingParts(50)))
	}
}

func TestParseBeta(t *testing.T) {
	for s, want := range map[string]Beta{".7,.3": {Y: .7, S: .3}, "0.01, 1 ,2": {.01, 1, 2}} {
		b, err := ParseBeta(s)
		if err != nil || b != want {
			t.Errorf("%q: %v, %v", s, b, err)
		}
		if again, err := ParseBeta(b.String()); err != nil || again != b {
			t.Errorf("%q: %v, %v", b, again, err)
		}
	}
	for _, s := range []string{"", "1", "1,2,3,4", "a,b", "-1,2", "NaN,1", "inf,1", "1,"} {
		if b, err := ParseBeta(s); err == nil {
			t.Errorf("%q is %v", s, b)
		}
	}
}

// TestDefaultNet wants a net for every shape.
func TestDefaultNet(t *testing.T) {
	for name, shape := range map[string][]int{"mnist": {1, 28, 28}, "curious": {3, 32, 32}, "table": {9}, "": {3, 10, 12}} {
		g := DefaultNet(shape)(4, 1)
		if out, err := g.Shapes(); err != nil || name != "" && g.Name != name || len(g.InputShape) != len(shape) || len(out[g.Output]) != 1 || out[g.Output][0] != 4 {
			t.Errorf("%v: net %q, %v, %v", shape, g.Name, out[g.Output], err)
		}
	}
}
