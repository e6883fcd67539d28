package design

import (
	"math"
	"strings"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/must"
)

// TestCheck wants one line for promises that no release can keep, or that every release keeps, with what
// is possible.
func TestCheck(t *testing.T) {
	train, test := pairs(300, 6), pairs(200, 7)
	for _, c := range []struct {
		name    string
		options Options
		want    string // empty: no error
	}{
		{"nothing", Options{}, "no promise is given"},
		{"a negative drop", Options{MaxDrop: -.1, Limits: Limits{Bits: 1}}, "accuracy drop -0.1"},
		{"a drop of more than everything", Options{MaxDrop: 2, Limits: Limits{Bits: 1}}, "accuracy drop 2"},
		{"no number", Options{MaxDrop: math.NaN(), Limits: Limits{Bits: 1}}, "accuracy drop NaN"},
		{"infinite bits", Options{Limits: Limits{Bits: math.Inf(1)}}, "+Inf: give a positive"},
		{"identification below guessing", Options{Limits: Limits{Identify: .01, Candidates: 100}}, "already names 1 %"},
		{"identification that no measurement shows", Options{Limits: Limits{Identify: .0115, Candidates: 100}}, "give more than 1.15 %, or more candidates"},
		{"identification", Options{Limits: Limits{Identify: .0116, Candidates: 100}}, ""},
		{"too many candidates", Options{Limits: Limits{Identify: .5, Candidates: 301}}, "301 candidates: the training data hold 300"},
		{"bits of all candidates", Options{Limits: Limits{Bits: 8.3}}, "no release reveals more than 8.229 bits"},
		{"bits", Options{Limits: Limits{Bits: 8.2}}, ""},
		{"floor above guessing", Options{Limits: Limits{Floor: 2}}, "guessing the mean errs by 1.1"},
		{"floor that so few inputs cannot prove", Options{Limits: Limits{Floor: 1.1}}, "with 200 test inputs, only floors below "},
		{"floor", Options{Limits: Limits{Floor: .2}}, ""},
		{"attribute below the majority", Options{Limits: Limits{Protect: []Protect{{Attribute: "side", Accuracy: .5}}}}, "guessing the most frequent class is right in 5"},
		{"area that no measurement shows", Options{Limits: Limits{Protect: []Protect{{Attribute: "side", AUC: .53}}}}, "give more than 0.53"},
		{"attribute that so few inputs cannot prove", Options{Limits: Limits{Protect: []Protect{{Attribute: "side", Accuracy: .6}}}}, "with 200 test inputs, limits above 6"},
		{"attribute", Options{Limits: Limits{Protect: []Protect{{Attribute: "side", Accuracy: .75}}}}, ""},
		{"bits of an attribute", Options{Limits: Limits{Protect: []Protect{{Attribute: "side", Bits: 1}}}}, "side: it has 0.9979 bits"},
		{"no such attribute", Options{Limits: Limits{Protect: []Protect{{Attribute: "age", Accuracy: .9}}}}, "choose from side"},
		{"attribute that is a task", Options{Tasks: []string{"side"}, Limits: Limits{Protect: []Protect{{Attribute: "side", AUC: .9}}}}, "protect it, or make it a task"},
		{"no such task", Options{Tasks: []string{"age"}, Limits: Limits{Bits: 1}}, `no attribute "age"`},
		{"no such method", Options{Methods: []Method{"odd"}, Limits: Limits{Bits: 1}}, "choose from isotropic"},
	} {
		err := c.options.check(train, test)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestEqualCandidates: inputs that equal another are no candidates of their own, in the search as in
// the final measurement.
func TestEqualCandidates(t *testing.T) {
	set := &dataset.Set{Shape: []int{2}}
	for i := range 300 {
		set.Values = append(set.Values, float32(i%30), 1)
		set.Y = append(set.Y, i%2)
	}
	o := Options{Limits: Limits{Identify: .03, Candidates: 300}}
	must.Fail(t, o.checkList(set), "3 % of 30 different candidates: guessing without the release already names 3.33 %")
	if n := len(o.list(set)); n != 30 {
		t.Errorf("%d different candidates", n)
	}
	o.Identify = .1
	must.Do(t, o.checkList(set))
	equal := &dataset.Set{Shape: []int{1}, Values: make([]float32, 300)}
	must.Do(t, o.checkErrors(equal, equal)) // no limit on errors is given
}
