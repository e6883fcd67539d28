package audit

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"tattle/curious"
	"tattle/internal/must"
	"tattle/internal/shared"
)

func TestGroupings(t *testing.T) {
	for _, c := range []struct {
		values, counts, want string
	}{
		{"a b", "50 50", ""},
		{"a b c", "50 50 0", ""},
		{"a b c", "30 50 40", "b | c | a"},
		{"a b c", "30 5 40", "c | a"},
		{"20..26 <=19 >=50 27..49", "30 30 30 30", "<=19 | <=19 20..26 | <=19 20..26 27..49"},
		{"0 1 2", "30 40 50", "2 | 1 | 0"},
		{"a b c d e f g h", "30 30 30 30 30 30 30 30", "a | b | c | d | e | f"},
	} {
		at := Attribute{Values: strings.Fields(c.values)}
		for v, n := range strings.Fields(c.counts) {
			var k int
			fmt.Sscan(n, &k)
			for range k {
				at.Labels = append(at.Labels, v)
			}
		}
		var got []string
		for _, g := range groupings(&at) {
			var names []string
			for _, v := range g {
				names = append(names, at.Values[v])
			}
			got = append(got, strings.Join(names, " "))
		}
		if s := strings.Join(got, " | "); s != c.want {
			t.Errorf("%s (%s): %s, want %s", c.values, c.counts, s, c.want)
		}
	}
}

// oneOfSix draws outputs that reveal one of six values against the others and nothing else, by a
// shift that is worth 3.5 standard deviations.
func oneOfSix(n int) *Sample {
	r := rand.New(rand.NewPCG(5, 6))
	s := &Sample{Name: "one of six", Kind: curious.Raw, Target: "y", Classes: []string{"0", "1"}}
	a := Attribute{Name: "s", Values: []string{"a", "b", "c", "d", "e", "f"}}
	for range n {
		y, v := r.IntN(2), r.IntN(6)
		up := 0.
		if v == 2 {
			up = 2.5
		}
		row := [2]float32{float32(r.NormFloat64() + up), float32(r.NormFloat64() + up)}
		row[y] += 3
		s.Outputs, s.Y, a.Labels = append(s.Outputs, row[:]...), append(s.Y, y), append(a.Labels, v)
	}
	s.Sensitive = []Attribute{a}
	return s
}

// The group that the outputs reveal is found, the others are not, and the same options give the
// same groupings.
func TestGroupingsAreJudged(t *testing.T) {
	shared.Long(t, "an audit of all groupings of an attribute")
	s := oneOfSix(1500)
	o := Options{Seed: 1, Attacks: []string{"logistic"}, Permutations: 199, Groupings: true}
	r := must.Get(Run(t.Context(), s, o))(t)
	f := &r.Findings[0]
	if !r.Settings.Groupings || len(f.Groupings) != 6 {
		t.Fatalf("%+v", f.Groupings)
	}
	for _, g := range f.Groupings {
		if g.Values[0] == "c" && (!g.Beyond || g.Excess.Value < .03) {
			t.Errorf("c is revealed: %+v", g)
		}
		if g.Values[0] != "c" && g.Excess.Value > .02 {
			t.Errorf("%s is revealed only by not being c: %+v", g.Values, g)
		}
	}
	s = oneOfSix(150)
	r = must.Get(Run(t.Context(), s, o))(t)
	again, err := Run(t.Context(), s, o)
	if err != nil || !reflect.DeepEqual(again.Findings[0].Groupings, r.Findings[0].Groupings) {
		t.Errorf("another run has other groupings: %v", err)
	}
	o.Groupings = false
	if without, err := Run(t.Context(), s, o); err != nil || without.Findings[0].Groupings != nil || without.Verdict != r.Verdict {
		t.Errorf("without groupings: %+v, %v", without.Findings[0].Groupings, err)
	}
}
